// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/unwrap.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/motion/sample.h"

namespace sinew::motion {
namespace {

constexpr double kLongestStep = 0.25 * kTwoPi;
constexpr int kDeepest = 10;  // Halvings between two keys, where only a jump is left.

double nearest_turn(double angle, double to) { return angle + kTwoPi * std::round((to - angle) / kTwoPi); }

class TwistFollower {
 public:
  TwistFollower(const Rig& rig, const Track& track, const Vec3& axis)
      : joint_(rig.skeleton.joints[track.target]), track_(track), axis_(axis) {}

  TwistCurve run() {
    const auto& times = track_.times_s;
    double before = static_cast<double>(times.front());
    put(before, angle(before));
    for (std::size_t k = 1; k < times.size(); ++k) {
      const double at = static_cast<double>(times[k]);
      // Between two keys at least one look: half a turn to the left and to the right end alike.
      const double middle = 0.5 * (before + at);
      follow(before, middle, kDeepest);
      follow(middle, at, kDeepest);
      before = at;
    }
    return std::move(curve_);
  }

 private:
  double angle(double time_s) const {
    return twist_angle_rad(joint_.rest.rotation.conjugate() * sample_rotation(track_, time_s), axis_);
  }

  void put(double time_s, double angle_rad) {
    curve_.times_s.push_back(time_s);
    curve_.twist_rad.push_back(angle_rad);
  }

  void follow(double from, double to, int depth) {
    const double next = nearest_turn(angle(to), curve_.twist_rad.back());
    if (std::abs(next - curve_.twist_rad.back()) > kLongestStep && depth > 0 &&
        track_.interpolation != Track::Interpolation::kStep) {
      const double middle = 0.5 * (from + to);
      follow(from, middle, depth - 1);
      follow(middle, to, depth - 1);
      return;
    }
    put(to, next);
  }

  const Joint& joint_;
  const Track& track_;
  Vec3 axis_;
  TwistCurve curve_;
};

}  // namespace

double TwistCurve::unwrap(double time_s, double bounded_rad) const {
  if (empty()) return bounded_rad;
  const auto after = std::upper_bound(times_s.begin(), times_s.end(), time_s);
  if (after == times_s.begin()) return nearest_turn(bounded_rad, twist_rad.front());
  if (after == times_s.end()) return nearest_turn(bounded_rad, twist_rad.back());
  const auto i = static_cast<std::size_t>(after - times_s.begin());
  const double t = (time_s - times_s[i - 1]) / (times_s[i] - times_s[i - 1]);
  return nearest_turn(bounded_rad, (1 - t) * twist_rad[i - 1] + t * twist_rad[i]);
}

std::vector<TwistCurve> unwrap_twists(const Rig& rig, const Clip& clip) {
  std::vector<TwistCurve> curves(rig.skeleton.joints.size());
  const std::vector<Vec3> axes = bone_axes(rig.skeleton);
  for (const Track& track : clip.tracks)
    if (track.path == Track::Path::kRotation && !track.times_s.empty())
      curves[track.target] = TwistFollower(rig, track, axes[track.target]).run();
  return curves;
}

}  // namespace sinew::motion
