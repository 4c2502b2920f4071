// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/bake_drivers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"

namespace sinew::motion {
namespace {

constexpr double kLongestTurn = kPi / 3;
constexpr double kShortest_s = 1e-5;      // Nearer to each other keys lie only around steps.
constexpr std::size_t kLongestSpan = 90;  // Samples one pair of keys may stand for.
constexpr std::array<Track::Path, 3> kBakedPaths = {Track::Path::kTranslation, Track::Path::kRotation,
                                                    Track::Path::kScale};

double turn_between(const Quat& a, const Quat& b) {
  // Twice the arc sine: angularDistance goes through an arc cosine, which knows nothing below 1e-8.
  return rotation_log(a.conjugate() * b).norm();
}

// A driven joint at one time.
struct Sample {
  Transform local;
  double twist_rad = 0;
};

// All driven joints at one time.
struct Moment {
  float time_s = 0;
  std::vector<Sample> joints;
};

struct LocalTolerance {
  double rotation, translation, scale;
  LocalTolerance operator*(double share) const { return {share * rotation, share * translation, share * scale}; }
};

// Half of what is allowed is for keys that are left out. A look between two moments misses half of a kink's error at
// most.
constexpr double kWhenLooking = 0.25, kWhenThinning = 0.5;

Transform between(const Transform& a, const Transform& b, double t) {
  Transform result;
  result.translation = (1 - t) * a.translation + t * b.translation;
  result.rotation = slerp(a.rotation, b.rotation, t);
  result.scale = (1 - t) * a.scale + t * b.scale;
  return result;
}

bool is_near(Track::Path path, const Transform& a, const Transform& b, const LocalTolerance& tolerance) {
  switch (path) {
    case Track::Path::kTranslation:
      return (a.translation - b.translation).norm() <=
             std::max(tolerance.translation, 4e-7 * a.translation.norm());  // Keys are floats.
    case Track::Path::kRotation:
      return turn_between(a.rotation, b.rotation) <= tolerance.rotation;
    case Track::Path::kScale:
      return ((a.scale - b.scale).array().abs() <= tolerance.scale * b.scale.array().abs() + 1e-12).all();
    case Track::Path::kMorphWeights:
      break;
  }
  return true;
}

double share_of(float from, float at, float to) {
  return (static_cast<double>(at) - static_cast<double>(from)) / (static_cast<double>(to) - static_cast<double>(from));
}

// A clip of years is sampled more coarsely instead of for ever: an hour at 30 frames a second stays below this.
constexpr double kMostMoments = 150000;

class Baker {
 public:
  Baker(const Rig& rig, const Clip& clip, double fps, const BakeTolerance& tolerance)
      : rig_(rig), player_(rig, clip), drivers_(rig.skeleton), fps_(fps) {
    for (const Index joint : drivers_.order())
      if (rig.skeleton.joints[joint].driver->kind != Driver::Kind::kOpaque) joints_.push_back(joint);
    std::sort(joints_.begin(), joints_.end());
    const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
    Box box;
    for (const Vec3& p : rig.mesh.positions) box.extend(p);
    if (box.empty())
      for (const Mat4& m : rest) box.extend(m.topRightCorner<3, 1>());
    for (const Index joint : joints_) {
      const Index parent = rig.skeleton.joints[joint].parent;
      const double grown = parent == kNone ? 1 : rest[parent].topLeftCorner<3, 3>().colwise().norm().maxCoeff();
      const double size = box.diagonal() > 0 ? box.diagonal() : 1;
      tolerances_.push_back(
          {tolerance.rotation_rad, tolerance.translation_rel * size / (grown > 0 ? grown : 1), tolerance.scale});
    }
  }

  bool idle() const { return joints_.empty(); }
  bool drives(Index joint) const { return std::binary_search(joints_.begin(), joints_.end(), joint); }

