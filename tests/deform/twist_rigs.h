// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Skeletons, poses and segmentations for the tests of spread twists.

#include <random>
#include <string>
#include <vector>

#include "sinew/core/bone_axis.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "tests/deform/skin_rigs.h"
#include "tests/support/scalar_twist_skinning.h"

namespace sinew::deform::testing {

inline Quat random_rotation(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  const double w = normal(rng), x = normal(rng), y = normal(rng), z = normal(rng);
  return Quat(w, x, y, z).normalized();
}

inline Vec3 place(const Mat4& m) { return m.topRightCorner<3, 1>(); }

/// A branched skeleton with frames that point anywhere, at rest.
inline Skeleton random_skeleton(std::mt19937& rng, Index count) {
  Skeleton skeleton;
  for (Index j = 0; j < count; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = j == 0 ? kNone : static_cast<Index>(rng() % j);
    joint.deforming = true;
    const Vec3 direction = random_vector(rng).normalized();
    joint.rest.translation = (0.2 + 0.3 * static_cast<double>(rng() % 100) / 100) * direction;
    joint.rest.rotation = random_rotation(rng);
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

/// A segment for every joint and child, and an end segment for every leaf.
inline std::vector<Segmentation::Segment> all_segments(const Skeleton& skeleton) {
  std::vector<Segmentation::Segment> segments;
  const auto children = skeleton.children();
  for (Index j = 0; j < skeleton.size(); ++j) {
    for (const Index child : children[j]) segments.push_back({j, child});
    if (children[j].empty()) segments.push_back({j, kNone});
  }
  return segments;
}

/// Rest turned by random rotations away from it, of up to `most_rad`.
inline Pose random_local_pose(std::mt19937& rng, const Skeleton& skeleton, double most_rad) {
  std::uniform_real_distribution<double> any(-1, 1);
  Pose pose;
  for (const Joint& joint : skeleton.joints) {
    Transform local = joint.rest;
    const Vec3 axis = random_vector(rng).normalized();
    local.rotation = local.rotation * rotation_exp(most_rad * any(rng) * axis);
    pose.local.push_back(local);
  }
  return pose;
}

/// Vertices around the bones of a skeleton bound at rest, each owned by one, moved by up to four random joints.
struct TwistSubject {
  Rig rig;
  Segmentation segmentation;
  std::vector<Mat4> bind;
  std::vector<double> share;

  MethodInputs knowledge() const { return {&segmentation, {}}; }
};

inline TwistSubject random_subject(unsigned seed, Index vertices, Index joints = 8, Index most = 4) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(0, 1);
  TwistSubject subject;
  subject.rig = random_cloud(seed + 1, vertices, joints, most);
  subject.rig.skeleton = random_skeleton(rng, joints);
  subject.bind = rest_matrices(subject.rig.skeleton);
  for (Index j = 0; j < joints; ++j) subject.rig.skins[0].inverse_bind[j] = subject.bind[j].inverse();
  Segmentation& segmentation = subject.segmentation;
  segmentation.segments = all_segments(subject.rig.skeleton);
  for (Index v = 0; v < vertices; ++v) {
    const auto s = static_cast<Index>(rng() % segmentation.segments.size());
    const auto [a, b] = segmentation.segments[s];
    const auto along = static_cast<float>(1.4 * any(rng) - 0.2);
    const Vec3 end = b == kNone ? place(subject.bind[a]) : place(subject.bind[b]);
    subject.rig.mesh.positions[v] =
        place(subject.bind[a]) + static_cast<double>(along) * (end - place(subject.bind[a])) + 0.1 * random_vector(rng);
    segmentation.owner.push_back(s);
    segmentation.along.push_back(along);
    subject.share.push_back(b == kNone ? 0 : std::clamp(static_cast<double>(along), 0.0, 1.0));
  }
  return subject;
}

/// A chain along +Y with links of 1 m and as many twists about it, in turns.
struct StraightChain {
  Skeleton skeleton;
  Pose pose;
};

inline StraightChain straight_chain(const std::vector<double>& twists_rad) {
  StraightChain chain;
  for (Index j = 0; j < twists_rad.size(); ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = j == 0 ? kNone : j - 1;
    joint.deforming = true;
    if (j > 0) joint.rest.translation = Vec3::UnitY();
    chain.skeleton.joints.push_back(joint);
    Transform local = joint.rest;
    local.rotation = rotation_exp(twists_rad[j] * Vec3::UnitY());
    chain.pose.local.push_back(local);
  }
  chain.pose.twist_rad = twists_rad;
  return chain;
}

inline ModelPose in_model_space(const Skeleton& skeleton, const Pose& pose) {
  return {model_matrices(skeleton, pose.local), pose.twist_rad, pose.morph_weights};
}

}  // namespace sinew::deform::testing
