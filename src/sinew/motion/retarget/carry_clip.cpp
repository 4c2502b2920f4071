// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/carry_clip.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/rotation.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::motion {
namespace {

constexpr double kFramesPerSecond = 30;

// When the new clip has keys.
std::vector<float> key_times(const Clip& clip) {
  std::set<float> times;
  bool curved = false;
  for (const Track& track : clip.tracks) {
    if (track.path == Track::Path::kMorphWeights) continue;
    times.insert(track.times_s.begin(), track.times_s.end());
    curved = curved || track.interpolation == Track::Interpolation::kCubic;
  }
  if (curved && times.size() > 1) {
    const double begin = static_cast<double>(*times.begin()), end = static_cast<double>(*times.rbegin());
    for (double t = begin; t < end; t += 1 / kFramesPerSecond) times.insert(static_cast<float>(t));
  }
  return {times.begin(), times.end()};
}

bool all_steps(const Clip& clip) {
  return std::all_of(clip.tracks.begin(), clip.tracks.end(), [](const Track& track) {
    return track.path == Track::Path::kMorphWeights || track.interpolation == Track::Interpolation::kStep;
  });
}

Quat rotation_of(const Mat4& m) { return Quat(polar(Mat3(m.topLeftCorner<3, 3>())).rotation).normalized(); }

/// A new skeleton that follows the motion of an old one, moment by moment.
class Follower {
 public:
  Follower(const OldMotion& old, const Skeleton& skeleton, const std::vector<Mat4>& frames, const JointPairs& pairs)
      : old_(old), skeleton_(skeleton), frames_(frames), pairs_(pairs) {
    for (const Mat4& frame : old.frames) unbind_.push_back(frame.inverse());
    for (const Mat4& frame : frames) rotation_.push_back(rotation_of(frame));
    led_.assign(skeleton.joints.size(), false);
    for (Index j = 0; j < skeleton.size(); ++j) {
      const Index parent = skeleton.joints[j].parent;
      led_[j] = follows(j) || (parent != kNone && led_[parent]);
    }
  }

  bool follows(Index j) const { return pairs_.source[j] != kNone && unbind_[pairs_.source[j]].allFinite(); }
  // The topmost of its chain that follows: it also takes the position.
  bool leads(Index j) const {
    const Index parent = skeleton_.joints[j].parent;
    return follows(j) && (parent == kNone || !led_[parent]);
  }

  std::vector<Transform> at(const Clip& clip, float time_s) const {
    const ModelPose moved = resolve(old_.rig.skeleton, sample(old_.rig, clip, static_cast<double>(time_s)));
    std::vector<Transform> local;
    std::vector<Mat4> model(skeleton_.joints.size());
    std::vector<Quat> rotated(skeleton_.joints.size());
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Index parent = skeleton_.joints[j].parent;
      const Quat above = parent == kNone ? Quat::Identity() : rotated[parent];
      const Mat4 frame = parent == kNone ? Mat4(Mat4::Identity()) : model[parent];
      Transform t = skeleton_.joints[j].rest;
      if (follows(j)) {
        const Index o = pairs_.source[j];
        const Mat4 move = moved.joints[o] * unbind_[o];
        t.rotation = (above.conjugate() * rotation_of(move) * rotation_[j]).normalized();
        if (leads(j))
          t.translation = transform_point(frame.inverse(), transform_point(move, frames_[j].topRightCorner<3, 1>()));
      }
      rotated[j] = (above * t.rotation).normalized();
      model[j] = frame * t.matrix();
      local.push_back(t);
    }
    return local;
  }

 private:
  const OldMotion& old_;
  const Skeleton& skeleton_;
  const std::vector<Mat4>& frames_;
  const JointPairs& pairs_;
  std::vector<Mat4> unbind_;
  std::vector<Quat> rotation_;
  std::vector<bool> led_;
};

void push(Track& track, const Transform& t) {
  if (track.path == Track::Path::kTranslation) {
    for (int c = 0; c < 3; ++c) track.values.push_back(static_cast<float>(t.translation[c]));
    return;
  }
  Eigen::Vector4d q = t.rotation.coeffs();
  if (track.values.size() >= 4) {
    double dot = 0;
    for (int c = 0; c < 4; ++c)
      dot += q[c] * static_cast<double>(track.values[track.values.size() - 4 + static_cast<std::size_t>(c)]);
    if (dot < 0) q = -q;
  }
  for (int c = 0; c < 4; ++c) track.values.push_back(static_cast<float>(q[c]));
}

// Whether a track never leaves the rest pose.
bool stays_at_rest(const Track& track, const Transform& rest) {
  const bool place = track.path == Track::Path::kTranslation;
  const std::size_t width = place ? 3 : 4;
  const double slack = place ? 1e-5 * std::max(1e-3, rest.translation.norm()) : 1e-6;
  for (std::size_t i = 0; i < track.values.size(); i += width) {
    double distance = 0, opposite = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const auto k = static_cast<Eigen::Index>(c);
      const double have = static_cast<double>(track.values[i + c]);
      const double want = place ? rest.translation[k] : rest.rotation.coeffs()[k];
      distance = std::max(distance, std::abs(have - want));
      opposite = std::max(opposite, std::abs(have + want));
    }
    if (distance > slack && (place || opposite > slack)) return false;
  }
  return true;
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
  const Follower follower(old, skeleton, frames, pairs);
  const std::vector<float> times = key_times(clip);
  std::vector<Track> tracks;
  for (Index j = 0; j < skeleton.size() && !times.empty(); ++j) {
    if (!follower.follows(j)) continue;
    Track track;
    track.target = j;
    track.times_s = times;
    if (all_steps(clip)) track.interpolation = Track::Interpolation::kStep;
    track.path = Track::Path::kRotation;
    tracks.push_back(track);
    track.path = Track::Path::kTranslation;
    if (follower.leads(j)) tracks.push_back(track);
  }
  for (const float time : times) {
    const std::vector<Transform> local = follower.at(clip, time);
    for (Track& track : tracks) push(track, local[track.target]);
  }
  for (Track& track : tracks)
    if (!stays_at_rest(track, skeleton.joints[track.target].rest)) result.tracks.push_back(std::move(track));
  for (const Track& track : clip.tracks)
    if (track.path == Track::Path::kMorphWeights) {
      result.tracks.push_back(track);
      result.tracks.back().target = part_of[track.target];
    }
  return {std::move(result), dropped_tracks(old, clip, pairs)};
}

}  // namespace sinew::motion
