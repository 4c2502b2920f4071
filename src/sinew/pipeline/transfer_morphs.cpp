// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_morphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::pipeline {
namespace {

constexpr double kLeastDelta_rel = 1e-5;
constexpr double kSmallShell_rel = 0.06;

/// A morph of the whole reference: several parts may have one of the same name.
struct BodyMorph {
  std::string name;
  double weight = 0;          // At rest.
  std::vector<Vec3f> deltas;  // Per vertex of the reference's mesh.
};

std::vector<BodyMorph> body_morphs(const Mesh& mesh) {
  std::vector<BodyMorph> morphs;
  std::map<std::string, std::size_t> number;
  for (const MeshPart& part : mesh.parts)
    for (std::size_t m = 0; m < part.morphs.size(); ++m) {
      const Morph& morph = part.morphs[m];
      const auto [at, added] = number.emplace(morph.name, morphs.size());
      if (added)
        morphs.push_back({morph.name, m < part.morph_weights.size() ? part.morph_weights[m] : 0,
                          std::vector<Vec3f>(mesh.vertex_count(), Vec3f::Zero())});
      std::copy(morph.deltas.begin(), morph.deltas.end(),
                morphs[at->second].deltas.begin() + static_cast<std::ptrdiff_t>(part.first_vertex));
    }
  return morphs;
}

/// Shells of a target that follow one row and are small, as lists of vertices.
std::vector<std::vector<Index>> rigid_shells(const Rig& rig, double body_size) {
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const geometry::Components shells = geometry::components(rig.mesh, &welding);
  std::vector<std::vector<Index>> members(shells.count);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if (shells.of_vertex[v] != kNone) members[shells.of_vertex[v]].push_back(v);
  const auto bends = [&](const std::vector<Index>& shell) {
    Box box;
    for (const Index v : shell) box.extend(rig.mesh.positions[v]);
    const auto first = rig.weights.row(shell.front());
    return box.diagonal() > kSmallShell_rel * body_size || std::any_of(shell.begin(), shell.end(), [&](Index v) {
             return !std::equal(first.begin(), first.end(), rig.weights.row(v).begin(), rig.weights.row(v).end());
           });
  };
  members.erase(std::remove_if(members.begin(), members.end(), bends), members.end());
  return members;
}

std::vector<Vec3f> carried_deltas(const BodyMorph& morph, const std::vector<Triangle>& triangles,
                                  const std::vector<geometry::ClosestPoint>& points,
                                  const std::vector<std::vector<Index>>& rigid) {
  std::vector<Vec3f> deltas;
  for (const geometry::ClosestPoint& point : points) {
    Vec3f delta = Vec3f::Zero();
    for (int k = 0; point && k < 3; ++k)
      delta += static_cast<float>(point.barycentric[k]) *
               morph.deltas[triangles[point.triangle].vertices[static_cast<std::size_t>(k)]];
    deltas.push_back(delta);
  }
  for (const std::vector<Index>& shell : rigid) {
    Vec3f mean = Vec3f::Zero();
    for (const Index v : shell) mean += deltas[v] / static_cast<float>(shell.size());
    for (const Index v : shell) deltas[v] = mean;
  }
  return deltas;
}

}  // namespace

std::vector<std::string> carry_morphs(const TransferReference& reference, Character& character, Findings& findings) {
  const Mesh& body = reference.character().rig.mesh;
  const std::vector<BodyMorph> morphs = body_morphs(body);
  if (morphs.empty()) throw Error("The reference has no morphs. Omit the option 'morphs'.");
  Rig& rig = character.rig;
  const std::vector<Triangle> triangles = triangulate(body);
  const std::vector<geometry::ClosestPoint> points = geometry::RayScene(body).closest_points(rig.mesh.positions);
  const std::vector<std::vector<Index>> rigid = rigid_shells(rig, body.size());
  const auto least = static_cast<float>(kLeastDelta_rel * body.size());
  std::vector<std::string> names;
  std::vector<char> open;
  for (const MeshPart& part : rig.mesh.parts) open.push_back(part.morphs.empty() && part.vertex_count > 0 ? 1 : 0);
  for (const BodyMorph& morph : morphs) {
    const std::vector<Vec3f> deltas = carried_deltas(morph, triangles, points, rigid);
    bool used = false;
    for (std::size_t p = 0; p < open.size(); ++p) {
      MeshPart& part = rig.mesh.parts[p];
      const auto begin = deltas.begin() + static_cast<std::ptrdiff_t>(part.first_vertex);
      const auto end = begin + static_cast<std::ptrdiff_t>(part.vertex_count);
      if (open[p] == 0 || std::none_of(begin, end, [&](const Vec3f& d) { return d.norm() > least; })) continue;
      part.morphs.push_back({morph.name, std::vector<Vec3f>(begin, end)});
      part.morph_weights.push_back(morph.weight);
      used = true;
    }
    if (used) names.push_back(morph.name);
  }
  if (names.empty())
    findings.push_back(
        {"transfer.morphs", "",
         std::find(open.begin(), open.end(), 1) == open.end()
             ? std::string("No morph was carried over, because every part of the target has morphs of its own.")
             : fmt::format("No morph was carried over, because none of the reference's {} displaces the surface that "
                           "is nearest to the target.",
                           count_of(morphs.size(), "morph"))});
  return names;
}

}  // namespace sinew::pipeline
