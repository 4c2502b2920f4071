// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The made arm as a reference, and targets made from it, for the tests of what goes from one to the other.

#include <Eigen/LU>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/rotation.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/bodies/arm.h"
#include "sinew/transfer/characters.h"

namespace sinew::test {

/// A mesh and joints bound where they rest.
struct Limb {
  Mesh mesh;
  Skeleton skeleton;

  transfer::TransferBody side() const { return {mesh, skeleton, rest_matrices(skeleton)}; }
};

constexpr Index kUpperArm = 0, kForearm = 1, kHand = 2, kFirstHelper = 3;

inline Vec3 place_of(const Mat4& m) { return m.topRightCorner<3, 1>(); }
inline Mat3 turn_of(const Mat4& m) { return polar(m.topLeftCorner<3, 3>()).rotation; }

/// The arm of `sinew make arm` with its six helpers at the elbow, without drivers.
inline Limb reference_limb() {
  shapes::Made made = shapes::arm({});
  return {std::move(made.character.rig.mesh), std::move(made.character.rig.skeleton)};
}

inline SkinWeights reference_limb_weights() { return shapes::arm({}).character.rig.weights; }

inline Quat random_turn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
  return Quat(w, x, y, z).normalized();
}

inline Mat4 frame_of(const Mat3& turn, const Vec3& place) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = turn;
  m.topRightCorner<3, 1>() = place;
  return m;
}

/// A chain of joints that stand in these frames at rest; the n-th is the child of the one before.
inline Skeleton chain_of(const std::vector<std::string>& names, const std::vector<Mat4>& frames) {
  Skeleton skeleton;
  for (Index j = 0; j < names.size(); ++j) {
    Joint joint;
    joint.name = names[j];
    joint.parent = j == 0 ? kNone : j - 1;
    joint.deforming = true;
    joint.rest = decompose(j == 0 ? frames[j] : Mat4(frames[j - 1].inverse() * frames[j])).transform;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

/// The reference's mesh and its three primary joints, each place moved by `move`, frames as given.
template <class Move>
Limb moved_limb(const Limb& reference, Move&& move, const std::vector<Mat3>& turns) {
  Limb limb;
  limb.mesh = reference.mesh;
  for (Vec3& p : limb.mesh.positions) p = move(p);
  const transfer::TransferBody side = reference.side();
  std::vector<Mat4> frames;
  for (Index j = 0; j < 3; ++j) frames.push_back(frame_of(turns[j], move(side.position(j))));
  limb.skeleton = chain_of({"UpperArm", "Forearm", "Hand"}, frames);
  return limb;
}

inline std::vector<Mat3> limb_frames(const Limb& reference) {
  const transfer::TransferBody side = reference.side();
  return {side.frame(0), side.frame(1), side.frame(2)};
}

inline transfer::Correspondence limb_pairs(const Limb& reference, const Limb& target,
                                           const Mat3& turn = Mat3::Identity()) {
  return transfer::correspond(reference.skeleton, target.skeleton, {{0, 0}, {1, 1}, {2, 2}}, turn);
}

inline std::vector<char> all_helpers(const Skeleton& skeleton) {
  std::vector<char> wanted;
  for (const Joint& joint : skeleton.joints) wanted.push_back(joint.role == "helper");
  return wanted;
}

inline Pose rest_of(const Skeleton& skeleton) {
  Pose pose;
  for (const Joint& joint : skeleton.joints) pose.local.push_back(joint.rest);
  return pose;
}

/// Model matrices with one joint turned in its own frame.
inline std::vector<Mat4> turned(const Skeleton& skeleton, Index joint, const Quat& delta) {
  Pose pose = rest_of(skeleton);
  pose.local[joint].rotation = pose.local[joint].rotation * delta;
  return motion::resolve(skeleton, pose).joints;
}

/// A quadratic driver with random coefficients: translations, rotations and scales.
inline Driver random_polynomial(std::mt19937& random, Index source, std::size_t outputs = 9) {
  std::normal_distribution<double> normal;
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = source;
  for (std::size_t i = 0; i < outputs; ++i) {
    driver.coefficients.emplace_back(1, 0.0);
    for (int k = 0; k < 9; ++k) driver.coefficients.back().push_back(0.1 * normal(random));
  }
  return driver;
}

}  // namespace sinew::test
