// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>
#include <Eigen/LU>
#include <cmath>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/draco.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/ngon.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {
namespace {

enum Mode { kPoints = 0, kTriangles = 4, kStrip = 5, kFan = 6 };

// Linear part of a matrix, with any axis that has shrunk to nothing set back to length one.
Mat4 unflattened(const Mat4& m) {
  Decomposed parts = decompose(m);
  const double largest = std::max(parts.transform.scale.cwiseAbs().maxCoeff(), 1e-30);
  for (int i = 0; i < 3; ++i)
    if (std::abs(parts.transform.scale[i]) < 1e-9 * largest || parts.transform.scale[i] == 0)
      parts.transform.scale[i] = 1;
  return parts.transform.matrix();
}

// The place of a rigid part. Real files hide things by scaling them to nothing, and a clip shows them again: the part
// must keep its shape, so axes of length zero count as one.
Mat4 rigid_to_model(const NodeGraph& graph, Index node) {
  if (is_invertible(graph.world[node])) return graph.world[node];
  Mat4 m = Mat4::Identity();
  for (Index n = node; n != kNone; n = graph.parent[n])
    m = (is_invertible(graph.local[n]) ? graph.local[n] : unflattened(graph.local[n])) * m;
  return is_invertible(m) ? m : Mat4(Mat4::Identity());
}

struct MeshReader {
  GltfDocument& document;
  const NodeGraph& graph;
  Character& character;
  std::size_t accessors;

  Mesh& mesh() { return character.rig.mesh; }

  Index accessor(const Json& attributes, const char* name, const std::string& where) const {
    return index_at(attributes, name, accessors, where);
  }

