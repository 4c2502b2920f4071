// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>
#include <Eigen/LU>
#include <cmath>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {
namespace {

Transform read_trs(const Json& node, const std::string& where) {
  Transform t;
  std::array<double, 4> r = {0, 0, 0, 1};
  numbers_at(node, "translation", {t.translation.data(), 3}, where);
  numbers_at(node, "scale", {t.scale.data(), 3}, where);
  if (numbers_at(node, "rotation", r, where)) {
    const Quat q(r[3], r[0], r[1], r[2]);
    t.rotation = q.norm() > 1e-12 ? q.normalized() : Quat::Identity();
  }
  return t;
}

bool read_matrix(const Json& node, const std::string& where, Mat4& matrix) {
  if (!numbers_at(node, "matrix", {matrix.data(), 16}, where)) return false;  // Both are column-major.
  if (matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) throw Error(where + ": its matrix is not affine.");
  return true;
}

// Depth-first, children in the order of the file. A node met twice is its own ancestor: each has one parent at most.
void walk(const Json& nodes, Index root, const std::vector<std::vector<Index>>& children, std::vector<bool>& seen,
          std::vector<Index>& order) {
  std::vector<Index> stack = {root};
  while (!stack.empty()) {
    const Index node = stack.back();
    stack.pop_back();
    if (seen[node]) throw Error(fmt::format("Node {} of {} is reached twice from the root.", node, nodes.size()));
    seen[node] = true;
    order.push_back(node);
    stack.insert(stack.end(), children[node].rbegin(), children[node].rend());
  }
}

bool is_end_name(const std::string& name) {
  for (const char* ending : {"_end", "_End", "_END", "End Site", "Nub", "_leaf"})
    if (name.ends_with(ending)) return true;
  return false;
}

// Which nodes the skeleton holds.
std::vector<bool> select_nodes(const GltfDocument& document, const NodeGraph& graph, std::vector<bool>& is_joint) {
  const Json& json = document.json();
  const Json& nodes = array_at(json, "nodes", "file");
  const Json& skins = array_at(json, "skins", "file");
  std::vector<bool> wanted(nodes.size(), false);
  for (std::size_t s = 0; s < skins.size(); ++s)
    for (const Json& joint : array_at(element_at(skins, s, place("skin", s)), "joints", place("skin", s))) {
      if (!joint.is_number_unsigned() || joint.get<std::uint64_t>() >= nodes.size())
        throw Error(fmt::format("skin {}: its joint {} is not a node.", s, joint.dump()));
      is_joint[joint.get<std::size_t>()] = true;
    }
  bool moves = !skins.empty();
  const Json& animations = array_at(json, "animations", "file");
  for (std::size_t a = 0; a < animations.size(); ++a) {
    const std::string where = place("animation", a);
    for (const Json& channel : array_at(element_at(animations, a, where), "channels", where)) {
      const Json& target = object_at(channel, "target", where);
      const Index node = index_at(target, "node", nodes.size(), where);
      if (node == kNone || !graph.in_scene[node] || text_at(target, "path", where) == "weights") continue;
      wanted[node] = moves = true;
    }
  }
  for (const Index node : animated_humanoid(json))
    if (node < nodes.size()) wanted[node] = moves = true;
  for (Index n = 0; n < nodes.size(); ++n) {
    const bool rigid = graph.in_scene[n] && nodes[n].contains("mesh") && !nodes[n].contains("skin");
    // What is scaled to nothing at rest needs its node to be shown so, even where nothing moves.
    if (is_joint[n] || (rigid && (moves || !is_invertible(graph.world[n])))) wanted[n] = true;
  }
  // Parents come first in the order, so one pass each way reaches all ancestors and all that hangs below joints.
  std::vector<bool> below(nodes.size(), false);
  for (const Index n : graph.order) {
    const Index parent = graph.parent[n];
    below[n] = is_joint[n] || (parent != kNone && below[parent]);
    if (below[n] && !nodes[n].contains("skin")) wanted[n] = true;
  }
  for (auto n = graph.order.rbegin(); n != graph.order.rend(); ++n)
    if (wanted[*n] && graph.parent[*n] != kNone) wanted[graph.parent[*n]] = true;
  return wanted;
}

}  // namespace

Mat4 local_matrix(const Json& node, const std::string& where) {
  Mat4 matrix;
  return read_matrix(node, where, matrix) ? matrix : read_trs(node, where).matrix();
}

bool is_invertible(const Mat4& m) {
  const Mat3 a = m.topLeftCorner<3, 3>();
  const double size = a.colwise().norm().maxCoeff();
  return a.allFinite() && size > 1e-30 && std::abs(a.determinant()) > 1e-9 * size * size * size;
}

