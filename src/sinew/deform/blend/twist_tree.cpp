// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/twist_tree.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/deform/blend/kernels.h"

namespace sinew::deform {
namespace {

// Below this the scalar part and the part along the axis are rounding.
constexpr double kNoTwist = 1e-6;
// Twists below this are rounding of the matrices.
constexpr double kLeastTwist_rad = 1e-12;
// Cosines of the angle between the axis of a rotation and the bone: below the first it is a bend, above the second a
// twist.
constexpr double kAcross = 0.4, kAlong = 0.7;
constexpr double kFarTwist_rad = 2 * kPi / 3;

bool has_twist(const Quat& q, const Vec3& axis) {
  const double along = q.vec().dot(axis);
  return q.w() * q.w() + along * along >= kNoTwist * kNoTwist;
}

Mat3 linear_of(const Mat4& m) { return m.topLeftCorner<3, 3>(); }

bool is_rotation(const Mat3& a) {
  return (a.transpose() * a - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-9 && a.determinant() > 0;
}

bool flattens(const Mat3& a, double determinant) {
  const double length = a.norm();
  return !(std::abs(determinant) > 1e-12 * length * length * length);
}

// The rotation nearest to a matrix; none for one that mirrors or flattens.
bool rotation_of(const Mat3& a, Mat3& rotation) {
  const double determinant = a.determinant();
  if (determinant < 0 || flattens(a, determinant)) return false;
  rotation = a / std::cbrt(determinant);
  if (!is_rotation(rotation)) rotation = polar(a).rotation;
  return true;
}

bool relative_rotation(const Mat3& a, const Mat3& b, Quat& rotation) {
  Mat3 turn;
  if (flattens(a, a.determinant()) || !rotation_of(a.inverse() * b, turn)) return false;
  rotation = Quat(turn).normalized();
  return true;
}

// Where 1 + trace of a rotation is less, it is read as a quaternion.
constexpr double kPlainCosine = 0.01;

// Half of a twist as two numbers in proportion to its cosine, which is not negative, and its sine.
struct HalfTwist {
  double cosine = 1;
  double sine = 0;
};

// That of a rotation's matrix: with q its quaternion, 1 + trace is 4 w², and what it has more below the diagonal than
// above is 4 w times the vector part. Both vanish near half a turn.
Vec3 lower_part(const Mat3& r) { return {r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)}; }
HalfTwist half_twist(const Mat3& r, const Vec3& axis) { return {1 + r.trace(), lower_part(r).dot(axis)}; }

// Of all angles of a twist that differ by full turns, the nearest to another.
double nearest_turn_rad(const HalfTwist& half, double expected_rad) {
  const double angle = 2 * std::atan2(half.sine, half.cosine);
  return expected_rad == 0 ? angle : angle + kTwoPi * std::round((expected_rad - angle) / kTwoPi);
}

double smooth_step(double x, double from, double to) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// How far a rotation is meant as a twist: 0 if its axis is nearly across the bone. A bend about an axis that is not
// quite at right angles to the bone, as the two bones of a limb seldom are in line, twists the bone by a part of its
// angle, and linear blending does that part well. From half a turn on a twist is always meant.
double meant_as_twist(const Vec3& rotation_axis, const Vec3& axis, double twist_rad) {
  const double length = rotation_axis.norm();
  const double along = length > 0 ? std::abs(rotation_axis.dot(axis)) / length : 1;
  return std::max(smooth_step(along, kAcross, kAlong), smooth_step(std::abs(twist_rad), kFarTwist_rad, kPi));
}

// before · (a turn about a line)
Mat4 turned(const Mat4& before, const Vec3& origin, const Vec3& axis, const HalfTwist& half) {
  const double squares = half.cosine * half.cosine + half.sine * half.sine;
  const double sine = 2 * half.cosine * half.sine / squares, versine = 2 * half.sine * half.sine / squares;
  Mat3 r;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      r(row, column) = versine * axis[row] * axis[column] + (row == column ? 1 - versine : 0.0);
  for (int c = 0; c < 3; ++c) {
    const int u = (c + 1) % 3, v = (c + 2) % 3;
    r(v, u) += sine * axis[c];
    r(u, v) -= sine * axis[c];
  }
  const Mat3 linear = before.topLeftCorner<3, 3>();
  Mat4 result = Mat4::Identity();
  result.topLeftCorner<3, 3>().noalias() = linear * r;
  result.topRightCorner<3, 1>() =
      linear * origin + before.topRightCorner<3, 1>() - result.topLeftCorner<3, 3>() * origin;
  return result;
}

// The turn of each joint against its parent, away from binding. All at once: one after another these are most of what a
// frame of a small mesh takes where joints scale.
class TurnsAgainstParents {
 public:
  TurnsAgainstParents(const TwistTree& tree, const std::vector<Mat3>& motions, std::vector<double>& memory)
      : stride_((tree.joints.size() + 7) / 8 * 8) {
    memory.resize(28 * stride_);
    double *const from = memory.data(), *const to = from + 9 * stride_;
    for (std::size_t k = 0; k < stride_; ++k) {
      const bool turns = k < tree.joints.size() && tree.joints[k].parent != kNone;
      if (turns) {
        put(motions[tree.joints[k].parent], from + k);
        put(motions[k], to + k);
      } else {
        put(Mat3::Identity(), from + k);
        put(Mat3::Identity(), to + k);
      }
    }
    turns_ = to + 9 * stride_;
    nearest_turns({stride_, from, to, to + 9 * stride_, to + 18 * stride_});
  }

