// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/ik.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/rotation_between.h"

namespace sinew::motion {
namespace {

constexpr int kMostRounds = 64;

Vec3 place_of(const Mat4& matrix) { return matrix.topRightCorner<3, 1>(); }

Quat rotation_of(const Mat4& matrix) { return decompose(matrix).transform.rotation; }

/// A direction square to `along`: what is left of `wanted`, else of the axes in order.
Vec3 square_to(const Vec3& along, const Vec3& wanted) {
  for (const Vec3& candidate : {wanted, Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    const Vec3 rest = candidate - candidate.dot(along) * along;
    if (rest.norm() > 1e-6 * candidate.norm() && rest.norm() > 0) return rest.normalized();
  }
  return Vec3::UnitX();
}

/// The middle joint of two bones of lengths a and b from `base` to `target`.
std::vector<Vec3> bent(const std::vector<Vec3>& places, const Vec3& target, const Vec3& fallback) {
  const Vec3& base = places[0];
  const double a = (places[1] - base).norm(), b = (places[2] - places[1]).norm();
  const Vec3 to_target = target - base;
  const double far = to_target.norm();
  const Vec3 along = far > 1e-12 ? Vec3(to_target / far) : Vec3((places[2] - base).normalized());
  const double d = std::clamp(far, std::abs(a - b), a + b);
  Vec3 side = places[1] - base;
  // An almost straight limb bends as its joint's axes say.
  const Vec3 line = (places[2] - base).normalized();
  if ((side - side.dot(line) * line).norm() < 1e-3 * (a + b)) side = fallback;
  side = square_to(along, side);
  const double x = d > 1e-12 ? (d * d + a * a - b * b) / (2 * d) : 0;
  const double y = std::sqrt(std::max(0.0, a * a - x * x));
  return {base, base + x * along + y * side, base + d * along};
}

std::vector<Vec3> reached(std::vector<Vec3> places, const Vec3& target) {
  const std::size_t n = places.size();
  std::vector<double> length(n - 1);
  double whole = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) whole += length[i] = (places[i + 1] - places[i]).norm();
  const Vec3 base = places[0];
  const auto put = [](const Vec3& from, const Vec3& towards, double distance) -> Vec3 {
    const Vec3 direction = towards - from;
    return direction.norm() > 1e-12 ? Vec3(from + distance * direction.normalized())
                                    : Vec3(from + distance * Vec3::UnitY());
  };
  if ((target - base).norm() >= whole) {
    for (std::size_t i = 0; i + 1 < n; ++i) places[i + 1] = put(places[i], target, length[i]);
    return places;
  }
  for (int round = 0; round < kMostRounds && (places.back() - target).norm() > 1e-6 * whole; ++round) {
    places.back() = target;
    for (std::size_t i = n - 1; i-- > 0;) places[i] = put(places[i + 1], places[i], length[i]);
    places[0] = base;
    for (std::size_t i = 0; i + 1 < n; ++i) places[i + 1] = put(places[i], places[i + 1], length[i]);
  }
  return places;
}

}  // namespace

std::vector<Index> ik_chain(const Skeleton& skeleton, Index end, std::size_t longest) {
  const std::vector<std::vector<Index>> children = skeleton.children();
  const auto branches = [&](Index joint) {
    return std::count_if(children[joint].begin(), children[joint].end(), [&](Index child) {
             return skeleton.joints[child].deforming && !skeleton.joints[child].driver;
           }) > 1;
  };
  std::vector<Index> chain = {end};
  const bool limb = branches(end) || skeleton.joints[end].role.find("hand") != std::string::npos ||
                    skeleton.joints[end].role.find("foot") != std::string::npos;
  for (Index joint = skeleton.joints[end].parent; joint != kNone; joint = skeleton.joints[joint].parent) {
    if (skeleton.joints[joint].driver) continue;
    if (chain.size() > (limb ? 2 : longest)) break;
    chain.push_back(joint);
    if (branches(joint)) break;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

double solve_ik(const Skeleton& skeleton, std::vector<Transform>& local, std::span<const Index> chain,
                const Vec3& target) {
  std::vector<Mat4> model = model_matrices(skeleton, local);
  const Index end = chain.back();
  if (chain.size() < 2) return (place_of(model[end]) - target).norm();
  const Quat kept = rotation_of(model[end]);
  std::vector<Vec3> places;
  for (const Index joint : chain) places.push_back(place_of(model[joint]));
  // The joints' own axes: +Z is what they bend about, so that the middle moves to -X of the bone's frame.
  const Mat3 axes = rotation_of(model[chain[0]]).toRotationMatrix();
  const std::vector<Vec3> wanted =
      chain.size() == 3 ? bent(places, target, axes.col(2).cross(places[2] - places[0])) : reached(places, target);
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const Index joint = chain[i];
    const Vec3 now = place_of(model[chain[i + 1]]) - place_of(model[joint]);
    const Quat turn = rotation_between(now, wanted[i + 1] - place_of(model[joint]));
    const Index parent = skeleton.joints[joint].parent;
    const Quat above = parent == kNone ? Quat::Identity() : rotation_of(model[parent]);
    local[joint].rotation = (above.conjugate() * turn * above * local[joint].rotation).normalized();
    model = model_matrices(skeleton, local);
  }
  const Index parent = skeleton.joints[end].parent;
  if (parent != kNone) local[end].rotation = (rotation_of(model[parent]).conjugate() * kept).normalized();
  return (place_of(model[end]) - target).norm();
}

}  // namespace sinew::motion
