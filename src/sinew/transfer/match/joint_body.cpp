// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/joint_body.h"

#include <Eigen/LU>

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "sinew/core/rotation.h"
#include "sinew/motion/names/joint_words.h"

namespace sinew::transfer {
namespace {

using motion::BodyPart;
using motion::JointRole;
using motion::Recognition;

/// Joints nearer than this to the middle, as a share of the body's size, are on neither side.
constexpr double kInTheMiddle = 0.02;

// The skeleton with the pose at binding for its rest pose.
Skeleton posed_at_binding(const TransferBody& side) {
  Skeleton skeleton = side.skeleton;
  for (Index j = 0; j < skeleton.size(); ++j) {
    Joint& joint = skeleton.joints[j];
    const Mat4 local =
        joint.parent == kNone ? side.joints[j] : Mat4(side.joints[joint.parent].inverse() * side.joints[j]);
    if (!local.allFinite()) continue;
    const Decomposed parts = decompose(local);
    joint.rest = parts.transform;
    joint.shear = parts.shear;
  }
  return skeleton;
}

// Numbers along each part again, after some joints lost their roles.
void count_again(std::vector<JointRole>& roles) {
  std::vector<Index> order;
  for (Index j = 0; j < roles.size(); ++j)
    if (!roles[j].empty()) order.push_back(j);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const JointRole &x = roles[a], &y = roles[b];
    return std::tuple(x.part, x.side, x.number) < std::tuple(y.part, y.side, y.number);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    JointRole& role = roles[order[i]];
    const bool goes_on = i > 0 && roles[order[i - 1]].part == role.part && roles[order[i - 1]].side == role.side;
    role.number = goes_on ? roles[order[i - 1]].number + 1 : 1;
  }
}

/// Finds what a part hangs on.
class Anatomy {
 public:
  explicit Anatomy(const std::vector<JointRole>& roles) { known_.roles = roles; }

  // The joint a role hangs on, or kNone where the body does not tell.
  Index above(const JointRole& role) const {
    const Index before = role.number > 1 ? known_.find(role.part, role.side, role.number - 1) : kNone;
    if (before != kNone) return before;
    switch (role.part) {
      case BodyPart::kSpine:
      case BodyPart::kThigh:
        return last(BodyPart::kHips, motion::Side::kMiddle);
      case BodyPart::kChest:
        return first_of({BodyPart::kSpine, BodyPart::kHips});
      case BodyPart::kNeck:
      case BodyPart::kShoulder:
        return first_of({BodyPart::kChest, BodyPart::kSpine, BodyPart::kHips});
      case BodyPart::kHead:
        return first_of({BodyPart::kNeck, BodyPart::kChest, BodyPart::kSpine});
      case BodyPart::kUpperArm: {
        const Index shoulder = last(BodyPart::kShoulder, role.side);
        return shoulder != kNone ? shoulder : first_of({BodyPart::kChest, BodyPart::kSpine, BodyPart::kHips});
      }
      case BodyPart::kForearm:
        return last(BodyPart::kUpperArm, role.side);
      case BodyPart::kHand:
        return last(BodyPart::kForearm, role.side);
      case BodyPart::kThumb:
      case BodyPart::kIndex:
      case BodyPart::kMiddle:
      case BodyPart::kRing:
      case BodyPart::kLittle:
        return last(BodyPart::kHand, role.side);
      case BodyPart::kShin:
        return last(BodyPart::kThigh, role.side);
      case BodyPart::kFoot:
        return last(BodyPart::kShin, role.side);
      case BodyPart::kToes:
        return last(BodyPart::kFoot, role.side);
      case BodyPart::kJaw:
      case BodyPart::kEye:
      case BodyPart::kEar:
        return last(BodyPart::kHead, motion::Side::kMiddle);
      default:
        return kNone;
    }
  }

 private:
  Index last(BodyPart part, motion::Side side) const {
    const std::vector<Index> chain = known_.chain(part, side);
    return chain.empty() ? kNone : chain.back();
  }
  Index first_of(std::initializer_list<BodyPart> parts) const {
    for (const BodyPart part : parts)
      if (const Index joint = last(part, motion::Side::kMiddle); joint != kNone) return joint;
    return kNone;
  }

  Recognition known_;
};

bool has_circle(const std::vector<Index>& parent) {
  for (Index j = 0; j < parent.size(); ++j) {
    std::size_t steps = 0;
    for (Index above = parent[j]; above != kNone; above = parent[above])
      if (++steps > parent.size()) return true;
  }
  return false;
}

}  // namespace

std::vector<Index> body_parents(const Skeleton& skeleton, const std::vector<JointRole>& roles) {
  std::vector<Index> parent;
  for (const Joint& joint : skeleton.joints) parent.push_back(joint.parent);
  const Anatomy anatomy(roles);
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (roles[j].empty()) continue;
    const Index wanted = anatomy.above(roles[j]);
    if (wanted == kNone || wanted == j) continue;
    // Joints without a role may lie in between.
    Index named = skeleton.joints[j].parent;
    while (named != kNone && roles[named].empty()) named = skeleton.joints[named].parent;
    if (named == wanted) continue;
    const Index before = parent[j];
    parent[j] = wanted;
    if (has_circle(parent)) parent[j] = before;
  }
  return parent;
}

JointBody::JointBody(const TransferBody& character, std::vector<char> counting)
    : side(character), counts(std::move(counting)), known(motion::recognize(posed_at_binding(character))) {
  for (Index j = 0; j < counts.size(); ++j)
    if (counts[j] == 0) known.roles[j] = {};
  count_again(known.roles);
  parent = body_parents(side.skeleton, known.roles);
  below.resize(parent.size());
  Box box;
  for (Index j = 0; j < count(); ++j) {
    if (counts[j] == 0) continue;
    box.extend(side.position(j));
    const Index next = counting_above(j);
    if (next == kNone) tops.push_back(j);
    else below[next].push_back(j);
  }
  if (box.diagonal() > 0) size = box.diagonal();
  const Index hips = known.find(BodyPart::kHips);
  if (hips != kNone) middle = side.position(hips);
  else if (!tops.empty()) middle = side.position(tops.front());
  for (Index j = 0; j < count(); ++j) {
    motion::Side named = known.roles[j].side;
    if (named == motion::Side::kMiddle) named = motion::name_without_side(name(j)).first;
    const double across = (side.position(j) - middle).dot(known.left) / size;
    if (named != motion::Side::kMiddle) side_.push_back(named == motion::Side::kLeft ? 1 : -1);
    else side_.push_back(across > kInTheMiddle ? 1 : across < -kInTheMiddle ? -1 : 0);
  }
}

bool JointBody::above(Index a, Index joint) const {
  for (Index j = joint; j != kNone; j = parent[j])
    if (j == a) return true;
  return false;
}

Index JointBody::counting_above(Index joint) const {
  for (Index j = parent[joint]; j != kNone; j = parent[j])
    if (counts[j] != 0) return j;
  return kNone;
}

int JointBody::side_of(Index joint) const { return side_[joint]; }

Mat3 JointBody::axes() const {
  Mat3 axes;
  axes << known.left, known.up, known.forward;
  return axes;
}

}  // namespace sinew::transfer
