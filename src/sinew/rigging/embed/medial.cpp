// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/medial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/depth_field.h"

namespace sinew::rigging {
namespace {

constexpr double kFallbackAngle = 90;
constexpr double kFarthestMove =
    0.75;  // From a voxel's centre to where its two surface points are equally far, in cells.
constexpr double kEquallyNear = 0.5;  // How much farther the two may be than the nearest, in cells.
constexpr double kRoughness = 0.35;   // What the steps of a slanted surface of voxels leave of doubt, in cells.

// All in cells and relative to the voxel, in small whole numbers and what follows from them: the same wherever and
// however large the mesh is, and mirrored for mirrored voxels.
struct MedialCandidate {
  Index voxel = kNone;
  Vec3 offset = Vec3::Zero();  // Of the sample, from the voxel's centre.
  double reach = 0;            // From the sample to the nearest exterior centre.
  double distance = 0;         // To the two surface points.
  double angle = 0;            // Between the directions to these, in radians.
};

class Finder {
 public:
  Finder(const Interior& interior, double least_depth)
      : voxels_(interior.voxels),
        depth_(interior.depth),
        nearest_(geometry::nearest_exterior(interior.voxels)),
        least_depth_(least_depth) {
    const auto row = static_cast<std::ptrdiff_t>(voxels_.counts[0]);
    const std::ptrdiff_t layer = row * static_cast<std::ptrdiff_t>(voxels_.counts[1]);
    offsets_ = {0, -1, 1, -row, row, -layer, layer};
  }

  std::vector<MedialCandidate> find() const {
    constexpr std::size_t kGrain = 4096;
    std::vector<std::vector<MedialCandidate>> chunks((voxels_.solid.size() + kGrain - 1) / kGrain);
    parallel_blocks(voxels_.solid.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) look(voxels_.solid[i], chunks[begin / kGrain]);
    });
    std::vector<MedialCandidate> all;
    for (const auto& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
    return all;
  }

 private:
  // Central differences: halfway between two sides that meet at an angle they are shorter than one. Spares most voxels.
  bool may_be_medial(Index voxel) const {
    double squared = 0;
    for (std::size_t k = 1; k < 7; k += 2) {
      const double rise = depth_.values[at(voxel, k + 1)] - depth_.values[at(voxel, k)];
      squared += rise * rise;
    }
    return squared < 4 * 0.92 * 0.92 * voxels_.cell * voxels_.cell;
  }

  std::size_t at(Index voxel, std::size_t k) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(voxel) + offsets_[k]);
  }

  void look(Index voxel, std::vector<MedialCandidate>& found) const {
    if (-depth_.values[voxel] <= least_depth_ || !may_be_medial(voxel)) return;
    const Vec3 p = lattice(voxel);
    std::array<Vec3, 7> surface;  // Nearest exterior centres of the voxel and of its six neighbours, as seen from it.
    std::size_t count = 0;
    for (std::size_t k = 0; k < 7; ++k) {
      const Index id = voxels_.ids[at(voxel, k)];
      if (id != kNone) surface[count++] = lattice(nearest_[id]) - p;
    }
    MedialCandidate best;
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b) {
        const MedialCandidate candidate = between({surface.data(), count}, a, b);
        if (candidate.angle > best.angle) best = candidate;
      }
    best.voxel = voxel;
    if (voxels_.cell * (best.reach - 0.5) > least_depth_) found.push_back(best);
  }

  Vec3 lattice(Index voxel) const {
    const std::array<Index, 3> c = voxels_.coordinates(voxel);
    return {double(c[0]), double(c[1]), double(c[2])};
  }

  // The point near the voxel's centre as far from one surface point as from the other; angle 0 if it is not medial for
  // them.
  static MedialCandidate between(std::span<const Vec3> surface, std::size_t a, std::size_t b) {
    const Vec3 across = surface[b] - surface[a];
    if (surface[a].dot(surface[b]) > 0.1 * surface[a].norm() * surface[b].norm()) return {};
    const double width = across.norm();
    const double move = 0.5 * (surface[a] + surface[b]).dot(across) / width;
    if (std::abs(move) > kFarthestMove) return {};
    MedialCandidate candidate;
    candidate.offset = move / width * across;
    candidate.distance = (surface[a] - candidate.offset).norm();
    candidate.reach = candidate.distance;
    for (const Vec3& q : surface) candidate.reach = std::min(candidate.reach, (q - candidate.offset).norm());
    if (candidate.distance > candidate.reach + kEquallyNear) return {};
    // Each side's directions together: single ones jump between the steps of a slanted surface.
    std::array<Vec3, 2> sides = {Vec3::Zero(), Vec3::Zero()};
    for (const Vec3& q : surface) {
      const Vec3 way = q - candidate.offset;
      sides[way.dot(across) > 0 ? 1 : 0] += way.normalized();
    }
    candidate.angle = std::atan2(sides[0].cross(sides[1]).norm(), sides[0].dot(sides[1]));
    return candidate;
  }

  const geometry::SolidVoxels& voxels_;
  const DistanceField& depth_;
  const std::vector<Index> nearest_;
  const double least_depth_;
  std::array<std::ptrdiff_t, 7> offsets_;
};

// By falling depth; equal ones from the middle of the grid outwards, so that mirrored shapes get mirrored orders.
void sort_by_depth(std::vector<MedialCandidate>& candidates, const geometry::SolidVoxels& voxels) {
  const Vec3 middle = 0.5 * Vec3(voxels.counts[0] - 1, voxels.counts[1] - 1, voxels.counts[2] - 1);
  const auto from_middle = [&](const MedialCandidate& candidate) {
    const std::array<Index, 3> c = voxels.coordinates(candidate.voxel);
    return (Vec3(c[0], c[1], c[2]) - middle).squaredNorm();
  };
  std::sort(candidates.begin(), candidates.end(), [&](const MedialCandidate& a, const MedialCandidate& b) {
    if (a.reach != b.reach) return a.reach > b.reach;
    const double da = from_middle(a), db = from_middle(b);
    return da != db ? da < db : a.voxel < b.voxel;
  });
}

}  // namespace

std::vector<MedialSample> medial_samples(const Interior& interior, const MedialOptions& options) {
  const geometry::SolidVoxels& voxels = interior.voxels;
  const std::vector<MedialCandidate> candidates = Finder(interior, options.least_depth).find();
  // Roughness turns directions by the more the nearer the surface is: without allowing for it, low-poly limbs, whose
  // sides meet at 90°, got samples along all their edges and up to seven times the spheres. The chord between the two
  // surface points must pass nearer to the sample than it would at the asked angle, by as much as the surface is rough.
  const auto wide_enough = [&](double angle_deg) {
    const double most = std::cos(0.5 * angle_deg * kPi / 180);
    std::vector<MedialCandidate> wide;
    for (const MedialCandidate& candidate : candidates)
      if (candidate.distance * std::cos(0.5 * candidate.angle) + kRoughness <= candidate.distance * most)
        wide.push_back(candidate);
    return wide;
  };
  std::vector<MedialCandidate> wide = wide_enough(std::max(options.angle_deg, kFallbackAngle));
  if (static_cast<int>(wide.size()) < options.enough) wide = wide_enough(kFallbackAngle);
  sort_by_depth(wide, voxels);
  std::vector<MedialSample> samples;
  samples.reserve(wide.size());
  for (const MedialCandidate& candidate : wide)
    samples.push_back(
        {voxels.center(candidate.voxel) + voxels.cell * candidate.offset, voxels.cell * (candidate.reach - 0.5)});
  return samples;
}

}  // namespace sinew::rigging
