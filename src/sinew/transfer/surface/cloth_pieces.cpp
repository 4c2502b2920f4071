// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/cloth_pieces.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"

namespace sinew::transfer {
namespace {

constexpr float kOneJoint = 2.0F / 3;

double mean_difference(const SkinWeights& rows, std::span<const Index> vertices, const std::vector<Influence>& mean) {
  double sum = 0;
  for (const Index v : vertices) {
    // The common part of two rows of sum 1.
    double common = 0;
    for (const Influence& a : rows.row(v))
      for (const Influence& b : mean)
        if (a.joint == b.joint) common += static_cast<double>(std::min(a.weight, b.weight));
    sum += 1 - common;
  }
  return sum / static_cast<double>(vertices.size());
}

}  // namespace

std::vector<Influence> mean_row(const SkinWeights& rows, std::span<const Index> vertices) {
  std::map<Index, double> sums;
  double total = 0;
  for (const Index v : vertices) {
    double sum = 0;
    for (const Influence& influence : rows.row(v)) sum += static_cast<double>(influence.weight);
    if (!(sum > 0)) continue;
    for (const Influence& influence : rows.row(v)) sums[influence.joint] += static_cast<double>(influence.weight) / sum;
    total += 1;
  }
  std::vector<Influence> mean;
  for (const auto& [joint, weight] : sums) mean.push_back({joint, static_cast<float>(weight / total)});
  return mean;
}

SkinWeights rigid_pieces(const SkinWeights& rows, const Mesh& mesh, const geometry::Welding& welding, double body_size,
                         Index& count, const RigidRules& rules) {
  count = 0;
  const geometry::Components shells = geometry::components(mesh, &welding);
  std::vector<Box> boxes(shells.count);
  std::vector<std::vector<Index>> members(shells.count);
  std::vector<Index> shell_of(welding.count(), kNone);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (const Index shell = shells.of_vertex[v]; shell != kNone) {
      boxes[shell].extend(mesh.positions[v]);
      if (std::exchange(shell_of[welding.welded[v]], shell) == kNone) members[shell].push_back(welding.welded[v]);
    }
  const auto small = [&](const Box& box) { return box.diagonal() < rules.small * body_size; };
  if (std::all_of(boxes.begin(), boxes.end(), small)) return rows;
  std::vector<std::vector<Influence>> row_of(shells.count);
  for (Index s = 0; s < shells.count; ++s) {
    if (!small(boxes[s])) continue;
    row_of[s] = mean_row(rows, members[s]);
    if (boxes[s].diagonal() > rules.tiny * body_size && mean_difference(rows, members[s], row_of[s]) > rules.alike) {
      row_of[s].clear();
      continue;
    }
    const auto most = std::max_element(row_of[s].begin(), row_of[s].end(),
                                       [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
    if (most != row_of[s].end() && most->weight >= kOneJoint) row_of[s] = {{most->joint, 1.0F}};
    ++count;
  }
  SkinWeights result;
  for (Index w = 0; w < rows.row_count(); ++w) {
    if (shell_of[w] != kNone && !row_of[shell_of[w]].empty()) result.add_row(row_of[shell_of[w]]);
    else result.add_row(rows.row(w));
  }
  return result;
}

std::vector<UnmatchedRegion> unmatched_regions(const WeightTransfer& result, const Mesh& mesh,
                                               const geometry::Welding& welding) {
  const Index unmatched = result.levels[static_cast<std::size_t>(Level::kInpainted)] +
                          result.levels[static_cast<std::size_t>(Level::kCopied)];
  if (unmatched == 0) return {};
  const geometry::Lists rings = geometry::one_rings(mesh, &welding);
  std::vector<char> open(welding.count(), 0);
  for (Index w = 0; w < welding.count(); ++w) open[w] = result.level[welding.first[w]] >= Level::kInpainted ? 1 : 0;
  std::vector<UnmatchedRegion> regions;
  std::vector<Index> stack, members;
  for (Index start = 0; start < welding.count(); ++start) {
    if (open[start] == 0) continue;
    stack = {start}, members.clear(), open[start] = 0;
    while (!stack.empty()) {
      const Index w = stack.back();
      stack.pop_back();
      members.push_back(welding.first[w]);
      for (const Index next : rings[w])
        if (std::exchange(open[next], 0) != 0) stack.push_back(next);
    }
    UnmatchedRegion region;
    region.vertices = static_cast<Index>(members.size());
    for (const Index v : members) region.center += mesh.positions[v] / static_cast<double>(members.size());
    const std::vector<Influence> mean = mean_row(result.weights, members);
    const auto most = std::max_element(mean.begin(), mean.end(),
                                       [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
    if (most != mean.end()) region.joint = most->joint;
    regions.push_back(region);
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const UnmatchedRegion& a, const UnmatchedRegion& b) { return a.vertices > b.vertices; });
  return regions;
}

}  // namespace sinew::transfer
