// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Rigs and comparisons that the tests of all deformers share.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/rig.h"
#include "sinew/deform/deformer.h"
#include "tests/support/scalar_skinning.h"

namespace sinew::deform::testing {

inline Vec3 random_vector(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  const double x = normal(rng), y = normal(rng), z = normal(rng);
  return {x, y, z};
}

inline Mat4 random_motion(std::mt19937& rng, double reach = 0.3) {
  std::normal_distribution<double> normal;
  Transform t;
  t.translation = reach * random_vector(rng);
  const double w = normal(rng);
  const Vec3 v = random_vector(rng);
  t.rotation = Quat(w, v.x(), v.y(), v.z()).normalized();
  return t.matrix();
}

/// A cloud in the unit box with a normal each; one skinned part, bind matrices rigid and random, rows of 1 to `most`
/// influences in random order of the joints.
inline Rig random_cloud(unsigned seed, Index vertices, Index joints = 7, Index most = 4) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(0, 1);
  Rig rig;
  rig.skeleton.joints.resize(joints);
  Skin skin{"skin", {}, {}};
  for (Index j = 0; j < joints; ++j) {
    rig.skeleton.joints[j].name = "joint" + std::to_string(j);
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(random_motion(rng, 0.5));
  }
  rig.skins = {skin};
  for (Index v = 0; v < vertices; ++v) {
    const double x = any(rng), y = any(rng), z = any(rng);
    rig.mesh.positions.emplace_back(x, y, z);
    rig.mesh.normals.values.push_back(random_vector(rng).normalized().cast<float>());
    std::vector<Index> order(joints);
    for (Index j = 0; j < joints; ++j) order[j] = j;
    std::shuffle(order.begin(), order.end(), rng);
    std::vector<Influence> row;
    const auto count = 1 + static_cast<Index>(rng() % most);
    for (Index k = 0; k < count; ++k) row.push_back({order[k], static_cast<float>(0.05 + any(rng))});
    rig.weights.add_row(row);
  }
  MeshPart part;
  part.name = "cloud";
  part.vertex_count = vertices;
  part.skin = 0;
  rig.mesh.parts = {part};
  return rig;
}

inline ModelPose random_pose_of(unsigned seed, Index joints) {
  std::mt19937 rng(seed);
  ModelPose pose;
  for (Index j = 0; j < joints; ++j) pose.joints.push_back(random_motion(rng));
  return pose;
}

/// Every joint stretched in its own frame by factors between 0.5 and 1.5.
inline void stretch_joints(ModelPose& pose, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(0.5, 1.5);
  for (Mat4& joint : pose.joints) {
    const double x = any(rng), y = any(rng), z = any(rng);
    joint.topLeftCorner<3, 3>() *= Vec3(x, y, z).asDiagonal();
  }
}

struct Frame {
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;
  bool operator==(const Frame&) const = default;
};

inline Frame frame_of(const Deformer& deformer, Deformer::State& state, const ModelPose& pose, Index vertices) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Frame frame{std::vector<Vec3f>(vertices, Vec3f::Constant(nan)), std::vector<Vec3f>(vertices, Vec3f::Constant(nan))};
  deformer.deform(state, {pose}, {frame.positions, frame.normals});
  return frame;
}

inline Frame frame_of(std::string_view method, const Rig& rig, const ModelPose& pose, const AnyOptions& options = {},
                      const MethodInputs& inputs = {}) {
  const auto deformer = deform::bind(method, rig, options, {}, inputs);
  const auto state = deformer->make_state();
  return frame_of(*deformer, *state, pose, rig.mesh.vertex_count());
}

/// The largest distance; infinite where a number is none.
template <class A, class B>
double worst_distance(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = (a[i].template cast<double>() - b[i].template cast<double>()).norm();
    if (!(distance <= most)) most = std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
  }
  return most;
}

/// A tube along z of radius 1 with `around` vertices a ring, closed by no caps, from z = −1 to 1, all of joint 0 at one
/// end and of joint 1 at the other.
inline Rig two_joint_tube(Index around, Index rings) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "lower";
  rig.skeleton.joints[1].name = "upper";
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}}};
  for (Index r = 0; r < rings; ++r)
    for (Index i = 0; i < around; ++i) {
      const double turn = kTwoPi * i / around, up = rings > 1 ? static_cast<double>(r) / (rings - 1) : 0.5;
      rig.mesh.positions.emplace_back(std::cos(turn), std::sin(turn), 2 * up - 1);
      rig.mesh.normals.values.emplace_back(Vec3(std::cos(turn), std::sin(turn), 0).cast<float>());
      rig.weights.add_row({{0, static_cast<float>(1 - up)}, {1, static_cast<float>(up)}});
      if (r == 0) continue;
      const Index a = (r - 1) * around + i, b = (r - 1) * around + (i + 1) % around;
      const std::vector<Index> quad = {a, b, b + around, a + around};
      rig.mesh.add_face(quad);
    }
  MeshPart part;
  part.name = "tube";
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts = {part};
  return rig;
}

/// The tube cut in the middle: an end segment for either joint.
inline Segmentation tube_halves(const Rig& tube) {
  Segmentation halves;
  halves.segments = {{0, kNone}, {1, kNone}};
  for (const Vec3& p : tube.mesh.positions) {
    halves.owner.push_back(p.z() < 0 ? 0 : 1);
    halves.along.push_back(static_cast<float>(p.z()));
  }
  return halves;
}

}  // namespace sinew::deform::testing
