// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/heat/heat_solver.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/operators/laplacian.h"

namespace sinew::binding {
namespace {

constexpr double kPublishedProgram = 3;  // The paper's c, as its authors' program has it.
constexpr double kLeastWeight = 1e-5;
constexpr float kSumTolerance = 0.01F;
constexpr float kSeenConfidence = 1, kHiddenConfidence = 0.75F, kAssumedConfidence = 0.45F, kNearestConfidence = 0.25F;

struct HeatSystem {
  std::vector<double> rate;                      // A·H per welded vertex.
  std::vector<std::vector<HeatSource>> sources;  // Per bound joint.
};

HeatSystem heat_system(const NearestJoints& nearest, std::span<const double> area, const BoneTree& tree, double heat) {
  HeatSystem system;
  system.rate.assign(area.size(), 0);
  system.sources.resize(tree.joints.size());
  std::vector<Index> column(tree.joints.back() + 1, kNone);
  for (Index c = 0; c < tree.joints.size(); ++c) column[tree.joints[c]] = c;
  for (Index v = 0; v < area.size(); ++v) {
    if (!(nearest.strength[v] > 0 && area[v] > 0)) continue;
    const double exchange =
        kPublishedProgram * heat * nearest.strength[v] / (nearest.distance[v] * nearest.distance[v]);
    system.rate[v] = area[v] * exchange;
    for (Index k = nearest.joints.offsets[v]; k < nearest.joints.offsets[v + 1]; ++k)
      system.sources[column[nearest.joints.items[k]]].push_back({v, nearest.shares[k]});
  }
  return system;
}

// Room for the row of each vertex, one after another.
struct RowSpace {
  std::vector<Index> offsets;
  std::vector<Influence> items;
  std::vector<Index> sizes;
};

// What the columns say of each row, in order of the joints.
RowSpace spread_columns(std::span<const HeatColumn> columns, const BoneTree& tree, const NearestJoints& nearest) {
  RowSpace space;
  const std::size_t count = nearest.sight.size();
  space.sizes.assign(count, 0);
  for (const HeatColumn& column : columns)
    for (const Index row : column.rows) ++space.sizes[row];
  space.offsets.assign(count + 1, 0);
  for (std::size_t v = 0; v < count; ++v)  // The nearest joints fit in as well.
    space.offsets[v + 1] =
        space.offsets[v] +
        std::max({space.sizes[v], nearest.joints.offsets[v + 1] - nearest.joints.offsets[v], Index{1}});
  space.items.resize(space.offsets.back());
  std::vector<Index> next(space.offsets.begin(), space.offsets.end() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t k = 0; k < columns[c].rows.size(); ++k)
      space.items[next[columns[c].rows[k]]++] = {tree.joints[c], columns[c].values[k]};
  return space;
}

Index nearest_of_all(const BoneTree& tree, const Vec3& p) {
  Index best = tree.bones.front().joint;
  double least = std::numeric_limits<double>::infinity();
  for (const Bone& bone : tree.bones) {
    const double distance = competing_distance(bone, closest_on_bone(bone, p).distance);
    if (distance < least) least = distance, best = bone.joint;
  }
  return best;
}

// Rows of sum 1, capped. Where the columns say nothing of use, the nearest joints.
SkinWeights collect_rows(RowSpace& space, const BoneTree& tree, std::span<const Vec3> positions, int max_influences,
                         HeatRows& rows) {
  const std::size_t count = positions.size();
  rows.by_nearest.assign(count, 0);
  parallel_blocks(count, 2048, [&](std::size_t begin, std::size_t end) {
    std::vector<Influence> row;
    for (std::size_t v = begin; v < end; ++v) {
      Influence* items = space.items.data() + space.offsets[v];
      row.assign(items, items + space.sizes[v]);
      // Temperatures of all joints sum to 1 wherever they were solved for; where rounding has eaten that, they mean
      // nothing.
      float sum = 0;
      for (const Influence& influence : row) sum += influence.weight;
      if (!(std::abs(sum - 1) < kSumTolerance)) {
        rows.by_nearest[v] = 1;
        row.clear();
        for (Index k = rows.nearest.joints.offsets[v]; k < rows.nearest.joints.offsets[v + 1]; ++k)
          row.push_back({rows.nearest.joints.items[k], static_cast<float>(rows.nearest.shares[k])});
        if (row.empty()) row.push_back({nearest_of_all(tree, positions[v]), 1.0F});
      }
      cap_row(row, max_influences);
      std::copy(row.begin(), row.end(), items);
      space.sizes[v] = static_cast<Index>(row.size());
    }
  });
  SkinWeights weights;
  std::size_t entries = 0;
  for (const Index size : space.sizes) entries += size;
  weights.reserve(count, entries);
  for (std::size_t v = 0; v < count; ++v) weights.add_row({space.items.data() + space.offsets[v], space.sizes[v]});
  return weights;
}

void add_origins(const BoundSurface& skin, const HeatRows& heat, BindResult& bound) {
  bound.origins = {{"heat", "requested"},
                   {"heat", "its shell sees no bone, so the nearest bone heats it"},
                   {"nearest", "no face uses the vertex"},
                   {"nearest", "the heat equation had no solution"}};
  std::array<Index, 4> counts = {};
  for (const Index v : skin.welding.welded) {
    std::uint8_t origin = 0;
    float confidence = kSeenConfidence;
    switch (heat.nearest.sight[v]) {
      case Sight::kSeen:
        break;
      case Sight::kHidden:
        confidence = kHiddenConfidence;
        break;
      case Sight::kAssumed:
        origin = 1, confidence = kAssumedConfidence;
        break;
      case Sight::kDetached:
        origin = 2, confidence = kNearestConfidence;
        break;
    }
    if (heat.by_nearest[v] != 0 && origin != 2) origin = 3, confidence = kNearestConfidence;
    ++counts[origin];
    bound.origin.push_back(origin);
    bound.confidence.push_back(confidence);
  }
  const auto add = [&](const char* code, const char* method, std::uint64_t count, const char* text) {
    if (count > 0) bound.fallbacks.push_back({code, method, count, text});
  };
  add("heat.hidden_shell", "heat without sight", counts[1],
      "Vertices of shells that see no bone are heated by the nearest bone, wherever it is located.");
  add("heat.detached", "nearest bone", counts[2], "Vertices that no face uses follow the nearest bone.");
  add("heat.unsolved", "nearest bone", counts[3],
      "Vertices that the heat equation does not reach follow the nearest bone.");
  if (heat.regularized)
    bound.fallbacks.push_back(
        {"heat.regularized", "heat with a heavier diagonal", 1,
         "The heat equation is numerically singular. A small multiple of its diagonal was added."});
}

}  // namespace

HeatRows heat_rows(const BoundSurface& skin, const BoneTree& tree, const HeatOptions& options, int max_influences,
                   const Progress& progress) {
  HeatRows rows;
  progress.step("looking for bones", 0.1);
  rows.nearest = nearest_joints(skin, tree, {}, progress);
  progress.step("laplacian", 0.3);
  geometry::Laplacian laplacian = geometry::cotangent_laplacian(skin.surface.positions, skin.surface.triangles);
  rows.area = std::move(laplacian.mass);
  progress.step("heating", 0.4);
  const HeatSystem system = heat_system(rows.nearest, rows.area, tree, options.heat);
  const HeatSolver solver(laplacian.stiffness, system.rate, skin.surface.positions);
  rows.regularized = solver.regularized();
  rows.failed = solver.failed();
  const std::vector<HeatColumn> columns = solver.solve(system.sources, kLeastWeight, progress);
  RowSpace space = spread_columns(columns, tree, rows.nearest);
  rows.weights = collect_rows(space, tree, skin.surface.positions, max_influences, rows);
  return rows;
}

BindResult bind_by_heat(const Subject& subject, const HeatOptions& options, const BindOptions& common,
                        const Progress& progress) {
  const BoneTree tree = bones_to_bind(subject);
  BindResult bound;
  progress.step("surface", 0);
  const BoundSurface skin = bound_surface(subject.mesh);
  const int rounds = common.smooth.value_or(0);
  // Smoothing sees all influences.
  HeatRows heat = heat_rows(skin, tree, options, rounds > 0 ? 0 : common.influence_limit(), progress);
  progress.step("rows", 0.9);
  if (rounds > 0) {
    heat.weights = smoothed(heat.weights, geometry::one_rings(subject.mesh, &skin.welding), rounds);
    heat.weights = capped_rows(heat.weights, common.influence_limit());
  }
  bound.weights = unwelded(heat.weights, skin.welding);
  add_origins(skin, heat, bound);

  Index hidden = 0;
  for (const Sight sight : heat.nearest.sight) hidden += sight == Sight::kHidden ? 1 : 0;
  bound.metrics["welded_vertices"] = skin.welding.count();
  bound.metrics["shells"] = skin.shells;
  bound.metrics["shells_without_sight"] = heat.nearest.assumed_shells;
  bound.metrics["hidden_vertices"] = hidden;
  return bound;
}

BinderMethod heat_method() {
  return binder_method("heat", "bone-heat",
                       "Bones heat the skin that they see. Gives smooth weights for clean, closed bodies.",
                       bind_by_heat);
}

}  // namespace sinew::binding
