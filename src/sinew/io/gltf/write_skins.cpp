// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "sinew/core/joint_steps.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/quantize.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

constexpr int kVertexTarget = 34962;

bool same_matrix(const Mat4& a, const Mat4& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 1e-9 * std::max(1.0, a.cwiseAbs().maxCoeff());
}

void fill_skin(DocumentEditor& editor, Json& skin_json, const Skin& skin, const Mat4& to_model,
               const std::vector<Index>& node_of_joint) {
  if (!skin_json.contains("name") && !skin.name.empty()) skin_json["name"] = skin.name;
  Json joints = Json::array();
  std::vector<float> values;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    joints.push_back(node_of_joint[skin.joints[k]]);
    const Mat4 bind = skin.inverse_bind[k] * to_model;
    for (int i = 0; i < 16; ++i) values.push_back(i % 4 == 3 ? (i == 15 ? 1.0F : 0.0F) : static_cast<float>(bind(i)));
  }
  // The named root may no longer stand above all joints; readers do not need it.
  if (skin_json.contains("joints") && skin_json["joints"] != joints) skin_json.erase("skeleton");
  skin_json["joints"] = std::move(joints);
  const NewElements elements = float_elements(values, "MAT4", 0, false);
  const Index old = skin_json.value("inverseBindMatrices", kNone);
  if (old != kNone && editor.accessor_uses(old) == 1) editor.replace_accessor(old, elements);
  else skin_json["inverseBindMatrices"] = editor.add_accessor(elements);
}

// The influences of one vertex as the file will hold them. Rows that are written as they are have no shares.
struct Row {
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> shares;
  std::vector<float> values;
};

struct WeightWriter {
  std::uint32_t units;
  Component component;
  std::size_t sets;

  NewElements weights(const std::vector<Row>& rows, std::size_t set) const {
    NewElements elements;
    elements.component = component;
    elements.type = "VEC4";
    elements.count = rows.size();
    elements.normalized = component != Component::kF32;
    elements.target = kVertexTarget;
    const std::size_t size = component_bytes(component);
    elements.bytes.resize(rows.size() * 4 * size);
    std::byte* target = elements.bytes.data();
    for (const Row& row : rows)
      for (std::size_t k = 4 * set; k < 4 * set + 4; ++k, target += size) {
        const std::uint32_t share = k < row.shares.size() ? row.shares[k] : 0;
        const float value =
            k < row.values.size() ? row.values[k] : static_cast<float>(share) / static_cast<float>(kFloatUnits);
        if (component == Component::kF32) std::memcpy(target, &value, size);
        else std::memcpy(target, &share, size);
      }
    return elements;
  }

  NewElements joints(const std::vector<Row>& rows, std::size_t set, std::size_t joint_count) const {
    NewElements elements;
    elements.component = joint_count <= 256 ? Component::kU8 : Component::kU16;
    elements.type = "VEC4";
    elements.count = rows.size();
    elements.target = kVertexTarget;
    const std::size_t size = component_bytes(elements.component);
    elements.bytes.resize(rows.size() * 4 * size);
    std::byte* target = elements.bytes.data();
    for (const Row& row : rows)
      for (std::size_t k = 4 * set; k < 4 * set + 4; ++k, target += size) {
        // A joint of weight zero must be number zero.
        const bool moves = k < row.values.size() || (k < row.shares.size() && row.shares[k] > 0);
        const std::uint32_t slot = moves ? row.slots[k] : 0;
        std::memcpy(target, &slot, size);
      }
    return elements;
  }
};

// Whether a row may be written to the bit: the specification asks for sums within 2e-7 per weight.
bool valid_as_stored(std::span<const Influence> row, Index cap) {
  constexpr double kSumError = 1e-7;
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!(row[i].weight > 0) || !std::isfinite(row[i].weight)) return false;
    for (std::size_t k = 0; k < i; ++k)
      if (row[k].joint == row[i].joint) return false;
    sum += static_cast<double>(row[i].weight);
  }
  return !row.empty() && row.size() <= cap && std::abs(sum - 1) <= kSumError * static_cast<double>(row.size());
}

/// Rows to write: those of the character, which are kept where they are valid, and the same with the sum 1 and limited.
struct WeightRows {
  const SkinWeights& stored;
  SkinWeights repaired;
  Index cap;

  bool as_stored(Index vertex) const { return valid_as_stored(stored.row(vertex), cap); }
};

