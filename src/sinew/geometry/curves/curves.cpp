// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/curves.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/geometry/curves/curve_builder.h"

namespace sinew::geometry {
namespace {

constexpr double kMostlyTriangles = 0.5;

TipOptions tip_options(const CurveOptions& options) {
  TipOptions result;
  result.persistence = options.least_tip;
  result.curvature = options.tip_rule == TipRule::kCurvature;
  for (const std::string& word : options.tips) {
    Index vertex = kNone;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), vertex);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size())
      throw Error(fmt::format("The option 'tips' takes numbers of vertices, not '{}'.", word));
    result.by_hand.push_back(vertex);
  }
  return result;
}

void report_edges(const HalfEdges& edges, Findings& findings) {
  const auto bad = edges.count(EdgeKind::kNonManifold) + edges.count(EdgeKind::kInconsistent);
  if (bad > 0)
    findings.push_back({"curves.edges", "",
                        fmt::format("{} of the mesh are shared by more than two faces, or by two that face opposite "
                                    "ways. Curves end there.",
                                    bad == 1 ? "1 edge" : fmt::format("{} edges", bad))});
}

}  // namespace

CurveInput prepare_curves(const Mesh& mesh, const CurveOptions& options) {
  CurveSurface surface = curve_surface(mesh);
  if (surface.quad_share() < kMostlyTriangles && options.source != CurveSource::kLevels) {
    // Faces change, vertices do not.
    Welding welding = std::move(surface.welding);
    surface = curve_surface(pair_triangles(surface.mesh));
    for (Index& v : welding.welded) v = surface.welding.welded[v];
    std::vector<Index> first;
    for (const Index v : surface.welding.first) first.push_back(welding.first[v]);
    welding.first = std::move(first);
    surface.welding = std::move(welding);
  }
  SurfaceGraph graph = surface_graph(surface);
  LimbTips tips = limb_tips(surface, graph, tip_options(options));
  RayScene scene(surface.mesh);
  return {std::move(surface), std::move(graph), std::move(tips), std::move(scene)};
}

CurveSet find_curves(const CurveInput& input, const CurveOptions& options, const Progress& progress) {
  CurveBuilder builder(input, options);
  CurveSet result;
  if (options.walk == CurveWalk::kPaper) {
    builder.walk_wave();
    result = builder.finish();
  } else {
    std::optional<LevelSurface> levels;
    for (Index t = 0; t < input.tips.tips.size(); ++t) {
      progress.step("following limbs", 0.5 * t / static_cast<double>(input.tips.tips.size()));
      const bool walked = options.source != CurveSource::kLevels && builder.walk_limb(t);
      if (walked || options.source == CurveSource::kEdges) continue;
      if (!levels) levels.emplace(level_surface(input.surface));
      builder.level_limb(t, *levels);
    }
    if (options.source != CurveSource::kLevels) builder.walk_trunk();
    if (options.source == CurveSource::kLevels || (levels && options.source == CurveSource::kAuto))
      builder.level_trunk(*levels);
    builder.walk_rest();
    result = builder.finish();
  }
  report_edges(input.surface.edges, result.findings);
  return result;
}

CurveSet find_curves(const Mesh& mesh, const CurveOptions& options, const Progress& progress) {
  return find_curves(prepare_curves(mesh, options), options, progress);
}

}  // namespace sinew::geometry