  bool found(std::size_t k) const { return turns_[9 * stride_ + k] != 0; }
  Mat3 operator[](std::size_t k) const {
    Mat3 turn;
    for (std::size_t e = 0; e < 9; ++e)
      turn(static_cast<int>(e / 3), static_cast<int>(e % 3)) = turns_[e * stride_ + k];
    return turn;
  }

 private:
  void put(const Mat3& m, double* to) const {
    for (std::size_t e = 0; e < 9; ++e) to[e * stride_] = m(static_cast<int>(e / 3), static_cast<int>(e % 3));
  }

  std::size_t stride_;
  const double* turns_ = nullptr;
};

class TreeBuilder {
 public:
  TreeBuilder(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& segments,
              const std::vector<Mat4>& bind, double size)
      : skeleton_(skeleton), segments_(segments), bind_(bind), size_(size), bones_(bone_axes(skeleton)) {}

  TwistTree run() {
    find_joints();
    for (TwistJoint& joint : tree_.joints) place(joint);
    for (const Segmentation::Segment& segment : segments_) {
      TwistTree::Bone bone;
      bone.start = number_[segment.joint];
      if (segment.child != kNone) {
        bone.end = number_[segment.child];
        bone.twisting = {bone.end};
      }
      tree_.bones.push_back(bone);
    }
    join_at_one_place();
    return std::move(tree_);
  }

 private:
  void find_joints() {
    std::vector<char> used(skeleton_.size(), 0);
    incoming_.assign(skeleton_.size(), kNone);
    for (const Segmentation::Segment& segment : segments_) {
      used[segment.joint] = 1;
      if (segment.child == kNone) continue;
      used[segment.child] = 1;
      if (incoming_[segment.child] != kNone)
        throw Error(fmt::format("Two segments end in joint '{}'. Segment the character again.",
                                skeleton_.joints[segment.child].name));
      incoming_[segment.child] = segment.joint;
    }
    number_.assign(skeleton_.size(), kNone);
    tree_.of_joint.assign(skeleton_.size(), kNone);
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Index above = skeleton_.joints[j].parent == kNone ? kNone : tree_.of_joint[skeleton_.joints[j].parent];
      tree_.of_joint[j] = above;
      if (!used[j]) continue;
      TwistJoint joint;
      joint.joint = j;
      joint.parent = incoming_[j] == kNone ? above : number_[incoming_[j]];
      tree_.of_joint[j] = number_[j] = static_cast<Index>(tree_.joints.size());
      tree_.joints.push_back(std::move(joint));
    }
  }

