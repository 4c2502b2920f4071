// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Meshes: corners joined to vertices, parts, skins.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>

#include "sinew/io/assimp/build.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::assimp {
namespace {

template <int N>
using Bits = std::array<std::uint32_t, N>;

// The bits of a vector, with both zeros as one.
template <class Vector>
auto bits_of(const Vector& v) {
  Bits<Vector::RowsAtCompileTime> bits;
  for (int i = 0; i < Vector::RowsAtCompileTime; ++i)
    bits[static_cast<std::size_t>(i)] = std::bit_cast<std::uint32_t>(v[i] + 0.0F);
  return bits;
}

struct BitsHash {
  template <std::size_t N>
  std::size_t operator()(const std::array<std::uint32_t, N>& bits) const {
    std::uint64_t h = 0x9E3779B97F4A7C15U;
    for (const std::uint32_t word : bits) h = (h ^ word ^ (h >> 29)) * 0xBF58476D1CE4E5B9U;
    return h ^ (h >> 32);
  }
};

// A layer that keeps each different value once.
template <class Value>
class LayerBuilder {
 public:
  Index add(CornerLayer<Value>& layer, const Value& value) {
    const auto [entry, added] = known_.try_emplace(bits_of(value), static_cast<Index>(layer.values.size()));
    if (added) layer.values.push_back(value);
    return entry->second;
  }

 private:
  std::unordered_map<Bits<Value::RowsAtCompileTime>, Index, BitsHash> known_;
};

// The value of a layer at a corner. `values` holds the new number of each value of the layer.
Index layer_value(const std::vector<Index>& values, const std::vector<Index>& corners, Index corner, Index vertex) {
  const Index at = corners.empty() ? vertex : corners[corner];
  return values.empty() || at == kNone ? kNone : values[at];
}

// Whether a matrix keeps volumes apart from zero, to working precision.
bool keeps_volume(const Mat4& m) {
  const Mat3 a = m.topLeftCorner<3, 3>();
  const double size = a.colwise().norm().maxCoeff();
  return a.allFinite() && size > 1e-30 && std::abs(a.determinant()) > 1e-9 * size * size * size;
}

// Where a rigid mesh lies. One that is hidden by a scale of zero keeps its shape: such axes count as one.
Mat4 shape_matrix(const Scene& scene, const Layout& layout, Index node) {
  if (keeps_volume(layout.model(node))) return layout.model(node);
  Mat4 m = layout.frame[node];
  for (Index n = node; n != kNone; n = layout.is_root[n] ? kNone : scene.nodes[n].parent) {
    Transform t = decompose(scene.nodes[n].local).transform;
    for (int i = 0; i < 3; ++i)
      if (std::abs(t.scale[i]) < 1e-9) t.scale[i] = 1;
    m = t.matrix() * m;
  }
  m = layout.to_model * m;
  return keeps_volume(m) ? m : Mat4(Mat4::Identity());
}

// Meshes of one node that can be one part: the same morphs, and bones bound alike.
struct Group {
  Index node = kNone;
  std::vector<Index> meshes;
  std::map<Index, Mat4> offsets;  // Per bone's node.
};

bool fits(const Scene& scene, const Group& group, const SceneMesh& mesh) {
  const SceneMesh& first = scene.meshes[group.meshes.front()];
  if (first.bones.empty() != mesh.bones.empty() || first.morphs.size() != mesh.morphs.size() ||
      first.relative_morphs != mesh.relative_morphs)
    return false;
  for (std::size_t m = 0; m < mesh.morphs.size(); ++m)
    if (first.morphs[m].name != mesh.morphs[m].name) return false;
  for (const SceneBone& bone : mesh.bones) {
    const auto known = group.offsets.find(bone.node);
    if (known != group.offsets.end() && !known->second.isApprox(bone.offset, 1e-5)) return false;
  }
  return true;
}

bool has_surface(const SceneMesh& mesh) {
  for (std::size_t f = 1; f < mesh.face_offsets.size(); ++f)
    if (mesh.face_offsets[f] - mesh.face_offsets[f - 1] >= 3) return true;
  return false;
}

std::vector<Group> group_meshes(const Scene& scene) {
  std::vector<Group> groups;
  for (Index n = 0; n < scene.nodes.size(); ++n) {
    const std::size_t first = groups.size();
    for (const Index number : scene.nodes[n].meshes) {
      const SceneMesh& mesh = scene.meshes[number];
      if (!has_surface(mesh)) continue;
      auto group = std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(first), groups.end(),
                                [&](const Group& candidate) { return fits(scene, candidate, mesh); });
      if (group == groups.end()) {
        groups.emplace_back().node = n;
        group = groups.end() - 1;
      }
      group->meshes.push_back(number);
      for (const SceneBone& bone : mesh.bones) group->offsets.try_emplace(bone.node, bone.offset);
    }
  }
  return groups;
}