  void read_part(Index node, const std::vector<Mat4>& skin_to_model);
  void read_positions(const Json& attributes, const MeshPart& part, VertexBlock& block, const std::string& where);
  void read_layers(const Json& attributes, const MeshPart& part, const VertexBlock& block, const std::string& where);
  void read_weights(const Json& attributes, const MeshPart& part, const VertexBlock& block, const std::string& where);
  void read_morphs(const Json& primitive, MeshPart& part, const VertexBlock& block, const std::string& where);
  void read_faces(const Json& primitive, const VertexBlock& block, Index first_vertex, const std::string& where);
};

void MeshReader::read_positions(const Json& attributes, const MeshPart& part, VertexBlock& block,
                                const std::string& where) {
  const Index index = accessor(attributes, "POSITION", where);
  if (index == kNone) throw Error(where + " has no positions.");
  const std::vector<float> values = read_floats(document, index, 3);
  block.count = static_cast<Index>(values.size() / 3);
  auto& positions = mesh().positions;
  if (positions.size() + block.count >= kNone) throw Error("It has too many vertices.");
  document.claim(block.count * sizeof(Vec3));  // A mesh can be repeated by thousands of nodes.
  // Room grows in proportion: thousands of instances would each move all vertices before them otherwise.
  if (positions.capacity() < positions.size() + block.count)
    positions.reserve(std::max(positions.size() + block.count, 2 * positions.capacity()));
  for (std::size_t i = 0; i < block.count; ++i) {
    const Vec3 p = Vec3f(values[3 * i], values[3 * i + 1], values[3 * i + 2]).cast<double>();
    const Vec3 q = transform_point(part.to_model, p);
    if (!q.allFinite()) throw Error(fmt::format("{}: the position of vertex {} is not finite.", where, i));
    positions.push_back(q);
  }
}

void MeshReader::read_layers(const Json& attributes, const MeshPart& part, const VertexBlock& block,
                             const std::string& where) {
  const std::size_t begin = mesh().positions.size() - block.count;
  const auto wanted = [&](const char* name, std::size_t components, std::vector<float>& values) {
    const Index index = accessor(attributes, name, where);
    if (index == kNone) return false;
    values = read_floats(document, index, components);
    return values.size() == components * block.count;
  };
  std::vector<float> values;
  if (wanted("NORMAL", 3, values)) {
    const Mat3 normal_matrix = part.to_model.topLeftCorner<3, 3>().inverse().transpose();
    mesh().normals.values.resize(begin, Vec3f::Zero());
    for (std::size_t i = 0; i < block.count; ++i) {
      const Vec3 n = normal_matrix * Vec3f(values[3 * i], values[3 * i + 1], values[3 * i + 2]).cast<double>();
      const double length = n.norm();
      mesh().normals.values.push_back(length > 0 && std::isfinite(length) ? Vec3f((n / length).cast<float>())
                                                                          : Vec3f(Vec3f::Zero()));
    }
  }
  if (wanted("TEXCOORD_0", 2, values)) {
    mesh().uvs.values.resize(begin, Vec2f::Zero());
    for (std::size_t i = 0; i < block.count; ++i) mesh().uvs.values.emplace_back(values[2 * i], values[2 * i + 1]);
  }
  if (const Index index = accessor(attributes, "COLOR_0", where); index != kNone) {
    values = read_floats(document, index);
    const std::size_t width = accessor_info(document, index).components;
    if ((width != 3 && width != 4) || values.size() != width * block.count) return;
    mesh().colors.resize(begin, Vec4f::Ones());
    for (std::size_t i = 0; i < block.count; ++i)
      mesh().colors.emplace_back(values[width * i], values[width * i + 1], values[width * i + 2],
                                 width == 4 ? values[4 * i + 3] : 1.0F);
  }
}

void MeshReader::read_weights(const Json& attributes, const MeshPart& part, const VertexBlock& block,
                              const std::string& where) {
  SkinWeights& weights = character.rig.weights;
  if (character.rig.skeleton.empty()) return;
  if (part.skin == kNone) {
    for (Index i = 0; i < block.count; ++i) {
      if (part.joint == kNone) weights.add_row({});
      else weights.add_row({Influence{part.joint, 1.0F}});
    }
    return;
  }
  const Skin& skin = character.rig.skins[part.skin];
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<float>> values;
  for (int set = 0;; ++set) {
    const Index joint_accessor = accessor(attributes, fmt::format("JOINTS_{}", set).c_str(), where);
    const Index weight_accessor = accessor(attributes, fmt::format("WEIGHTS_{}", set).c_str(), where);
    if (joint_accessor == kNone || weight_accessor == kNone) break;
    joints.push_back(read_integers(document, joint_accessor, 4));
    values.push_back(read_floats(document, weight_accessor, 4));
    if (joints.back().size() != 4 * std::size_t{block.count} || values.back().size() != joints.back().size())
      throw Error(where + ": its joints and weights do not match the number of its vertices.");
  }
  std::size_t strays = 0;
  std::vector<Influence> row;
  for (std::size_t i = 0; i < block.count; ++i) {
    row.clear();
    for (std::size_t s = 0; s < joints.size(); ++s)
      for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
        if (values[s][k] == 0) continue;
        if (joints[s][k] >= skin.joints.size()) ++strays;
        else row.push_back({skin.joints[joints[s][k]], values[s][k]});
      }
    weights.add_row(row);
  }
  if (strays > 0)
    document.warnings.push_back(
        {"gltf.stray_joints", where,
         fmt::format("{} influences name joints that the skin does not have; they are left out.", strays)});
}

void MeshReader::read_morphs(const Json& primitive, MeshPart& part, const VertexBlock& block,
                             const std::string& where) {
  const Json& targets = array_at(primitive, "targets", where);
  const Mat3 linear = part.to_model.topLeftCorner<3, 3>();
  if (targets.size() > part.morphs.size()) part.morphs.resize(targets.size());
  document.claim(part.morphs.size() * block.count * sizeof(Vec3f));
  for (std::size_t t = 0; t < part.morphs.size(); ++t) {
    std::vector<Vec3f>& deltas = part.morphs[t].deltas;
    deltas.resize(block.first_vertex + block.count, Vec3f::Zero());
    if (t >= targets.size()) continue;
    const Index index = accessor(element_at(targets, t, where), "POSITION", where);
    if (index == kNone) continue;
    const std::vector<float> values = read_floats(document, index, 3);
    if (values.size() != 3 * std::size_t{block.count})
      throw Error(fmt::format("{}: morph {} has a different number of vertices.", where, t));
    for (std::size_t i = 0; i < block.count; ++i) {
      const Vec3 d = linear * Vec3f(values[3 * i], values[3 * i + 1], values[3 * i + 2]).cast<double>();
      if (!d.allFinite()) throw Error(fmt::format("{}: morph {} is not finite at vertex {}.", where, t, i));
      deltas[block.first_vertex + i] = d.cast<float>();
    }
  }
}

