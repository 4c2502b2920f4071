// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/inpainting.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::transfer {
namespace {

constexpr double kLeastVertexArea = 1e-12;  // Of a vertex, in squares of the mesh's size.
constexpr float kLeastWeight = 1e-6F;       // Smaller ones in made rows are dust of the solve.
constexpr double kWorstSum = 1e-3;          // By how much rows may miss 1 before negative values are cut off.
constexpr double kWorstResidual = 1e-4;
constexpr std::size_t kInpaintColumns = 16;  // Joints solved together: bounds the memory.

using InpaintRow = std::vector<Influence>;

/// The welded surface, with a row or none for each of its vertices.
struct Canvas {
  geometry::Welding welding;
  geometry::TriangleSurface surface;
  geometry::SparseMatrix stiffness;
  std::vector<double> inverse_mass;
  std::vector<char> done;  // Per welded vertex: has a row.
  std::vector<char> known;
  std::vector<InpaintRow> row;

  Index count() const { return welding.count(); }
};

Canvas make_canvas(const Mesh& mesh, const SkinWeights& rows, const std::vector<char>& known) {
  Canvas canvas;
  canvas.welding = geometry::weld(mesh);
  canvas.surface = geometry::triangle_surface(mesh, canvas.welding);
  // Clamped cotangents, as published, let one triangle of no area at the edge of a strip move weights by 0.16; flips
  // in the surface by 0.03.
  geometry::Laplacian laplacian =
      geometry::cotangent_laplacian(canvas.surface.positions, canvas.surface.triangles,
                                    {geometry::BadTriangles::kIntrinsicDelaunay, geometry::MassKind::kMixedVoronoi});
  canvas.stiffness = std::move(laplacian.stiffness);
  const double size = mesh.size(), unit = size > 0 ? 1 / (size * size) : 1;
  for (const double mass : laplacian.mass) canvas.inverse_mass.push_back(1 / std::max(mass * unit, kLeastVertexArea));
  canvas.known.assign(canvas.count(), 0);
  canvas.row.resize(canvas.count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index w = canvas.welding.welded[v];
    if (known[v] == 0 || canvas.known[w] != 0) continue;
    canvas.known[w] = 1;
    canvas.row[w].assign(rows.row(v).begin(), rows.row(v).end());
  }
  canvas.done = canvas.known;
  return canvas;
}

/// The vertices that the Laplacian joins, shell by shell, each rising.
std::vector<std::vector<Index>> joined_shells(const geometry::SparseMatrix& a) {
  std::vector<std::vector<Index>> shells;
  std::vector<char> seen(a.size(), 0);
  for (Index start = 0; start < a.size(); ++start) {
    if (seen[start] != 0) continue;
    seen[start] = 1;
    std::vector<Index> shell = {start};
    for (std::size_t i = 0; i < shell.size(); ++i)
      for (Index k = a.offsets[shell[i]]; k < a.offsets[shell[i] + 1]; ++k)
        if (a.values[k] != 0 && seen[a.columns[k]] == 0) seen[a.columns[k]] = 1, shell.push_back(a.columns[k]);
    std::sort(shell.begin(), shell.end());
    shells.push_back(std::move(shell));
  }
  return shells;
}

/// The unknown vertices of a shell, and the known ones that bear on them.
struct Patch {
  std::vector<Index> unknown;
  std::vector<Index> border;
};

/// InpaintRow `v` of L + L·M⁻¹·L, or of L alone: columns rising.
void energy_row(const Canvas& canvas, Index v, bool second_order, std::vector<std::pair<Index, double>>& row) {
  const geometry::SparseMatrix& a = canvas.stiffness;
  row.clear();
  for (Index k = a.offsets[v]; k < a.offsets[v + 1]; ++k) {
    if (a.values[k] == 0) continue;  // May lead to another shell.
    row.emplace_back(a.columns[k], a.values[k]);
    if (!second_order) continue;
    const Index middle = a.columns[k];
    const double factor = a.values[k] * canvas.inverse_mass[middle];
    for (Index m = a.offsets[middle]; m < a.offsets[middle + 1]; ++m)
      if (a.values[m] != 0) row.emplace_back(a.columns[m], factor * a.values[m]);
  }
  std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::size_t end = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (end > 0 && row[end - 1].first == row[i].first) row[end - 1].second += row[i].second;
    else row[end++] = row[i];
  }
  row.resize(end);
}

