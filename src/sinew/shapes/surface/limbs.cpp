// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/limbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/shapes/surface/assembly.h"
#include "sinew/shapes/surface/tube.h"

namespace sinew::shapes {
namespace {

/// The size of a limb with all choices made.
struct LimbSize {
  std::string kind;
  double length = 8;
  double width = 2;
  double girth = 8;  ///< Around the section.
  int layers = 80;
  int around = 16;
  int joints = 3;
  bool checkerboard = false;

  double link() const { return length / (joints - 1); }
};

int quarter_count(double count) { return 4 * std::max(1, static_cast<int>(std::lround(count / 4))); }

void choose_limb_resolution(const MakeOptions& options, LimbSize& limb) {
  if (options.layers > 0) limb.layers = options.layers;
  if (options.vertices > 0) {
    if (options.layers > 0) {
      limb.around = quarter_count(static_cast<double>(options.vertices) / (limb.layers + 1));
    } else {
      // Square faces, and a ring at every joint.
      const double edge = std::sqrt(limb.girth * limb.length / options.vertices);
      limb.around = quarter_count(limb.girth / edge);
      const int links = limb.joints - 1;
      limb.layers = links * std::max(1, static_cast<int>(std::lround(limb.length / edge / links)));
    }
  }
  if (static_cast<double>(limb.layers + 1) * limb.around > 4e6)
    throw Error(
        fmt::format("A {} with {} layers and {} vertices around it is too large. Lower the option 'layers' or the "
                    "option 'vertices'.",
                    limb.kind, limb.layers, limb.around));
}

LimbSize choose_limb(const std::string& kind, bool round, const MakeOptions& options) {
  LimbSize limb;
  limb.kind = kind;
  if (round) limb.around = 32;
  if (options.length > 0 && options.height > 0 && options.length != options.height)
    throw Error(
        fmt::format("For a {} the option 'length' means the same as the option 'height'. Set only one of them.", kind));
  if (options.length > 0 || options.height > 0) limb.length = std::max(options.length, options.height);
  if (options.width > 0) limb.width = options.width;
  limb.girth = (round ? kPi : 4) * limb.width;
  if (options.joint_count == 1) throw Error(fmt::format("A {} needs at least 2 joints, one at each end.", kind));
  if (options.joint_count > 0) limb.joints = options.joint_count;
  limb.checkerboard = options.checkerboard;
  choose_limb_resolution(options, limb);
  return limb;
}

/// Point i of a square ring, from a corner on; half width 1.
Vec2 square_point(int i, int around) {
  const int m = around / 4;
  const double t = -1 + 2.0 * (i % m) / m;
  switch (i / m) {
    case 0:
      return {t, -1};
    case 1:
      return {1, t};
    case 2:
      return {-t, 1};
    default:
      return {-1, -t};
  }
}

Vec2 round_point(int i, int around) {
  const double angle = -0.75 * kPi + kTwoPi * i / around;
  return {std::cos(angle), std::sin(angle)};
}

Skeleton limb_skeleton(const LimbSize& limb) {
  std::vector<PlacedJoint> joints;
  for (int j = 0; j < limb.joints; ++j) {
    PlacedJoint joint;
    joint.name = fmt::format("Joint{}", j);
    joint.parent = j == 0 ? kNone : static_cast<Index>(j - 1);
    joint.place = {0, limb.length * j / (limb.joints - 1), 0};
    joint.end = joint.place + Vec3(0, limb.link(), 0);
    joints.push_back(std::move(joint));
  }
  return place_joints(joints);
}

std::vector<Influence> gaussian_row(double t, int joints) {
  constexpr double kSpread = 0.25;
  std::vector<double> weights(static_cast<std::size_t>(joints));
  // Relative to the largest, so that nothing underflows far outside.
  const double nearest = std::clamp(std::floor(t), 0.0, joints - 1.0) + 0.5;
  for (int j = 0; j < joints; ++j) {
    const double power = (t - nearest) * (t - nearest) - (t - j - 0.5) * (t - j - 0.5);
    weights[static_cast<std::size_t>(j)] = std::exp(power / (2 * kSpread * kSpread));
  }
  return normalized_row(weights);
}

Made make_limb(const LimbSize& limb, Vec2 (*section)(int, int), const Vec3f& color) {
  TubeOptions options;
  options.rings = limb.layers + 1;
  options.around = limb.around;
  options.cap = limb.checkerboard ? Cap::kFan : Cap::kGrid;
  options.cut = limb.checkerboard ? Cut::kCheckerboard : Cut::kQuads;
  options.last_centre = {0, limb.length, 0};
  Mesh mesh = tube(options, [&](int ring, int i) {
    const Vec2 p = 0.5 * limb.width * section(i, limb.around);
    return Vec3(p.x(), limb.length * ring / limb.layers, p.y());
  });
  Segmentation owners;
  for (int j = 0; j + 1 < limb.joints; ++j)
    owners.segments.push_back({static_cast<Index>(j), static_cast<Index>(j + 1)});
  std::vector<std::vector<Influence>> rows;
  for (const Vec3& p : mesh.positions) {
    const double t = p.y() / limb.length * (limb.joints - 1);
    const double link = std::clamp(std::floor(t), 0.0, limb.joints - 2.0);
    owners.owner.push_back(static_cast<Index>(link));
    owners.along.push_back(static_cast<float>(t - link));
    rows.push_back(gaussian_row(t, limb.joints));
  }
  return assemble(limb.kind, std::move(mesh), limb_skeleton(limb), rows, std::move(owners), color);
}

}  // namespace

Made bar(const MakeOptions& options, const Progress& progress) {
  progress.check();
  return make_limb(choose_limb("bar", false, options), square_point, {0.55F, 0.42F, 0.30F});
}

Made cylinder(const MakeOptions& options, const Progress& progress) {
  progress.check();
  return make_limb(choose_limb("cylinder", true, options), round_point, {0.34F, 0.46F, 0.52F});
}

}  // namespace sinew::shapes
