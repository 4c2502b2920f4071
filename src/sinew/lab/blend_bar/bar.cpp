// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/lab/blend_bar/blend_bar.h"
#include "sinew/measure/enclosed_volume.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/shapes/surface/limbs.h"

namespace sinew::lab {

using namespace pipeline;
namespace {

constexpr double kLink = 2;  // m

/// exp(−(t − j − ½)²/(2c²)) of every joint j at the height of t links, divided by the sum.
std::vector<Influence> gaussian_weights(double t, int joints, double spread) {
  constexpr double kFloor = 1e-6;
  std::vector<double> values;
  double sum = 0;
  for (int j = 0; j < joints; ++j) {
    values.push_back(std::exp(-(t - j - 0.5) * (t - j - 0.5) / (2 * spread * spread)));
    sum += values.back();
  }
  double kept = 0;
  for (const double value : values) kept += value > kFloor * sum ? value : 0;
  std::vector<Influence> row;
  for (int j = 0; j < joints; ++j) {
    const double value = values[static_cast<std::size_t>(j)];
    if (value > kFloor * sum) row.push_back({static_cast<Index>(j), static_cast<float>(value / kept)});
  }
  return row;
}

}  // namespace

Rig bar_rig(const BarSetup& setup) {
  shapes::MakeOptions options;
  options.joint_count = setup.links + 1;
  options.length = kLink * setup.links;
  options.width = setup.width;
  options.layers = setup.layers;
  options.checkerboard = true;
  Rig rig = std::move(shapes::bar(options).character.rig);
  SkinWeights weights;
  for (Vec3& p : rig.mesh.positions) {
    p.z() *= setup.depth / setup.width;
    weights.add_row(gaussian_weights(p.y() / kLink, options.joint_count, setup.spread));
  }
  rig.weights = std::move(weights);
  return rig;
}

const std::vector<BarTurn>& bar_turns() {
  static const std::vector<BarTurn> turns = {{1, 1, 180}, {2, 1, 200}, {3, 1, 120}, {1, 0, 90}, {2, 2, 60}, {3, 2, 80}};
  return turns;
}

std::string bar_turn_name(int number) {
  const BarTurn& turn = bar_turns()[static_cast<std::size_t>(number - 1)];
  return fmt::format("{}: jn{} {} {:.0f}°", number, turn.joint, "xyz"[turn.axis], turn.degrees);
}

std::string bar_percent(double share) { return fmt::format("{:.3f}", 100 * share + 0.0); }

std::vector<Quat> bar_rotations(int count) {
  std::array<Vec3, 5> angles;
  angles.fill(Vec3::Zero());
  for (int i = 0; i < count; ++i) {
    const BarTurn& turn = bar_turns()[static_cast<std::size_t>(i)];
    angles[turn.joint][turn.axis] += turn.degrees * kPi / 180;
  }
  std::vector<Quat> rotations;
  for (const Vec3& angle : angles) rotations.push_back(rotation_from_euler(angle, "xyz"));
  return rotations;
}

double closed_form_loss(double spread, int links, const std::vector<Quat>& rotations, const Vec3& axis) {
  double sum = 0;
  for (const Quat& q : rotations) {
    const double half_sine_squared = q.vec().squaredNorm();  // sin²(ψ/2)
    sum += half_sine_squared - (1 - axis.dot(q * axis)) / 4;
  }
  return 4 * spread * spread / links * sum;
}

pipeline::DeformerOptions published_deformer(std::string_view method) {
  pipeline::DeformerOptions options = deformer(method);
  AnyOptions& own = options.method.options();
  if (own.is<deform::SlbsOptions>())
    own.as<deform::SlbsOptions>() = {deform::TwistShare::kDelta, deform::SpreadTwists::kAll};
  options.never_worse = false;
  return options;
}

double bar_loss(const Rig& rig, const std::vector<Quat>& rotations, std::string_view method) {
  assert(rotations.size() == rig.skeleton.size());
  Pose pose = rest_pose(rig);
  for (std::size_t j = 0; j < rotations.size(); ++j) pose.local[j].rotation = pose.local[j].rotation * rotations[j];
  const ModelPose model = motion::resolve(rig.skeleton, pose);
  Findings warnings;
  const auto deformer = bind_deformer(rig, published_deformer(method), warnings);
  const auto state = deformer->make_state();
  std::vector<Vec3f> posed(rig.mesh.positions.size());
  deformer->deform(*state, {model}, {posed, {}, nullptr});
  std::vector<Vec3> positions;
  positions.reserve(posed.size());
  for (const Vec3f& p : posed) positions.push_back(p.cast<double>());
  const measure::EnclosedVolume volume(rig.mesh, geometry::weld(rig.mesh));
  return 1 - volume.total(positions) / volume.total(rig.mesh.positions);
}

}  // namespace sinew::lab
