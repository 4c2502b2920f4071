// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/baselines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/inpainting.h"
#include "sinew/transfer/rays/guides.h"

namespace sinew::transfer {
namespace {

constexpr double kNear_rel = 0.05;
constexpr double kAlike_rad = kPi / 6;
constexpr int kSweeps = 10;
constexpr double kSweepStrength = 0.2;
constexpr float kInpaintedConfidence = 0.4F, kCopiedConfidence = 0.2F;

/// The nearest point of the reference for each welded vertex of the target.
struct Nearest {
  geometry::Welding welding;
  std::vector<double> distance;
  std::vector<double> angle_rad;  // Between the normals; π where there is none.
  SkinWeights rows;
};

/// Rows of a triangle's corners blended.
std::vector<Influence> blended(const SkinWeights& weights, const geometry::TriangleVertices& corners,
                               const Vec3& barycentric) {
  std::vector<std::pair<Index, double>> all;
  for (int k = 0; k < 3; ++k)
    for (const Influence& influence : weights.row(corners[static_cast<std::size_t>(k)]))
      all.emplace_back(influence.joint, barycentric[k] * static_cast<double>(influence.weight));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Influence> row;
  double sum = 0;
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    double weight = 0;
    for (next = i; next < all.size() && all[next].first == all[i].first; ++next) weight += all[next].second;
    if (!(weight > 0)) continue;
    sum += weight;
    row.push_back({all[i].first, static_cast<float>(weight)});
  }
  for (Influence& influence : row) influence.weight = static_cast<float>(static_cast<double>(influence.weight) / sum);
  return row;
}

double angle_between(const Vec3& a, const Vec3& b) {
  if (!(a.norm() > 0) || !(b.norm() > 0)) return kPi;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

Nearest nearest_points(const Reference& reference, const Mesh& mesh, const Progress& progress) {
  progress.step("nearest points of the reference");
  const SkinWeights weights = reference.weights.normalized();
  const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(reference.mesh);
  const auto has_weights = [&](Index t) {
    return std::none_of(triangles[t].begin(), triangles[t].end(), [&](Index v) { return weights.row(v).empty(); });
  };
  bool any = false;
  for (Index t = 0; t < triangles.size() && !any; ++t) any = has_weights(t);
  if (!any) throw Error("The reference has no faces with weights; nothing can be taken from it.");
  const geometry::RayScene scene(geometry::TriangleSoup{reference.mesh.positions, triangles});
  const geometry::Welding reference_welding = geometry::weld(reference.mesh);
  const std::vector<Vec3> reference_normals = geometry::vertex_normals(reference.mesh, &reference_welding);
  Nearest result;
  result.welding = geometry::weld(mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &result.welding);
  const Index count = result.welding.count();
  std::vector<Vec3> places;
  for (const Index v : result.welding.first) places.push_back(mesh.positions[v]);
  const std::vector<geometry::ClosestPoint> points =
      scene.closest_points(places, std::numeric_limits<double>::infinity(), has_weights);
  progress.check();
  result.distance.resize(count);
  result.angle_rad.resize(count);
  std::vector<std::vector<Influence>> rows(count);
  parallel_for(count, [&](std::size_t i) {
    const geometry::TriangleVertices& corners = triangles[points[i].triangle];
    Vec3 normal = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      normal += points[i].barycentric[k] * reference_normals[corners[static_cast<std::size_t>(k)]];
    result.distance[i] = points[i].distance;
    result.angle_rad[i] = angle_between(normals[result.welding.first[i]], normal);
    rows[i] = blended(weights, corners, points[i].barycentric);
  });
  for (const auto& row : rows) result.rows.add_row(row);
  return result;
}

/// 1 where places and normals agree, 0.5 where one of them is at its limit, 0 from twice the limit on.
double match_confidence(double distance_rel, double angle_rad) {
  return std::clamp(1 - 0.5 * std::max(distance_rel / kNear_rel, angle_rad / kAlike_rad), 0.0, 1.0);
}

/// Smooths, caps and gives every vertex of the mesh its row; counts the levels.
void finish(Transferred& result, const SkinWeights& welded_rows, const Mesh& mesh, const geometry::Welding& welding,
            const TransferOptions& options) {
  SkinWeights rows = welded_rows;
  if (options.smoothing > 0)
    rows = binding::smoothed(rows, geometry::one_rings(mesh, &welding), options.smoothing, kSweepStrength);
  SkinWeights capped;
  capped.reserve(rows.row_count(), rows.influence_count());
  std::vector<Influence> row;
  for (Index w = 0; w < rows.row_count(); ++w) {
    row.assign(rows.row(w).begin(), rows.row(w).end());
    cap_row(row, options.max_influences);
    capped.add_row(row);
  }
  result.weights = binding::unwelded(capped, welding);
  for (const Level level : result.level) ++result.levels[static_cast<std::size_t>(level)];
}

Json distance_metrics(const std::vector<double>& distance, double size) {
  double sum = 0, largest = 0;
  for (const double d : distance) sum += d, largest = std::max(largest, d);
  Json metrics = Json::object();
  metrics["mean_distance_rel"] = size > 0 && !distance.empty() ? sum / static_cast<double>(distance.size()) / size : 0;
  metrics["max_distance_rel"] = size > 0 ? largest / size : 0;
  return metrics;
}

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

Transferred transfer_closest_point(const Reference& reference, const Side& target, const Correspondence&,
                                   const TransferOptions& options, const Progress& progress) {
  const Nearest nearest = nearest_points(reference, target.mesh, progress);
  const double size = target.mesh.size(), unit = size > 0 ? 1 / size : 1;
  Transferred result;
  for (const Index w : nearest.welding.welded) {
    result.level.push_back(Level::kMatched);
    result.confidence.push_back(static_cast<float>(match_confidence(nearest.distance[w] * unit, nearest.angle_rad[w])));
  }
  result.metrics = distance_metrics(nearest.distance, size);
  finish(result, nearest.rows, target.mesh, nearest.welding, options);
  return result;
}

Transferred transfer_inpaint(const Reference& reference, const Side& target, const Correspondence&,
                             const TransferOptions& options, const Progress& progress) {
  const Mesh& mesh = target.mesh;
  const Nearest nearest = nearest_points(reference, mesh, progress);
  Index flipped = 0;
  const std::vector<double> confidence = match_confidences(nearest, mesh, flipped);
  std::vector<char> known, unmatched;
  for (const double c : confidence) unmatched.push_back(c < 0.5);
  for (const Index w : nearest.welding.welded) known.push_back(unmatched[w] == 0);
  if (std::find(known.begin(), known.end(), 1) == known.end())
    throw Error(
        "No vertex of the target lies near the reference's surface and faces the same way, so there is nothing to "
        "spread. "
        "Put both in the same place and pose, or use the method 'skeleton'.");
  Inpainted spread = inpaint(mesh, binding::unwelded(nearest.rows, nearest.welding), known, progress);
  const SkinWeights rows = swept(welded_rows_of(spread.weights, nearest.welding), unmatched, mesh, nearest.welding);
  Transferred result;
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
       "Far from the reference or facing another way: weights were spread from around.");
  tell("transfer.unmatched", "nearest", copied, "Shells without any match took the weights of the nearest vertex.");
  result.fallbacks.insert(result.fallbacks.end(), spread.fallbacks.begin(), spread.fallbacks.end());
  result.metrics = distance_metrics(nearest.distance, mesh.size());
  result.metrics["flipped_vertices"] = flipped;
  finish(result, rows, mesh, nearest.welding, options);
  return result;
}

Transferred transfer_guides(const Reference&, const Side& target, const Correspondence& correspondence,
                            const TransferOptions& options, const Progress& progress) {
  GuideOptions guide_options;
  guide_options.resolution = options.resolution;
  const SkinWeights guide = make_guide(target, correspondence, false, guide_options, progress);
  const geometry::Welding welding = geometry::weld(target.mesh);
  SkinWeights rows;
  std::vector<Influence> row;
  for (const Index v : welding.first) {
    row.clear();
    for (const Influence& influence : guide.row(v))
      row.push_back({correspondence.pairs[influence.joint].reference, influence.weight});
    rows.add_row(row);
  }
  Transferred result;
  result.level.assign(target.mesh.vertex_count(), Level::kMatched);
  result.confidence.assign(target.mesh.vertex_count(), 1.0F);
  finish(result, rows, target.mesh, welding, options);
  return result;
}

}  // namespace sinew::transfer
