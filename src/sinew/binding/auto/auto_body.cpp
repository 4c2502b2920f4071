// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/auto_body.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sinew/binding/auto/auto_guard.h"
#include "sinew/binding/auto/consensus.h"
#include "sinew/binding/distance/distance.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/binding/segment/segment_weights.h"
#include "sinew/binding/voxel/voxel.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::binding {
namespace {

// Confidence of heat below the first counts for nothing, above the second in full.
constexpr double kWeakHeat = 0.45, kGoodHeat = 0.7;
constexpr int kBlendRounds = 6;  // Of evening out between heat and voxels.
constexpr int kWideRows = 8;     // Influences kept until the methods are put together.
// Trust in the methods where each is good. Heat is the best of them on most characters, but not against the two others
// together. From 1.25 to 2 nothing changes by more than 0.003 in half L1.
constexpr double kHeatTrust = 1.5, kVoxelTrust = 1, kSegmentTrust = 1;
// Along the longest side. 48 loses 0.001 in half L1 against 64, and 96 and 128 gain nothing. Where heat sees no bones,
// voxels decide, and the finer grid is used.
constexpr int kUsualVoxels = 64, kMostVoxels = 128;

// How far heat is to be believed, 0 to 1, without jumps along the surface.
std::vector<double> heat_quality(const BindResult& heat, const Mesh& mesh) {
  std::vector<double> quality(mesh.vertex_count());
  bool weak = false;
  for (std::size_t v = 0; v < quality.size(); ++v) {
    quality[v] = std::clamp((static_cast<double>(heat.confidence[v]) - kWeakHeat) / (kGoodHeat - kWeakHeat), 0.0, 1.0);
    weak = weak || quality[v] < 1;
  }
  if (!weak) return quality;
  const geometry::Lists rings = geometry::one_rings(mesh);
  std::vector<double> next(quality.size());
  for (int round = 0; round < kBlendRounds; ++round) {
    parallel_for(quality.size(), [&](std::size_t v) {
      double sum = 0;
      for (const Index n : rings[v]) sum += quality[n];
      next[v] = rings[v].empty() ? quality[v] : 0.5 * quality[v] + 0.5 * sum / static_cast<double>(rings[v].size());
    });
    quality.swap(next);
  }
  return quality;
}

// One run.
struct BodyRun {
  const Subject& body;
  const AutoOptions& options;
  const BindOptions& common;
  const Progress& progress;
  BodyRows& made;
  BoneTree tree;
  std::optional<BindResult> heat;
  std::optional<BindResult> voxels;
  std::optional<BindResult> segments;
  std::vector<double> quality;

  void tell_failure(const char* id, const char* instead, const Error& error) {
    made.fallbacks.push_back({std::string("auto.no_") + id, instead, body.mesh.vertex_count(), error.what()});
  }

  void listen() {
    BindOptions wide = common;
    if (const int limit = common.influence_limit(); limit > 0) wide.max_influences = std::max(limit, kWideRows);
    VoxelOptions coarse = options.voxel;
    quality.assign(body.mesh.vertex_count(), 0);
    try {
      heat = bind_by_heat(body, options.heat, wide, progress);
      quality = heat_quality(*heat, body.mesh);
    } catch (const Error& error) {
      tell_failure("heat", "voxel", error);
    }
    try {
      segments = bind_by_segments(body, {}, wide, progress);
    } catch (const Error& error) {
      tell_failure("segment", "heat", error);
    }
    const bool heat_is_good = std::all_of(quality.begin(), quality.end(), [](double q) { return q >= 1; });
    coarse.resolution = std::min(coarse.resolution, heat_is_good ? kUsualVoxels : kMostVoxels);
    try {
      voxels = bind_by_voxels(body, coarse, wide, progress);
    } catch (const Error& error) {
      tell_failure("voxel", heat ? "heat" : "distance", error);
    }
  }

  void mix() {
    parallel_for(
        made.rows.size(), [&](std::size_t v) { mix_vertex(static_cast<Index>(v)); }, 1024);
  }

  void mix_vertex(Index v) {
    std::array<RowVote, 3> votes;
    double confidence = 0;
    // Where heat is weak, voxels take its place. Segmentation helps the others; it stands in for nothing.
    const double by_heat = heat ? (voxels ? quality[v] : 1.0) : 0.0, by_voxels = voxels ? 1 - by_heat : 0.0;
    if (heat) votes[0] = {heat->weights.row(v), kHeatTrust * by_heat};
    if (voxels) votes[1] = {voxels->weights.row(v), kVoxelTrust + kHeatTrust * by_voxels};
    if (heat) confidence += by_heat * static_cast<double>(heat->confidence[v]);
    if (voxels) confidence += by_voxels * static_cast<double>(voxels->confidence[v]);
    if (segments && confidence > 0)
      votes[2] = {segments->weights.row(v), kSegmentTrust * static_cast<double>(segments->confidence[v])};
    made.way[v] = by_heat >= by_voxels ? BodyWay::kHeat : BodyWay::kVoxel;
    made.rows[v] = consensus(votes);
    made.confidence[v] = static_cast<float>(confidence);
  }

  // Whatever is left without a row.
  void fill() {
    const auto empty =
        std::count_if(made.rows.begin(), made.rows.end(), [](const WeightRow& row) { return row.empty(); });
    if (empty == 0) return;
    made.fallbacks.push_back({"auto.by_distance", "distance", static_cast<std::uint64_t>(empty),
                              "Vertices for which neither heat nor voxels gave weights are bound by distance."});
    const BindResult distance = bind_by_distance(body, {}, common, progress);
    for (Index v = 0; v < made.rows.size(); ++v) {
      if (!made.rows[v].empty()) continue;
      made.rows[v].assign(distance.weights.row(v).begin(), distance.weights.row(v).end());
      made.way[v] = BodyWay::kDistance;
      made.confidence[v] = 0.3F;
    }
  }
};

}  // namespace

BodyRows bind_bodies(const Subject& body, const AutoOptions& options, const BindOptions& common,
                     const Progress& progress) {
  BodyRows made;
  const std::size_t count = body.mesh.vertex_count();
  made.rows.resize(count);
  made.way.assign(count, BodyWay::kHeat);
  made.confidence.assign(count, 0);
  BodyRun run{body, options, common, progress, made, bone_tree(body), {}, {}, {}, {}};
  run.listen();
  run.mix();
  run.fill();
  progress.step("looking for bleeding", 0.7);
  made.metrics["guarded"] = guard_rows(body, run.tree, made.rows);
  Json vertices = Json::object();
  vertices["heat"] = std::count(made.way.begin(), made.way.end(), BodyWay::kHeat);
  vertices["voxel"] = std::count(made.way.begin(), made.way.end(), BodyWay::kVoxel);
  vertices["distance"] = std::count(made.way.begin(), made.way.end(), BodyWay::kDistance);
  made.metrics["vertices_mostly_by"] = std::move(vertices);
  return made;
}

}  // namespace sinew::binding
