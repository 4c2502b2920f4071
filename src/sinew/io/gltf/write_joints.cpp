// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <vector>

#include "sinew/io/gltf/driver_extras.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

Mat4 joint_matrix(const Joint& joint) {
  Mat4 m = joint.rest.matrix();
  m.topLeftCorner<3, 3>() *= joint.shear;
  return m;
}

void set_transform(Json& node, const Joint& joint) {
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
  if (joint.shear != Mat3::Identity()) {
    const Mat4 m = joint_matrix(joint);
    node["matrix"] = std::vector<double>(m.data(), m.data() + 16);
    return;
  }
  const Transform& t = joint.rest;
  if (t.translation != Vec3::Zero()) node["translation"] = {t.translation.x(), t.translation.y(), t.translation.z()};
  if (t.rotation.coeffs() != Quat::Identity().coeffs())
    node["rotation"] = {t.rotation.x(), t.rotation.y(), t.rotation.z(), t.rotation.w()};
  if (t.scale != Vec3::Ones()) node["scale"] = {t.scale.x(), t.scale.y(), t.scale.z()};
}

// In a file without scenes every node without a parent is a root.
Json all_roots(DocumentEditor& editor) {
  const Json& nodes = editor.list("nodes");
  std::vector<bool> is_child(nodes.size(), false);
  for (const Json& node : nodes)
    for (const Json& child : array_at(node, "children", "node")) is_child[child.get<std::size_t>()] = true;
  Json roots = Json::array();
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (!is_child[n]) roots.push_back(n);
  return roots;
}

// Before references into the document are taken, because new keys move the others.
void make_scene(DocumentEditor& editor) {
  if (!editor.list("scenes").empty()) return;
  Json scene = {{"nodes", all_roots(editor)}};
  editor.list("scenes").push_back(std::move(scene));
  editor.json["scene"] = 0;
}

Json& scene_of(DocumentEditor& editor) { return editor.list("scenes")[editor.json.value("scene", std::size_t{0})]; }

Json& child_list(DocumentEditor& editor, Index node) {
  Json& owner = node == kNone ? scene_of(editor) : editor.list("nodes")[node];
  return owner[node == kNone ? "nodes" : "children"];
}

void attach(DocumentEditor& editor, Index parent, Index child) {
  Json& children = child_list(editor, parent);
  if (!children.is_array()) children = Json::array();
  children.push_back(child);
}

void detach(DocumentEditor& editor, Index parent, Index child) {
  Json& children = child_list(editor, parent);
  if (!children.is_array()) return;
  const auto found = std::find(children.begin(), children.end(), Json(child));
  if (found != children.end()) children.erase(found);
  // An empty list of children is not valid glTF.
  if (parent != kNone && children.empty()) editor.list("nodes")[parent].erase("children");
}

std::vector<Index> parents_of(const Json& nodes) {
  std::vector<Index> parent(nodes.size(), kNone);
  for (Index n = 0; n < nodes.size(); ++n)
    for (const Json& child : array_at(nodes[n], "children", "node")) parent[child.get<std::size_t>()] = n;
  return parent;
}

}  // namespace

void make_animatable(Json& node, const Joint& joint) {
  if (node.contains("matrix") && joint.shear == Mat3::Identity()) set_transform(node, joint);
}

Index write_placement(DocumentEditor& editor, const Asset& asset) {
  if (asset.placement == Mat4::Identity()) return kNone;
  make_scene(editor);
  const Json& scene = scene_of(editor);
  const Json roots = array_at(scene, "nodes", "scene");
  Json& nodes = editor.list("nodes");
  Json moved = Json::array(), kept = Json::array();
  for (const Json& root : roots) {
    // A skinned mesh is placed by its joints alone and belongs at the top.
    const Json& node = nodes[root.get<std::size_t>()];
    (node.contains("skin") && !node.contains("children") ? kept : moved).push_back(root);
  }
  const auto number = static_cast<Index>(nodes.size());
  Joint joint;
  joint.rest = decompose(asset.placement).transform;
  Json node = {{"name", "placement"}};
  set_transform(node, joint);
  if (!moved.empty()) node["children"] = moved;
  nodes.push_back(std::move(node));
  kept.insert(kept.begin(), number);
  scene_of(editor)["nodes"] = kept;
  return number;
}

