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
#include "sinew/motion/retarget/pose_carrier.h"
#include "sinew/transfer/match/joint_turns.h"

namespace sinew::transfer {
namespace {

constexpr double kMoves = 1e-3;        // Of the size: what moves less against its parent is meant to stay.
constexpr double kLowestHeight = 0.2;  // Of the size: lower joints say nothing about how tall a body is.

double height_above_ground(const TransferBody& side, Index joint) {
  return side.position(joint).y() - side.mesh.bounds().lower.y();
}

double motion_ratio(const TransferBody& reference, const TransferBody& target, const JointPair& root) {
  const double size_r = reference.mesh.size(), size_t_ = target.mesh.size();
  const double r = height_above_ground(reference, root.reference), t = height_above_ground(target, root.target);
  if (r > kLowestHeight * size_r && t > kLowestHeight * size_t_) return t / r;
  return size_r > 0 && size_t_ > 0 ? size_t_ / size_r : 1;
}

Index mapped_above(const Skeleton& skeleton, Index joint, const std::vector<Index>& of_reference) {
  Index j = skeleton.joints[joint].parent;
  while (j != kNone && of_reference[j] == kNone) j = skeleton.joints[j].parent;
  return j;
}

/// States for every joint of the target what it takes from the reference.
class CarriedJoints {
 public:
  CarriedJoints(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                const JointTurns& turns)
      : reference_(reference), target_(target), correspondence_(correspondence), turns_(turns) {
    turn_ = correspondence.turn.transpose();
    if (!correspondence.pairs.empty()) ratio_ = motion_ratio(reference, target, correspondence.pairs.front());
  }

  motion::PoseCarrier run(const std::vector<Index>& of_reference, const std::vector<char>& moving) const {
    std::vector<motion::CarriedJoint> joints(target_.skeleton.joints.size());
    for (Index j = 0; j < of_reference.size(); ++j) {
      const Index here = of_reference[j];
      if (here == kNone || target_.skeleton.joints[here].driver) continue;
      motion::CarriedJoint& carried = joints[here];
      carried.source = j;
      carried.offset = reference_.frame(j).transpose() * turns_.of_joints(j, here) * target_.frame(here);
      const Index pair = correspondence_.of_reference(j);
      const Index above = pair == kNone ? kNone : correspondence_.pairs[pair].parent;
      if (pair != kNone && above == kNone) {
        carried.place = motion::CarriedJoint::Place::kModel;
        carried.here = target_.position(here);
        carried.there = reference_.position(j);
        carried.moves = ratio_ * turn_;
      } else if (pair == kNone) {
        anchor(carried, here, mapped_above(reference_.skeleton, j, of_reference), of_reference);
      } else if (moving[j] != 0 || !reference_.skeleton.joints[correspondence_.pairs[above].reference].deforming ||
                 !hangs_on(here, correspondence_.pairs[above].target)) {
        anchor(carried, here, correspondence_.pairs[above].reference, of_reference);
      }
    }
    return {target_.skeleton, std::move(joints), turn_};
  }

 private:
  /// Whether the nearest paired joint above, in the target's own tree, is this one.
  bool hangs_on(Index joint, Index other) const {
    Index j = target_.skeleton.joints[joint].parent;
    while (j != kNone && correspondence_.of_target(j) == kNone) j = target_.skeleton.joints[j].parent;
    return j == other;
  }

  /// Joints that were added, that move against their parent, or whose parent is not what they hang on in the body, have
  /// their place in the frame of another one.
  void anchor(motion::CarriedJoint& carried, Index here, Index anchor, const std::vector<Index>& of_reference) const {
    if (anchor == kNone) return;
    const Index own = carried.source, anchor_here = of_reference[anchor];
    const Mat3 back = target_.joints[anchor_here].topLeftCorner<3, 3>().inverse();
    if (!back.allFinite()) return;
    carried.place = motion::CarriedJoint::Place::kAnchored;
    carried.anchor = anchor;
    carried.anchor_here = anchor_here;
    carried.there = motion::position_in_frame(reference_.joints[anchor], reference_.joints[own]);
    carried.here = motion::position_in_frame(target_.joints[anchor_here], target_.joints[here]);
    const double far_r = (reference_.position(own) - reference_.position(anchor)).norm();
    const double far_t = (target_.position(here) - target_.position(anchor_here)).norm();
    const bool apart = far_r > kMoves * reference_.mesh.size() && far_t > kMoves * target_.mesh.size();
    const double scale = apart ? far_t / far_r : ratio_;
    carried.moves =
        scale * back * turns_.of_joints(own, here).transpose() * reference_.joints[anchor].topLeftCorner<3, 3>();
  }

  const TransferBody& reference_;
  const TransferBody& target_;
  const Correspondence& correspondence_;
  const JointTurns& turns_;
  Mat3 turn_ = Mat3::Identity();  // The reference's model space to the target's.
  double ratio_ = 1;
};

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

}  // namespace

Clip carried_clip(const Clip& clip, const TransferBody& reference, const TransferBody& target,
                  const Correspondence& correspondence, const std::vector<Index>& of_reference, Directions directions) {
  Clip result;
  result.name = clip.name;
  Clip joints_only = clip;
  std::erase_if(joints_only.tracks, [](const Track& track) { return track.path == Track::Path::kMorphWeights; });
  const std::vector<float> times = motion::key_times(joints_only);
  if (times.empty()) return result;
  Rig rig;
  rig.skeleton = reference.skeleton;
  const std::vector<char> moving = moving_joints(joints_only, reference);
  const motion::Player player(rig, std::move(joints_only));
  const motion::Drivers drivers(reference.skeleton);
  const JointTurns turns(reference, target, correspondence,
                         paired_bones(reference, target, correspondence, directions));
  const motion::PoseCarrier carrier = CarriedJoints(reference, target, correspondence, turns).run(of_reference, moving);
  std::vector<std::vector<Transform>> frames;
  for (const float time : times) {
    const Pose pose = player.at(static_cast<double>(time));
    frames.push_back(carrier.pose(motion::resolve(reference.skeleton, pose, drivers).joints));
    // Joints that were added scale as in the reference.
    for (Index j = 0; j < of_reference.size(); ++j) {
      if (of_reference[j] == kNone || correspondence.of_reference(j) != kNone) continue;
      const Vec3 factor = pose.local[j].scale.cwiseQuotient(reference.skeleton.joints[j].rest.scale);
      if (factor.allFinite()) {
        const Index here = of_reference[j];
        frames.back()[here].scale = target.skeleton.joints[here].rest.scale.cwiseProduct(factor);
      }
    }
  }
  motion::TrackRules rules;
  rules.constant_as_one = false;
  for (Index j = 0; j < target.skeleton.size(); ++j)
    if (carrier.follows(j)) motion::add_tracks(result, target.skeleton.joints[j].rest, j, times, frames, false, rules);
  return result;
}

}  // namespace sinew::transfer
