// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/detail.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/surface/nearest.h"
#include "sinew/transfer/surface/reference_surface.h"

namespace sinew::transfer {
namespace {

/// What the row of the nearest point counts, per area, at one vertex of the reference per vertex of the target; it
/// falls with the square of their number. A vertex that decimation left in place has the right row already, and a level
/// with half of the vertices gains nothing from blurring it; one with a tenth has to stand for many others.
constexpr double kAnchor = 12, kLeastAnchor = 0.05, kMostAnchor = 3;
constexpr double kLeastArea = 1e-9;
constexpr double kFacesAlong_rad = radians(60);
constexpr int kDetailSweeps = 20;
constexpr float kLeastDetailWeight = 1e-4F;

/// A vertex of the reference seen on the target's surface.
struct Footprint {
  std::array<Index, 3> corners{};
  Vec3 share = Vec3::Zero();
  double area = 0;  // 0 if the target has no place for it.
};

std::vector<double> vertex_areas(const geometry::TriangleSurface& surface) {
  std::vector<double> areas(surface.positions.size(), 0);
  for (const auto& t : surface.triangles) {
    const Vec3 a = surface.positions[t[0]], b = surface.positions[t[1]], c = surface.positions[t[2]];
    const double area = (b - a).cross(c - a).norm() / 6;
    for (const Index v : t) areas[v] += area;
  }
  return areas;
}

std::vector<Footprint> footprints(const Reference& reference, const geometry::Welding& ours,
                                  const geometry::TriangleSurface& target, const std::vector<Vec3>& target_normals) {
  const geometry::TriangleSurface own = geometry::triangle_surface(reference.mesh, ours);
  const std::vector<double> areas = vertex_areas(own);
  const std::vector<Vec3> normals = geometry::vertex_normals(reference.mesh, &ours);
  const geometry::RayScene scene(geometry::TriangleSoup{target.positions, target.triangles});
  const std::vector<geometry::ClosestPoint> points = scene.closest_points(own.positions);
  std::vector<Footprint> result(own.positions.size());
  parallel_for(result.size(), [&](std::size_t w) {
    if (!points[w] || reference.weights.row(ours.first[w]).empty()) return;
    Footprint& print = result[w];
    print.corners = target.triangles[points[w].triangle];
    print.share = points[w].barycentric;
    Vec3 normal = Vec3::Zero();
    for (int k = 0; k < 3; ++k) normal += print.share[k] * target_normals[print.corners[static_cast<std::size_t>(k)]];
    if (angle_between(normal, normals[ours.first[w]]) < kFacesAlong_rad) print.area = areas[w];
  });
  return result;
}

/// The least-squares problem, per vertex of the target: A x = b with one column per joint.
struct NormalEquations {
  geometry::Lists others;                      // Vertices that share a footprint, without the vertex itself.
  std::vector<double> share;                   // Of `others`, in their order: entries of A.
  std::vector<double> own;                     // The diagonal of A.
  std::vector<std::vector<Influence>> wanted;  // b: rows that do not sum to 1.
};

using SparseRow = std::map<Index, double>;

void add_scaled(SparseRow& sum, std::span<const Influence> row, double scale) {
  for (const Influence& influence : row) sum[influence.joint] += scale * static_cast<double>(influence.weight);
}

std::vector<Influence> as_row(const SparseRow& sum) {
  std::vector<Influence> row;
  for (const auto& [joint, weight] : sum) row.push_back({joint, static_cast<float>(weight)});
  return row;
}

NormalEquations normal_equations(const Reference& reference, const geometry::Welding& ours,
                                 const std::vector<Footprint>& prints, const std::vector<double>& anchors,
                                 const SkinWeights& nearest) {
  std::vector<std::map<Index, double>> entries(anchors.size());
  std::vector<SparseRow> wanted(anchors.size());
  for (std::size_t w = 0; w < prints.size(); ++w) {
    if (!(prints[w].area > 0)) continue;
    for (int i = 0; i < 3; ++i) {
      const Index at = prints[w].corners[static_cast<std::size_t>(i)];
      const double share = prints[w].area * prints[w].share[i];
      if (!(share > 0)) continue;
      for (int j = 0; j < 3; ++j)
        entries[at][prints[w].corners[static_cast<std::size_t>(j)]] += share * prints[w].share[j];
      add_scaled(wanted[at], reference.weights.row(ours.first[w]), share);
    }
  }
  NormalEquations equations;
  for (Index w = 0; w < anchors.size(); ++w) {
    add_scaled(wanted[w], nearest.row(w), anchors[w]);
    equations.own.push_back(entries[w][w] + anchors[w]);
    for (const auto& [other, value] : entries[w])
      if (other != w && value > 0) equations.others.items.push_back(other), equations.share.push_back(value);
    equations.others.offsets.push_back(static_cast<Index>(equations.others.items.size()));
    equations.wanted.push_back(as_row(wanted[w]));
  }
  return equations;
}

// The nearest row that has no negative weight, the sum 1 and at most so many joints: of the largest values the
// projection to the simplex (A. Kyrillidis and others, "Sparse projections onto the simplex", 2013).
std::vector<Influence> nearest_row(const SparseRow& values, std::size_t most) {
  std::vector<std::pair<double, Index>> sorted;
  for (const auto& [joint, value] : values) sorted.emplace_back(value, joint);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (sorted.size() > most) sorted.resize(most);
  double sum = 0, level = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k].first;
    const double lowered = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k].first - lowered > 0) level = lowered;
  }
  std::vector<Influence> row;
  for (const auto& [value, joint] : sorted)
    if (const auto weight = static_cast<float>(value - level); weight > kLeastDetailWeight)
      row.push_back({joint, weight});
  return row;
}

