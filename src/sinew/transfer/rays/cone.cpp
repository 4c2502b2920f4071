// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/cone.h"

#include <algorithm>
#include <cmath>

#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {
namespace {

constexpr double kGoldenAngle = 2.39996322972865332;

}  // namespace

ConeSpiral::ConeSpiral(int count) {
  for (int s = 0; s < count; ++s) {
    share_.push_back(static_cast<float>((s + 0.5) / count));
    cosine_.push_back(static_cast<float>(std::cos(kGoldenAngle * s)));
    sine_.push_back(static_cast<float>(std::sin(kGoldenAngle * s)));
  }
}

void ConeSpiral::directions(const Vec3& axis, const Vec3& beside, double cone_rad, std::span<Vec3f> out) const {
  Vec3 x = beside - beside.dot(axis) * axis;
  const double length = x.norm();
  x = length > 1e-6 * beside.norm() ? Vec3(x / length) : axis.unitOrthogonal();
  const Vec3f z_axis = axis.cast<float>(), x_axis = x.cast<float>(), y_axis = axis.cross(x).cast<float>();
  const auto height = static_cast<float>(2 * std::pow(std::sin(cone_rad / 2), 2));  // 1 − cos, also of small angles.
  for (std::size_t s = 0; s < share_.size(); ++s) {
    const float down = height * share_[s], across = std::sqrt(down * (2 - down));
    out[s] = (1 - down) * z_axis + (across * cosine_[s]) * x_axis + (across * sine_[s]) * y_axis;
  }
}

std::vector<Vec3> cap_directions(int count, double cone_rad) {
  const ConeSpiral spiral(count);
  std::vector<Vec3f> directions(spiral.count());
  spiral.directions(Vec3::UnitZ(), Vec3::UnitX(), cone_rad, directions);
  std::vector<Vec3> result;
  for (const Vec3f& direction : directions) result.push_back(direction.cast<double>());
  return result;
}

}  // namespace sinew::transfer