void MeshReader::read_faces(const Json& primitive, const VertexBlock& block, Index first_vertex,
                            const std::string& where) {
  const std::uint64_t mode = size_at(primitive, "mode", kTriangles, where);
  if (mode < kTriangles) {
    document.warnings.push_back(
        {"gltf.not_a_surface", where, "It consists of points or lines, which are kept but have no faces."});
    return;
  }
  if (mode > kFan) throw Error(fmt::format("{}: {} is not a valid primitive mode.", where, mode));
  std::vector<std::uint32_t> indices;
  if (const Index index = index_at(primitive, "indices", accessors, where); index != kNone) {
    indices = read_integers(document, index, 1);
  } else {
    indices.resize(block.count);
    for (std::uint32_t i = 0; i < block.count; ++i) indices[i] = i;
  }
  for (std::uint32_t& index : indices) {
    if (index >= block.count)
      throw Error(fmt::format("{}: it uses vertex {}, but it has {} vertices.", where, index, block.count));
    index += first_vertex;
  }
  if (mode == kTriangles && indices.size() % 3 != 0)
    document.warnings.push_back({"gltf.leftover_indices", where,
                                 "The number of its indices is not a multiple of three; the last ones are ignored."});
  const bool ngons = mode == kTriangles && object_at(primitive, "extensions", where).contains("FB_ngon_encoding");
  Mesh& target = mesh();
  const Index before = target.face_count();
  if (ngons) {
    decode_ngons(indices, target);
  } else {
    const std::size_t count = mode == kTriangles ? indices.size() / 3 : indices.size() < 3 ? 0 : indices.size() - 2;
    const auto make_room = [](std::vector<Index>& list, std::size_t more) {
      if (list.capacity() < list.size() + more) list.reserve(std::max(list.size() + more, 2 * list.capacity()));
    };
    make_room(target.face_vertices, 3 * count);
    make_room(target.face_offsets, count);
    for (std::size_t t = 0; t < count; ++t) {
      if (mode == kTriangles) target.add_face(std::array{indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]});
      else if (mode == kFan) target.add_face(std::array{indices[t + 1], indices[t + 2], indices[0]});
      else target.add_face(std::array{indices[t], indices[t + 1 + t % 2], indices[t + 2 - t % 2]});
    }
  }
  const Index material = index_at(primitive, "material", character.materials.size(), where);
  target.face_materials.resize(before, kNone);
  target.face_materials.resize(target.face_count(), material);
}

// The names are in the extras of the mesh or, by most programs that write VRM, in those of a primitive.
const Json& morph_names(const Json& mesh, const Json& primitives, const std::string& where) {
  const Json& names = array_at(object_at(mesh, "extras", where), "targetNames", where);
  if (!names.empty()) return names;
  for (const Json& primitive : primitives) {
    if (!primitive.contains("extras") || !primitive["extras"].is_object()) continue;
    const auto own = primitive["extras"].find("targetNames");
    if (own != primitive["extras"].end() && own->is_array() && !own->empty()) return *own;
  }
  return names;
}

