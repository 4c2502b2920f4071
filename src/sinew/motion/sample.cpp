// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/sample.h"

#include <algorithm>
#include <cassert>

namespace sinew::motion {
namespace {

using Values = Eigen::VectorXd;

// Where a time falls between two keys.
struct Spot {
  std::size_t before = 0, after = 0;
  double t = 0;  // 0 at the key before, 1 at the key after.
  double length_s = 0;
};

Spot locate(const Track& track, double time_s) {
  const auto& times = track.times_s;
  const auto upper = std::upper_bound(times.begin(), times.end(), time_s,
                                      [](double time, float key) { return time < static_cast<double>(key); });
  if (upper == times.begin()) return {};
  const auto after = static_cast<std::size_t>(upper - times.begin());
  if (after == times.size()) return {after - 1, after - 1, 0, 0};
  const double begin = static_cast<double>(times[after - 1]), end = static_cast<double>(times[after]);
  return {after - 1, after, (time_s - begin) / (end - begin), end - begin};
}

Values key(const Track& track, std::size_t index, std::size_t width) {
  Values v(static_cast<Eigen::Index>(width));
  for (std::size_t i = 0; i < width; ++i)
    v[static_cast<Eigen::Index>(i)] = static_cast<double>(track.values[index * width + i]);
  return v;
}

Values hermite(const Track& track, const Spot& spot, std::size_t width) {
  const Values p0 = key(track, 3 * spot.before + 1, width), m0 = key(track, 3 * spot.before + 2, width);
  const Values m1 = key(track, 3 * spot.after, width), p1 = key(track, 3 * spot.after + 1, width);
  const double t = spot.t, t2 = t * t, t3 = t2 * t, d = spot.length_s;
  return (2 * t3 - 3 * t2 + 1) * p0 + d * (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 + d * (t3 - t2) * m1;
}

Quat to_quat(const Values& v) {
  const Quat q(v[3], v[0], v[1], v[2]);
  return q.norm() > 0 ? q.normalized() : Quat::Identity();
}

Values evaluate(const Track& track, double time_s) {
  const std::size_t width = track.width();
  const Spot spot = locate(track, time_s);
  switch (track.interpolation) {
    case Track::Interpolation::kStep:
      return key(track, spot.before, width);
    case Track::Interpolation::kCubic:
      return hermite(track, spot, width);
    case Track::Interpolation::kLinear:
      break;
  }
  const Values a = key(track, spot.before, width);
  if (spot.t == 0) return a;
  const Values b = key(track, spot.after, width);
  if (track.path != Track::Path::kRotation) return (1 - spot.t) * a + spot.t * b;
  return slerp(to_quat(a), to_quat(b), spot.t).coeffs();
}

}  // namespace

Quat sample_rotation(const Track& track, double time_s) { return to_quat(evaluate(track, time_s)); }

Pose sample(const Rig& rig, const Clip& clip, double time_s) {
  Pose pose = rest_pose(rig);
  for (const Track& track : clip.tracks) {
    if (track.times_s.empty()) continue;
    const Values value = evaluate(track, time_s);
    switch (track.path) {
      case Track::Path::kTranslation:
        pose.local[track.target].translation = value;
        break;
      case Track::Path::kRotation:
        pose.local[track.target].rotation = to_quat(value);
        break;
      case Track::Path::kScale:
        pose.local[track.target].scale = value;
        break;
      case Track::Path::kMorphWeights: {
        auto& weights = pose.morph_weights[track.target];
        for (std::size_t i = 0; i < weights.size() && i < track.width(); ++i)
          weights[i] = value[static_cast<Eigen::Index>(i)];
        break;
      }
    }
  }
  return pose;
}

}  // namespace sinew::motion