// The space of the bind matrices has no place of its own: model space is where the joints at binding come nearest to
// those at rest. The mesh's node says it in most files; where it does not, one joint's rest · bind does.
Mat4 bind_to_model(const Layout& layout, const Group& group) {
  constexpr std::size_t kMostCandidates = 65;
  std::vector<Vec3> bound, rest;
  std::vector<Mat4> candidates = {layout.to_model * layout.world[group.node]};
  for (const auto& [node, offset] : group.offsets) {
    if (!keeps_volume(offset)) continue;
    bound.push_back(offset.inverse().topRightCorner<3, 1>());
    const Mat4 joint = layout.to_model * layout.world[node];
    rest.push_back(joint.topRightCorner<3, 1>());
    const Mat4 candidate = joint * offset;
    if (candidates.size() < kMostCandidates) candidates.push_back(candidate);
  }
  candidates.push_back(layout.to_model);
  Mat4 best = Mat4::Identity();
  double best_distance = std::numeric_limits<double>::infinity();
  for (const Mat4& candidate : candidates) {
    if (!keeps_volume(candidate)) continue;
    double distance = 0;
    for (std::size_t k = 0; k < bound.size(); ++k) distance += (transform_point(candidate, bound[k]) - rest[k]).norm();
    // A later candidate must be better by more than the rounding of the file.
    if (distance < best_distance * (1 - 1e-3)) best = candidate, best_distance = distance;
  }
  return best;
}

class PartBuilder {
 public:
  PartBuilder(const Scene& scene, const Layout& layout, const std::vector<Index>& materials, Asset& asset)
      : scene_(scene), layout_(layout), materials_(materials), asset_(asset), rig_(asset.character.rig) {}

  void add(const Group& group);
  void finish();
  std::vector<PartOfMesh> parts_of_meshes;

 private:
  struct Corner {  // A vertex of one of the group's meshes.
    const SceneMesh* mesh;
    Index vertex;
  };
  using Row = std::vector<Influence>;

  Index add_skin(const Group& group, const std::string& name, const Mat4& place);
  std::vector<Row> rows_of(const SceneMesh& mesh) const;
  void join(const SceneMesh& mesh, const std::vector<Row>& rows, Index first_vertex);
  void add_faces(const SceneMesh& mesh, const Mat3& normal_matrix, bool flip);
  void add_color(Index vertex, const Vec4f& color, bool fresh);
  void add_corner_colors(const SceneMesh& mesh);
  void add_morphs(const Group& group, MeshPart& part, const Mat3& linear, bool fbx);
  bool same_morphs(const Corner& a, const Corner& b) const;
  static Vec3f morph_delta(const Corner& corner, std::size_t morph);

  const Scene& scene_;
  const Layout& layout_;
  const std::vector<Index>& materials_;
  Asset& asset_;
  Rig& rig_;
  LayerBuilder<Vec3f> normals_;
  LayerBuilder<Vec2f> uvs_;
  std::uint64_t short_faces_ = 0, color_clashes_ = 0, weight_splits_ = 0;