  void place(TwistJoint& joint) {
    const Mat4& bind = bind_[joint.joint];
    const Mat4 inverse = bind.inverse();
    if (inverse.allFinite()) joint.inverse_bind = inverse;
    joint.origin = bind.topRightCorner<3, 1>();
    if (incoming_[joint.joint] != kNone && joint.parent == kNone) refuse(joint.joint);
    if (joint.parent == kNone) return;
    const TwistJoint& parent = tree_.joints[joint.parent];
    const Vec3 link = joint.origin - parent.origin;
    if (link.norm() <= 1e-6 * size_) joint.axis = parent.axis;
    else if (incoming_[joint.joint] != kNone) joint.axis = link.normalized();
    if (joint.axis.isZero()) return;
    joint.axis_local = joint.inverse_bind.topLeftCorner<3, 3>() * joint.axis;
    joint.axis_local.normalize();
    joint.handedness = bind.topLeftCorner<3, 3>().determinant() < 0 ? -1 : 1;
    if (!relative_rotation(linear_of(bind_[parent.joint]), linear_of(bind), joint.bind_turn) ||
        !joint.axis_local.allFinite())
      joint.axis.setZero();
    for (Index j = joint.joint; j != parent.joint; j = skeleton_.joints[j].parent) {
      if (j == kNone) refuse(joint.joint);
      joint.path.push_back({j, skeleton_.joints[j].parent, bones_[j]});
    }
    std::reverse(joint.path.begin(), joint.path.end());
  }

  [[noreturn]] void refuse(Index joint) const {
    throw Error(fmt::format(
        "The segment that ends in joint '{}' does not begin at an ancestor of that joint. Segment the character again.",
        skeleton_.joints[joint].name));
  }

  // Where a joint lies where its parent does, the bone before both takes up the twist of both; not where several go on
  // from there, each with a twist of its own.
  void join_at_one_place() {
    std::vector<Index> next(tree_.joints.size(), kNone), followers(tree_.joints.size(), 0);
    for (Index k = 0; k < tree_.joints.size(); ++k) {
      const TwistJoint& joint = tree_.joints[k];
      if (joint.parent == kNone) continue;
      ++followers[joint.parent];
      if (incoming_[joint.joint] == kNone && !joint.axis.isZero()) next[joint.parent] = k;
    }
    for (TwistTree::Bone& bone : tree_.bones)
      for (Index k = bone.end; k != kNone && next[k] != kNone && followers[k] == 1;)
        bone.twisting.push_back(k = next[k]);
  }

  const Skeleton& skeleton_;
  const std::vector<Segmentation::Segment>& segments_;
  const std::vector<Mat4>& bind_;
  double size_;
  std::vector<Vec3> bones_;
  std::vector<Index> incoming_;  // Per joint of the skeleton: where its segment begins.
  std::vector<Index> number_;
  TwistTree tree_;
};

// The twist that a pose's own counts of turns lead to, which may differ from the true one by less than half a turn.
double expected_twist_rad(const TwistJoint& joint, const ModelPose& pose) {
  if (pose.twist_rad.empty()) return 0;
  const auto turns = [&](const TwistLink& link) { return pose.twist_rad[link.joint]; };
  if (std::all_of(joint.path.begin(), joint.path.end(), [&](const TwistLink& link) { return turns(link) == 0; }))
    return 0;
  // First without any twist of the pose's own, then with one after another, from the parent down.
  Quat before = joint.bind_turn.conjugate();
  Quat after = Quat::Identity();
  std::vector<Quat> untwisted;
  for (const TwistLink& link : joint.path) {
    Quat local;
    if (!relative_rotation(link.parent == kNone ? Mat3(Mat3::Identity()) : linear_of(pose.joints[link.parent]),
                           linear_of(pose.joints[link.joint]), local))
      return 0;
    untwisted.push_back(local * rotation_exp(-std::remainder(turns(link), 2 * kTwoPi) * link.bone));
    after = after * untwisted.back();
  }
  double twist = nearest_twist_rad(before * after, joint.axis_local, 0);
  for (std::size_t i = 0; i < joint.path.size(); ++i) {
    const TwistLink& link = joint.path[i];
    after = untwisted[i].conjugate() * after;
    before = before * untwisted[i];
    twist += twist_gain_rad(before * after, after.conjugate() * link.bone, turns(link), joint.axis_local);
    before = before * rotation_exp(std::remainder(turns(link), 2 * kTwoPi) * link.bone);
  }
  return joint.handedness * twist;
}

}  // namespace