  // Tracks of all driven joints; `had` are those that were there.
  std::vector<Track> run(const std::set<std::pair<Index, Track::Path>>& had) {
    const std::set<float> times = key_times();
    moments_.push_back(at(*times.begin()));
    const double length = static_cast<double>(*times.rbegin()) - static_cast<double>(*times.begin());
    if (length > 0) fps_ = std::min(fps_, kMostMoments / length);
    for (auto time = std::next(times.begin()); time != times.end(); ++time) fill_up_to(*time);
    std::vector<Track> tracks;
    for (std::size_t i = 0; i < joints_.size(); ++i)
      for (const Track::Path path : kBakedPaths)
        if (path == Track::Path::kRotation || had.count({joints_[i], path}) > 0 || changes(i, path))
          tracks.push_back(thinned(i, path));
    return tracks;
  }

 private:
  std::set<float> key_times() const {
    std::set<float> times;
    for (const Track& track : player_.clip().tracks) {
      const bool ours = track.path != Track::Path::kMorphWeights && drives(track.target);
      if (ours || track.path == Track::Path::kMorphWeights) continue;
      times.insert(track.times_s.begin(), track.times_s.end());
      // A step is over in the time between two neighbouring floats.
      if (track.interpolation == Track::Interpolation::kStep)
        for (std::size_t k = 1; k < track.times_s.size(); ++k)
          times.insert(std::max(track.times_s[k - 1], std::nextafter(track.times_s[k], -1.0F)));
    }
    if (times.empty()) times.insert(0);
    return times;
  }

  Moment at(float time_s) const {
    Pose pose = player_.at(static_cast<double>(time_s));
    drivers_.apply(pose);
    Moment moment;
    moment.time_s = time_s;
    for (const Index joint : joints_) moment.joints.push_back({pose.local[joint], pose.twist_rad[joint]});
    return moment;
  }

  // Frames from the last moment to a time, and what they need between them.
  void fill_up_to(float end) {
    const float begin = moments_.back().time_s;
    const double length = static_cast<double>(end) - static_cast<double>(begin);
    const auto pieces = static_cast<std::size_t>(std::max(1.0, std::ceil(length * fps_ - 1e-6)));
    for (std::size_t k = 1; k <= pieces; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(pieces);
      const float time = k == pieces ? end : static_cast<float>(static_cast<double>(begin) + share * length);
      if (time > moments_.back().time_s) refine_to(at(time));
    }
  }

  void refine_to(Moment next) {
    const Moment before = moments_.back();
    const float a = before.time_s, b = next.time_s;
    const auto inside = [&](double share) {
      return static_cast<float>(static_cast<double>(a) + share * (static_cast<double>(b) - static_cast<double>(a)));
    };
    const float middle = inside(0.5);
    bool fine = !(middle > a && middle < b) || static_cast<double>(b) - static_cast<double>(a) < kShortest_s;
    fine = fine || static_cast<double>(moments_.size()) > 4 * kMostMoments;
    if (!fine) {
      fine = steps_are_small(before, next);
      for (const double share : {0.5, 0.27, 0.73}) fine = fine && is_straight(before, at(inside(share)), next);
    }
    if (!fine) {
      refine_to(at(middle));
      refine_to(std::move(next));
      return;
    }
    moments_.push_back(std::move(next));
  }

  bool steps_are_small(const Moment& a, const Moment& b) const {
    for (std::size_t i = 0; i < joints_.size(); ++i)
      if (step(a.joints[i], b.joints[i]) > kLongestTurn) return false;
    return true;
  }

  static double step(const Sample& a, const Sample& b) {
    return std::max(turn_between(a.local.rotation, b.local.rotation), std::abs(b.twist_rad - a.twist_rad));
  }

  bool is_straight(const Moment& a, const Moment& m, const Moment& b) const {
    const double t = share_of(a.time_s, m.time_s, b.time_s);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const Transform guess = between(a.joints[i].local, b.joints[i].local, t);
      for (const Track::Path path : kBakedPaths)
        if (!is_near(path, guess, m.joints[i].local, tolerances_[i] * kWhenLooking)) return false;
    }
    return true;
  }

