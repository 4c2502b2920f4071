// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/skin_fit.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {
namespace {

constexpr double kFarthest = 0.5;  ///< Cells from the skin; particles farther from it belong to no face.
constexpr double kBeside =
    0.05;  ///< Cells beside the line up from its face; a particle farther off lies beyond an edge.
/// Samples that the riding of a vertex counts for, so that a single one does not decide. With 1 more of the volume
/// comes back (two points at knees of six characters), but edges stretch more (2.00 times instead of 1.96 in the mean).
constexpr float kOwnSamples = 2;
constexpr float kLeastOwn = 0.01F;

/// Whether a face follows a joint at all: the nearest face may belong to another limb, which only touches this one.
bool follows(const SkinWeights& weights, const Triangle& triangle, Index joint) {
  for (const Index v : triangle.vertices)
    for (const Influence& influence : weights.row(v))
      if (influence.joint == joint && influence.weight >= kLeastOwn) return true;
  return false;
}

}  // namespace

SkinFit::SkinFit(const Rig& rig, const PbdBody& body, const geometry::Welding& welding, std::span<const Index> moved) {
  std::vector<char> on_surface(body.tets.positions.size(), 0);
  for (const auto& triangle : geometry::tet_surface(body.tets))
    for (const Index p : triangle) on_surface[p] = 1;
  std::vector<Index> particles;
  std::vector<Vec3> places;
  for (Index p = 0; p < on_surface.size(); ++p)
    if (on_surface[p] != 0 && body.free[p] != 0) particles.push_back(p), places.push_back(body.tets.positions[p]);
  const std::vector<Triangle> triangles = triangulate(rig.mesh);
  const std::vector<geometry::ClosestPoint> closest = geometry::RayScene(rig.mesh).closest_points(places);
  Index count = 0;
  for (const Index number : moved)
    if (number != kNone) count = std::max(count, number + 1);
  std::vector<std::vector<Part>> parts(count);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Triangle& triangle = triangles[closest[i].triangle];
    if (!follows(rig.weights, triangle, body.owner[particles[i]])) continue;
    Sample sample{particles[i], {}, {}};
    Vec3 foot = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = triangle.vertices[k];
      const double share = closest[i].barycentric[static_cast<Eigen::Index>(k)];
      foot += share * rig.mesh.positions[v];
      sample.corners[k] = moved[welding.welded[v]];
      sample.shares[k] = static_cast<float>(share);
    }
    const Vec3& a = rig.mesh.positions[triangle.vertices[0]];
    const Vec3 normal =
        (rig.mesh.positions[triangle.vertices[1]] - a).cross(rig.mesh.positions[triangle.vertices[2]] - a).normalized();
    const double height = normal.dot(places[i] - foot);
    // Also where a face without area has no normal.
    if (!(std::abs(height) < kFarthest * body.cell)) continue;
    if ((places[i] - foot - height * normal).norm() > kBeside * body.cell) continue;
    for (std::size_t k = 0; k < 3; ++k)
      if (sample.corners[k] != kNone)
        parts[sample.corners[k]].push_back({static_cast<Index>(samples_.size()), sample.shares[k]});
    samples_.push_back(sample);
  }
  offsets_.push_back(0);
  for (const auto& own : parts) {
    float sum = kOwnSamples;
    for (const Part& part : own) sum += part.share;
    for (const Part& part : own) parts_.push_back({part.sample, part.share / sum});
    offsets_.push_back(static_cast<Index>(parts_.size()));
  }
}

void SkinFit::fit(int rounds, std::span<const Vec3f> corrections, Scratch& scratch, std::span<Vec3f> on_skin) const {
  scratch.residuals.resize(samples_.size());
  for (int round = 0; round < rounds; ++round) {
    parallel_for(samples_.size(), [&](std::size_t s) {
      const Sample& sample = samples_[s];
      scratch.residuals[s] = corrections[sample.particle];
      for (std::size_t k = 0; k < 3; ++k)
        if (sample.corners[k] != kNone) scratch.residuals[s] -= sample.shares[k] * on_skin[sample.corners[k]];
    });
    parallel_for(on_skin.size(), [&](std::size_t m) {
      for (Index i = offsets_[m]; i < offsets_[m + 1]; ++i)
        on_skin[m] += parts_[i].share * scratch.residuals[parts_[i].sample];
    });
  }
}

}  // namespace sinew::deform
