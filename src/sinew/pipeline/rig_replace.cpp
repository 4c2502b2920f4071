// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_replace.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sinew/core/rotation.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

constexpr double kFramesPerSecond = 30;

bool is_trunk(const std::string& role) { return role.starts_with("spine") || role.starts_with("chest"); }

std::vector<std::string> roles_of(const Skeleton& skeleton, bool own) {
  const motion::Recognition known = motion::recognize(skeleton);
  std::vector<std::string> roles;
  for (Index j = 0; j < skeleton.size(); ++j)
    roles.push_back(own && !skeleton.joints[j].role.empty() ? skeleton.joints[j].role
                                                            : motion::role_name(known.roles[j]));
  return roles;
}

// Pairs joints whose key is the same and not empty, the first with the first.
void pair_by(const std::vector<std::string>& old_keys, const std::vector<std::string>& new_keys, JointPairs& pairs) {
  std::map<std::string, Index> free;
  for (Index n = 0; n < new_keys.size(); ++n)
    if (!new_keys[n].empty() && pairs.source[n] == kNone) free.try_emplace(new_keys[n], n);
  for (Index o = 0; o < old_keys.size(); ++o) {
    const auto found = free.find(old_keys[o]);
    if (found == free.end() || pairs.partner[o] != kNone) continue;
    pairs.partner[o] = found->second;
    pairs.source[found->second] = o;
    free.erase(found);
  }
}

void pair_trunks(const std::vector<std::string>& old_roles, const std::vector<std::string>& new_roles,
                 JointPairs& pairs) {
  std::vector<Index> old_trunk, new_trunk;
  for (Index o = 0; o < old_roles.size(); ++o)
    if (is_trunk(old_roles[o])) old_trunk.push_back(o);
  for (Index n = 0; n < new_roles.size(); ++n)
    if (is_trunk(new_roles[n])) new_trunk.push_back(n);
  if (old_trunk.empty()) return;
  for (std::size_t i = 0; i < new_trunk.size(); ++i) {
    // The uppermost takes the uppermost's motion, whatever they are called: arms and head hang on it.
    const std::size_t k =
        new_trunk.size() == 1 ? old_trunk.size() - 1 : i * (old_trunk.size() - 1) / (new_trunk.size() - 1);
    const Index o = old_trunk[k], n = new_trunk[i];
    const bool taken = std::find(pairs.partner.begin(), pairs.partner.end(), n) != pairs.partner.end();
    pairs.source[n] = o;
    if (!taken && pairs.partner[o] == kNone) pairs.partner[o] = n;
  }
}

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

Quat turn_of(const Mat4& m) { return Quat(polar(Mat3(m.topLeftCorner<3, 3>())).rotation).normalized(); }

/// A new skeleton that follows the motion of an old one, moment by moment.
class Follower {
 public:
  Follower(const OldMotion& old, const Skeleton& skeleton, const std::vector<Mat4>& frames, const JointPairs& pairs)
      : old_(old), skeleton_(skeleton), frames_(frames), pairs_(pairs) {
    for (const Mat4& frame : old.frames) unbind_.push_back(frame.inverse());
    for (const Mat4& frame : frames) turn_.push_back(turn_of(frame));
    led_.assign(skeleton.joints.size(), false);
    for (Index j = 0; j < skeleton.size(); ++j) {
      const Index parent = skeleton.joints[j].parent;
      led_[j] = follows(j) || (parent != kNone && led_[parent]);
    }
  }

  bool follows(Index j) const { return pairs_.source[j] != kNone && unbind_[pairs_.source[j]].allFinite(); }
  // The topmost of its chain that follows: it also takes the place.
  bool leads(Index j) const {
    const Index parent = skeleton_.joints[j].parent;
    return follows(j) && (parent == kNone || !led_[parent]);
  }

  std::vector<Transform> at(const Clip& clip, float time_s) const {
    const ModelPose moved =
        motion::resolve(old_.rig.skeleton, motion::sample(old_.rig, clip, static_cast<double>(time_s)));
    std::vector<Transform> local;
    std::vector<Mat4> model(skeleton_.joints.size());
    std::vector<Quat> turned(skeleton_.joints.size());
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Index parent = skeleton_.joints[j].parent;
      const Quat above = parent == kNone ? Quat::Identity() : turned[parent];
      const Mat4 frame = parent == kNone ? Mat4(Mat4::Identity()) : model[parent];
      Transform t = skeleton_.joints[j].rest;
      if (follows(j)) {
        const Index o = pairs_.source[j];
        const Mat4 move = moved.joints[o] * unbind_[o];
        t.rotation = (above.conjugate() * turn_of(move) * turn_[j]).normalized();
        if (leads(j))
          t.translation = transform_point(frame.inverse(), transform_point(move, frames_[j].topRightCorner<3, 1>()));
      }
      turned[j] = (above * t.rotation).normalized();
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
  std::vector<Quat> turn_;
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

void list_dropped(const OldMotion& old, const Clip& clip, const JointPairs& pairs, DroppedTracks& dropped) {
  dropped.clip = clip.name;
  std::set<Index> sources(pairs.source.begin(), pairs.source.end());
  // What lies above the joints that are followed moves them, so nothing of it is lost.
  for (Index o = old.rig.skeleton.size(); o-- > 0;)
    if (sources.count(o) != 0 && old.rig.skeleton.joints[o].parent != kNone)
      sources.insert(old.rig.skeleton.joints[o].parent);
  std::set<std::string> names;
  for (const Track& track : clip.tracks)
    if (track.path != Track::Path::kMorphWeights && sources.count(track.target) == 0)
      names.insert(old.rig.skeleton.joints[track.target].name);
  dropped.joints.assign(names.begin(), names.end());
}

}  // namespace

bool has_rig(const Character& character) {
  const Rig& rig = character.rig;
  if (!rig.skins.empty()) return true;
  if (std::any_of(rig.skeleton.joints.begin(), rig.skeleton.joints.end(), [](const Joint& j) { return j.deforming; }))
    return true;
  for (const Clip& clip : character.clips)
    for (const Track& track : clip.tracks)
      if (track.path != Track::Path::kMorphWeights) return true;
  return false;
}

JointPairs pair_joints(const Skeleton& old_skeleton, const Skeleton& new_skeleton) {
  JointPairs pairs{std::vector<Index>(old_skeleton.joints.size(), kNone),
                   std::vector<Index>(new_skeleton.joints.size(), kNone)};
  const auto plain_roles = [](std::vector<std::string> roles) {
    for (std::string& role : roles)
      if (role == "end" || role == "helper" || role == "control" || role == "socket" || role == "root") role.clear();
    return roles;
  };
  const std::vector<std::string> old_roles = plain_roles(roles_of(old_skeleton, false));
  const std::vector<std::string> new_roles = plain_roles(roles_of(new_skeleton, true));
  pair_by(old_roles, new_roles, pairs);
  pair_trunks(old_roles, new_roles, pairs);
  const auto names_of = [](const Skeleton& skeleton) {
    std::vector<std::string> names;
    for (const Joint& joint : skeleton.joints) names.push_back(joint.role == "end" ? "" : joint.name);
    return names;
  };
  pair_by(names_of(old_skeleton), names_of(new_skeleton), pairs);
  return pairs;
}

Clip carried_clip(const OldMotion& old, const Clip& clip, const Skeleton& skeleton, const std::vector<Mat4>& frames,
                  const JointPairs& pairs, const std::vector<Index>& part_of, DroppedTracks& dropped) {
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
  list_dropped(old, clip, pairs, dropped);
  return result;
}

}  // namespace sinew::pipeline