/// The energy of a patch, its unknown vertices first. Rows of the border stay empty: nobody looks at them.
/// `place` (per welded vertex, kNone) is used and left as it came.
geometry::SparseMatrix patch_energy(const Canvas& canvas, Patch& patch, bool second_order, std::vector<Index>& place) {
  std::vector<std::vector<std::pair<Index, double>>> rows(patch.unknown.size());
  parallel_for(
      rows.size(), [&](std::size_t i) { energy_row(canvas, patch.unknown[i], second_order, rows[i]); }, 256);
  patch.border.clear();
  for (const auto& row : rows)
    for (const auto& entry : row)
      if (canvas.known[entry.first] != 0) patch.border.push_back(entry.first);
  std::sort(patch.border.begin(), patch.border.end());
  patch.border.erase(std::unique(patch.border.begin(), patch.border.end()), patch.border.end());
  const auto free = static_cast<Index>(patch.unknown.size());
  for (Index i = 0; i < free; ++i) place[patch.unknown[i]] = i;
  for (Index i = 0; i < patch.border.size(); ++i) place[patch.border[i]] = free + i;
  geometry::SparseMatrix energy;
  for (auto& row : rows) {
    for (auto& entry : row) entry.first = place[entry.first];
    std::sort(row.begin(), row.end());
    for (const auto& entry : row) energy.columns.push_back(entry.first), energy.values.push_back(entry.second);
    energy.offsets.push_back(static_cast<Index>(energy.columns.size()));
  }
  energy.offsets.resize(patch.unknown.size() + patch.border.size() + 1, energy.offsets.back());
  for (const Index v : patch.unknown) place[v] = kNone;
  for (const Index v : patch.border) place[v] = kNone;
  return energy;
}

std::vector<Index> joints_of(const Canvas& canvas, const std::vector<Index>& vertices) {
  std::vector<Index> joints;
  for (const Index v : vertices)
    for (const Influence& influence : canvas.row[v]) joints.push_back(influence.joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

void scale_to_one(InpaintRow& row) {
  double sum = 0;
  for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
  for (Influence& influence : row) influence.weight = static_cast<float>(static_cast<double>(influence.weight) / sum);
}

/// Solves a patch; false, and nothing written, if that did not go well.
bool solve_patch(Canvas& canvas, Patch& patch, bool second_order, std::vector<Index>& place, const Progress& progress) {
  const geometry::SparseMatrix energy = patch_energy(canvas, patch, second_order, place);
  if (patch.border.empty()) return false;
  const std::size_t free = patch.unknown.size();
  std::vector<Index> fixed;
  for (std::size_t i = 0; i < patch.border.size(); ++i) fixed.push_back(static_cast<Index>(free + i));
  const std::vector<Index> joints = joints_of(canvas, patch.border);
  std::vector<InpaintRow> made(free);
  std::vector<double> sums(free, 0);
  try {
    const geometry::FixedValueSolver solver(energy, fixed);
    for (std::size_t first = 0; first < joints.size(); first += kInpaintColumns) {
      progress.check();
      const std::size_t columns = std::min(kInpaintColumns, joints.size() - first);
      Eigen::MatrixXd values =
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(fixed.size()), static_cast<Eigen::Index>(columns));
      for (std::size_t i = 0; i < patch.border.size(); ++i)
        for (const Influence& influence : canvas.row[patch.border[i]]) {
          const auto column = static_cast<std::size_t>(std::lower_bound(joints.begin(), joints.end(), influence.joint) -
                                                       joints.begin());
          if (column >= first && column < first + columns)
            values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(column - first)) +=
                static_cast<double>(influence.weight);
        }
      const geometry::Solution solution = solver.solve(
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(energy.size()), static_cast<Eigen::Index>(columns)), values);
      if (!(solution.residual < kWorstResidual)) return false;
      for (std::size_t i = 0; i < free; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          const double x = solution.x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c));
          sums[i] += x;
          const auto weight = static_cast<float>(x);
          if (weight > kLeastWeight) made[i].push_back({joints[first + c], weight});
        }
    }
  } catch (const geometry::SingularMatrix&) {
    return false;
  }
  // Constants are among the solutions, so that sums away from 1 tell of rounding.
  for (std::size_t i = 0; i < free; ++i)
    if (!(std::abs(sums[i] - 1) < kWorstSum)) return false;
  for (std::size_t i = 0; i < free; ++i) {
    scale_to_one(made[i]);
    canvas.row[patch.unknown[i]] = std::move(made[i]);
    canvas.done[patch.unknown[i]] = 1;
  }
  return true;
}

