// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/LU>
#include <algorithm>

#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

constexpr int kShapeTarget = 34962;

struct ShapeWriter {
  DocumentEditor& editor;
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

  void tangents(const VertexBlock& block) {
    for (const Index p : block.primitives) {
      if (editor.attribute(number, p, "TANGENT") == kNone) continue;
      editor.remove_attribute(number, p, "TANGENT");
      dropped = true;
    }
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

void write_shape(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts, Report& report) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].blocks.empty()) continue;
    ShapeWriter writer{editor, mesh, mesh.parts[p], editor.json["nodes"][parts[p].node]["mesh"].get<Index>()};
    for (const VertexBlock& block : parts[p].blocks) {
      writer.normals(block);
      writer.tangents(block);
      writer.morphs(block);
    }
    if (writer.dropped)
      report.warn("gltf.dropped_tangents", mesh.parts[p].name,
                  "Its tangents and the normals of its morphs no longer fit the new shape and were left out.");
  }
}

void write_new_morphs(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (parts[p].blocks.empty() || part.morphs.empty()) continue;
    ShapeWriter writer{editor, mesh, part, editor.json["nodes"][parts[p].node]["mesh"].get<Index>()};
    if (!array_at(writer.primitive(parts[p].blocks.front().primitives.front()), "targets", "primitive").empty())
      continue;
    for (const VertexBlock& block : parts[p].blocks) writer.new_morphs(block);
    Json& written = editor.json["meshes"][writer.number];
    written["weights"] = part.morph_weights;
    for (const Morph& morph : part.morphs) written["extras"]["targetNames"].push_back(morph.name);
  }
}

}  // namespace sinew::io::gltf