// Improves one row after the other, each exactly: the sum of squares never grows, so the result is at least as near as
// the nearest points' rows are.
std::vector<std::vector<Influence>> fitted_rows(const NormalEquations& equations, const SkinWeights& nearest,
                                                std::size_t most, const Progress& progress) {
  std::vector<std::vector<Influence>> rows;
  for (Index w = 0; w < nearest.row_count(); ++w) {
    SparseRow row;
    add_scaled(row, nearest.row(w), 1);
    rows.push_back(nearest_row(row, most));
  }
  for (int sweep = 0; sweep < kDetailSweeps; ++sweep) {
    progress.check();
    for (Index w = 0; w < rows.size(); ++w) {
      SparseRow row;
      const double scale = 1 / equations.own[w];
      add_scaled(row, equations.wanted[w], scale);
      const auto others = equations.others[w];
      for (std::size_t k = 0; k < others.size(); ++k)
        add_scaled(row, rows[others[k]], -scale * equations.share[equations.others.offsets[w] + k]);
      rows[w] = nearest_row(row, most);
    }
  }
  return rows;
}

double anchor_share(const std::vector<Footprint>& prints, std::size_t vertices) {
  const auto used = std::count_if(prints.begin(), prints.end(), [](const Footprint& print) { return print.area > 0; });
  const double each = static_cast<double>(used) / static_cast<double>(vertices);
  return std::clamp(kAnchor / (each * each), kLeastAnchor, kMostAnchor);
}

}  // namespace

WeightTransfer transfer_detail(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                               const Progress& progress) {
  const Mesh& mesh = target.mesh;
  const Nearest nearest = nearest_points(reference, mesh, progress);
  const geometry::TriangleSurface surface = geometry::triangle_surface(mesh, nearest.welding);
  const std::vector<Vec3> all_normals = geometry::vertex_normals(mesh, &nearest.welding);
  std::vector<Vec3> normals;
  for (const Index v : nearest.welding.first) normals.push_back(all_normals[v]);
  const geometry::Welding ours = geometry::weld(reference.mesh);
  const std::vector<Footprint> prints = footprints(reference, ours, surface, normals);
  const double size = mesh.size(), least = kLeastArea * size * size;
  std::vector<double> anchors = vertex_areas(surface);
  const double anchored = anchor_share(prints, anchors.size());
  for (double& anchor : anchors) anchor = anchored * std::max(anchor, least > 0 ? least : 1.0);
  const auto limit = static_cast<std::size_t>(options.influence_limit());
  const std::vector<std::vector<Influence>> fitted =
      fitted_rows(normal_equations(reference, ours, prints, anchors, nearest.rows), nearest.rows,
                  limit > 0 ? limit : std::numeric_limits<std::size_t>::max(), progress);
  WeightTransfer result;
  SkinWeights rows;
  for (const std::vector<Influence>& row : fitted) rows.add_row(row);
  for (const Index w : nearest.welding.welded) {
    result.level.push_back(Level::kMatched);
    result.confidence.push_back(
        static_cast<float>(match_confidence(size > 0 ? nearest.distance[w] / size : 0, nearest.angle_rad[w])));
  }
  result.metrics = distance_metrics(nearest.distance, size);
  finish_rows(result, rows, mesh, nearest.welding, options);
  return result;
}

TransferMethod detail_method() {
  return {.id = "detail",
          .name = "level-of-detail",
          .when = "Levels of detail and remeshed copies in the same position and pose.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_detail(input.reference, input.target, common, progress);
          }};
}

}  // namespace sinew::transfer
