// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <cmath>

#include "sinew/pipeline/inspect_parts.h"

namespace sinew::pipeline {

MeshHealth mesh_health(const Mesh& mesh, const geometry::Welding& welding, bool deep, const Progress& progress) {
  MeshHealth health;
  progress.step("surface", 0.1);
  health.bounds = mesh.bounds();
  health.topology = geometry::topology(mesh, welding);
  progress.step("volume", 0.5);
  health.volumes = geometry::volumes(mesh);
  const double least = 1e-9 * std::pow(health.bounds.diagonal(), 3);
  for (std::size_t p = 0; p < health.volumes.size(); ++p) {
    health.volume += health.volumes[p];
    if (health.topology.parts[p].encloses() && health.volumes[p].volume < -least)
      health.inside_out.push_back(static_cast<Index>(p));
  }
  health.space = guess_space(mesh);
  if (deep) health.self_intersections = geometry::self_intersections(mesh, {}, progress);
  return health;
}

}  // namespace sinew::pipeline
