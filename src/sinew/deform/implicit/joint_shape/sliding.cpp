// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/sliding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kJointReach = 3;       ///< Radii from the joint within which the other part counts.
constexpr double kBoneShare = 1.0 / 3;  ///< Of the bone, from its joint, within which feet count.
constexpr int kNearRings = 2;           ///< From the other part's hole.
constexpr double kConverged = 1e-4;     ///< Of the energy at first.
constexpr double kUnchanged = 1e-3;     ///< Of the energy, over 20 picks.
constexpr std::size_t kConvergedPicks = 20;

/// Per vertex of the skin of a part, whether it is at most two rings from a hole; closures are.
std::vector<char> near_hole(const ClosedPart& part, Index hole) {
  std::vector<char> near(part.positions.size(), 0);
  for (std::size_t i = 0; i < part.closure.size(); ++i) near[part.fixed_vertices + i] = 1;
  for (const Index v : part.holes[hole].loop) near[v] = 1;
  for (int ring = 0; ring < kNearRings; ++ring) {
    std::vector<char> more = near;
    for (Index t = 0; t < part.fixed_triangles; ++t) {
      const auto& corners = part.triangles[t];
      if (near[corners[0]] != 0 || near[corners[1]] != 0 || near[corners[2]] != 0)
        for (const Index v : corners) more[v] = 1;
    }
    near = std::move(more);
  }
  return near;
}

class TargetFinder {
 public:
  TargetFinder(const JointSide& side, const JointSide& other, const SlidingOptions& options)
      : side_(side),
        other_(*other.part),
        function_(*other.function),
        options_(options),
        joint_(side.to_joint().joint),
        reach_(kJointReach * std::max(side.radius(), other.radius())),
        near_(near_hole(*other.part, other.hole)),
        scene_(geometry::TriangleSoup{other.part->positions, other.part->triangles}) {}

  /// Whether a vertex counts at all.
  bool counts(const ClosureVertex& vertex) const {
    if (vertex.hole != side_.hole || vertex.bone != side_.bone) return false;
    if (options_.own_side_guard && !vertex.beyond) return false;
    const HoleBone& bone = side_.to_joint();
    return (vertex.foot - joint_).norm() <= kBoneShare * (bone.joint - bone.far).norm();
  }

  double limit(const ClosureVertex& vertex, const Mat3& rotation) const {
    const Vec3 foot = joint_ + rotation.transpose() * (vertex.foot - joint_);
    const Vec3 along = rotation.transpose() * vertex.along;
    if (function_.evaluate(foot).value >= 0) return kNoLimit;
    geometry::RayHit last;
    for (const geometry::RayHit& hit : scene_.all_hits({foot, along, 0, 2 * reach_}))
      if ((foot + hit.t * along - joint_).norm() <= reach_) last = hit;
    if (!last) return kNoLimit;
    const auto& corners = other_.triangles[last.triangle];
    const bool closes = other_.closes(corners);
    if (!closes && ignored(corners, last.t, vertex)) return kNoLimit;
    if (!closes) return last.t;
    double radial = 0;
    for (std::size_t k = 0; k < 3; ++k)
      radial += last.barycentric[static_cast<Eigen::Index>(k)] * (other_.positions[corners[k]] - foot).norm();
    return radial;
  }

 private:
  bool ignored(const std::array<Index, 3>& corners, double t, const ClosureVertex& vertex) const {
    if (options_.activity == Activity::kFormula) return vertex.distance < t;
    return near_[corners[0]] == 0 && near_[corners[1]] == 0 && near_[corners[2]] == 0;
  }

  const JointSide& side_;
  const ClosedPart& other_;
  const Hrbf& function_;
  const SlidingOptions& options_;
  Vec3 joint_;
  double reach_;
  std::vector<char> near_;
  geometry::RayScene scene_;
};

double lowest(const SlideTargets& targets, std::size_t i) {
  double least = kNoLimit;
  for (std::size_t r = 0; r < targets.rotations; ++r) least = std::min(least, targets.limit(i, r));
  return least;
}

}  // namespace

SlideTargets slide_targets(const JointSide& side, const JointSide& other, std::span<const Mat3> rotations,
                           const SlidingOptions& options) {
  SlideTargets targets;
  targets.rotations = rotations.size();
  const TargetFinder finder(side, other, options);
  for (Index i = 0; i < side.part->closure.size(); ++i) {
    if (!finder.counts(side.part->closure[i])) continue;
    targets.vertices.push_back(i);
    for (const Mat3& rotation : rotations) targets.limits.push_back(finder.limit(side.part->closure[i], rotation));
  }
  return targets;
}

std::vector<double> bulge_energies(const ClosedPart& part, const SlideTargets& targets, double band) {
  std::vector<double> energies(targets.rotations, 0);
  for (std::size_t i = 0; i < targets.vertices.size(); ++i)
    for (std::size_t r = 0; r < targets.rotations; ++r)
      if (const double limit = targets.limit(i, r); limit < kNoLimit)
        energies[r] += std::max(0.0, part.closure[targets.vertices[i]].distance - (1 + band) * limit);
  return energies;
}

double bulge_energy(const ClosedPart& part, const SlideTargets& targets, double band) {
  const std::vector<double> energies = bulge_energies(part, targets, band);
  return std::accumulate(energies.begin(), energies.end(), 0.0);
}

void slide(ClosedPart& part, const SlideTargets& targets, std::span<const double> faired,
           const SlidingOptions& options) {
  for (std::size_t i = 0; i < targets.vertices.size(); ++i) {
    ClosureVertex& vertex = part.closure[targets.vertices[i]];
    const double least = lowest(targets, i);
    if (vertex.distance > (1 + options.band) * least)
      vertex.distance = std::min(vertex.distance, std::max(least, options.floor * faired[targets.vertices[i]]));
  }
  part.place();
}

std::vector<double> slide_by_picks(ClosedPart& part, const SlideTargets& targets, std::span<const double> faired,
                                   const SlidingOptions& options, std::uint64_t seed, int most_picks) {
  geometry::Random random(seed);
  std::vector<double> energies = bulge_energies(part, targets, options.band);
  std::vector<double> history = {std::accumulate(energies.begin(), energies.end(), 0.0)};
  for (int pick = 0; pick < most_picks && history.back() > kConverged * history.front(); ++pick) {
    double at = random.uniform() * history.back();
    std::size_t r = 0;
    while (r + 1 < energies.size() && at >= energies[r]) at -= energies[r++];
    for (std::size_t i = 0; i < targets.vertices.size(); ++i) {
      ClosureVertex& vertex = part.closure[targets.vertices[i]];
      const double limit = targets.limit(i, r);
      if (vertex.distance <= limit) continue;
      const double moved = vertex.distance - options.step * (vertex.distance - limit);
      vertex.distance = std::min(vertex.distance, std::max(moved, options.floor * faired[targets.vertices[i]]));
    }
    energies = bulge_energies(part, targets, options.band);
    history.push_back(std::accumulate(energies.begin(), energies.end(), 0.0));
    if (history.size() > kConvergedPicks &&
        history[history.size() - 1 - kConvergedPicks] - history.back() < kUnchanged * history.back())
      break;
  }
  part.place();
  return history;
}

}  // namespace sinew::deform
