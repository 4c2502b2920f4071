// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/shapes/surface/assembly.h"
#include "sinew/shapes/surface/tube.h"

namespace sinew::shapes {
namespace {

constexpr int kHelpers = 6;
constexpr double kOverhang = 0.15;  ///< In links, beyond shoulder and wrist.
constexpr double kCapHeight = 0.05;

/// One of the arms: everything as a function of u and φ.
class ArmShape {
 public:
  explicit ArmShape(const std::string& name) : slender_(name == "slender"), reference_(name == "reference") {
    if (slender_) links_ = {3.3, 2.6}, rings_ = 41, around_ = 25;
    else if (!reference_) links_ = {2.8, 3.1}, rings_ = 121, around_ = 60;
    if (name == "rotated") {
      const double half = std::sqrt(0.5);
      placement_.topLeftCorner<3, 3>() << half, half, 0, -half, half, 0, 0, 0, 1;
      placement_.topRightCorner<3, 1>() = Vec3(1, 2, -0.5);
    }
  }

  int rings() const { return rings_; }
  int around() const { return around_; }
  double length() const { return links_[0] + links_[1]; }
  void scale(double factor) { placement_.topRows<3>() *= factor; }

  double radius(double u, double phi) const {
    if (slender_) return 0.22 + 0.03 * std::cos(2 * u);
    if (reference_) return 0.45 + 0.1 * std::cos(2 * u) + 0.05 * std::cos(2 * phi);
    return 0.6 + 0.2 * std::sin(3 * u) + 0.08 * std::cos(3 * phi);
  }

  /// The point at `share` of the way from the axis to the surface.
  Vec3 point(double u, double phi, double share = 1) const {
    const double x = u < 1 ? links_[0] * u : links_[0] + links_[1] * (u - 1);
    const double r = share * radius(u, phi);
    return transform_point(placement_, {x, r * std::cos(phi), -r * std::sin(phi)});
  }
  Vec3 direction(const Vec3& v) const { return placement_.topLeftCorner<3, 3>() * v; }

 private:
  bool slender_;
  bool reference_;
  std::array<double, 2> links_ = {3, 3};
  int rings_ = 31;
  int around_ = 20;
  Mat4 placement_ = Mat4::Identity();
};

double helper_azimuth(int helper) { return helper * kPi / 3; }

std::vector<Influence> true_row(double u, double phi, bool on_axis) {
  const double r1 = std::exp(8 * (u - 1));
  const double r2 = std::exp(8 * (u - 2));
  std::vector<double> weights = {1, r1, r1 * r2};
  const double sum = weights[0] + weights[1] + weights[2];
  double helped = 0;
  for (int h = 0; h < kHelpers; ++h) {
    // The cap's centre has no azimuth; it is so far from the elbow that no helper reaches it.
    const double around = on_axis ? 0 : std::exp((std::cos(phi - helper_azimuth(h)) - 1) / 0.3);
    weights.push_back(0.5 * std::exp(-std::pow((u - 1) / 0.25, 2)) * around);
    helped += weights.back();
  }
  for (std::size_t i = 0; i < 3; ++i) weights[i] *= (1 - std::min(0.9, helped)) / sum;
  return normalized_row(weights);
}

Skeleton arm_skeleton(const ArmShape& shape) {
  const Vec3 bend = shape.direction(-Vec3::UnitY());  // So that the elbow bends forwards.
  const auto axis = [&](double u) { return shape.point(u, 0, 0); };
  std::vector<PlacedJoint> joints = {
      {"UpperArm", kNone, axis(0), axis(1), bend, false, ""},
      {"Forearm", 0, axis(1), axis(2), bend, false, ""},
      {"Hand", 1, axis(2), axis(2 + kOverhang), bend, true, ""},
  };
  for (int h = 0; h < kHelpers; ++h) {
    const double phi = helper_azimuth(h);
    joints.push_back({fmt::format("ElbowHelper{}", h), 0, shape.point(1, phi, 0.7), shape.point(1, phi, 1),
                      shape.direction(Vec3::UnitX()), true, "helper"});
  }
  return place_joints(joints);
}

/// How fine: the shape's own numbers, or as many rings and points around as `vertices` asks in the same proportion.
TubeOptions arm_resolution(const MakeOptions& options, const ArmShape& shape) {
  TubeOptions tube_options;
  tube_options.rings = shape.rings();
  tube_options.around = shape.around();
  if (options.vertices > 0) {
    const double finer = std::sqrt(options.vertices / (static_cast<double>(shape.rings()) * shape.around()));
    tube_options.rings = std::max(4, static_cast<int>(std::lround(finer * shape.rings())));
    if (options.layers > 0) {
      tube_options.around = options.vertices / (options.layers + 1);
    } else {
      tube_options.around = static_cast<int>(std::lround(finer * shape.around()));
    }
    tube_options.around = std::max(6, 2 * (tube_options.around / 2));
  }
  if (options.layers > 0) tube_options.rings = options.layers + 1;
  if (static_cast<double>(tube_options.rings) * tube_options.around > 4e6)
    throw Error("An arm with this many layers is too large. Lower the option 'layers'.");
  tube_options.cap = options.triangles ? Cap::kFan : Cap::kKites;
  tube_options.cut = options.triangles ? Cut::kOneWay : Cut::kQuads;
  return tube_options;
}

}  // namespace

Made arm(const MakeOptions& options, const Progress& progress) {
  progress.check();
  ArmShape shape(options.shape);
  if (options.length > 0 && options.height > 0 && options.length != options.height)
    throw Error("For an arm the option 'length' means the same as the option 'height'. Set only one of them.");
  if (options.length > 0 || options.height > 0) shape.scale(std::max(options.length, options.height) / shape.length());
  TubeOptions tube_options = arm_resolution(options, shape);
  const double from = -kOverhang;
  const double to = 2 + kOverhang;
  tube_options.first_centre = shape.point(from - kCapHeight, 0, 0);
  tube_options.last_centre = shape.point(to + kCapHeight, 0, 0);
  const auto u_of = [&](int ring) { return from + (to - from) * ring / (tube_options.rings - 1); };
  const auto phi_of = [&](int i) { return kTwoPi * i / tube_options.around; };
  Mesh mesh = tube(tube_options, [&](int ring, int i) { return shape.point(u_of(ring), phi_of(i)); });

  Segmentation owners;
  owners.segments = {{0, 1}, {1, 2}, {2, kNone}};
  std::vector<std::vector<Influence>> rows;
  const auto add = [&](double u, double phi, bool on_axis) {
    rows.push_back(true_row(u, phi, on_axis));
    const double link = std::clamp(std::floor(u), 0.0, 2.0);
    owners.owner.push_back(static_cast<Index>(link));
    owners.along.push_back(static_cast<float>(link < 2 ? u - link : (u - 2) / kOverhang));
  };
  for (int ring = 0; ring < tube_options.rings; ++ring)
    for (int i = 0; i < tube_options.around; ++i) add(u_of(ring), phi_of(i), false);
  add(from - kCapHeight, 0, true);
  add(to + kCapHeight, 0, true);
  add_smooth_normals(mesh);
  return assemble("arm", std::move(mesh), arm_skeleton(shape), rows, std::move(owners), {0.62F, 0.36F, 0.25F});
}

}  // namespace sinew::shapes
