// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Cost of the operators on surfaces from 5k to 500k triangles, each as a ratio to one sort of the mesh's half-edges in
// the same run: a column that stays level grows as n log n, one that doubles from row to row (four times the triangles)
// as n^1.5.
//
//     operators_bench [LARGEST]     a table with commas; LARGEST limits the triangles

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/section.h"
#include "sinew/geometry/operators/geodesic.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"

namespace {

using namespace sinew;
using namespace sinew::geometry;
using bench::best_seconds;

TriangleSurface bumpy_sphere(Index triangles) {
  const auto rings = static_cast<Index>(std::sqrt(triangles / 4.0));
  const Index segments = 2 * rings;
  TriangleSurface s;
  const auto add = [&](double t, double u) {
    const Vec3 direction(std::sin(t) * std::cos(u), std::cos(t), std::sin(t) * std::sin(u));
    s.positions.push_back((1 + 0.1 * std::sin(7 * u) * std::sin(5 * t)) * direction);
  };
  add(0, 0);
  for (Index r = 1; r < rings; ++r)
    for (Index k = 0; k < segments; ++k) add(kPi * r / rings, kTwoPi * k / segments);
  add(kPi, 0);
  const auto south = static_cast<Index>(s.positions.size() - 1);
  const auto at = [&](Index r, Index k) { return 1 + (r - 1) * segments + k % segments; };
  for (Index r = 0; r < rings; ++r)
    for (Index k = 0; k < segments; ++k) {
      if (r == 0) s.triangles.push_back({0, at(1, k + 1), at(1, k)});
      else if (r + 1 == rings) s.triangles.push_back({south, at(r, k), at(r, k + 1)});
      else {
        s.triangles.push_back({at(r, k), at(r, k + 1), at(r + 1, k)});
        s.triangles.push_back({at(r, k + 1), at(r + 1, k + 1), at(r + 1, k)});
      }
    }
  return s;
}

double sort_seconds(const TriangleSurface& s) {
  std::vector<std::uint64_t> keys;
  for (const auto& t : s.triangles)
    for (std::size_t k = 0; k < 3; ++k) keys.push_back((std::uint64_t{t[k]} << 32) | t[(k + 1) % 3]);
  double best = 1e30;
  for (int i = 0; i < 7; ++i) {
    std::vector<std::uint64_t> copy = keys;
    best = std::min(best, best_seconds(1, [&] { parallel_sort(copy); }));
  }
  return best;
}

void measure(Index triangles) {
  const TriangleSurface s = bumpy_sphere(triangles);
  double sort = sort_seconds(s);
  IntrinsicTriangulation t = intrinsic_triangulation(s.positions, s.triangles);
  std::vector<double> seconds;
  const auto time = [&](int times, auto&& f) { seconds.push_back(best_seconds(times, f)); };

  Laplacian laplacian;
  time(3, [&] { laplacian = cotangent_laplacian(s.positions, s.triangles, {BadTriangles::kKeep}); });
  time(1, [&] { make_delaunay(t); });
  laplacian = cotangent_laplacian(t);
  const SparseMatrix a = scaled_plus_diagonal(laplacian.stiffness, 1, laplacian.mass);
  std::unique_ptr<SparseSolver> solver;
  time(1, [&] { solver = std::make_unique<SparseSolver>(a); });
  std::vector<double> x(a.size());
  time(3, [&] { solver->solve_column(laplacian.mass, x); });
  solver.reset();
  EdgeGraph graph;
  time(3, [&] { graph = edge_graph(s.positions, s.triangles); });
  const std::vector<Index> source = {static_cast<Index>(s.positions.size() / 3)};
  std::unique_ptr<HeatGeodesics> heat;
  time(1, [&] { heat = std::make_unique<HeatGeodesics>(s.positions, s.triangles); });
  HeatDistances distances;
  time(3, [&] { distances = heat->distances(source); });
  heat.reset();
  std::unique_ptr<SectionCutter> cutter;
  time(1, [&] { cutter = std::make_unique<SectionCutter>(s); });
  const std::vector<double> parameters = even_parameters(64);
  time(3, [&] { cutter->cut({0, -1, 0}, {0.1, 1, 0}, parameters); });

  sort = std::min(sort, sort_seconds(s));  // Once more: what else runs on the machine may have come and gone.
  fmt::print("{},{:.2f}", s.triangles.size(), 1e3 * sort);
  for (const double value : seconds) fmt::print(",{:.2f}", value / sort);
  fmt::print(",{:.3f}\n", static_cast<double>(t.flips) / (1.5 * static_cast<double>(s.triangles.size())));
}

}  // namespace

int main(int argc, char** argv) {
  const long largest = argc > 1 ? std::atol(argv[1]) : 500'000;
  fmt::print(
      "triangles,sort_ms,laplacian,flips,factor,solve,graph,heat_prepare,heat_solve,section_tree,sections_64,"
      "flips_per_edge\n");
  for (const Index triangles : {5'000u, 20'000u, 80'000u, 200'000u, 500'000u})
    if (static_cast<long>(triangles) <= largest) measure(triangles);
  return 0;
}