void MeshReader::read_part(Index node, const std::vector<Mat4>& skin_to_model) {
  const Json& json = document.json();
  const std::string node_place = place("node", node);
  const Json& node_json = array_at(json, "nodes", "file")[node];
  const Json& meshes = array_at(json, "meshes", "file");
  PartSource source;
  source.node = node;
  source.mesh = required_index(node_json, "mesh", meshes.size(), node_place);
  source.skin = index_at(node_json, "skin", character.rig.skins.size(), node_place);
  const std::string mesh_place = place("mesh", source.mesh);
  const Json& mesh_json = element_at(meshes, source.mesh, mesh_place);
  const Json& primitives = array_at(mesh_json, "primitives", mesh_place);

  MeshPart part;
  part.name = name_of(node_json, "node", node);
  part.skin = source.skin;
  part.first_vertex = mesh().vertex_count();
  part.first_face = mesh().face_count();
  part.joint = part.skin == kNone ? graph.joint[node] : kNone;
  part.to_model = part.skin == kNone ? rigid_to_model(graph, node) : skin_to_model[part.skin];

  const auto key = [](const Json& primitive) {
    const Json extensions = primitive.value("extensions", Json::object());
    return std::array{primitive.value("attributes", Json()).dump(), primitive.value("targets", Json()).dump(),
                      extensions.value("KHR_draco_mesh_compression", Json()).dump()};
  };
  std::map<std::array<std::string, 3>, std::size_t> known;
  for (Index k = 0; k < primitives.size(); ++k) {
    const std::string where = fmt::format("{} primitive {}", mesh_place, k);
    const Json& primitive = element_at(primitives, k, where);
    decode_draco(document, primitive, where);
    const auto [entry, fresh] = known.try_emplace(key(primitive), source.blocks.size());
    if (fresh) {
      VertexBlock block;
      block.first_primitive = k;
      block.first_vertex = mesh().vertex_count() - part.first_vertex;
      const Json& attributes = object_at(primitive, "attributes", where);
      read_positions(attributes, part, block, where);
      read_layers(attributes, part, block, where);
      read_weights(attributes, part, block, where);
      read_morphs(primitive, part, block, where);
      source.blocks.push_back(std::move(block));
    }
    VertexBlock& block = source.blocks[entry->second];
    block.primitives.push_back(k);
    read_faces(primitive, block, part.first_vertex + block.first_vertex, where);
  }
  part.vertex_count = mesh().vertex_count() - part.first_vertex;
  part.face_count = mesh().face_count() - part.first_face;
  const Json& names = morph_names(mesh_json, primitives, mesh_place);
  for (std::size_t t = 0; t < part.morphs.size(); ++t) {
    part.morphs[t].deltas.resize(part.vertex_count, Vec3f::Zero());
    part.morphs[t].name =
        t < names.size() && names[t].is_string() ? names[t].get<std::string>() : fmt::format("morph_{}", t);
  }
  part.morph_weights.assign(part.morphs.size(), 0.0);
  const Json& own = array_at(node_json, "weights", node_place);
  const Json& rest = own.empty() ? array_at(mesh_json, "weights", mesh_place) : own;
  for (std::size_t t = 0; t < part.morphs.size() && t < rest.size(); ++t)
    if (rest[t].is_number()) part.morph_weights[t] = rest[t].get<double>();
  mesh().parts.push_back(std::move(part));
  document.parts.push_back(std::move(source));
}

}  // namespace

void read_meshes(GltfDocument& document, const NodeGraph& graph, const std::vector<Mat4>& skin_to_model,
                 Character& character, const Progress& progress) {
  MeshReader reader{document, graph, character, array_at(document.json(), "accessors", "file").size()};
  const Json& nodes = array_at(document.json(), "nodes", "file");
  for (const Index node : graph.order) {
    progress.check();
    if (graph.in_scene[node] && nodes[node].contains("mesh")) reader.read_part(node, skin_to_model);
  }
  Mesh& mesh = character.rig.mesh;
  if (!mesh.normals.values.empty()) mesh.normals.values.resize(mesh.vertex_count(), Vec3f::Zero());
  if (!mesh.uvs.values.empty()) mesh.uvs.values.resize(mesh.vertex_count(), Vec2f::Zero());
  if (!mesh.colors.empty()) mesh.colors.resize(mesh.vertex_count(), Vec4f::Ones());
}

}  // namespace sinew::io::gltf