  bool changes(std::size_t i, Track::Path path) const {
    const Transform& rest = rig_.skeleton.joints[joints_[i]].rest;
    return std::any_of(moments_.begin(), moments_.end(), [&](const Moment& moment) {
      return !is_near(path, rest, moment.joints[i].local, tolerances_[i] * kWhenThinning);
    });
  }

  // The longest span from each key on for which two keys say all.
  Track thinned(std::size_t i, Track::Path path) const {
    Track track;
    track.path = path;
    track.target = joints_[i];
    add_key(track, i, 0);
    const bool constant = std::all_of(moments_.begin(), moments_.end(), [&](const Moment& moment) {
      return is_near(path, moments_.front().joints[i].local, moment.joints[i].local, tolerances_[i] * kWhenThinning);
    });
    if (constant) return track;
    for (std::size_t from = 0; from + 1 < moments_.size();) {
      std::size_t to = from + 1;
      double turned = step(moments_[from].joints[i], moments_[to].joints[i]);
      while (to + 1 < moments_.size() && to - from < kLongestSpan) {
        turned += step(moments_[to].joints[i], moments_[to + 1].joints[i]);
        if ((path == Track::Path::kRotation && turned > kLongestTurn) || !spans(i, path, from, to + 1)) break;
        ++to;
      }
      add_key(track, i, to);
      from = to;
    }
    return track;
  }

  bool spans(std::size_t i, Track::Path path, std::size_t from, std::size_t to) const {
    const Moment &a = moments_[from], &b = moments_[to];
    for (std::size_t k = from + 1; k < to; ++k) {
      const double t = share_of(a.time_s, moments_[k].time_s, b.time_s);
      if (!is_near(path, between(a.joints[i].local, b.joints[i].local, t), moments_[k].joints[i].local,
                   tolerances_[i] * kWhenThinning))
        return false;
    }
    return true;
  }

  void add_key(Track& track, std::size_t i, std::size_t k) const {
    const Transform& local = moments_[k].joints[i].local;
    track.times_s.push_back(moments_[k].time_s);
    if (track.path != Track::Path::kRotation) {
      const Vec3& v = track.path == Track::Path::kTranslation ? local.translation : local.scale;
      for (int c = 0; c < 3; ++c) track.values.push_back(static_cast<float>(v[c]));
      return;
    }
    Vec4 q = local.rotation.coeffs();
    // Neighbours on the same side: some programs interpolate without looking.
    const std::size_t size = track.values.size();
    if (size > 0 && q.cast<float>().dot(Eigen::Map<const Vec4f>(track.values.data() + size - 4)) < 0) q = -q;
    for (int c = 0; c < 4; ++c) track.values.push_back(static_cast<float>(q[c]));
  }

  const Rig& rig_;
  Player player_;
  Drivers drivers_;
  double fps_;
  std::vector<Index> joints_;
  std::vector<LocalTolerance> tolerances_;  // Per driven joint, in the frame of its parent.
  std::vector<Moment> moments_;
};

}  // namespace

std::size_t bake_drivers(const Rig& rig, Clip& clip, double fps, const BakeTolerance& tolerance) {
  if (!(fps > 0)) throw Error("Drivers can only be baked at a frame rate above 0.");
  if (clip.tracks.empty()) return 0;
  Baker baker(rig, clip, fps, tolerance);
  if (baker.idle()) return clip.tracks.size();
  std::set<std::pair<Index, Track::Path>> had;
  std::vector<Track> kept;
  for (const Track& track : clip.tracks)
    if (track.path != Track::Path::kMorphWeights && baker.drives(track.target)) had.insert({track.target, track.path});
    else kept.push_back(track);
  const std::size_t first = kept.size();
  for (Track& track : baker.run(had)) kept.push_back(std::move(track));
  clip.tracks = std::move(kept);
  return first;
}

}  // namespace sinew::motion
