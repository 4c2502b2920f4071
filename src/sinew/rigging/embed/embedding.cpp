// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/embedding.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew::rigging {
namespace {

constexpr int kProbeResolution = 48, kLeastResolution = 64;
constexpr double kRoomy = 8;  // A box with room for so many times the voxels that are allowed is worth a probe.
constexpr double kBulky = 4;  // A body with so many times the voxels that are allowed is never made at full resolution.

/// The resolution to begin with. A box or a machine part would fill most of a fine grid, only for it to be thrown away:
/// 8 million voxels for a cube. A coarse grid shows this for a hundredth of that.
int first_resolution(const Mesh& mesh, const BodyOptions& options, const Progress& progress) {
  const int resolution = options.interior.resolution;
  const Vec3 sides = mesh.bounds().extent();
  const double longest = sides.maxCoeff();
  const double room = sides.prod() * std::pow(resolution / longest, 3);
  if (!(room > kRoomy * options.most_voxels) || !std::isfinite(room) || resolution <= kProbeResolution)
    return resolution;
  const geometry::SolidVoxels probe = geometry::solid_voxels(mesh, {.resolution = kProbeResolution}, {}, progress);
  double inner = 0,
         surface = 0;  // Interior voxels grow with the cube of the resolution, boundary voxels with its square.
  for (const Index v : probe.solid) (probe.classes[v] == geometry::VoxelClass::kBoundary ? surface : inner) += 1;
  const auto solid_at = [&](int finer) {
    const double ratio = static_cast<double>(finer) / kProbeResolution;
    return ((inner + 0.5 * surface) * ratio + 0.5 * surface) * ratio * ratio;
  };
  if (solid_at(resolution) <= kBulky * options.most_voxels) return resolution;
  int coarser = resolution;
  while (coarser > kLeastResolution && solid_at(coarser) > options.most_voxels) --coarser;
  return coarser;
}

}  // namespace

Body make_body(const Mesh& mesh, const BodyOptions& options, const Progress& progress) {
  Body body;
  const int resolution = first_resolution(mesh, options, progress);
  body.interior = interior(mesh, {.resolution = resolution}, progress);
  // Bulky bodies have thick limbs; they need no voxels as fine as a slender body's.
  const auto solid = static_cast<double>(body.interior.voxels.solid.size());
  if (resolution == options.interior.resolution && solid > options.most_voxels) {
    const int coarser =
        std::max(kLeastResolution, static_cast<int>(resolution * std::cbrt(options.most_voxels / solid)));
    body.interior = interior(mesh, {.resolution = coarser}, progress);
  }
  body.samples = medial_samples(body.interior, options.medial);
  body.graph = sphere_graph(pack_spheres(body.samples, options.packing), body.interior.depth, options.packing);
  return body;
}

Template search_template(const Template& skeleton_template) {
  struct Roots {
    Vec3 sum = Vec3::Zero();
    double count = 0;
  };
  std::map<Index, Roots> roots;  // Of the limbs, by the joint they hang on.
  for (const Template::Limb& limb : skeleton_template.limbs) {
    const Template::Joint& first = skeleton_template.joints[limb.joints.front()];
    if (first.optional) continue;
    Index body = first.parent;
    while (body != kNone && skeleton_template.joints[body].placement == Template::Placement::kDerived)
      body = skeleton_template.joints[body].parent;
    if (body == kNone) continue;
    roots[body].sum += first.position;
    roots[body].count += 1;
  }
  Template result = skeleton_template;
  for (const auto& [joint, found] : roots)
    if (found.count > 1) result.joints[joint].position = found.sum / found.count;
  return result;
}

Fit fit(const Body& body, const Template& skeleton_template, const Mat3& turn, const std::vector<Hint>& hints,
        const SearchOptions& options, const Progress& progress) {
  Fit result;
  result.turn = turn;
  const Template searched = search_template(skeleton_template);
  result.reduced = reduce(searched);
  std::vector<Hint> reduced_hints;
  for (const Hint& hint : hints)
    for (Index r = 0; r < result.reduced.joints.size(); ++r)
      if (result.reduced.joints[r].full == hint.joint) reduced_hints.push_back({r, hint.point});
  result.found = search(body.graph, result.reduced, turn, reduced_hints, options, progress);
  if (!result.ok()) return result;
  std::vector<Vec3> places;
  std::vector<std::vector<Vec3>> paths;
  for (Index r = 0; r < result.reduced.joints.size(); ++r) {
    const Index sphere = result.found.match[r];
    places.push_back(body.graph.spheres[sphere].center);
    std::vector<Vec3> path;
    if (const Index parent = result.reduced.joints[r].parent; parent != kNone)
      for (const Index s : body.graph.path(result.found.match[parent], sphere))
        path.push_back(body.graph.spheres[s].center);
    paths.push_back(std::move(path));
  }
  result.places = restore(searched, result.reduced, places, paths);
  return result;
}

}  // namespace sinew::rigging
