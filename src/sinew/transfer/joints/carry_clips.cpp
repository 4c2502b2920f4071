// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/carry_clips.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/character.h"
#include "sinew/core/rotation.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/transfer/match/joint_turns.h"

namespace sinew::transfer {
namespace {

constexpr double kAtRest = 1e-7;       // Less is what a float cannot hold.
constexpr double kMoves = 1e-3;        // Of the size: what moves less against its parent is meant to stay.
constexpr double kLowestHeight = 0.2;  // Of the size: lower joints say nothing about how tall a body is.

/// What a joint of the target does after its partner in the reference.
struct Carried {
  Index reference = kNone;
  Mat3 offset = Mat3::Identity();  // Model rotation = turn · reference's model rotation · offset.
  bool root = false;               // Moves in model space.
  // Joints that were added, that move against their parent, or whose parent is not what they hang on in the body, have
  // their place in the frame of another one.
  Index anchor = kNone;             // Of the reference.
  Index anchor_here = kNone;        // Of the target.
  Vec3 bound_here = Vec3::Zero();   // Their place at binding, in the anchor's frame.
  Vec3 bound_there = Vec3::Zero();  // The same in the reference.
  Mat3 moves = Mat3::Zero();        // From displacements in the anchor's frame of the reference to the target's.
};

double height_above_ground(const TransferBody& side, Index joint) {
  return side.position(joint).y() - side.mesh.bounds().lower.y();
}

double motion_ratio(const TransferBody& reference, const TransferBody& target, const JointPair& root) {
  const double size_r = reference.mesh.size(), size_t_ = target.mesh.size();
  const double r = height_above_ground(reference, root.reference), t = height_above_ground(target, root.target);
  if (r > kLowestHeight * size_r && t > kLowestHeight * size_t_) return t / r;
  return size_r > 0 && size_t_ > 0 ? size_t_ / size_r : 1;
}

Mat3 rotation_of(const Mat4& m) { return polar(m.topLeftCorner<3, 3>()).rotation; }

class Carrier {
 public:
  Carrier(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
          const std::vector<Index>& of_reference, Directions directions, const std::vector<char>& moving)
      : reference_(reference), target_(target), drivers_(target.skeleton), carried_(target.skeleton.joints.size()) {
    turn_ = correspondence.turn.transpose();
    if (!correspondence.pairs.empty()) ratio_ = motion_ratio(reference, target, correspondence.pairs.front());
    const JointTurns turns(reference, target, correspondence,
                           paired_bones(reference, target, correspondence, directions));
    for (Index j = 0; j < of_reference.size(); ++j) {
      const Index here = of_reference[j];
      if (here == kNone || target.skeleton.joints[here].driver) continue;
      Carried& carried = carried_[here];
      carried.reference = j;
      carried.offset = reference.frame(j).transpose() * turns.of_joints(j, here) * target.frame(here);
      const Index pair = correspondence.of_reference(j);
      const Index above = pair == kNone ? kNone : correspondence.pairs[pair].parent;
      carried.root = pair != kNone && above == kNone;
      if (pair == kNone) {
        anchor(carried, here, mapped_above(reference.skeleton, j, of_reference), of_reference, turns);
      } else if (above != kNone &&
                 (moving[j] != 0 || !reference.skeleton.joints[correspondence.pairs[above].reference].deforming ||
                  !hangs_on(here, correspondence.pairs[above].target, correspondence))) {
        anchor(carried, here, correspondence.pairs[above].reference, of_reference, turns);
      }
    }
    std::vector<char> state(carried_.size(), 0);
    for (Index j = 0; j < carried_.size(); ++j) visit(j, state);
  }

  /// The target's local transforms for the reference's joints in model space.
  std::vector<Transform> pose(const ModelPose& model) const {
    Pose result;
    for (const Joint& joint : target_.skeleton.joints) result.local.push_back(joint.rest);
    fill(model.joints, result);
    if (drivers_.empty()) return std::move(result.local);
    // Once more, now that the driven joints stand where they will.
    drivers_.apply(result);
    fill(model.joints, result);
    return std::move(result.local);
  }

  bool moves(Index joint) const { return carried_[joint].reference != kNone; }

 private:
  static Index mapped_above(const Skeleton& skeleton, Index joint, const std::vector<Index>& of_reference) {
    Index j = skeleton.joints[joint].parent;
    while (j != kNone && of_reference[j] == kNone) j = skeleton.joints[j].parent;
    return j;
  }

