// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/inpaint_transfer.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/surface/inpainting.h"
#include "sinew/transfer/surface/nearest.h"

namespace sinew::transfer {
namespace {

constexpr int kSweeps = 10;
constexpr double kSweepStrength = 0.2;
constexpr float kInpaintedConfidence = 0.4F, kCopiedConfidence = 0.2F;

/// Which vertices match, and how surely; open shells with their faces turned round where that suits more of them.
std::vector<double> match_confidences(const Nearest& nearest, const Mesh& mesh, Index& flipped_vertices) {
  const geometry::Components shells = geometry::components(mesh, &nearest.welding);
  const geometry::HalfEdges edges = geometry::half_edges(mesh, &nearest.welding);
  std::vector<char> open(shells.count, 0);
  for (Index h = 0; h < edges.size(); ++h)
    if (edges.kind[h] == geometry::EdgeKind::kBoundary) open[shells.of_face[edges.face[h]]] = 1;
  const double size = mesh.size(), unit = size > 0 ? 1 / size : 1;
  const Index count = nearest.welding.count();
  std::vector<double> plain(count), flipped(count);
  std::vector<Index> plain_matches(shells.count, 0), flipped_matches(shells.count, 0);
  for (Index w = 0; w < count; ++w) {
    plain[w] = match_confidence(nearest.distance[w] * unit, nearest.angle_rad[w]);
    flipped[w] = match_confidence(nearest.distance[w] * unit, kPi - nearest.angle_rad[w]);
    const Index shell = shells.of_vertex[nearest.welding.first[w]];
    if (shell == kNone) plain[w] = flipped[w] = 0;
    else plain_matches[shell] += plain[w] >= 0.5, flipped_matches[shell] += flipped[w] >= 0.5;
  }
  for (Index w = 0; w < count; ++w) {
    const Index shell = shells.of_vertex[nearest.welding.first[w]];
    if (shell == kNone || open[shell] == 0 || flipped_matches[shell] <= plain_matches[shell]) continue;
    plain[w] = flipped[w];
    ++flipped_vertices;
  }
  return plain;
}

/// Marks what lies within a length, along edges, of what is marked.
void widen(std::vector<char>& marked, const geometry::Lists& rings, const std::vector<Vec3>& places, double reach) {
  std::vector<double> best(marked.size(), std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, Index>, std::vector<std::pair<double, Index>>, std::greater<>> queue;
  for (Index v = 0; v < marked.size(); ++v)
    if (marked[v] != 0) best[v] = 0, queue.emplace(0, v);
  while (!queue.empty()) {
    const auto [length, vertex] = queue.top();
    queue.pop();
    if (length > best[vertex]) continue;
    marked[vertex] = 1;
    for (const Index next : rings[vertex]) {
      const double further = length + (places[next] - places[vertex]).norm();
      if (further <= reach && further < best[next]) best[next] = further, queue.emplace(further, next);
    }
  }
}

/// Step 4 of the paper: smooths what was spread, and what lies near it.
SkinWeights swept(const SkinWeights& rows, std::vector<char> unmatched, const Mesh& mesh,
                  const geometry::Welding& welding) {
  const geometry::Lists rings = geometry::one_rings(mesh, &welding);
  std::vector<Vec3> places;
  for (const Index v : welding.first) places.push_back(mesh.positions[v]);
  widen(unmatched, rings, places, kNear_rel * mesh.size());
  geometry::Lists inner;  // A row without a ring stays.
  for (Index w = 0; w < rings.size(); ++w) {
    if (unmatched[w] != 0) inner.items.insert(inner.items.end(), rings[w].begin(), rings[w].end());
    inner.offsets.push_back(static_cast<Index>(inner.items.size()));
  }
  return binding::smoothed(rows, inner, kSweeps, kSweepStrength);
}

SkinWeights welded_rows_of(const SkinWeights& rows, const geometry::Welding& welding) {
  SkinWeights result;
  for (const Index v : welding.first) result.add_row(rows.row(v));
  return result;
}

}  // namespace

WeightTransfer transfer_inpaint(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                                const Progress& progress) {
  const Mesh& mesh = target.mesh;
  const Nearest nearest = nearest_points(reference, mesh, progress);
  Index flipped = 0;
  const std::vector<double> confidence = match_confidences(nearest, mesh, flipped);
  std::vector<char> known, unmatched;
  for (const double c : confidence) unmatched.push_back(c < 0.5);
  for (const Index w : nearest.welding.welded) known.push_back(unmatched[w] == 0);
  if (std::find(known.begin(), known.end(), 1) == known.end())
    throw Error(
        "No vertex of the target is near the reference's surface and faces the same way, so there is nothing to "
        "spread. Give both the same position and pose, or use the method 'skeleton'.");
  InpaintResult spread = inpaint(mesh, binding::unwelded(nearest.rows, nearest.welding), known, progress);
  const SkinWeights rows = swept(welded_rows_of(spread.weights, nearest.welding), unmatched, mesh, nearest.welding);
  WeightTransfer result;
  Index inpainted = 0, copied = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const char how = spread.reached[v];
    inpainted += how == 1, copied += how == 2;
    result.level.push_back(how == 0 ? Level::kMatched : how == 1 ? Level::kInpainted : Level::kCopied);
    result.confidence.push_back(how == 0   ? static_cast<float>(confidence[nearest.welding.welded[v]])
                                : how == 1 ? kInpaintedConfidence
                                           : kCopiedConfidence);
  }
  const auto tell = [&](const char* code, const char* method, Index count, const char* text) {
    if (count > 0) result.fallbacks.push_back({code, method, count, text});
  };
  tell("transfer.unmatched", "inpaint", inpainted,
       "Vertices far from the reference, or facing another way, received weights spread from surrounding vertices.");
  tell("transfer.unmatched", "nearest", copied, "Shells without any match received the weights of the nearest vertex.");
  result.fallbacks.insert(result.fallbacks.end(), spread.fallbacks.begin(), spread.fallbacks.end());
  result.metrics = distance_metrics(nearest.distance, mesh.size());
  result.metrics["flipped_vertices"] = flipped;
  finish_rows(result, rows, mesh, nearest.welding, options);
  return result;
}

TransferMethod inpaint_method() {
  return {.id = "inpaint",
          .name = "inpainting",
          .when = "Clothes over the body they were made for.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_inpaint(input.reference, input.target, common, progress);
          }};
}

}  // namespace sinew::transfer
