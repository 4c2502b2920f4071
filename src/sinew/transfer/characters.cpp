// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/characters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/core/rotation.h"

namespace sinew::transfer {
namespace {

/// Bones shorter than this share of the mesh's size have no direction.
constexpr double kShortest = 1e-6;

Index paired_above(const Skeleton& skeleton, Index joint, const std::vector<Index>& pair_of) {
  for (Index j = skeleton.joints[joint].parent; j != kNone; j = skeleton.joints[j].parent)
    if (pair_of[j] != kNone) return pair_of[j];
  return kNone;
}

/// How much the rotation of the bone above counts against a direction, where several bones leave a joint.
constexpr double kAbove = 0.1;

PairedBone bone_between(const TransferBody& reference, const TransferBody& target, const JointPair& from,
                        const JointPair& to) {
  PairedBone bone;
  bone.target_a = target.position(from.target), bone.target_b = target.position(to.target);
  bone.reference_a = reference.position(from.reference), bone.reference_b = reference.position(to.reference);
  return bone;
}

/// The rotation of a joint, before that of each of its bones. One bone does not determine the rotation about itself, so
/// that it follows the bone above; several bones, such as those of a hand, do.
Mat3 joint_turn(const TransferBody& reference, const TransferBody& target, Directions directions, const JointPair& pair,
                const std::vector<PairedBone>& bones, const Mat3& above) {
  if (directions == Directions::kJointFrames)
    return reference.frame(pair.reference) * target.frame(pair.target).transpose();
  if (bones.size() < 2) return above;
  Mat3 sum = kAbove * above;
  for (const PairedBone& bone : bones)
    sum +=
        (bone.reference_b - bone.reference_a).normalized() * (bone.target_b - bone.target_a).normalized().transpose();
  return polar(sum).rotation;
}

}  // namespace

Mat3 TransferBody::frame(Index joint) const { return polar(joints[joint].topLeftCorner<3, 3>()).rotation; }

Index Correspondence::of_reference(Index joint) const {
  for (Index p = 0; p < pairs.size(); ++p)
    if (pairs[p].reference == joint) return p;
  return kNone;
}

Index Correspondence::of_target(Index joint) const {
  for (Index p = 0; p < pairs.size(); ++p)
    if (pairs[p].target == joint) return p;
  return kNone;
}

Correspondence correspond(const Skeleton& reference, const Skeleton& target,
                          const std::vector<std::pair<Index, Index>>& joints, const Mat3& turn) {
  Correspondence result;
  result.turn = turn;
  std::vector<std::pair<Index, Index>> order = joints;
  std::sort(order.begin(), order.end());
  std::vector<Index> of_reference(reference.joints.size(), kNone), of_target(target.joints.size(), kNone);
  for (const auto& [r, t] : order) {
    if (of_reference[r] != kNone)
      throw Error(
          fmt::format("Joint '{}' of the reference is mapped to two joints of the target.", reference.joints[r].name));
    if (of_target[t] != kNone)
      throw Error(
          fmt::format("Joint '{}' of the target is mapped to two joints of the reference.", target.joints[t].name));
    of_reference[r] = of_target[t] = static_cast<Index>(result.pairs.size());
    result.pairs.push_back({r, t, kNone});
  }
  for (JointPair& pair : result.pairs) {
    pair.parent = paired_above(reference, pair.reference, of_reference);
    const Index other = paired_above(target, pair.target, of_target);
    if (pair.parent == other) continue;
    throw Error(
        fmt::format("The joints '{}' of the reference and '{}' of the target cannot be partners: the joints above them "
                    "are not mapped to each other.",
                    reference.joints[pair.reference].name, target.joints[pair.target].name));
  }
  return result;
}

std::vector<std::vector<PairedBone>> paired_bones(const TransferBody& reference, const TransferBody& target,
                                                  const Correspondence& correspondence, Directions directions) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  std::vector<std::vector<PairedBone>> bones(pairs.size());
  std::vector<std::vector<Index>> children(pairs.size());
  for (Index p = 0; p < pairs.size(); ++p)
    if (pairs[p].parent != kNone) children[pairs[p].parent].push_back(p);
  std::vector<Mat3> incoming(pairs.size(), correspondence.turn);
  const double shortest_r = kShortest * reference.mesh.size(), shortest_t = kShortest * target.mesh.size();
  const auto has_direction = [&](const PairedBone& bone) {
    return bone.target_length() > shortest_t && bone.reference_length() > shortest_r;
  };
  for (Index p = 0; p < pairs.size(); ++p) {
    std::vector<PairedBone> directed;
    for (const Index child : children[p])
      if (const PairedBone bone = bone_between(reference, target, pairs[p], pairs[child]); has_direction(bone))
        directed.push_back(bone);
    const Mat3 turn = joint_turn(reference, target, directions, pairs[p], directed, incoming[p]);
    for (const Index child : children[p]) {
      PairedBone bone = bone_between(reference, target, pairs[p], pairs[child]);
      bone.pair = p, bone.child = child;
      bone.turn = incoming[p];
      if (!has_direction(bone)) bone.target_b = bone.target_a, bone.reference_b = bone.reference_a;
      else if (directions == Directions::kUnturned) bone.turn = correspondence.turn;
      else
        bone.turn =
            smallest_turn(turn * (bone.target_b - bone.target_a), bone.reference_b - bone.reference_a, Vec3::UnitZ()) *
            turn;
      incoming[child] = bone.turn;
      bones[p].push_back(bone);
    }
  }
  for (Index p = 0; p < pairs.size(); ++p) {
    if (!bones[p].empty()) continue;
    PairedBone point;
    point.pair = p;
    point.target_a = point.target_b = target.position(pairs[p].target);
    point.reference_a = point.reference_b = reference.position(pairs[p].reference);
    point.turn = incoming[p];
    bones[p].push_back(point);
  }
  return bones;
}

Mat3 smallest_turn(const Vec3& from, const Vec3& to, const Vec3& about) {
  // Half a turn about the first direction and one about the middle between both: their product turns the one to the
  // other, by the angle between them, and keeps its digits up to nearly opposite directions.
  const auto half_turn = [](const Vec3& axis) { return Mat3(2 * axis * axis.transpose() - Mat3::Identity()); };
  const Vec3 a = from.normalized(), b = to.normalized(), middle = a + b;
  if (middle.norm() > 1e-7) return half_turn(middle.normalized()) * half_turn(a);
  Vec3 axis = about - about.dot(a) * a;
  if (axis.norm() < 1e-6) axis = a.unitOrthogonal();
  return half_turn(axis.normalized());
}

}  // namespace sinew::transfer
