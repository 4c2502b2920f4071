// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/template.h"
#include "sinew/rigging/embed/sphere_graph.h"

namespace sinew::rigging::test {

/// A sphere graph of given spheres and edges; its ways are found by Floyd and Warshall's method.
inline SphereGraph toy_graph(std::vector<Sphere> spheres, const std::vector<std::pair<Index, Index>>& edges) {
  SphereGraph graph;
  graph.spheres = std::move(spheres);
  const std::size_t n = graph.spheres.size();
  graph.distance.assign(n * n, SphereGraph::kUnreachable);
  graph.previous.resize(n * n);
  std::vector<std::vector<Index>> lists(n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) graph.previous[u * n + v] = static_cast<std::uint16_t>(v);
    graph.distance[u * n + u] = 0;
  }
  for (const auto& edge : edges) {
    for (const auto& [u, v] : {edge, std::pair<Index, Index>(edge.second, edge.first)}) {
      lists[u].push_back(v);
      graph.distance[u * n + v] = static_cast<float>((graph.spheres[u].center - graph.spheres[v].center).norm());
      graph.previous[u * n + v] = static_cast<std::uint16_t>(u);
    }
  }
  for (std::size_t u = 0; u < n; ++u) {
    std::sort(lists[u].begin(), lists[u].end());
    for (const Index v : lists[u]) {
      graph.neighbours.items.push_back(v);
      graph.lengths.push_back(graph.distance[u * n + v]);
    }
    graph.neighbours.offsets.push_back(static_cast<Index>(graph.neighbours.items.size()));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < n; ++v) {
        const float through = graph.distance[u * n + k] + graph.distance[k * n + v];
        if (!(through < graph.distance[u * n + v])) continue;
        graph.distance[u * n + v] = through;
        graph.previous[u * n + v] = graph.previous[k * n + v];
      }
    }
  }
  return graph;
}

/// Adds a joint; that of the right side finds its partner by the name, which must be there already.
inline Index add_joint(Template& t, const std::string& name, const std::string& parent, const Vec3& position) {
  const auto find = [&](const std::string& wanted) {
    for (Index i = 0; i < t.joints.size(); ++i) {
      if (t.joints[i].name == wanted) return i;
    }
    return kNone;
  };
  Template::Joint joint;
  joint.name = name;
  joint.parent = find(parent);
  joint.position = position;
  if (name.rfind("Right", 0) == 0) joint.partner = find("Left" + name.substr(5));
  const auto number = static_cast<Index>(t.joints.size());
  if (joint.partner != kNone) t.joints[joint.partner].partner = number;
  t.joints.push_back(std::move(joint));
  return number;
}

/// A person of 18 joints as the method has it: between the shoulders, back, between the hips, head, four joints to a
/// leg and three to an arm. Faces +z, left is +x, arms 25 degrees below the horizontal.
inline Template human_of_18() {
  Template t;
  t.name = "human18";
  t.joints[add_joint(t, "Shoulders", "", {0, 1.40, 0})].fat = true;
  add_joint(t, "Back", "Shoulders", {0, 1.18, 0});
  t.joints[add_joint(t, "Hips", "Back", {0, 0.96, 0})].fat = true;
  add_joint(t, "Head", "Shoulders", {0, 1.65, 0.02});
  for (const double side : {1.0, -1.0}) {
    const std::string word = side > 0 ? "Left" : "Right";
    add_joint(t, word + "Thigh", "Hips", {0.09 * side, 0.92, 0});
    add_joint(t, word + "Knee", word + "Thigh", {0.10 * side, 0.50, 0.01});
    add_joint(t, word + "Ankle", word + "Knee", {0.11 * side, 0.09, -0.02});
    t.joints[add_joint(t, word + "Foot", word + "Ankle", {0.12 * side, 0.03, 0.10})].foot = true;
  }
  for (const double side : {1.0, -1.0}) {
    const std::string word = side > 0 ? "Left" : "Right";
    const Vec3 shoulder(0.18 * side, 1.40, 0), along(0.9063 * side, -0.4226, 0);
    add_joint(t, word + "Shoulder", "Shoulders", shoulder);
    add_joint(t, word + "Elbow", word + "Shoulder", shoulder + 0.28 * along);
    add_joint(t, word + "Hand", word + "Elbow", shoulder + 0.58 * along);
  }
  return t;
}

inline Index joint_named(const Template& t, const std::string& name) {
  for (Index i = 0; i < t.joints.size(); ++i) {
    if (t.joints[i].name == name) return i;
  }
  return kNone;
}

}  // namespace sinew::rigging::test