  /// Whether the nearest paired joint above, in the target's own tree, is this one.
  bool hangs_on(Index joint, Index other, const Correspondence& correspondence) const {
    Index j = target_.skeleton.joints[joint].parent;
    while (j != kNone && correspondence.of_target(j) == kNone) j = target_.skeleton.joints[j].parent;
    return j == other;
  }

  void anchor(Carried& carried, Index here, Index anchor, const std::vector<Index>& of_reference,
              const JointTurns& turns) {
    if (anchor == kNone) return;
    const Index anchor_here = of_reference[anchor];
    const Mat3 back = target_.joints[anchor_here].topLeftCorner<3, 3>().inverse();
    if (!back.allFinite()) return;
    carried.anchor = anchor;
    carried.anchor_here = anchor_here;
    carried.bound_there = in_frame(reference_.joints[anchor], reference_.joints[carried.reference]);
    carried.bound_here = in_frame(target_.joints[anchor_here], target_.joints[here]);
    const double far_r = (reference_.position(carried.reference) - reference_.position(anchor)).norm();
    const double far_t = (target_.position(here) - target_.position(anchor_here)).norm();
    const bool apart = far_r > kMoves * reference_.mesh.size() && far_t > kMoves * target_.mesh.size();
    const double scale = apart ? far_t / far_r : ratio_;
    const Index own = carried.reference;
    carried.moves =
        scale * back * turns.of_joints(own, here).transpose() * reference_.joints[anchor].topLeftCorner<3, 3>();
  }

  /// Puts joints in an order in which parents and anchors come first. An anchor that would close a circle is dropped.
  void visit(Index joint, std::vector<char>& state) {
    if (state[joint] != 0) return;
    state[joint] = 1;
    const Index parent = target_.skeleton.joints[joint].parent, other = carried_[joint].anchor_here;
    if (parent != kNone) visit(parent, state);
    if (other != kNone && state[other] == 1) carried_[joint].anchor = carried_[joint].anchor_here = kNone;
    else if (other != kNone) visit(other, state);
    state[joint] = 2;
    order_.push_back(joint);
  }

  /// Where a joint stands in another one's frame.
  static Vec3 in_frame(const Mat4& anchor, const Mat4& joint) {
    const Mat4 back = anchor.inverse();
    return back.allFinite() ? transform_point(back, joint.topRightCorner<3, 1>()) : Vec3(Vec3::Zero());
  }

  void fill(const std::vector<Mat4>& model, Pose& pose) const {
    std::vector<Mat4> here(pose.local.size());
    for (const Index j : order_) {
      const Joint& joint = target_.skeleton.joints[j];
      const Mat4 outer = joint.parent == kNone ? Mat4(Mat4::Identity()) : here[joint.parent];
      const Carried& carried = carried_[j];
      Transform& local = pose.local[j];
      if (carried.reference != kNone) {
        const Mat4& partner = model[carried.reference];
        const Mat3 wanted = turn_ * rotation_of(partner) * carried.offset;
        local.rotation = Quat(Mat3(rotation_of(outer).transpose() * wanted)).normalized();
        if (carried.root) {
          const Vec3 moved = partner.topRightCorner<3, 1>() - reference_.position(carried.reference);
          put(local, outer, target_.position(j) + ratio_ * (turn_ * moved));
        } else if (carried.anchor != kNone) {
          const Vec3 moved = in_frame(model[carried.anchor], partner) - carried.bound_there;
          put(local, outer, transform_point(here[carried.anchor_here], carried.bound_here + carried.moves * moved));
        }
      }
      Mat4 m = local.matrix();
      m.topLeftCorner<3, 3>() *= joint.shear;
      here[j] = outer * m;
    }
  }

  static void put(Transform& local, const Mat4& outer, const Vec3& place) {
    const Mat4 back = outer.inverse();
    if (back.allFinite()) local.translation = transform_point(back, place);
  }

