// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/embedding.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew::rigging {

Body make_body(const Mesh& mesh, const BodyOptions& options, const Progress& progress) {
  Body body;
  body.interior = interior(mesh, options.interior, progress);
  // Bulky bodies have thick limbs; they need no voxels as fine as a slender body's.
  if (const auto solid = static_cast<double>(body.interior.voxels.solid.size()); solid > options.most_voxels) {
    InteriorOptions coarser = options.interior;
    coarser.resolution = std::max(64, static_cast<int>(coarser.resolution * std::cbrt(options.most_voxels / solid)));
    body.interior = interior(mesh, coarser, progress);
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
