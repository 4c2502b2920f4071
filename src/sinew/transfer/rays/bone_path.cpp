// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/bone_path.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/transfer/rays/cone.h"

namespace sinew::transfer {
namespace {

using geometry::LeavingHit;
using geometry::RayScene;

constexpr int kPlaces = 33;   // Along a bone.
constexpr int kAround = 32;   // Directions across it.
constexpr int kSphere = 128;  // Directions of a point that has no axis.

std::vector<Vec3f> directions_across(const Vec3& axis) {
  std::vector<Vec3f> directions;
  if (axis.isZero()) {
    directions.resize(kSphere);
    ConeSpiral(kSphere).directions(Vec3::UnitZ(), Vec3::UnitX(), kPi, directions);
    return directions;
  }
  const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
  for (int i = 0; i < kAround; ++i) {
    const double angle = kTwoPi * (i + 0.5) / kAround;
    directions.push_back((std::cos(angle) * x + std::sin(angle) * y).cast<float>());
  }
  return directions;
}

// The shift that takes a place to the inside; zero if it is there, or there is nothing beside it.
Vec3 shift_inside(const RayScene& scene, const Vec3& place, std::span<const Vec3f> directions) {
  std::vector<LeavingHit> hits(directions.size());
  scene.leaving_hits(place, directions, hits);
  const auto met = std::count_if(hits.begin(), hits.end(), [](const LeavingHit& hit) { return bool(hit); });
  if (2 * met >= static_cast<std::ptrdiff_t>(directions.size())) return Vec3::Zero();
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 shift = Vec3::Zero();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (!hits[i]) continue;
    const Vec3 direction = directions[i].cast<double>();
    const auto out = static_cast<double>(hits[i].t);
    // Where the ray went in: the last skin before it leaves.
    double in = 0;
    for (const geometry::RayHit& hit : scene.all_hits({place, direction, 0, out}))
      if (hit.triangle != hits[i].triangle && hit.t < out * (1 - 1e-6)) in = hit.t;
    if (!(in > 0) || in >= nearest) continue;  // A sheet seen from behind is not entered.
    nearest = in;
    shift = 0.5 * (in + out) * direction;
  }
  return shift;
}

}  // namespace

BonePath::BonePath(const RayScene& scene, const Vec3& a, const Vec3& b, const Vec3& axis) : a_(a), b_(b) {
  const double length = (b - a).norm();
  const std::vector<Vec3f> directions = directions_across(length > 0 ? Vec3((b - a) / length) : axis);
  const int places = length > 0 ? kPlaces : 1;
  for (int i = 0; i < places; ++i) {
    const double along = places > 1 ? static_cast<double>(i) / (places - 1) : 0.0;
    shifts_.push_back(shift_inside(scene, a + along * (b - a), directions));
  }
  if (std::all_of(shifts_.begin(), shifts_.end(), [](const Vec3& shift) { return shift.isZero(0); })) shifts_.clear();
}

BonePath::Start BonePath::at(double along) const {
  Start start{a_ + along * (b_ - a_), false};
  if (shifts_.empty()) return start;
  const double place = along * static_cast<double>(shifts_.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(place), shifts_.size() - 1);
  const std::size_t after = std::min(before + 1, shifts_.size() - 1);
  const double part = place - static_cast<double>(before);
  const Vec3 shift = (1 - part) * shifts_[before] + part * shifts_[after];
  start.point += shift;
  start.moved = !shift.isZero(0);
  return start;
}

}  // namespace sinew::transfer