  const TransferBody& reference_;
  const TransferBody& target_;
  motion::Drivers drivers_;
  Mat3 turn_ = Mat3::Identity();  // The reference's model space to the target's.
  double ratio_ = 1;
  std::vector<Carried> carried_;  // Per joint of the target.
  std::vector<Index> order_;
};

/// All times at which any joint has a key.
std::vector<float> key_times(const Clip& clip) {
  std::vector<float> times;
  for (const Track& track : clip.tracks) times.insert(times.end(), track.times_s.begin(), track.times_s.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Which joints move against their parents. Bones of another length than at binding that stay so do not count: clips
/// often bring along those of the character they were made for.
std::vector<char> moving_joints(const Clip& clip, const TransferBody& side) {
  std::vector<char> moving(side.skeleton.joints.size(), 0);
  const double least = kMoves * side.mesh.size();
  for (const Track& track : clip.tracks) {
    if (track.path != Track::Path::kTranslation) continue;
    const Index parent = side.skeleton.joints[track.target].parent;
    const double unit =
        parent == kNone ? 1 : std::cbrt(std::abs(side.joints[parent].topLeftCorner<3, 3>().determinant()));
    const std::size_t stride = track.interpolation == Track::Interpolation::kCubic ? 9 : 3;
    Box box;
    for (std::size_t i = stride == 9 ? 3 : 0; i + 2 < track.values.size(); i += stride)
      box.extend(Vec3f(track.values[i], track.values[i + 1], track.values[i + 2]).cast<double>());
    if (unit * box.diagonal() > least) moving[track.target] = 1;
  }
  return moving;
}

/// A track of one property of a joint, unless it never leaves its rest.
template <class Value>
void add_track(Clip& clip, Track::Path path, Index joint, const std::vector<float>& times, const Value& rest,
               const std::vector<Value>& values) {
  const double size = std::max(1.0, rest.norm());
  const bool still = std::all_of(values.begin(), values.end(),
                                 [&](const Value& value) { return (value - rest).norm() <= kAtRest * size; });
  if (still) return;
  Track track;
  track.path = path;
  track.target = joint;
  track.times_s = times;
  for (const Value& value : values)
    for (Eigen::Index i = 0; i < value.size(); ++i) track.values.push_back(static_cast<float>(value[i]));
  clip.tracks.push_back(std::move(track));
}

}  // namespace

Clip carried_clip(const Clip& clip, const TransferBody& reference, const TransferBody& target,
                  const Correspondence& correspondence, const std::vector<Index>& of_reference, Directions directions) {
  Clip result;
  result.name = clip.name;
  Clip joints_only = clip;
  std::erase_if(joints_only.tracks, [](const Track& track) { return track.path == Track::Path::kMorphWeights; });
  const std::vector<float> times = key_times(joints_only);
  if (times.empty()) return result;
  Rig rig;
  rig.skeleton = reference.skeleton;
  const std::vector<char> moving = moving_joints(joints_only, reference);
  const motion::Player player(rig, std::move(joints_only));
  const motion::Drivers drivers(reference.skeleton);
  const Carrier carrier(reference, target, correspondence, of_reference, directions, moving);

  const std::size_t count = target.skeleton.joints.size();
  std::vector<std::vector<Vec3>> translations(count), scales(count);
  std::vector<std::vector<Vec4>> rotations(count);
  std::vector<Index> partner(count, kNone);
  for (Index j = 0; j < of_reference.size(); ++j)
    if (of_reference[j] != kNone && correspondence.of_reference(j) == kNone) partner[of_reference[j]] = j;
  for (const float time : times) {
    const Pose pose = player.at(static_cast<double>(time));
    const std::vector<Transform> local = carrier.pose(motion::resolve(reference.skeleton, pose, drivers));
    for (Index j = 0; j < count; ++j) {
      const Vec4 rest = target.skeleton.joints[j].rest.rotation.coeffs();
      const Vec4 q = local[j].rotation.coeffs(), last = rotations[j].empty() ? rest : rotations[j].back();
      rotations[j].push_back(q.dot(last) < 0 ? Vec4(-q) : q);
      translations[j].push_back(local[j].translation);
      if (partner[j] == kNone) continue;
      const Vec3 factor = pose.local[partner[j]].scale.cwiseQuotient(reference.skeleton.joints[partner[j]].rest.scale);
      const Vec3 own = target.skeleton.joints[j].rest.scale;
      scales[j].push_back(factor.allFinite() ? Vec3(own.cwiseProduct(factor)) : own);
    }
  }
  for (Index j = 0; j < count; ++j) {
    if (!carrier.moves(j)) continue;
    const Transform& rest = target.skeleton.joints[j].rest;
    add_track(result, Track::Path::kTranslation, j, times, rest.translation, translations[j]);
    add_track(result, Track::Path::kRotation, j, times, Vec4(rest.rotation.coeffs()), rotations[j]);
    if (partner[j] != kNone) add_track(result, Track::Path::kScale, j, times, rest.scale, scales[j]);
  }
  return result;
}

}  // namespace sinew::transfer
