// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Cost of each stage of curve rigging at the sizes of the paper's Table 1, in milliseconds, on one and on two threads:
// medians and the least of 51 runs on figures of cubes, whose shape changes a little in every run. The hash is that of
// the curves, so that a faster version can be seen to find the same.
//
//     curves_bench     a table with commas

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/lab/curve_rigging/curve_rigging.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace {

using namespace sinew;

constexpr std::array<int, 3> kSizes = {7207, 13201, 32238};
constexpr int kRuns = 51;
enum Stage { kSurface, kGraph, kTips, kRays, kCurves, kSkeleton, kLevels, kStages };

std::string curves_hash(const CurveSet& set) {
  Sha256 sha;
  for (const CurvePoint& p : set.points) {
    const std::array<double, 3> values = {static_cast<double>(p.a), static_cast<double>(p.b), p.t};
    sha.update(std::as_bytes(std::span(values)));
  }
  sha.update(std::as_bytes(std::span(set.curve_of)));
  return sha.hex().substr(0, 12);
}

}  // namespace

int main() {
  fmt::print("vertices,threads,surface,graph,tips,rays,curves,skeleton,level_sets,hash_rings,hash_levels\n");
  for (const int size : kSizes) {
    const Mesh original = lab::curve_figure(size);
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      std::array<std::vector<double>, kStages> times;
      CurveSet rings, levels;
      for (int run = 0; run < kRuns; ++run) {
        Mesh mesh = original;
        for (Vec3& p : mesh.positions) p *= 1 + 1e-3 * run;
        const auto timed = [&](Stage stage, auto&& work) { times[stage].push_back(1e3 * bench::seconds(work)); };
        std::optional<geometry::CurveSurface> surface;
        std::optional<geometry::SurfaceGraph> graph;
        std::optional<geometry::LimbTips> tips;
        std::optional<geometry::RayScene> scene;
        timed(kSurface, [&] { surface = geometry::curve_surface(mesh); });
        timed(kGraph, [&] { graph = geometry::surface_graph(*surface); });
        timed(kTips, [&] { tips = geometry::limb_tips(*surface, *graph); });
        timed(kRays, [&] { scene.emplace(surface->mesh); });
        const geometry::CurveInput input = {*std::move(surface), *std::move(graph), *std::move(tips),
                                            *std::move(scene)};
        timed(kCurves, [&] { rings = geometry::find_curves(input); });
        timed(kSkeleton, [&] {
          const rigging::CurveSkeleton skeleton = rigging::curve_skeleton(rings, mesh.positions);
          for (const rigging::CurveChain& chain : skeleton.limbs) rigging::find_bends(chain);
        });
        geometry::CurveOptions options;
        options.source = geometry::CurveSource::kLevels;
        if (run < 5) timed(kLevels, [&] { levels = geometry::find_curves(input, options); });
      }
      fmt::print("{},{}", original.vertex_count(), threads);
      for (std::vector<double>& values : times) {
        std::sort(values.begin(), values.end());
        fmt::print(",{:.2f} ({:.2f})", values[values.size() / 2], values.front());
      }
      fmt::print(",{},{}\n", curves_hash(rings), curves_hash(levels));
      std::fflush(stdout);
    }
  }
}
