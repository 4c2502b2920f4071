// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/auto_body.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sinew/binding/auto/auto_guard.h"
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
constexpr int kWideRows = 8;     // Influences kept until both methods are mixed.
// Of a row, where the segmentation is sure of itself. Heat blends too far along the skin at the roots of limbs, and
// segmentation too little. 0.25 brings 36 characters nearer to artists by 0.001 on average, but moves others away by up
// to 0.02, on which segmentation errs most.
constexpr double kSegmentShare = 0.15;
// Segments are evened out over this breadth, of the root of the area, in at most as many rounds as they do by
// themselves. Five rounds everywhere reach over whole bones of a coarse mesh: the mean distance of these characters
// from artists was 0.1825 with them, 0.1771 without any, and 0.1770 to 0.1774 with breadths around this one.
constexpr double kSegmentBreadth = 0.04;
constexpr double kSegmentRounds = 5;
// Of the row of the segmentation: from the second on, the guard leaves a joint, up to the first, it does not.
constexpr float kUnsureOwner = 0.5F, kSureOwner = 0.6F;
constexpr int kMostVoxels = 128;  // Along the longest side: voxels are for what heat cannot do.

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

double area_of_triangles(const Mesh& mesh) {
  double area = 0;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const Vec3& a = mesh.positions[mesh.face(f)[0]];
    area += 0.5 * (mesh.positions[mesh.face(f)[1]] - a).cross(mesh.positions[mesh.face(f)[2]] - a).norm();
  }
  return area;
}

// Evens out rows of segments over a breadth that does not depend on how fine the mesh is. The last round of a vertex
// counts in part, so that nothing jumps.
SkinWeights even_segments(const SkinWeights& weights, const Mesh& mesh) {
  const geometry::Lists rings = geometry::one_rings(mesh);
  const double breadth = kSegmentBreadth * std::sqrt(area_of_triangles(mesh));
  std::vector<WeightRow> rows(mesh.vertex_count()), next(rows.size());
  std::vector<double> rounds(rows.size(), 0);  // Reach grows with the root of the rounds.
  parallel_for(rows.size(), [&](std::size_t v) {
    const auto row = weights.row(static_cast<Index>(v));
    rows[v].assign(row.begin(), row.end());
    double sum = 0;
    for (const Index n : rings[v]) sum += (mesh.positions[n] - mesh.positions[v]).norm();
    const double steps = sum > 0 ? breadth * static_cast<double>(rings[v].size()) / sum : 0.0;
    rounds[v] = std::min(steps * steps, kSegmentRounds);
  });
  for (double done = 0; done < kSegmentRounds; done += 1) {
    parallel_for(
        rows.size(),
        [&](std::size_t v) {
          const double share = 0.5 * std::clamp(rounds[v] - done, 0.0, 1.0);
          if (!(share > 0)) return void(next[v] = rows[v]);
          RowSum sum;
          sum.add(rows[v], 1 - share);
          for (const Index n : rings[v]) sum.add(rows[n], share / static_cast<double>(rings[v].size()));
          next[v] = sum.take();
        },
        256);
    rows.swap(next);
  }
  SkinWeights evened;
  for (const WeightRow& row : rows) evened.add_row(row);
  return evened;
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
    coarse.resolution = std::min(coarse.resolution, kMostVoxels);
    quality.assign(body.mesh.vertex_count(), 0);
    try {
      heat = bind_by_heat(body, options.heat, wide, progress);
      quality = heat_quality(*heat, body.mesh);
    } catch (const Error& error) {
      tell_failure("heat", "voxel", error);
    }
    try {
      BindOptions raw = wide;
      raw.smooth = common.smooth.value_or(0);
      segments = bind_by_segments(body, {}, raw, progress);
      if (!common.smooth) segments->weights = even_segments(segments->weights, body.mesh);
    } catch (const Error& error) {
      tell_failure("segment", "heat", error);
    }
    if (std::all_of(quality.begin(), quality.end(), [](double q) { return q >= 1; })) return;
    try {
      voxels = bind_by_voxels(body, coarse, wide, progress);
      for (const Finding& finding : voxels->findings)
        if (finding.code == "voxel.coarse") made.findings.push_back(finding);
    } catch (const Error& error) {
      tell_failure("voxel", heat ? "heat" : "distance", error);
    }
  }

  void mix() {
    parallel_for(
        made.rows.size(), [&](std::size_t v) { mix_vertex(static_cast<Index>(v)); }, 1024);
  }

  void mix_vertex(Index v) {
    RowSum sum;
    const double by_heat = heat ? (voxels ? quality[v] : 1.0) : 0.0, by_voxels = voxels ? 1 - by_heat : 0.0;
    double trust = 0;
    if (by_heat > 0) {
      sum.add(heat->weights.row(v), by_heat);
      trust += by_heat * static_cast<double>(heat->confidence[v]);
    }
    if (by_voxels > 0) {
      sum.add(voxels->weights.row(v), by_voxels);
      trust += by_voxels * static_cast<double>(voxels->confidence[v]);
    }
    // Segmentation helps heat; it stands in for nothing.
    if (segments && trust > 0) {
      const double share = kSegmentShare * static_cast<double>(segments->confidence[v]);
      sum.add(segments->weights.row(v), share / (1 - share));
    }
    made.way[v] = by_heat >= by_voxels ? BodyWay::kHeat : BodyWay::kVoxel;
    made.rows[v] = sum.take();
    made.confidence[v] = static_cast<float>(trust);
  }

  // Per vertex: the joint that the segmentation is sure of. Segments grow inside the body, so that it does not bleed.
  std::vector<Influence> owners() const {
    std::vector<Influence> owners(made.rows.size());
    if (!segments) return owners;
    parallel_for(owners.size(), [&](std::size_t v) {
      for (const Influence& i : segments->weights.row(static_cast<Index>(v)))
        if (i.weight > kUnsureOwner)
          owners[v] = {i.joint, std::min(1.0F, (i.weight - kUnsureOwner) / (kSureOwner - kUnsureOwner))};
    });
    return owners;
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
  made.metrics["guarded"] = guard_rows(body, run.tree, made.rows, run.owners());
  Json vertices = Json::object();
  vertices["heat"] = std::count(made.way.begin(), made.way.end(), BodyWay::kHeat);
  vertices["voxel"] = std::count(made.way.begin(), made.way.end(), BodyWay::kVoxel);
  vertices["distance"] = std::count(made.way.begin(), made.way.end(), BodyWay::kDistance);
  made.metrics["vertices_mostly_by"] = std::move(vertices);
  return made;
}

}  // namespace sinew::binding
