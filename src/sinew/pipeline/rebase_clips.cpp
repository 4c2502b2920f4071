// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rebase_clips.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

constexpr double kLeastKeys = 30;  // Per second.

// A joint with another parent: that, or the nearest joint above it that is not an added one, by its old number.
struct MovedJoint {
  Index joint = kNone;            // Old.
  Index parent = kNone;           // kNone: nothing above it moves.
  Mat4 added = Mat4::Identity();  // The rest transform of added joints from `parent` down to the joint.
  bool same_parent = false;       // Only added joints came between: keys change by `added` and need no others.
};

class ClipRebaser {
 public:
  ClipRebaser(const Character& before, const std::vector<Index>& new_of, Character& after)
      : before_(before), after_(after), new_of_(new_of), old_of_(after.rig.skeleton.joints.size(), kNone) {
    for (Index j = 0; j < before.rig.skeleton.size(); ++j)
      if (new_of[j] != kNone) old_of_[new_of[j]] = j;
    const std::vector<Mat4> rest = rest_matrices(after.rig.skeleton);
    for (Index j = 0; j < before.rig.skeleton.size(); ++j) {
      if (new_of[j] == kNone) continue;
      const Index parent = after.rig.skeleton.joints[new_of[j]].parent;
      const Index old = parent == kNone ? kNone : old_of_[parent];
      if (old == before.rig.skeleton.joints[j].parent && (parent == kNone || old != kNone)) continue;
      // A new root at the origin moves nothing.
      if (parent != kNone && old == kNone && before.rig.skeleton.joints[j].parent == kNone && rest[parent].isIdentity())
        continue;
      Index above = parent;
      while (above != kNone && old_of_[above] == kNone) above = after.rig.skeleton.joints[above].parent;
      MovedJoint moved{j, above == kNone ? kNone : old_of_[above], Mat4::Identity()};
      if (parent != above)
        moved.added = (above == kNone ? Mat4(Mat4::Identity()) : Mat4(rest[above].inverse())) * rest[parent];
      moved.same_parent = parent != above && moved.parent == before.rig.skeleton.joints[j].parent;
      moved_.push_back(moved);
    }
  }

