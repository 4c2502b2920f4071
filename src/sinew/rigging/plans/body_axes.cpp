// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/body_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/distance_field.h"

namespace sinew::rigging {
namespace {

constexpr Index kSamples = 3000;
constexpr double kAxisBonus = 0.01;  // Files are drawn along the axes as a rule.

struct Plane {
  double angle_rad = 0;
  double offset = 0;  // Along the normal, from the mean of the body.
  double score = -1;
};

class MirrorSearch {
 public:
  MirrorSearch(const BodyWays& ways, const Vec3& up) : ways_(ways), up_(up) {
    Eigen::Index smallest = 0;
    up.cwiseAbs().minCoeff(&smallest);
    across_ = std::abs(up.x()) < 0.5 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::Unit(smallest));
    across_ = (across_ - across_.dot(up) * up).normalized();
    ahead_ = across_.cross(up);
    const Index step = std::max<Index>(1, ways.size() / kSamples);
    for (Index v = 0; v < ways.size(); ++v) mean_ += ways.center(v);
    mean_ /= std::max<Index>(ways.size(), 1);
    for (Index v = step / 2; v < ways.size(); v += step) samples_.push_back(ways.center(v));
  }

  Plane best() const {
    Plane best;
    for (int k = 0; k < 36; ++k) consider(best, radians(5.0 * k), 0);
    double angle = radians(2.5), shift = 2 * ways_.cell();
    for (int round = 0; round < 4; ++round, angle *= 0.5, shift *= 0.5) {
      const Plane start = best;
      for (const double turn : {-angle, 0.0, angle})
        for (const double way : {-shift, 0.0, shift}) consider(best, start.angle_rad + turn, start.offset + way);
    }
    return best;
  }

  Vec3 normal(double angle_rad) const { return std::cos(angle_rad) * across_ + std::sin(angle_rad) * ahead_; }
  const Vec3& mean() const { return mean_; }

 private:
  void consider(Plane& best, double angle_rad, double offset) const {
    const Vec3 n = normal(angle_rad);
    int inside = 0;
    for (const Vec3& p : samples_) {
      const Vec3 image = p - 2 * ((p - mean_).dot(n) - offset) * n;
      inside += geometry::sample(ways_.interior().depth, image) < 0.5 * ways_.cell() ? 1 : 0;
    }
    double score = inside / static_cast<double>(samples_.size());
    const double off_axis = std::abs(std::sin(2 * angle_rad));
    if (off_axis < 1e-9) score += kAxisBonus;
    if (score > best.score) best = {angle_rad, offset, score};
  }

  const BodyWays& ways_;
  Vec3 up_, across_, ahead_;
  Vec3 mean_ = Vec3::Zero();
  std::vector<Vec3> samples_;
};

}  // namespace

BodyAxes BodyAxes::reversed() const {
  BodyAxes other = *this;
  other.turn.row(0) = -turn.row(0);
  other.turn.row(2) = -turn.row(2);
  return other;
}

BodyAxes find_mirror_axes(const BodyWays& ways, const Vec3& up) {
  const MirrorSearch search(ways, up);
  const Plane plane = search.best();
  BodyAxes frame;
  const Vec3 left = search.normal(plane.angle_rad);
  frame.turn.row(0) = left.transpose();
  frame.turn.row(1) = up.transpose();
  frame.turn.row(2) = left.cross(up).transpose();
  double lowest = std::numeric_limits<double>::infinity();
  for (Index v = 0; v < ways.size(); ++v) lowest = std::min(lowest, up.dot(ways.center(v)));
  lowest -= 0.5 * ways.cell();
  frame.origin = search.mean() + plane.offset * left;
  frame.origin += (lowest - frame.origin.dot(up)) * up;
  frame.symmetry = std::min(1.0, plane.score);
  return frame;
}

}  // namespace sinew::rigging