  // Of the part at work.
  Mat4 place_ = Mat4::Identity();
  std::vector<Corner> sources_;                                   // Per vertex of the part.
  std::vector<Row> rows_;                                         // Likewise; empty without bones.
  std::unordered_map<Bits<3>, std::vector<Index>, BitsHash> at_;  // Vertices of the part by position.
  std::vector<Index> vertex_of_;                                  // Per vertex of the mesh at work.

 public:
  bool fbx = false;
  bool keep_vertices = false;
};

Vec3f PartBuilder::morph_delta(const Corner& corner, std::size_t morph) {
  const std::vector<Vec3f>& positions = corner.mesh->morphs[morph].positions;
  if (positions.empty()) return Vec3f::Zero();
  if (corner.mesh->relative_morphs) return positions[corner.vertex];
  return positions[corner.vertex] - corner.mesh->positions[corner.vertex];
}

bool PartBuilder::same_morphs(const Corner& a, const Corner& b) const {
  for (std::size_t m = 0; m < a.mesh->morphs.size(); ++m)
    if (morph_delta(a, m) != morph_delta(b, m)) return false;
  return true;
}

Index PartBuilder::add_skin(const Group& group, const std::string& name, const Mat4& place) {
  Skin skin;
  skin.name = name;
  const Mat4 from_model = place.inverse();
  for (const auto& [node, offset] : group.offsets) {
    skin.joints.push_back(layout_.joint[node]);
    skin.inverse_bind.push_back(layout_.frame[node].inverse() * offset * from_model);
  }
  rig_.skins.push_back(std::move(skin));
  return static_cast<Index>(rig_.skins.size() - 1);
}

std::vector<PartBuilder::Row> PartBuilder::rows_of(const SceneMesh& mesh) const {
  std::vector<Row> rows;
  if (mesh.bones.empty()) return rows;
  rows.resize(mesh.positions.size());
  for (const SceneBone& bone : mesh.bones)
    for (std::size_t w = 0; w < bone.vertices.size(); ++w)
      if (bone.weights[w] != 0) rows[bone.vertices[w]].push_back({layout_.joint[bone.node], bone.weights[w]});
  return rows;
}

void PartBuilder::join(const SceneMesh& mesh, const std::vector<Row>& rows, Index first_vertex) {
  vertex_of_.assign(mesh.positions.size(), kNone);
  for (Index v = 0; v < mesh.positions.size(); ++v) {
    const Corner corner = {&mesh, v};
    static const std::vector<Index> nobody;
    std::vector<Index>* here = keep_vertices ? nullptr : &at_[bits_of(mesh.positions[v])];
    for (const Index known : here == nullptr ? nobody : *here) {
      const bool same_row = rows.empty() || rows_[known] == rows[v];
      if (!same_row || !same_morphs(sources_[known], corner)) continue;
      vertex_of_[v] = known;
      break;
    }
    if (vertex_of_[v] == kNone) {
      vertex_of_[v] = static_cast<Index>(sources_.size());
      if (here != nullptr) {
        if (!here->empty()) ++weight_splits_;
        here->push_back(vertex_of_[v]);
      }
      sources_.push_back(corner);
      if (!rows.empty()) rows_.push_back(rows[v]);
      const Vec3 p = transform_point(place_, mesh.positions[v].cast<double>());
      if (!p.allFinite())
        throw Error(fmt::format("The mesh '{}': the position of a vertex is not finite.", to_utf8(mesh.name)));
      rig_.mesh.positions.push_back(p);
    }
    Index& vertex = vertex_of_[v];
    vertex += first_vertex;
    if (!mesh.colors.empty() && mesh.color_corners.empty())
      add_color(vertex, mesh.colors[v], rig_.mesh.colors.size() <= vertex);
  }
  add_corner_colors(mesh);
}

void PartBuilder::add_color(Index vertex, const Vec4f& color, bool fresh) {
  std::vector<Vec4f>& colors = rig_.mesh.colors;
  if (colors.size() <= vertex) colors.resize(vertex + 1, Vec4f::Ones());
  const Vec4f good = color.allFinite() ? Vec4f(color.cwiseMax(0.0F).cwiseMin(1.0F)) : Vec4f(Vec4f::Ones());
  if (!fresh && colors[vertex] != good) ++color_clashes_;
  else colors[vertex] = good;
}