std::vector<Index> write_joints(DocumentEditor& editor, const Asset& asset, Index placement, bool fresh) {
  const Skeleton& skeleton = asset.character.rig.skeleton;
  make_scene(editor);
  Json& nodes = editor.list("nodes");
  std::vector<Index> parent = parents_of(nodes);
  std::vector<Index> node_of_joint(skeleton.joints.size(), kNone);
  // The joints of a skin must have a root in common; an existing file keeps those it has.
  Index common_root = kNone;
  const auto roots = std::count_if(skeleton.joints.begin(), skeleton.joints.end(),
                                   [](const Joint& joint) { return joint.parent == kNone; });
  if (fresh && roots > 1) {
    common_root = static_cast<Index>(nodes.size());
    nodes.push_back({{"name", "root"}});
    parent.push_back(kNone);
    attach(editor, kNone, common_root);
  }
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (j == 0 && placement != kNone && joint.name == "placement" && joint.source == kNone) {
      node_of_joint[j] = placement;
      continue;
    }
    const Index wanted_parent = joint.parent == kNone ? common_root : node_of_joint[joint.parent];
    if (fresh || joint.source == kNone || joint.source >= nodes.size()) {
      Json node = {{"name", joint.name}};
      set_transform(node, joint);
      nodes.push_back(std::move(node));
      parent.push_back(wanted_parent);
      node_of_joint[j] = static_cast<Index>(nodes.size() - 1);
      attach(editor, wanted_parent, node_of_joint[j]);
      continue;
    }
    const Index n = joint.source;
    node_of_joint[j] = n;
    if (name_of(nodes[n], "node", n) != joint.name) nodes[n]["name"] = joint.name;
    const Mat4 wanted = joint_matrix(joint), have = local_matrix(nodes[n], place("node", n));
    if ((wanted - have).cwiseAbs().maxCoeff() > 1e-9 * std::max(1.0, have.cwiseAbs().maxCoeff()))
      set_transform(nodes[n], joint);
    if (parent[n] != wanted_parent && !(joint.parent == kNone && parent[n] == kNone)) {
      detach(editor, parent[n], n);
      attach(editor, wanted_parent, n);
      parent[n] = wanted_parent;
    }
  }
  write_drivers(editor.list("nodes"), skeleton, node_of_joint);
  // An avatar's own table names its bones.
  if (!names_humanoid(editor.json)) write_joint_extras(editor.list("nodes"), skeleton, node_of_joint);
  return node_of_joint;
}

void hang_rigid_parts(DocumentEditor& editor, const Asset& asset, const GltfDocument& document,
                      const std::vector<Index>& node_of_joint, bool fresh) {
  const Rig& rig = asset.character.rig;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const NodeGraph graph = read_nodes(document);
  const std::vector<Index> parent = parents_of(editor.json["nodes"]);
  for (std::size_t p = 0; p < document.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const Index node = document.parts[p].node;
    if (part.skin != kNone || part.joint == kNone) continue;
    const Index joint_node = node_of_joint[part.joint];
    if (node == joint_node || parent[node] == joint_node) continue;
    if (!fresh) {
      // It keeps its place: joint · local is where it was.
      Joint hung;
      const Decomposed local = decompose(rest[part.joint].inverse() * asset.placement * graph.world[node]);
      hung.rest = local.transform;
      hung.shear = local.shear;
      set_transform(editor.json["nodes"][node], hung);
      detach(editor, parent[node], node);
    }
    attach(editor, joint_node, node);
  }
}

}  // namespace sinew::io::gltf
