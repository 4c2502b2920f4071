// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/LU>
#include <algorithm>
#include <cstring>

#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

constexpr int kShapeTarget = 34962;

// The floats of an accessor as the file holds them; empty if they are stored otherwise (compressed, sparse, integers).
std::vector<float> plain_floats(const GltfDocument& document, const Json& attributes, const char* name,
                                std::size_t width) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !found->is_number_unsigned()) return {};
  const Json& accessors = array_at(document.json(), "accessors", "file");
  if (found->get<std::size_t>() >= accessors.size()) return {};
  const Json& accessor = accessors[found->get<std::size_t>()];
  const Json& views = array_at(document.json(), "bufferViews", "file");
  const std::size_t number = accessor.value("bufferView", views.size());
  if (accessor.contains("sparse") || accessor.value("componentType", 0) != 5126 || number >= views.size() ||
      views[number].contains("extensions") || document.decoded(found->get<Index>()))
    return {};
  const std::span<const std::byte> bytes = document.raw_view(static_cast<Index>(number));
  const std::size_t count = accessor.value("count", std::size_t{0}),
                    begin = accessor.value("byteOffset", std::size_t{0});
  const std::size_t stride = views[number].value("byteStride", 4 * width);
  if (count == 0 || begin > bytes.size() || (count - 1) > (bytes.size() - begin) / std::max<std::size_t>(stride, 1) ||
      begin + (count - 1) * stride + 4 * width > bytes.size())
    return {};
  std::vector<float> values(count * width);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(values.data() + i * width, bytes.data() + begin + i * stride, 4 * width);
  return values;
}

struct ShapeWriter {
  DocumentEditor& editor;
  const GltfDocument& document;
  const PartSource& source;
  const Mesh& mesh;
  const MeshPart& part;
  Index number;  // Of the part's mesh.
  bool dropped = false;

  Json& primitive(Index p) { return editor.json["meshes"][number]["primitives"][p]; }

  void normals(const VertexBlock& block) {
    if (mesh.normals.empty() || !mesh.normals.corners.empty()) return;
    if (editor.attribute(number, block.primitives.front(), "NORMAL") == kNone) return;
    const Mat3 back = part.to_model.topLeftCorner<3, 3>().transpose();
    std::vector<float> values;
    for (Index e = 0; e < block.count; ++e) {
      const Vec3 turned = back * mesh.normals.values[mesh_vertex(part, block, e)].cast<double>();
      const Vec3 unit = turned.norm() > 0 ? Vec3(turned.normalized()) : Vec3(Vec3::UnitY());
      for (int c = 0; c < 3; ++c) values.push_back(static_cast<float>(unit[c]));
    }
    editor.set_attribute(number, block.primitives, "NORMAL", float_elements(values, "VEC3", kShapeTarget, false));
  }

  // Tangents rotate as the surface around their vertex does, from the file's positions to the new ones.
  void tangents(const VertexBlock& block) {
    const Index first = block.primitives.front();
    if (editor.attribute(number, first, "TANGENT") == kNone) return;
    const Json& attributes = document.json()["meshes"][source.mesh]["primitives"][first]["attributes"];
    std::vector<float> tangents = plain_floats(document, attributes, "TANGENT", 4);
    const std::vector<float> places = plain_floats(document, attributes, "POSITION", 3);
    const std::vector<float> normals = plain_floats(document, attributes, "NORMAL", 3);
    if (tangents.size() != 4 * block.count || places.size() != 3 * block.count || normals.size() != places.size()) {
      for (const Index p : block.primitives) editor.remove_attribute(number, p, "TANGENT");
      dropped = true;
      return;
    }
    const std::vector<Mat3> turns = surface_turns(block, places, normals);
    const Mat3 back = part.to_model.topLeftCorner<3, 3>().transpose();
    for (Index e = 0; e < block.count; ++e) {
      const Index v = mesh_vertex(part, block, e);
      const Vec3 old(static_cast<double>(tangents[4 * e]), static_cast<double>(tangents[4 * e + 1]),
                     static_cast<double>(tangents[4 * e + 2]));
      const Vec3 normal = (back * mesh.normals.values[v].cast<double>()).normalized();
      Vec3 turned = turns[v - part.first_vertex] * old;
      turned -= turned.dot(normal) * normal;
      if (!(turned.norm() > 1e-9)) continue;
      turned.normalize();
      for (int c = 0; c < 3; ++c) tangents[4 * e + static_cast<Index>(c)] = static_cast<float>(turned[c]);
    }
    editor.set_attribute(number, block.primitives, "TANGENT", float_elements(tangents, "VEC4", kShapeTarget, false));
  }