  // Returns the number of tracks that the clip keeps; new ones follow.
  std::size_t run(const Clip& clip, Clip& result) const {
    std::vector<MovedJoint> touched;
    std::set<Index> sources;
    for (const MovedJoint& moved : moved_) {
      if (moved.same_parent) continue;
      std::set<Index> involved;
      for (const Index start : {moved.joint, moved.parent})
        for (Index j = start; j != kNone; j = before_.rig.skeleton.joints[j].parent) involved.insert(j);
      const bool moves = std::any_of(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
        return track.path != Track::Path::kMorphWeights && involved.count(track.target) > 0;
      });
      if (!moves) continue;
      touched.push_back(moved);
      sources.insert(involved.begin(), involved.end());
    }
    const auto is_touched = [&](Index j) {
      return std::any_of(touched.begin(), touched.end(), [&](const MovedJoint& m) { return m.joint == j; });
    };
    result.tracks.clear();
    std::vector<Track> changed;
    for (Track track : clip.tracks) {
      if (track.path != Track::Path::kMorphWeights) {
        if (new_of_[track.target] == kNone || is_touched(track.target)) continue;
        const Index old = track.target;
        track.target = new_of_[old];
        if (const MovedJoint* moved = below_added(old)) {
          change_keys(track, *moved);
          changed.push_back(std::move(track));
          continue;
        }
      }
      result.tracks.push_back(std::move(track));
    }
    const std::size_t kept = result.tracks.size();
    for (Track& track : changed) result.tracks.push_back(std::move(track));
    if (!touched.empty()) add_keys(clip, touched, times(clip, sources), result);
    return kept;
  }

 private:
  const MovedJoint* below_added(Index joint) const {
    for (const MovedJoint& moved : moved_)
      if (moved.joint == joint && moved.same_parent) return &moved;
    return nullptr;
  }

  // Keys below added joints at rest. Tangents are directions.
  static void change_keys(Track& track, const MovedJoint& moved) {
    const Mat4 back = moved.added.inverse();
    const Mat3 linear = back.topLeftCorner<3, 3>();
    const Quat turn = Quat(polar(linear).rotation).normalized();
    const bool cubic = track.interpolation == Track::Interpolation::kCubic;
    const std::size_t width = track.path == Track::Path::kRotation ? 4 : 3;
    for (std::size_t i = 0; i + width <= track.values.size(); i += width) {
      const auto at = [&](std::size_t c) { return static_cast<double>(track.values[i + c]); };
      Vec4 value(at(0), at(1), at(2), width == 4 ? at(3) : 0);
      if (track.path == Track::Path::kRotation) {
        value = (turn * Quat(value[3], value[0], value[1], value[2])).coeffs();
      } else if (track.path == Track::Path::kTranslation) {
        value.head<3>() = linear * value.head<3>();
        if (!cubic || (i / width) % 3 == 1) value.head<3>() += back.topRightCorner<3, 1>();
      } else {
        value.head<3>() *= std::cbrt(std::abs(linear.determinant()));
      }
      for (std::size_t c = 0; c < width; ++c)
        track.values[i + c] = static_cast<float>(value[static_cast<Eigen::Index>(c)]);
    }
  }

  static std::vector<float> times(const Clip& clip, const std::set<Index>& sources) {
    std::set<float> keys;
    for (const Track& track : clip.tracks)
      if (track.path != Track::Path::kMorphWeights && sources.count(track.target) > 0)
        keys.insert(track.times_s.begin(), track.times_s.end());
    std::vector<float> result;
    for (const float key : keys) {
      if (!result.empty()) {
        const double from = static_cast<double>(result.back()), gap = static_cast<double>(key) - from;
        const double steps = std::min(1e5, std::ceil(gap * kLeastKeys - 1e-3));
        for (double i = 1; i < steps; ++i) result.push_back(static_cast<float>(from + gap * i / steps));
      }
      if (result.empty() || key > result.back()) result.push_back(key);
    }
    return result;
  }

  void add_keys(const Clip& clip, const std::vector<MovedJoint>& touched, const std::vector<float>& times,
                Clip& result) const {
    using Path = Track::Path;
    const std::size_t first = result.tracks.size();
    for (const MovedJoint& moved : touched)
      for (const Path path : {Path::kTranslation, Path::kRotation, Path::kScale}) {
        Track track;
        track.path = path;
        track.target = new_of_[moved.joint];
        track.times_s = times;
        result.tracks.push_back(std::move(track));
      }
    for (const float time : times) {
      const std::vector<Mat4> model =
          model_matrices(before_.rig.skeleton, motion::sample(before_.rig, clip, static_cast<double>(time)).local);
      for (std::size_t i = 0; i < touched.size(); ++i) {
        const MovedJoint& moved = touched[i];
        const Mat4 above = (moved.parent == kNone ? Mat4(Mat4::Identity()) : model[moved.parent]) * moved.added;
        Mat4 local = above.inverse() * model[moved.joint];
        const Mat3 shear = after_.rig.skeleton.joints[new_of_[moved.joint]].shear;
        local.topLeftCorner<3, 3>() *= shear.inverse();
        put(result.tracks[first + 3 * i], decompose(local).transform);
        put(result.tracks[first + 3 * i + 1], decompose(local).transform);
        put(result.tracks[first + 3 * i + 2], decompose(local).transform);
      }
    }
  }

  static void put(Track& track, const Transform& t) {
    Vec4 q = t.rotation.coeffs();
    if (track.path == Track::Path::kRotation && track.values.size() >= 4) {
      double dot = 0;
      for (int i = 0; i < 4; ++i)
        dot += q[i] * static_cast<double>(track.values[track.values.size() - 4 + static_cast<std::size_t>(i)]);
      if (dot < 0) q = -q;
    }
    const auto add = [&](const auto& v) {
      for (Eigen::Index i = 0; i < v.size(); ++i) track.values.push_back(static_cast<float>(v[i]));
    };
    if (track.path == Track::Path::kRotation) add(q);
    else add(track.path == Track::Path::kTranslation ? t.translation : t.scale);
  }

  const Character& before_;
  Character& after_;
  const std::vector<Index>& new_of_;
  std::vector<Index> old_of_;
  std::vector<MovedJoint> moved_;
};

}  // namespace

std::vector<std::pair<Index, std::size_t>> rebase_clips(const Character& before, const std::vector<Index>& new_of,
                                                        Character& after) {
  std::vector<std::pair<Index, std::size_t>> longer;
  const ClipRebaser rebaser(before, new_of, after);
  for (Index c = 0; c < before.clips.size(); ++c) {
    const std::size_t kept = rebaser.run(before.clips[c], after.clips[c]);
    if (after.clips[c].tracks.size() > kept) longer.emplace_back(c, kept);
  }
  return longer;
}

}  // namespace sinew::pipeline
