// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/detail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/operators/solver.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/surface/nearest.h"
#include "sinew/transfer/surface/reference_surface.h"

namespace sinew::transfer {
namespace {

constexpr double kAnchor = 0.05;  // What the row of the nearest point counts, per area.
constexpr double kLeastArea = 1e-9;
constexpr double kFacesAlong_rad = radians(60);
constexpr std::size_t kDetailColumns = 16;
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

geometry::SparseMatrix normal_matrix(const std::vector<Footprint>& prints, const std::vector<double>& anchors) {
  std::vector<geometry::MatrixEntry> entries;
  for (const Footprint& print : prints)
    if (print.area > 0)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          entries.push_back({print.corners[static_cast<std::size_t>(i)], print.corners[static_cast<std::size_t>(j)],
                             print.area * print.share[i] * print.share[j]});
  for (Index w = 0; w < anchors.size(); ++w) entries.push_back({w, w, anchors[w]});
  return geometry::assemble(static_cast<Index>(anchors.size()), entries);
}

std::vector<Index> weighted_joints(const SkinWeights& rows) {
  std::vector<Index> joints;
  for (Index v = 0; v < rows.row_count(); ++v)
    for (const Influence& influence : rows.row(v)) joints.push_back(influence.joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

/// The least-squares rows, or none if the equations could not be solved.
std::vector<std::vector<Influence>> fitted_rows(const Reference& reference, const geometry::Welding& ours,
                                                const std::vector<Footprint>& prints,
                                                const std::vector<double>& anchors, const SkinWeights& nearest,
                                                const Progress& progress) {
  const auto count = static_cast<Eigen::Index>(anchors.size());
  const std::vector<Index> joints = weighted_joints(reference.weights);
  std::vector<std::vector<Influence>> rows(anchors.size());
  const auto column_of = [&](Index joint, std::size_t first, std::size_t columns) {
    const auto c = static_cast<std::size_t>(std::lower_bound(joints.begin(), joints.end(), joint) - joints.begin());
    return c >= first && c < first + columns ? static_cast<Eigen::Index>(c - first) : Eigen::Index{-1};
  };
  const geometry::SparseSolver solver(normal_matrix(prints, anchors));
  for (std::size_t first = 0; first < joints.size(); first += kDetailColumns) {
    progress.check();
    const std::size_t columns = std::min(kDetailColumns, joints.size() - first);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(columns));
    for (std::size_t w = 0; w < prints.size(); ++w)
      for (const Influence& influence : reference.weights.row(ours.first[w]))
        if (const Eigen::Index c = column_of(influence.joint, first, columns); c >= 0 && prints[w].area > 0)
          for (int k = 0; k < 3; ++k)
            b(prints[w].corners[static_cast<std::size_t>(k)], c) +=
                prints[w].area * prints[w].share[k] * static_cast<double>(influence.weight);
    for (Index w = 0; w < nearest.row_count(); ++w)
      for (const Influence& influence : nearest.row(w))
        if (const Eigen::Index c = column_of(influence.joint, first, columns); c >= 0)
          b(w, c) += anchors[w] * static_cast<double>(influence.weight);
    const geometry::Solution solution = solver.solve(b);
    for (Eigen::Index w = 0; w < count; ++w)
      for (std::size_t c = 0; c < columns; ++c)
        if (const auto x = static_cast<float>(solution.x(w, static_cast<Eigen::Index>(c))); x > kLeastDetailWeight)
          rows[static_cast<std::size_t>(w)].push_back({joints[first + c], x});
  }
  return rows;
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
  for (double& anchor : anchors) anchor = kAnchor * std::max(anchor, least > 0 ? least : 1.0);
  WeightTransfer result;
  std::vector<std::vector<Influence>> fitted;
  try {
    fitted = fitted_rows(reference, ours, prints, anchors, nearest.rows, progress);
  } catch (const geometry::SingularMatrix&) {
    fitted.assign(nearest.rows.row_count(), {});
    result.fallbacks.push_back({"transfer.detail", "closest", nearest.rows.row_count(),
                                "The equations could not be solved; the weights of the nearest points were used."});
  }
  SkinWeights rows;
  for (Index w = 0; w < nearest.rows.row_count(); ++w) {
    double sum = 0;
    for (const Influence& influence : fitted[w]) sum += static_cast<double>(influence.weight);
    for (Influence& influence : fitted[w])
      influence.weight = static_cast<float>(static_cast<double>(influence.weight) / sum);
    if (sum > 0.5) rows.add_row(fitted[w]);
    else rows.add_row(nearest.rows.row(w));
  }
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