std::vector<Row> make_rows(const WeightRows& weights, const MeshPart& part, const VertexBlock& block,
                           const std::map<Index, std::uint32_t>& slot_of, const WeightWriter& writer,
                           std::size_t& empty) {
  std::vector<Row> rows(block.count);
  std::vector<float> values;
  for (Index e = 0; e < block.count; ++e) {
    values.clear();
    const Index vertex = mesh_vertex(part, block, e);
    const bool as_stored = writer.component == Component::kF32 && weights.as_stored(vertex);
    for (const Influence& influence : (as_stored ? weights.stored : weights.repaired).row(vertex)) {
      const auto slot = slot_of.find(influence.joint);
      if (slot == slot_of.end())
        throw Error(fmt::format("Part '{}' has weights on a joint that its skin does not list.", part.name));
      rows[e].slots.push_back(slot->second);
      values.push_back(influence.weight);
    }
    if (values.empty()) {
      rows[e].slots.push_back(0);
      values.push_back(1.0F);
      ++empty;
    }
    if (as_stored) rows[e].values = values;
    else rows[e].shares = share_out(values, writer.units);
  }
  return rows;
}

}  // namespace

void separate_instances(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                        bool colors_changed) {
  const Rig& rig = asset.character.rig;
  const auto differ = [&](Index a, Index b) {
    const MeshPart &x = rig.mesh.parts[a], &y = rig.mesh.parts[b];
    if ((x.skin == kNone) != (y.skin == kNone)) return true;
    if (x.skin != y.skin && rig.skins[x.skin].joints != rig.skins[y.skin].joints) return true;
    const Mat4 from_x = x.to_model.inverse(), from_y = y.to_model.inverse();
    for (Index v = 0; v < x.vertex_count; ++v) {
      const auto row_x = rig.weights.empty() ? std::span<const Influence>() : rig.weights.row(x.first_vertex + v);
      const auto row_y = rig.weights.empty() ? std::span<const Influence>() : rig.weights.row(y.first_vertex + v);
      if (x.skin != kNone && !std::equal(row_x.begin(), row_x.end(), row_y.begin(), row_y.end())) return true;
      if (colors_changed && rig.mesh.colors[x.first_vertex + v] != rig.mesh.colors[y.first_vertex + v]) return true;
      const Vec3 px = transform_point(from_x, rig.mesh.positions[x.first_vertex + v]);
      const Vec3 py = transform_point(from_y, rig.mesh.positions[y.first_vertex + v]);
      if ((px - py).norm() > 1e-6 * std::max(1e-6, px.norm())) return true;
    }
    return false;
  };
  for (Index p = 1; p < parts.size(); ++p)
    for (Index q = 0; q < p; ++q) {
      if (parts[p].mesh == kNone || parts[q].mesh != parts[p].mesh || !differ(p, q)) continue;
      Json& meshes = editor.list("meshes");
      Json copy = meshes[parts[p].mesh];
      editor.json["nodes"][parts[p].node]["mesh"] = meshes.size();
      meshes.push_back(std::move(copy));
      break;
    }
}

void write_skins(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                 const std::vector<Index>& node_of_joint) {
  struct Written {
    Index skin;
    Mat4 to_model;
    Index number;
  };
  const Rig& rig = asset.character.rig;
  std::vector<Written> written;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    if (part.skin == kNone || parts[p].blocks.empty()) {
      editor.list("nodes")[parts[p].node].erase("skin");
      continue;
    }
    auto known = std::find_if(written.begin(), written.end(), [&](const Written& w) {
      return w.skin == part.skin && same_matrix(w.to_model, part.to_model);
    });
    if (known == written.end()) {
      // The part's old skin is taken over, unless another part's took it first.
      Index number = parts[p].skin;
      const bool taken =
          std::any_of(written.begin(), written.end(), [&](const Written& w) { return w.number == number; });
      Json& skins = editor.list("skins");
      if (number == kNone || number >= skins.size() || taken) {
        number = static_cast<Index>(skins.size());
        skins.push_back(Json::object());
      }
      Json skin_json = skins[number];
      fill_skin(editor, skin_json, rig.skins[part.skin], part.to_model, node_of_joint);
      editor.list("skins")[number] = std::move(skin_json);
      written.push_back({part.skin, part.to_model, number});
      known = written.end() - 1;
    }
    editor.list("nodes")[parts[p].node]["skin"] = known->number;
  }
}

