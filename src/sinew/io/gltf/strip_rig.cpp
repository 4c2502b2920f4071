// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/strip_rig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/io/gltf/compact.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io {
namespace gltf {
namespace {

constexpr const char* kTransformKeys[] = {"matrix", "translation", "rotation", "scale"};

// A node cannot shear; what is left of a sheared place is the asset's `to_model` alone.
void place_node(Json& node, const Mat4& matrix) {
  for (const char* key : kTransformKeys) node.erase(key);
  const Transform t = decompose(matrix).transform;
  if (t.translation != Vec3::Zero()) node["translation"] = {t.translation.x(), t.translation.y(), t.translation.z()};
  if (t.rotation.coeffs() != Quat::Identity().coeffs())
    node["rotation"] = {t.rotation.x(), t.rotation.y(), t.rotation.z(), t.rotation.w()};
  if (t.scale != Vec3::Ones()) node["scale"] = {t.scale.x(), t.scale.y(), t.scale.z()};
}

// Positions, normals and morphs as the given asset has them, to the last bit, and wherever they were moved.
void restore_shape(const Mesh& before, StrippedRig& result) {
  Mesh& mesh = result.asset.character.rig.mesh;
  const bool normals = mesh.normals.corners.empty() && before.normals.corners.empty() &&
                       mesh.normals.values.size() == before.normals.values.size() && !mesh.normals.empty();
  for (Index p = 0; p < result.parts.size(); ++p) {
    const MeshPart& old = before.parts[result.parts[p]];
    MeshPart& part = mesh.parts[p];
    std::copy_n(before.positions.begin() + old.first_vertex, part.vertex_count,
                mesh.positions.begin() + part.first_vertex);
    if (normals)
      std::copy_n(before.normals.values.begin() + old.first_vertex, part.vertex_count,
                  mesh.normals.values.begin() + part.first_vertex);
    part.morphs = old.morphs;
    part.to_model = old.to_model;
  }
}

// Whether a node is there for more than its place.
bool shows_something(const Json& node) {
  if (node.contains("mesh") || node.contains("camera")) return true;
  if (!node.contains("extensions")) return false;
  for (const auto& extension : node["extensions"].items())
    if (extension.key() != "VRMC_node_constraint") return true;
  return false;
}

class Stripper {
 public:
  Stripper(const Asset& asset, const GltfDocument& document, const std::vector<char>& keep)
      : asset_(asset), document_(document), editor_(document), graph_(read_nodes(document)) {
    write_placement(editor_, asset);
    const std::size_t count = nodes().size();
    bare_.assign(count, false);
    kept_.assign(count, false);
    const Skeleton& skeleton = asset.character.rig.skeleton;
    for (Index j = 0; j < skeleton.size(); ++j) {
      const Index n = skeleton.joints[j].source;
      if (n == kNone || n >= count || shows_something(nodes()[n])) continue;
      bare_[n] = true;
      kept_[n] = keep[j] != 0;
    }
  }

  StrippedRig run(Report& report) {
    StrippedRig result;
    take_out_clips(result.lost_clips);
    lift_what_stays();
    take_out_skins();
    forget(report);
    const std::vector<Index> number = renumber(report);
    const Skeleton& skeleton = asset_.character.rig.skeleton;
    for (const Joint& joint : skeleton.joints)
      result.node_of_joint.push_back(
          joint.source != kNone && joint.source < kept_.size() && kept_[joint.source] ? number[joint.source] : kNone);
    Bytes bytes = compact(editor_.json, editor_.join_buffers(""));
    bytes = make_glb(editor_.json, !bytes.empty(), bytes, document_.container.others);
    result.asset = read_gltf(asset_.path, std::move(bytes), {});
    result.asset.path = asset_.path;
    result.asset.files = asset_.files;
    result.asset.warnings = asset_.warnings;
    const auto& parts = std::dynamic_pointer_cast<const GltfDocument>(result.asset.document)->parts;
    for (const PartSource& part : parts)
      for (Index p = 0; p < document_.parts.size(); ++p)
        if (number[document_.parts[p].node] == part.node) result.parts.push_back(p);
    restore_shape(asset_.character.rig.mesh, result);
    return result;
  }

 private:
  Json& nodes() { return editor_.list("nodes"); }

  void add_root(Index node) {
    Json& scenes = editor_.list("scenes");
    if (scenes.empty()) return;  // Then every node without a parent is a root.
    Json& scene = scenes[editor_.json.value("scene", std::size_t{0})];
    if (!scene.contains("nodes")) scene["nodes"] = Json::array();
    scene["nodes"].push_back(node);
  }

  bool is_part(Index node) const {
    return std::any_of(document_.parts.begin(), document_.parts.end(),
                       [&](const PartSource& part) { return part.node == node; });
  }

  void take_out_clips(std::vector<Index>& lost) {
    if (!editor_.json.contains("animations")) return;
    Json left = Json::array();
    for (Index a = 0; a < editor_.json["animations"].size(); ++a) {
      Json& animation = editor_.json["animations"][a];
      const Json& channels = array_at(animation, "channels", "animation");
      const bool goes = std::any_of(channels.begin(), channels.end(), [&](const Json& channel) {
        const Json& target = object_at(channel, "target", "channel");
        const auto node = target.value("node", kNone);
        return node < bare_.size() && target.value("path", "") != "weights" && (bare_[node] || is_part(node));
      });
      if (goes) lost.push_back(a);
      else left.push_back(std::move(animation));
    }
    if (left.empty()) editor_.json.erase("animations");
    else editor_.json["animations"] = std::move(left);
  }