  // Per vertex of the part: the rotation that fits its edges and its normal best.
  std::vector<Mat3> surface_turns(const VertexBlock& block, const std::vector<float>& places,
                                  const std::vector<float>& normals) const {
    const auto at = [](const std::vector<float>& values, Index e) {
      return Vec3(static_cast<double>(values[3 * e]), static_cast<double>(values[3 * e + 1]),
                  static_cast<double>(values[3 * e + 2]));
    };
    const Mat4 to_file = part.to_model.inverse();
    const Mat3 back = part.to_model.topLeftCorner<3, 3>().transpose();
    std::vector<Vec3> before(part.vertex_count, Vec3::Zero()), after = before, normal = before, turned = before;
    std::vector<char> known(part.vertex_count, 0);
    for (Index e = 0; e < block.count; ++e) {
      const Index v = mesh_vertex(part, block, e), i = v - part.first_vertex;
      before[i] = at(places, e);
      after[i] = transform_point(to_file, mesh.positions[v]);
      normal[i] = at(normals, e);
      turned[i] = (back * mesh.normals.values[v].cast<double>()).normalized();
      known[i] = 1;
    }
    std::vector<Mat3> sums(part.vertex_count, Mat3::Zero());
    for (Index f = 0; f < mesh.face_count(); ++f) {
      const std::span<const Index> face = mesh.face(f);
      for (std::size_t c = 0; c < face.size(); ++c) {
        const Index a = face[c] - part.first_vertex, b = face[(c + 1) % face.size()] - part.first_vertex;
        if (a >= part.vertex_count || b >= part.vertex_count || known[a] == 0 || known[b] == 0) continue;
        const Mat3 edge = (after[b] - after[a]) * (before[b] - before[a]).transpose();
        sums[a] += edge, sums[b] += edge;
      }
    }
    for (Index i = 0; i < part.vertex_count; ++i) {
      // The normal counts as much as the edges; alone, they leave open on which side the surface is.
      const double size = std::max(sums[i].norm(), 1e-30);
      const Mat3 fit = sums[i] / size + turned[i] * normal[i].transpose();
      const Mat3 turn = polar(fit).rotation;
      sums[i] = turn.allFinite() && turn.determinant() > 0 ? turn : Mat3(Mat3::Identity());
    }
    return sums;
  }

  Index morph_accessor(const Morph& morph, const VertexBlock& block) {
    const Mat3 from_model = part.to_model.topLeftCorner<3, 3>().inverse();
    std::vector<float> values;
    for (Index e = 0; e < block.count; ++e) {
      const Index v = mesh_vertex(part, block, e) - part.first_vertex;
      const Vec3 d = from_model * morph.deltas[v].cast<double>();
      for (int c = 0; c < 3; ++c) values.push_back(static_cast<float>(d[c]));
    }
    return editor.add_accessor(float_elements(values, "VEC3", kShapeTarget, true));
  }

  void new_morphs(const VertexBlock& block) {
    Json targets = Json::array();
    for (const Morph& morph : part.morphs) targets.push_back({{"POSITION", morph_accessor(morph, block)}});
    for (const Index p : block.primitives) primitive(p)["targets"] = targets;
  }

  void morphs(const VertexBlock& block) {
    Json targets = array_at(primitive(block.primitives.front()), "targets", "primitive");
    for (std::size_t t = 0; t < targets.size() && t < part.morphs.size(); ++t) {
      dropped = dropped || targets[t].contains("NORMAL") || targets[t].contains("TANGENT");
      targets[t].erase("NORMAL");
      targets[t].erase("TANGENT");
      targets[t]["POSITION"] = morph_accessor(part.morphs[t], block);
    }
    if (targets.empty()) return;
    for (const Index p : block.primitives) primitive(p)["targets"] = targets;
  }
};

}  // namespace

void write_shape(DocumentEditor& editor, const Asset& asset, const GltfDocument& document, Report& report) {
  const std::vector<PartSource>& parts = document.parts;
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].blocks.empty()) continue;
    ShapeWriter writer{editor, document,      parts[p],
                       mesh,   mesh.parts[p], editor.json["nodes"][parts[p].node]["mesh"].get<Index>()};
    for (const VertexBlock& block : parts[p].blocks) {
      writer.normals(block);
      writer.tangents(block);
      writer.morphs(block);
    }
    if (writer.dropped)
      report.warn("gltf.dropped_tangents", mesh.parts[p].name,
                  "Its compressed tangents, or the normals and tangents of its morphs, no longer fit the new shape and "
                  "were left out.");
  }
}

void write_new_morphs(DocumentEditor& editor, const Asset& asset, const GltfDocument& document) {
  const std::vector<PartSource>& parts = document.parts;
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (parts[p].blocks.empty() || part.morphs.empty()) continue;
    ShapeWriter writer{editor, document, parts[p],
                       mesh,   part,     editor.json["nodes"][parts[p].node]["mesh"].get<Index>()};
    if (!array_at(writer.primitive(parts[p].blocks.front().primitives.front()), "targets", "primitive").empty())
      continue;
    for (const VertexBlock& block : parts[p].blocks) writer.new_morphs(block);
    Json& written = editor.json["meshes"][writer.number];
    written["weights"] = part.morph_weights;
    for (const Morph& morph : part.morphs) written["extras"]["targetNames"].push_back(morph.name);
  }
}

}  // namespace sinew::io::gltf
