// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The one computation by which a skeleton takes over the motion of another: `retarget` (`sinew animate`), `carry_clip`
/// (`sinew rig --replace`) and transfer/joints/carry_clips.h (`sinew transfer --clips`) only state, joint by joint,
/// what is taken from where.

#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"
#include "sinew/motion/drivers.h"

namespace sinew::motion {

/// What a joint takes from joints of the source. All frames are in model space.
struct CarriedJoint {
  /// Where the position comes from.
  enum class Place {
    kRest,      ///< As it rests below its parent.
    kModel,     ///< here + moves · (position of the source − there).
    kAttached,  ///< The point `there` in the frame of the source.
    kAnchored,  ///< In frames of two anchors: here + moves · (position of the source − there).
  };

  Index source = kNone;            ///< kNone: it stays at rest below its parent.
  Mat3 offset = Mat3::Identity();  ///< Rotation = turn · rotation of the source · offset.
  Index other = kNone;             ///< For a share below 1: the source at share 0, …
  Mat3 other_offset = Mat3::Identity();
  double share = 1;  ///< … and how far the rotation is from there to that of `source`.
  Place place = Place::kRest;
  Vec3 here = Vec3::Zero(), there = Vec3::Zero();
  Mat3 moves = Mat3::Zero();
  Index anchor = kNone;       ///< kAnchored: joint of the source whose frame `there` is in.
  Index anchor_here = kNone;  ///< kAnchored: joint of the target whose frame `here` is in.
};

/// Poses a skeleton after the joints of another, one moment at a time.
class PoseCarrier {
 public:
  PoseCarrier() = default;
  /// `joints`: one for each joint of the target. `turn` takes the model space of the source to that of the target; it
  /// may reflect. Joints with a driver follow it alone. An anchor that depends on its own joint is ignored. \throws
  /// Error if drivers cannot be evaluated. \pre `target` outlives the object.
  PoseCarrier(const Skeleton& target, std::vector<CarriedJoint> joints, const Mat3& turn);

  /// The local transforms of the target for the joints of the source in model space. `shift` is subtracted from the
  /// positions of the source where they are used in model space.
  std::vector<Transform> pose(const std::vector<Mat4>& source, const Vec3& shift = Vec3::Zero()) const;

  bool follows(Index joint) const { return joints_[joint].source != kNone; }
  const CarriedJoint& operator[](Index joint) const { return joints_[joint]; }

 private:
  void visit(Index joint, std::vector<char>& state);
  Mat3 rotation(const CarriedJoint& joint, const std::vector<Mat4>& source) const;
  void fill(const std::vector<Mat4>& source, const Vec3& shift, Pose& pose) const;

  const Skeleton* target_ = nullptr;
  std::vector<CarriedJoint> joints_;
  Mat3 turn_ = Mat3::Identity();
  Drivers drivers_ = Drivers(Skeleton());
  std::vector<Index> order_;  // Parents and anchors first.
};

/// Where a joint is located in the frame of another; zero if that has no size.
Vec3 position_in_frame(const Mat4& frame, const Mat4& joint);

/// All times at which a joint has a key. With a rate, gaps get more, so that there are at least that many per second.
/// \throws Error if that would be more than ten million.
std::vector<float> key_times(const Clip& clip, double least_rate = 0);

/// How `add_tracks` writes.
struct TrackRules {
  double at_rest = 1e-7;        ///< Values this near to rest, relative to their size, count as rest.
  bool constant_as_one = true;  ///< A value that never changes has one key.
  Track::Interpolation interpolation = Track::Interpolation::kLinear;
};

/// Adds tracks for what a joint does in `frames`, one list of local transforms per time: rotation, translation and
/// scale, each unless it never leaves rest. `always` writes every key of the translation.
void add_tracks(Clip& clip, const Transform& rest, Index joint, const std::vector<float>& times,
                const std::vector<std::vector<Transform>>& frames, bool always, const TrackRules& rules = {});

}  // namespace sinew::motion