void PartBuilder::add_corner_colors(const SceneMesh& mesh) {
  std::vector<bool> known(mesh.color_corners.empty() ? 0 : mesh.positions.size(), false);
  for (std::size_t c = 0; c < mesh.color_corners.size(); ++c) {
    if (mesh.color_corners[c] == kNone) continue;
    const Index vertex = mesh.face_vertices[c];
    add_color(vertex_of_[vertex], mesh.colors[mesh.color_corners[c]], !known[vertex]);
    known[vertex] = true;
  }
}

void PartBuilder::add_faces(const SceneMesh& mesh, const Mat3& normal_matrix, bool flip) {
  Mesh& target = rig_.mesh;
  std::vector<Index> normal_of(mesh.normals.size(), kNone), uv_of(mesh.uvs.size(), kNone);
  for (std::size_t v = 0; v < normal_of.size(); ++v) {
    const Vec3 n = normal_matrix * mesh.normals[v].cast<double>();
    const double length = n.norm();
    if (length > 0 && std::isfinite(length))
      normal_of[v] = normals_.add(target.normals, Vec3f((n / length).cast<float>()));
  }
  for (std::size_t v = 0; v < uv_of.size(); ++v)
    if (mesh.uvs[v].allFinite()) uv_of[v] = uvs_.add(target.uvs, Vec2f(mesh.uvs[v].x(), 1 - mesh.uvs[v].y()));
  const auto material_of = [&](Index number) { return number == kNone ? kNone : materials_[number]; };
  const Index material = material_of(mesh.material);
  std::vector<Index> corners, vertices;
  for (std::size_t f = 1; f < mesh.face_offsets.size(); ++f) {
    if (mesh.face_offsets[f] - mesh.face_offsets[f - 1] < 3) {
      ++short_faces_;
      continue;
    }
    corners.clear();
    for (Index c = mesh.face_offsets[f - 1]; c < mesh.face_offsets[f]; ++c) corners.push_back(c);
    if (flip) std::reverse(corners.begin() + 1, corners.end());
    vertices.clear();
    for (const Index corner : corners) {
      const Index vertex = mesh.face_vertices[corner];
      vertices.push_back(vertex_of_[vertex]);
      target.normals.corners.push_back(layer_value(normal_of, mesh.normal_corners, corner, vertex));
      target.uvs.corners.push_back(layer_value(uv_of, mesh.uv_corners, corner, vertex));
    }
    target.add_face(vertices);
    target.face_materials.push_back(mesh.face_materials.empty() ? material : material_of(mesh.face_materials[f - 1]));
  }
}

void PartBuilder::add_morphs(const Group& group, MeshPart& part, const Mat3& linear, bool fbx_file) {
  const SceneMesh& first = scene_.meshes[group.meshes.front()];
  for (std::size_t m = 0; m < first.morphs.size(); ++m) {
    Morph morph;
    morph.name = to_utf8(first.morphs[m].name);
    if (morph.name.empty()) morph.name = fmt::format("morph_{}", m);
    for (const Corner& corner : sources_)
      morph.deltas.push_back((linear * morph_delta(corner, m).cast<double>()).cast<float>());
    part.morphs.push_back(std::move(morph));
    const auto weight = static_cast<double>(first.morphs[m].weight);
    // Assimp 5.2.5 gives every FBX shape that has no in-betweens the weight 1, whatever the file says.
    part.morph_weights.push_back(fbx_file || !std::isfinite(weight) ? 0.0 : weight);
  }
  if (fbx_file && !part.morphs.empty())
    asset_.warnings.push_back({"fbx.morph_weights", part.name,
                               "Assimp does not report the rest weights of its morphs; they are assumed to be 0."});
}