  // What stays and hung on a joint, or lay where a skin put it, goes to the scene's root. Joints that are kept follow.
  void lift_what_stays() {
    std::vector<Index> skinned(nodes().size(), kNone);
    for (Index p = 0; p < document_.parts.size(); ++p)
      if (document_.parts[p].skin != kNone) skinned[document_.parts[p].node] = p;
    std::vector<Index> lifted;
    for (const Index n : graph_.order) {
      const Index parent = graph_.parent[n];
      const bool loose = parent != kNone && (bare_[parent] || skinned[parent] != kNone);
      if (bare_[n] || (skinned[n] == kNone && !loose)) continue;
      lifted.push_back(n);
      const Index part = skinned[n];
      place_node(nodes()[n], part != kNone ? asset_.character.rig.mesh.parts[part].to_model
                                           : Mat4(asset_.placement * graph_.world[n]));
    }
    std::vector<bool> moves = bare_;
    for (const Index n : lifted) moves[n] = true;
    for (Json& node : nodes()) detach(node, "children", moves);
    for (Json& scene : editor_.list("scenes")) detach(scene, "nodes", moves);
    for (const Index n : lifted)
      if (graph_.in_scene[n]) add_root(n);
    for (Index n = 0; n < bare_.size(); ++n) {
      if (!bare_[n]) continue;
      strip_joint(nodes()[n]);
      if (kept_[n]) add_root(n);
    }
    if (!editor_.list("scenes").empty()) return;
    editor_.json.erase("scenes");
    editor_.json.erase("scene");  // It may be any number if there are no scenes.
  }

  static void detach(Json& owner, const char* key, const std::vector<bool>& moves) {
    if (!owner.contains(key)) return;
    Json left = Json::array();
    for (const Json& child : owner[key])
      if (!moves[child.get<std::size_t>()]) left.push_back(child);
    // An empty list is not valid glTF.
    if (left.empty()) owner.erase(key);
    else owner[key] = std::move(left);
  }

  static void strip_joint(Json& node) {
    for (const char* key : kTransformKeys) node.erase(key);
    node.erase("children");
    node.erase("extensions");
  }

  void take_out_skins() {
    editor_.json.erase("skins");
    for (Json& node : nodes()) node.erase("skin");
    const std::size_t meshes = array_at(editor_.json, "meshes", "file").size();
    for (Index m = 0; m < meshes; ++m) {
      const std::size_t count = array_at(editor_.json["meshes"][m], "primitives", "mesh").size();
      for (Index p = 0; p < count; ++p) {
        std::vector<std::string> names;
        for (const auto& entry : editor_.json["meshes"][m]["primitives"][p]["attributes"].items())
          if (entry.key().starts_with("JOINTS_") || entry.key().starts_with("WEIGHTS_")) names.push_back(entry.key());
        for (const std::string& name : names) editor_.remove_attribute(m, p, name);
      }
    }
  }

  void forget(Report& report) {
    gone_.assign(nodes().size(), false);
    for (std::size_t n = 0; n < bare_.size(); ++n) gone_[n] = bare_[n] && !kept_[n];
    const std::vector<std::string> told = forget_nodes(editor_.json, gone_);
    if (!told.empty())
      report.warn("gltf.dropped_tables", "",
                  fmt::format("The file's extensions refer to joints that the new skeleton does not have, so these "
                              "entries were left out: {}.",
                              fmt::join(told, ", ")));
  }

  // The new number of each node. Where references may lie that are not known, all stay, those of no use outside the
  // scene.
  std::vector<Index> renumber(Report& report) {
    std::vector<Index> number(nodes().size());
    for (Index n = 0; n < number.size(); ++n) number[n] = n;
    if (!node_numbers_are_known(editor_.json)) {
      report.warn("gltf.kept_nodes", "",
                  "The file has extensions that may refer to its nodes, so the nodes of the old skeleton stay in the "
                  "file, outside the scene.");
      return number;
    }
    Json left = Json::array();
    for (Index n = 0; n < number.size(); ++n) {
      number[n] = gone_[n] ? kNone : static_cast<Index>(left.size());
      if (!gone_[n]) left.push_back(std::move(nodes()[n]));
    }
    editor_.json["nodes"] = std::move(left);
    visit_node_numbers(editor_.json, [&](Json& reference) {
      if (reference.get<std::size_t>() < number.size()) reference = number[reference.get<std::size_t>()];
    });
    return number;
  }

  const Asset& asset_;
  const GltfDocument& document_;
  DocumentEditor editor_;
  NodeGraph graph_;
  std::vector<bool> bare_;  // Nodes of the skeleton that show nothing themselves.
  std::vector<bool> kept_;  // Of these, those that stay.
  std::vector<bool> gone_;
};

}  // namespace
}  // namespace gltf

StrippedRig strip_rig(const Asset& asset, const std::vector<char>& keep, Report& report) {
  const auto document = std::dynamic_pointer_cast<const gltf::GltfDocument>(asset.document);
  if (!document) throw Error("The character has no glTF document from which a skeleton can be removed.");
  return gltf::Stripper(asset, *document, keep).run(report);
}

}  // namespace sinew::io
