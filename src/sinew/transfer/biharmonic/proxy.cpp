// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/proxy.h"

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/voxels/marching_cubes.h"
#include "sinew/transfer/biharmonic/shell.h"

namespace sinew::transfer {
namespace {

constexpr int kProxyCells = 128;
constexpr std::array kProxyOffsets = {0.75, 1.5, 3.0, 6.0};  // In cells.
constexpr double kProxyMargin = 8;                           // More than the largest of them.
/// The rest are hollows inside the body and specks.
constexpr double kProxyShare = 0.8;

Mesh mesh_of_triangles(const geometry::TriangleSurface& surface) {
  Mesh mesh;
  mesh.positions = surface.positions;
  for (const auto& triangle : surface.triangles) mesh.add_face(triangle);
  MeshPart part;
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts = {part};
  return mesh;
}

}  // namespace

ClosedProxy closed_proxy(const Mesh& mesh, const Progress& progress) {
  geometry::DistanceFieldOptions options;
  options.cells = kProxyCells;
  options.padding = options.band = kProxyMargin;
  const DistanceField distances = geometry::distance_field(mesh, options, progress);
  for (const double cells : kProxyOffsets) {
    progress.check();
    DistanceField field = distances;
    for (float& value : field.values) value -= static_cast<float>(cells * field.cell);
    const geometry::TriangleSurface surface = geometry::marching_cubes(field);
    if (surface.triangles.empty()) continue;
    MainShell shell = main_shell(mesh_of_triangles(surface));
    if (shell.area_share >= kProxyShare)
      return {mesh_of_triangles({std::move(shell.surface.positions), std::move(shell.surface.triangles)}),
              cells * field.cell};
  }
  throw Error(
      "The mesh consists of surfaces that are far from each other. Distances along the surface are not defined across "
      "gaps. Join the surfaces, or use the method 'skeleton'.");
}

}  // namespace sinew::transfer