void write_weights(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                   const SaveOptions& options, Report& report) {
  const Rig& rig = asset.character.rig;
  Index cap = options.max_influences > 0 ? static_cast<Index>(options.max_influences) : 8;
  cap = std::min<Index>(cap, 8);
  WeightRows rows_to_write{rig.weights, rig.weights.normalized(), cap};
  SkinWeights& weights = rows_to_write.repaired;
  if (weights.max_influences() > cap) {
    const JointSteps steps(rig.skeleton);
    CapResult capped = cap_influences(weights, static_cast<int>(cap), &steps);
    weights = std::move(capped.weights);
    report.warn("weights.capped", "",
                fmt::format("Rows were limited to {} influences; the largest share dropped is {:.3g}.", cap,
                            capped.largest_share));
  }
  const std::string& type = options.weight_type;
  WeightWriter writer{type == "u8"    ? 255U
                      : type == "u16" ? 65535U
                                      : kFloatUnits,
                      type == "u8"    ? Component::kU8
                      : type == "u16" ? Component::kU16
                                      : Component::kF32,
                      1};
  std::size_t empty = 0;
  for (Index p = 0; p < parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    if (part.skin == kNone || parts[p].blocks.empty()) continue;
    const Skin& skin = rig.skins[part.skin];
    std::map<Index, std::uint32_t> slot_of;
    for (std::uint32_t k = 0; k < skin.joints.size(); ++k) slot_of.try_emplace(skin.joints[k], k);
    Index most = 0;
    for (Index v = 0; v < part.vertex_count; ++v)
      most = std::max(most, static_cast<Index>(weights.row(part.first_vertex + v).size()));
    writer.sets = most > 4 ? 2 : 1;
    const auto mesh = editor.json["nodes"][parts[p].node]["mesh"].get<Index>();
    for (const VertexBlock& block : parts[p].blocks) {
      const std::vector<Row> rows = make_rows(rows_to_write, part, block, slot_of, writer, empty);
      for (std::size_t set = 0; set < writer.sets; ++set) {
        const std::string joints_name = fmt::format("JOINTS_{}", set), weights_name = fmt::format("WEIGHTS_{}", set);
        editor.set_attribute(mesh, block.primitives, joints_name, writer.joints(rows, set, skin.joints.size()));
        editor.set_attribute(mesh, block.primitives, weights_name, writer.weights(rows, set));
      }
      for (std::size_t set = writer.sets; set < 64; ++set)
        for (const Index primitive : block.primitives) {
          editor.remove_attribute(mesh, primitive, fmt::format("JOINTS_{}", set));
          editor.remove_attribute(mesh, primitive, fmt::format("WEIGHTS_{}", set));
        }
    }
  }
  if (empty > 0)
    report.fallbacks.push_back(
        {"weights.empty_row", "first joint of the skin", empty,
         fmt::format("{} vertices have no weights; they follow the first joint of their skin.", empty)});
}

void write_colors(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].blocks.empty()) continue;
    const auto number = editor.json["nodes"][parts[p].node]["mesh"].get<Index>();
    for (const VertexBlock& block : parts[p].blocks) {
      std::vector<float> values;
      values.reserve(4 * std::size_t{block.count});
      for (Index e = 0; e < block.count; ++e) {
        const Vec4f& color = mesh.colors[mesh_vertex(mesh.parts[p], block, e)];
        for (int c = 0; c < 4; ++c) values.push_back(std::clamp(color[c], 0.0F, 1.0F));
      }
      editor.set_attribute(number, block.primitives, "COLOR_0", float_elements(values, "VEC4", kVertexTarget, false));
    }
  }
}

void write_positions(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    if (parts[p].blocks.empty()) continue;
    const Mat4 from_model = part.to_model.inverse();
    const auto number = editor.json["nodes"][parts[p].node]["mesh"].get<Index>();
    for (const VertexBlock& block : parts[p].blocks) {
      std::vector<float> values;
      values.reserve(3 * std::size_t{block.count});
      for (Index e = 0; e < block.count; ++e) {
        const Vec3 q = transform_point(from_model, mesh.positions[mesh_vertex(part, block, e)]);
        for (int c = 0; c < 3; ++c) values.push_back(static_cast<float>(q[c]));
      }
      editor.set_attribute(number, block.primitives, "POSITION", float_elements(values, "VEC3", kVertexTarget, true));
    }
  }
}

}  // namespace sinew::io::gltf
