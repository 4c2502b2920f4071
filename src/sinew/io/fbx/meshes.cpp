// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The meshes of nodes: geometry, materials, skins and blend shapes together.

#include <Eigen/LU>
#include <map>

#include "sinew/io/fbx/import.h"

namespace sinew::io::fbx {
namespace {

using assimp::SceneMesh;

// Numbers among the node's materials become numbers of the scene.
void assign_materials(const std::vector<Index>& of_node, SceneMesh& mesh) {
  if (of_node.empty()) {
    mesh.face_materials.clear();
    return;
  }
  mesh.material = of_node.front();
  for (Index& material : mesh.face_materials)
    material = material == kNone ? kNone : of_node[std::min<std::size_t>(material, of_node.size() - 1)];
}

void move_mesh_by(const Mat4& m, SceneMesh& mesh) {
  if (m.isIdentity(0)) return;
  for (Vec3f& p : mesh.positions) p = transform_point(m, p.cast<double>()).cast<float>();
  const Mat3 normal_matrix = m.topLeftCorner<3, 3>().inverse().transpose();
  for (Vec3f& n : mesh.normals) n = (normal_matrix * n.cast<double>()).normalized().cast<float>();
}

}  // namespace

void read_meshes(Import& import) {
  const Objects& objects = import.objects;
  std::map<Index, SceneMesh> known;  // By geometry: instances share one.
  for (Index node = 1; node < import.scene.nodes.size(); ++node) {
    const Index object = import.object_of[node];
    std::vector<Index> materials;
    for (const Index material : objects.children(object, "Material"))
      if (import.material_of[material] != kNone) materials.push_back(import.material_of[material]);
    for (const Index geometry : objects.children(object, "Geometry", "Mesh")) {
      auto found = known.find(geometry);
      if (found == known.end()) found = known.emplace(geometry, read_geometry(geometry, import)).first;
      import.take_rows(found->second.positions.size() + 2 * found->second.face_vertices.size());
      SceneMesh mesh = found->second;
      const Mat4& geometric = import.transforms[node].geometric;
      move_mesh_by(geometric, mesh);
      assign_materials(materials, mesh);
      const auto number = static_cast<Index>(import.scene.meshes.size());
      read_skins(geometry, node, mesh, import);
      read_shapes(geometry, geometric.topLeftCorner<3, 3>(), number, mesh, import);
      import.scene.nodes[node].meshes.push_back(number);
      import.scene.meshes.push_back(std::move(mesh));
    }
  }
}

}  // namespace sinew::io::fbx