std::string name_of(const Json& element, std::string_view kind, std::size_t index) {
  const auto name = element.find("name");
  if (name != element.end() && name->is_string() && !name->get_ref<const std::string&>().empty())
    return name->get<std::string>();
  return fmt::format("{}_{}", kind, index);
}

NodeGraph read_nodes(const GltfDocument& document) {
  const Json& nodes = array_at(document.json(), "nodes", "file");
  NodeGraph graph;
  graph.parent.assign(nodes.size(), kNone);
  graph.joint.assign(nodes.size(), kNone);
  std::vector<std::vector<Index>> children(nodes.size());
  for (Index n = 0; n < nodes.size(); ++n) {
    const std::string where = place("node", n);
    const Json& node = element_at(nodes, n, where);
    graph.local.push_back(local_matrix(node, where));
    for (const Json& child : array_at(node, "children", where)) {
      if (!child.is_number_unsigned() || child.get<std::uint64_t>() >= nodes.size())
        throw Error(fmt::format("{}: its child {} does not exist.", where, child.dump()));
      const auto c = child.get<Index>();
      if (graph.parent[c] != kNone)
        throw Error(fmt::format("Node {} is a child of node {} and of node {}.", c, graph.parent[c], n));
      graph.parent[c] = n;
      children[n].push_back(c);
    }
  }
  const Json& scenes = array_at(document.json(), "scenes", "file");
  std::vector<bool> seen(nodes.size(), false);
  if (!scenes.empty()) {
    const Index chosen = index_at(document.json(), "scene", scenes.size(), "file");
    const Json& scene = element_at(scenes, chosen == kNone ? 0 : chosen, "scene");
    for (const Json& root : array_at(scene, "nodes", "scene")) {
      if (!root.is_number_unsigned() || root.get<std::uint64_t>() >= nodes.size())
        throw Error(fmt::format("The scene's node {} does not exist.", root.dump()));
      const auto r = root.get<Index>();
      if (graph.parent[r] != kNone)
        throw Error(fmt::format("The scene's root node {} is a child of node {}.", r, graph.parent[r]));
      walk(nodes, r, children, seen, graph.order);
    }
    graph.in_scene = seen;
  } else {
    graph.in_scene.assign(nodes.size(), true);
  }
  for (Index n = 0; n < nodes.size(); ++n)
    if (graph.parent[n] == kNone && !seen[n]) walk(nodes, n, children, seen, graph.order);
  for (Index n = 0; n < nodes.size(); ++n)
    if (!seen[n]) throw Error(fmt::format("Node {} is its own ancestor.", n));
  graph.world = graph.local;
  for (const Index n : graph.order)
    if (graph.parent[n] != kNone) graph.world[n] = graph.world[graph.parent[n]] * graph.local[n];
  for (Index n = 0; n < nodes.size(); ++n)
    if (!graph.world[n].allFinite()) throw Error(fmt::format("Node {}: its transform is not finite.", n));
  return graph;
}

void read_skeleton(const GltfDocument& document, NodeGraph& graph, Character& character) {
  const Json& nodes = array_at(document.json(), "nodes", "file");
  std::vector<bool> is_joint(nodes.size(), false);
  const std::vector<bool> wanted = select_nodes(document, graph, is_joint);
  Skeleton& skeleton = character.rig.skeleton;
  for (const Index n : graph.order) {
    if (!wanted[n]) continue;
    const std::string where = place("node", n);
    Joint joint;
    joint.name = name_of(nodes[n], "node", n);
    joint.parent = graph.parent[n] == kNone ? kNone : graph.joint[graph.parent[n]];
    joint.deforming = is_joint[n];
    joint.source = n;
    Mat4 matrix;
    if (read_matrix(nodes[n], where, matrix)) {
      const Decomposed parts = decompose(matrix);
      joint.rest = parts.transform;
      joint.shear = parts.shear;
    } else {
      joint.rest = read_trs(nodes[n], where);
    }
    if (is_end_name(joint.name)) {
      joint.role = "end";
      if (joint.parent != kNone) skeleton.joints[joint.parent].end_local = joint.rest.translation;
    }
    graph.joint[n] = skeleton.size();
    skeleton.joints.push_back(std::move(joint));
  }
  // An end node tells where a leaf ends; a joint that goes on in other children is no leaf.
  const auto children = skeleton.children();
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].end_local && children[j].size() != 1) skeleton.joints[j].end_local.reset();
}

}  // namespace sinew::io::gltf