void PartBuilder::add(const Group& group) {
  const SceneNode& node = scene_.nodes[group.node];
  const SceneMesh& first = scene_.meshes[group.meshes.front()];
  MeshPart part;
  part.name = to_utf8(node.name.empty() || group.node == 0 ? first.name : node.name);
  if (part.name.empty()) part.name = fmt::format("part_{}", rig_.mesh.parts.size());
  part.first_vertex = rig_.mesh.vertex_count();
  part.first_face = rig_.mesh.face_count();
  sources_.clear();
  rows_.clear();
  at_.clear();
  bool flip = false;
  if (!first.bones.empty()) {
    place_ = bind_to_model(layout_, group);
    part.skin = add_skin(group, part.name, place_);
    flip = place_.determinant() < 0;
  } else if (part.joint = layout_.joint[group.node]; part.joint != kNone) {
    part.to_model = shape_matrix(scene_, layout_, group.node);
    place_ = part.to_model * layout_.frame[group.node].inverse();
    flip = layout_.frame[group.node].determinant() < 0;
  } else {
    place_ = layout_.to_model * layout_.world[group.node];
    if (!keeps_volume(place_)) place_ = layout_.to_model;
    flip = place_.determinant() < 0;
  }
  const Mat3 linear = place_.topLeftCorner<3, 3>();
  for (const Index number : group.meshes) {
    const SceneMesh& mesh = scene_.meshes[number];
    join(mesh, rows_of(mesh), part.first_vertex);
    add_faces(mesh, linear.inverse().transpose(), flip);
    parts_of_meshes.push_back({group.node, number, static_cast<Index>(rig_.mesh.parts.size())});
  }
  part.vertex_count = rig_.mesh.vertex_count() - part.first_vertex;
  part.face_count = rig_.mesh.face_count() - part.first_face;
  add_morphs(group, part, linear, fbx);
  if (!rig_.skeleton.empty())
    for (Index v = 0; v < part.vertex_count; ++v) {
      if (!first.bones.empty()) rig_.weights.add_row(rows_[v]);
      else if (part.joint != kNone) rig_.weights.add_row({Influence{part.joint, 1.0F}});
      else rig_.weights.add_row({});
    }
  rig_.mesh.parts.push_back(std::move(part));
}

void PartBuilder::finish() {
  Mesh& mesh = rig_.mesh;
  if (mesh.normals.values.empty()) mesh.normals.corners.clear();
  if (mesh.uvs.values.empty()) mesh.uvs.corners.clear();
  if (!mesh.colors.empty()) mesh.colors.resize(mesh.vertex_count(), Vec4f::Ones());
  if (asset_.character.materials.empty()) mesh.face_materials.clear();
  if (short_faces_ > 0)
    asset_.warnings.push_back({"assimp.short_face", "",
                               fmt::format("{} face(s) with fewer than three corners were left out.", short_faces_)});
  if (weight_splits_ > 0)
    asset_.warnings.push_back(
        {"assimp.split_vertices", "",
         fmt::format(
             "{} vertices have the same position as others but different weights or morphs; they are not merged.",
             weight_splits_)});
  if (color_clashes_ > 0)
    asset_.warnings.push_back(
        {"assimp.corner_colors", "",
         fmt::format(
             "{} corners differ in colour from the first corner at their vertex; only the first colour is kept.",
             color_clashes_)});
}

}  // namespace

std::vector<PartOfMesh> build_mesh(const Scene& scene, const Layout& layout, const FormatTraits& traits,
                                   const std::vector<Index>& materials, Asset& asset, const Progress& progress) {
  PartBuilder builder(scene, layout, materials, asset);
  builder.fbx = traits.fbx && !scene.exact;
  builder.keep_vertices = traits.keep_vertices || scene.exact;
  for (const Group& group : group_meshes(scene)) {
    progress.check();
    builder.add(group);
  }
  builder.finish();
  std::uint64_t bare = 0;
  for (const SceneMesh& mesh : scene.meshes) bare += has_surface(mesh) ? 0 : 1;
  if (bare > 0)
    asset.warnings.push_back(
        {"assimp.not_a_surface", "", fmt::format("{} mesh(es) of points or lines were left out.", bare)});
  return std::move(builder.parts_of_meshes);
}

}  // namespace sinew::io::assimp
