// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/triangulated.h"

#include <utility>

namespace sinew::shapes {
namespace {

template <class T>
void follow_corners(CornerLayer<T>& layer, const std::vector<Triangle>& triangles) {
  if (layer.corners.empty()) return;
  std::vector<Index> corners;
  corners.reserve(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (const Index corner : t.corners) corners.push_back(layer.corners[corner]);
  layer.corners = std::move(corners);
}

}  // namespace

Made triangulated(Made made) {
  Mesh& mesh = made.character.rig.mesh;
  const std::vector<Triangle> triangles = triangulate(mesh);
  follow_corners(mesh.normals, triangles);
  follow_corners(mesh.uvs, triangles);
  std::vector<Index> materials;
  if (!mesh.face_materials.empty())
    for (const Triangle& t : triangles) materials.push_back(mesh.face_materials[t.face]);
  std::vector<Index> first_of_face(mesh.face_count() + 1, 0);
  for (const Triangle& t : triangles) ++first_of_face[t.face + 1];
  for (Index f = 0; f < mesh.face_count(); ++f) first_of_face[f + 1] += first_of_face[f];
  for (MeshPart& part : mesh.parts) {
    const Index end = first_of_face[part.first_face + part.face_count];
    part.first_face = first_of_face[part.first_face];
    part.face_count = end - part.first_face;
  }
  mesh.face_materials = std::move(materials);
  mesh.face_offsets = {0};
  mesh.face_vertices.clear();
  for (const Triangle& t : triangles) mesh.add_face(t.vertices);
  return made;
}

}  // namespace sinew::shapes
