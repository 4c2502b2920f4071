// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/check/check_gaps.h"

#include <algorithm>
#include <limits>

#include "sinew/binding/edit/weight_repair_gaps.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/measure/shell_pairs.h"

namespace sinew::pipeline {
namespace {

// Shells belong together where the way along the skeleton between them is at most this many times the thinner limb's
// radius, and a share of the size more: the terms by which weights that bleed are judged, at distance zero.
constexpr double kRadii = 4, kFloor_rel = 0.03;

// What the skeleton says about two places that touch.
class Kinship {
 public:
  explicit Kinship(const CheckedSkin& skin)
      : surface_(skin.surface),
        tree_(fitted_bones(skin)),
        ways_(skin.subject, tree_, surface_.size),
        homes_(binding::find_homes(surface_, tree_)) {}

  bool related(Index a, Index b) const {
    const Index v = surface_.welding.welded[a], w = surface_.welding.welded[b];
    if (homes_.bones[v].empty() || homes_.bones[w].empty()) return true;
    double way = std::numeric_limits<double>::infinity();
    for (const binding::Home& home : homes_.bones[w])
      way = std::min(way, binding::home_gap(homes_.bones[v], tree_.bones[home.bone].joint, tree_, ways_));
    return way <= kRadii * std::min(homes_.radius[v], homes_.radius[w]) + kFloor_rel * surface_.size;
  }

 private:
  static binding::BoneTree fitted_bones(const CheckedSkin& skin) {
    binding::BoneTree tree = binding::bone_tree(skin.subject);
    binding::fit_ends(tree, skin.surface, skin.rows);
    return tree;
  }

  const binding::EditSurface& surface_;
  binding::BoneTree tree_;
  binding::SkeletonWays ways_;
  binding::Homes homes_;
};

}  // namespace

ShellGaps::ShellGaps(const CheckInput& input) : size_(input.size) {
  const Mesh& mesh = input.character.rig.mesh;
  const geometry::Welding welding = geometry::weld_positions(mesh, geometry::weld(mesh));
  const geometry::Components shells = geometry::components(mesh, &welding);
  if (shells.count < 2) return;
  std::vector<Vec3> positions;
  std::vector<Index> shell;
  for (const Index v : welding.first) {
    positions.push_back(mesh.positions[v]);
    shell.push_back(shells.of_vertex[v]);
  }
  const auto pairs = measure::close_shell_pairs(positions, shell, measure::kCloseShells_rel * size_);
  if (pairs.empty()) return;
  const Kinship kinship(*input.skin);
  for (const auto& [a, b] : pairs)
    if (const Index v = welding.first[a], w = welding.first[b]; kinship.related(v, w))
      links_.push_back({v, w, (positions[a] - positions[b]).norm()});
}

double ShellGaps::widest_rel(const std::vector<Vec3>& posed) const {
  double widest = 0;
  for (const Link& link : links_) widest = std::max(widest, (posed[link.a] - posed[link.b]).norm() - link.length);
  return widest / size_;
}

}  // namespace sinew::pipeline
