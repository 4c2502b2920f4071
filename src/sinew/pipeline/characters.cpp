// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/characters.h"

#include <algorithm>
#include <utility>

#include "sinew/geometry/mesh/normals.h"

namespace sinew::pipeline {
namespace {

// Gives every corner an index, also where the values were per vertex or missing.
template <class T>
void index_corners(const Mesh& mesh, CornerLayer<T>& layer) {
  if (!layer.corners.empty()) return;
  if (layer.empty()) layer.corners.assign(mesh.face_vertices.size(), kNone);
  else layer.corners = mesh.face_vertices;
}

template <class T>
void add_layer(const Mesh& target, CornerLayer<T>& layer, const Mesh& other, CornerLayer<T> added) {
  if (layer.empty() && added.empty()) return;
  // Values that are per vertex in both remain per vertex.
  const bool per_vertex = layer.corners.empty() && added.corners.empty() && !layer.empty() && !added.empty();
  if (!per_vertex) {
    index_corners(target, layer);
    index_corners(other, added);
    const auto shift = static_cast<Index>(layer.values.size());
    for (const Index corner : added.corners) layer.corners.push_back(corner == kNone ? kNone : corner + shift);
  }
  layer.values.insert(layer.values.end(), added.values.begin(), added.values.end());
}

CornerLayer<Vec3f> made_normals(const Mesh& mesh) {
  CornerLayer<Vec3f> layer;
  for (const Vec3& normal : geometry::vertex_normals(mesh)) layer.values.push_back(normal.cast<float>());
  return layer;
}

void add_materials(Character& target, const Character& other) {
  const auto images = static_cast<Index>(target.images.size());
  const auto shifted = [&](Index image) { return image == kNone ? kNone : image + images; };
  for (Material material : other.materials) {
    material.base_color_image = shifted(material.base_color_image);
    material.normal_image = shifted(material.normal_image);
    material.emissive_image = shifted(material.emissive_image);
    target.materials.push_back(std::move(material));
  }
  target.images.insert(target.images.end(), other.images.begin(), other.images.end());
}

void add_colors(Mesh& mesh, const Mesh& other) {
  if (mesh.colors.empty() && other.colors.empty()) return;
  mesh.colors.resize(mesh.positions.size(), Vec4f::Ones());
  if (other.colors.empty()) mesh.colors.resize(mesh.positions.size() + other.positions.size(), Vec4f::Ones());
  else mesh.colors.insert(mesh.colors.end(), other.colors.begin(), other.colors.end());
}

void add_face_materials(Mesh& mesh, const Mesh& other, Index materials) {
  if (mesh.face_materials.empty() && other.face_materials.empty()) return;
  mesh.face_materials.resize(mesh.face_count(), kNone);
  if (other.face_materials.empty()) mesh.face_materials.resize(mesh.face_count() + other.face_count(), kNone);
  for (const Index material : other.face_materials)
    mesh.face_materials.push_back(material == kNone ? kNone : material + materials);
}

// \pre `other` has no rig.
void add_meshes(Character& target, const Character& other) {
  Mesh& mesh = target.rig.mesh;
  const Mesh& added = other.rig.mesh;
  const Index vertices = mesh.vertex_count(), faces = mesh.face_count();
  const auto materials = static_cast<Index>(target.materials.size()), parts = static_cast<Index>(mesh.parts.size());
  // Without normals of its own, a part would be shaded as if it were flat on the ground.
  CornerLayer<Vec3f> normals = added.normals;
  if (normals.empty() && !mesh.normals.empty()) normals = made_normals(added);
  if (mesh.normals.empty() && !normals.empty()) mesh.normals = made_normals(mesh);
  add_layer(mesh, mesh.normals, added, std::move(normals));
  add_layer(mesh, mesh.uvs, added, added.uvs);
  add_colors(mesh, added);
  add_face_materials(mesh, added, materials);
  mesh.positions.insert(mesh.positions.end(), added.positions.begin(), added.positions.end());
  std::vector<Index> corners;
  for (Index f = 0; f < added.face_count(); ++f) {
    corners.clear();
    for (const Index v : added.face(f)) corners.push_back(v + vertices);
    mesh.add_face(corners);
  }
  for (MeshPart part : added.parts) {
    part.first_vertex += vertices;
    part.first_face += faces;
    mesh.parts.push_back(std::move(part));
  }
  add_materials(target, other);
  for (Clip clip : other.clips) {
    for (Track& track : clip.tracks) track.target += parts;
    target.clips.push_back(std::move(clip));
  }
}

}  // namespace

bool has_rig(const Character& character) {
  const Rig& rig = character.rig;
  if (!rig.skins.empty()) return true;
  if (std::any_of(rig.skeleton.joints.begin(), rig.skeleton.joints.end(), [](const Joint& j) { return j.deforming; }))
    return true;
  for (const Clip& clip : character.clips)
    for (const Track& track : clip.tracks)
      if (track.path != Track::Path::kMorphWeights) return true;
  return false;
}

void remove_rig(Character& character) {
  Rig& rig = character.rig;
  rig.skeleton = {};
  rig.skins.clear();
  rig.weights = {};
  for (MeshPart& part : rig.mesh.parts) part.skin = part.joint = kNone;
  for (Clip& clip : character.clips)
    std::erase_if(clip.tracks, [](const Track& track) { return track.path != Track::Path::kMorphWeights; });
  std::erase_if(character.clips, [](const Clip& clip) { return clip.tracks.empty(); });
}

Character merge_characters(Character first, const std::vector<Character>& others) {
  for (Character other : others) {
    remove_rig(other);
    add_meshes(first, other);
  }
  return first;
}

}  // namespace sinew::pipeline