/// Rows for what has none yet from the nearest that has one, along edges; the lower index of equally near ones.
Index copy_along_edges(Canvas& canvas, const geometry::Lists& rings) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Index>> best(canvas.count(), {kFar, kNone});
  using Step = std::tuple<double, Index, Index>;  // Length, origin, vertex.
  std::priority_queue<Step, std::vector<Step>, std::greater<>> queue;
  for (Index v = 0; v < canvas.count(); ++v)
    if (canvas.done[v] != 0) best[v] = {0, v}, queue.emplace(0, v, v);
  while (!queue.empty()) {
    const auto [length, origin, vertex] = queue.top();
    queue.pop();
    if (best[vertex] != std::pair(length, origin)) continue;
    for (const Index next : rings[vertex]) {
      if (canvas.done[next] != 0) continue;
      const double edge = (canvas.surface.positions[next] - canvas.surface.positions[vertex]).norm();
      const std::pair<double, Index> candidate(length + edge, origin);
      if (candidate < best[next]) best[next] = candidate, queue.emplace(candidate.first, origin, next);
    }
  }
  Index copied = 0;
  for (Index v = 0; v < canvas.count(); ++v) {
    if (canvas.done[v] != 0 || best[v].second == kNone) continue;
    canvas.row[v] = canvas.row[best[v].second];
    ++copied;
  }
  for (Index v = 0; v < canvas.count(); ++v)
    if (best[v].second != kNone) canvas.done[v] = 1;
  return copied;
}

/// Rows for the vertices in `left` from the nearest known vertex in space.
void copy_from_nearest(Canvas& canvas, const std::vector<Index>& left) {
  std::vector<Vec3> places, wanted;
  std::vector<Index> vertices;
  std::vector<std::array<Index, 3>> points;  // Triangles without extent.
  for (Index v = 0; v < canvas.count(); ++v) {
    if (canvas.known[v] == 0) continue;
    const auto i = static_cast<Index>(places.size());
    points.push_back({i, i, i});
    places.push_back(canvas.surface.positions[v]);
    vertices.push_back(v);
  }
  for (const Index v : left) wanted.push_back(canvas.surface.positions[v]);
  const geometry::RayScene scene(geometry::TriangleSoup{places, points});
  const std::vector<geometry::ClosestPoint> nearest = scene.closest_points(wanted);
  for (std::size_t i = 0; i < left.size(); ++i) canvas.row[left[i]] = canvas.row[vertices[nearest[i].triangle]];
}

}  // namespace

InpaintResult inpaint(const Mesh& mesh, const SkinWeights& rows, const std::vector<char>& known,
                      const Progress& progress) {
  assert(rows.row_count() == mesh.vertex_count() && known.size() == mesh.vertex_count());
  progress.step("spreading weights");
  Canvas canvas = make_canvas(mesh, rows, known);
  std::vector<Index> place(canvas.count(), kNone);
  Index by_laplacian = 0;
  for (const std::vector<Index>& shell : joined_shells(canvas.stiffness)) {
    Patch patch;
    for (const Index v : shell)
      if (canvas.known[v] == 0) patch.unknown.push_back(v);
    if (patch.unknown.empty() || patch.unknown.size() == shell.size()) continue;
    if (solve_patch(canvas, patch, true, place, progress)) continue;
    if (solve_patch(canvas, patch, false, place, progress)) by_laplacian += static_cast<Index>(patch.unknown.size());
  }
  InpaintResult result;
  Index by_edges = 0;
  if (std::find(canvas.done.begin(), canvas.done.end(), 0) != canvas.done.end())
    by_edges = copy_along_edges(canvas, geometry::one_rings(mesh, &canvas.welding));
  std::vector<Index> left;
  for (Index v = 0; v < canvas.count(); ++v)
    if (canvas.done[v] == 0) left.push_back(v);
  if (!left.empty()) copy_from_nearest(canvas, left);
  const auto tell = [&](const char* method, Index count, const char* text) {
    if (count > 0) result.fallbacks.push_back({"transfer.inpaint", method, count, text});
  };
  tell("laplacian", by_laplacian, "The equations for smooth weights could not be solved; simpler equations were used.");
  tell("edges", by_edges, "The equations for weights could not be solved; the nearest row along edges was copied.");
  result.weights.reserve(rows.row_count(), 4 * static_cast<std::size_t>(rows.row_count()));
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index w = canvas.welding.welded[v];
    if (known[v] != 0) result.weights.add_row(rows.row(v));
    else result.weights.add_row(canvas.row[w]);
    result.reached.push_back(known[v] != 0 ? 0 : canvas.done[w] != 0 ? 1 : 2);
  }
  return result;
}

}  // namespace sinew::transfer