double nearest_twist_rad(const Quat& q, const Vec3& axis, double expected_rad) {
  if (!has_twist(q, axis)) return expected_rad;
  const double angle = 2 * std::atan2(q.vec().dot(axis), q.w());
  return angle + kTwoPi * std::round((expected_rad - angle) / kTwoPi);
}

double twist_gain_rad(const Quat& q, const Vec3& axis, double angle_rad, const Vec3& about) {
  // With half the angle h the pair of scalar part and part along `about` is cos h · from + sin h · across.
  const Vec2 from(q.w(), q.vec().dot(about));
  const Vec2 across(-q.vec().dot(axis), q.w() * axis.dot(about) + q.vec().cross(axis).dot(about));
  const auto area = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
  const double side = area(from, across);
  const double half_turns = std::round(0.5 * angle_rad / kPi);
  const double rest = 0.5 * angle_rad - kPi * half_turns;
  const Vec2 to = std::cos(rest) * from + std::sin(rest) * across;
  const double whole = side > 0 ? half_turns : side < 0 ? -half_turns : 0;
  return 2 * (std::atan2(area(from, to), from.dot(to)) + kPi * whole);
}

bool TwistTree::is_beyond(Index bone, Index other) const {
  if (bones[other].end == kNone) return false;
  for (Index k = bones[bone].start; k != kNone; k = joints[k].parent)
    if (k == bones[other].end) return true;
  return false;
}

TwistTree make_twist_tree(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& segments,
                          const std::vector<Mat4>& bind, double size, std::span<const float> spread,
                          bool bends_untwisted) {
  TwistTree tree = TreeBuilder(skeleton, segments, bind, size).run();
  for (TwistJoint& joint : tree.joints) {
    if (!spread.empty()) joint.spread = static_cast<double>(spread[joint.joint]);
    joint.bends_untwisted = bends_untwisted;
  }
  return tree;
}

void twist_pose(const TwistTree& tree, const ModelPose& pose, TwistPose& result) {
  const std::size_t count = tree.joints.size();
  result.angle_rad.assign(count, 0);
  result.twisted.assign(count, Mat4::Identity());
  result.motions.resize(count);
  result.half_turns.clear();
  for (std::size_t k = 0; k < count; ++k)
    result.motions[k].noalias() =
        pose.joints[tree.joints[k].joint].topLeftCorner<3, 3>() * tree.joints[k].inverse_bind.topLeftCorner<3, 3>();
  // In model space at binding: no frame of a joint matters.
  const TurnsAgainstParents turns(tree, result.motions, result.pairs);
  for (std::size_t k = 0; k < count; ++k) {
    const TwistJoint& joint = tree.joints[k];
    if (joint.parent == kNone) continue;
    result.twisted[k] = result.twisted[joint.parent];
    if (joint.axis.isZero() || joint.spread == 0) continue;
    HalfTwist half;
    Quat turn;
    if (turns.found(k)) half = half_twist(turns[k], joint.axis);
    const bool plain = turns.found(k) && half.cosine > kPlainCosine;
    if (!plain) {
      if (!relative_rotation(result.motions[joint.parent], result.motions[k], turn)) continue;
      half = {turn.w(), turn.vec().dot(joint.axis)};
      if (!has_twist(turn, joint.axis)) result.half_turns.push_back(static_cast<Index>(k));
    }
    const double expected = expected_twist_rad(joint, pose);
    const double whole = plain ? nearest_turn_rad(half, expected) : nearest_twist_rad(turn, joint.axis, expected);
    double share = joint.spread;
    if (joint.bends_untwisted)
      share *= meant_as_twist(plain ? lower_part(turns[k]) : Vec3(turn.vec()), joint.axis, whole);
    const double angle = share == 1 ? whole : share * whole;
    if (std::abs(angle) < kLeastTwist_rad) continue;
    if (share != 1 || (!plain && !has_twist(turn, joint.axis)))
      half = {std::cos(0.5 * std::remainder(angle, kTwoPi)), std::sin(0.5 * std::remainder(angle, kTwoPi))};
    result.angle_rad[k] = angle;
    result.twisted[k] = turned(result.twisted[joint.parent], joint.origin, joint.axis, half);
  }
}

}  // namespace sinew::deform
