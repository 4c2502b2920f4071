// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/carry_clip.h"

#include <Eigen/LU>
#include <algorithm>
#include <set>

#include "sinew/core/rotation.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/retarget/pose_carrier.h"
#include "sinew/motion/sample.h"

namespace sinew::motion {
namespace {

constexpr double kFramesPerSecond = 30;
constexpr double kAtRest = 1e-6;

// A curved clip needs keys between its own.
double least_rate(const Clip& clip) {
  const bool curved = std::any_of(clip.tracks.begin(), clip.tracks.end(), [](const Track& track) {
    return track.path != Track::Path::kMorphWeights && track.interpolation == Track::Interpolation::kCubic;
  });
  return curved ? kFramesPerSecond : 0;
}

bool all_steps(const Clip& clip) {
  return std::all_of(clip.tracks.begin(), clip.tracks.end(), [](const Track& track) {
    return track.path == Track::Path::kMorphWeights || track.interpolation == Track::Interpolation::kStep;
  });
}

Mat3 rotation_of(const Mat4& m) { return polar(Mat3(m.topLeftCorner<3, 3>())).rotation; }

// The new joints follow the old ones from the pose of the mesh. The topmost of each chain that follows also takes the
// position.
PoseCarrier carrier_of(const OldMotion& old, const Skeleton& skeleton, const std::vector<Mat4>& frames,
                       const JointPairs& pairs) {
  std::vector<CarriedJoint> joints(skeleton.joints.size());
  std::vector<char> led(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index o = pairs.source[j], parent = skeleton.joints[j].parent;
    led[j] = parent != kNone ? led[parent] : char{0};
    if (o == kNone || !old.frames[o].inverse().allFinite()) continue;
    joints[j].source = o;
    joints[j].offset = rotation_of(old.frames[o]).transpose() * rotation_of(frames[j]);
    if (led[j] == 0) {
      joints[j].place = CarriedJoint::Place::kAttached;
      joints[j].there = position_in_frame(old.frames[o], frames[j]);
    }
    led[j] = 1;
  }
  return {skeleton, std::move(joints), Mat3::Identity()};
}

DroppedTracks dropped_tracks(const OldMotion& old, const Clip& clip, const JointPairs& pairs) {
  std::set<Index> sources(pairs.source.begin(), pairs.source.end());
  // Joints above a source move it, so their motion is not lost.
  for (Index o = old.rig.skeleton.size(); o-- > 0;)
    if (sources.count(o) != 0 && old.rig.skeleton.joints[o].parent != kNone)
      sources.insert(old.rig.skeleton.joints[o].parent);
  std::set<std::string> names;
  for (const Track& track : clip.tracks)
    if (track.path != Track::Path::kMorphWeights && sources.count(track.target) == 0)
      names.insert(old.rig.skeleton.joints[track.target].name);
  return {clip.name, {names.begin(), names.end()}};
}

}  // namespace

CarriedClip carry_clip(const OldMotion& old, const Clip& clip, const Skeleton& skeleton,
                       const std::vector<Mat4>& frames, const JointPairs& pairs, const std::vector<Index>& part_of) {
  Clip result;
  result.name = clip.name;
  const PoseCarrier carrier = carrier_of(old, skeleton, frames, pairs);
  const std::vector<float> times = key_times(clip, least_rate(clip));
  std::vector<std::vector<Transform>> locals;
  for (const float time : times)
    locals.push_back(carrier.pose(resolve(old.rig.skeleton, sample(old.rig, clip, static_cast<double>(time))).joints));
  TrackRules rules;
  rules.at_rest = kAtRest;
  rules.constant_as_one = false;
  if (all_steps(clip)) rules.interpolation = Track::Interpolation::kStep;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (carrier.follows(j)) add_tracks(result, skeleton.joints[j].rest, j, times, locals, false, rules);
  for (const Track& track : clip.tracks)
    if (track.path == Track::Path::kMorphWeights) {
      result.tracks.push_back(track);
      result.tracks.back().target = part_of[track.target];
    }
  return {std::move(result), dropped_tracks(old, clip, pairs)};
}

}  // namespace sinew::motion
