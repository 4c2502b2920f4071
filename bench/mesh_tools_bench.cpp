// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// How long the mesh tools take, as ratios to one parallel sort of the mesh's half-edges in the same run. A column that
// stays level is as good as linear; one that grows with the logarithm of the size is the sort's own kind.
//
//     mesh_tools_bench [MOST TRIANGLES]     CSV on the standard output

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/sanitize.h"
#include "sinew/geometry/mesh/subdivide.h"
#include "sinew/geometry/mesh/weld_within.h"

namespace {

using namespace sinew;
using namespace sinew::geometry;
using bench::half_edge_keys;
using bench::seconds;

// The best time of `f` over the best time of a sort of `keys`, taken in turns so that both meet the same machine.
template <class F>
double ratio_to_sort(const std::vector<std::uint64_t>& keys, F&& f) {
  double tool = 1e30, sort = 1e30, spent = 0;
  std::vector<std::uint64_t> copy;
  for (int i = 0; i < 9 && (i < 3 || spent < 1); ++i) {
    copy = keys;
    sort = std::min(sort, seconds([&] { parallel_sort(copy); }));
    const double once = seconds(f);
    tool = std::min(tool, once);
    spent += once;
  }
  return tool / sort;
}

// A bumpy torus of about `triangles` triangles, from coarse quads by subdivision.
Mesh bumpy_torus(Index triangles) {
  const auto rings = static_cast<Index>(std::lround(std::sqrt(triangles / 2.0 / 16 / 2)));  // Two levels: 16 times.
  const Index segments = 2 * rings;
  Mesh mesh;
  for (Index s = 0; s < segments; ++s)
    for (Index r = 0; r < rings; ++r) {
      const double u = kTwoPi * s / segments, v = kTwoPi * r / rings;
      const double radius = 0.4 + 0.05 * std::sin(5 * u) * std::sin(3 * v);
      mesh.positions.push_back(
          {(1 + radius * std::cos(v)) * std::cos(u), radius * std::sin(v), (1 + radius * std::cos(v)) * std::sin(u)});
    }
  const auto at = [&](Index s, Index r) { return s % segments * rings + r % rings; };
  for (Index s = 0; s < segments; ++s)
    for (Index r = 0; r < rings; ++r)
      mesh.add_face(std::array<Index, 4>{at(s, r), at(s, r + 1), at(s + 1, r + 1), at(s + 1, r)});
  const Mesh fine = subdivide(mesh, SubdivisionScheme::kCatmullClark, 2).mesh;
  Mesh result;
  result.positions = fine.positions;
  for (const Triangle& t : triangulate(fine)) result.add_face(t.vertices);
  return result;
}

// The same with every triangle on its own, slightly off, and some turned over.
Mesh damaged(const Mesh& mesh) {
  Mesh result;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : mesh.face(f)) {
      face.push_back(result.vertex_count());
      result.positions.push_back(mesh.positions[v] + Vec3::Constant(1e-8 * (f % 7)));
    }
    if (f % 5 == 0) std::swap(face[0], face[1]);
    result.add_face(face);
  }
  return result;
}

void measure(Index triangles) {
  const Mesh mesh = bumpy_torus(triangles), bad = damaged(mesh);
  const std::vector<std::uint64_t> keys = half_edge_keys(mesh);
  const double size = mesh.size();
  fmt::print("{}", mesh.face_count());
  const auto ratio = [&](auto&& f) { fmt::print(",{:.2f}", ratio_to_sort(keys, f)); };
  ratio([&] { subdivide(mesh, SubdivisionScheme::kCatmullClark); });
  ratio([&] { subdivide(mesh, SubdivisionScheme::kMidpoint); });
  ratio([&] { one_rings(mesh); });
  ratio([&] { half_edges(mesh); });
  ratio([&] { vertex_normals(mesh); });
  ratio([&] { components(mesh); });
  ratio([&] { weld_within(bad, 1e-6 * size); });
  ratio([&] { sanitize(mesh); });
  ratio([&] { sanitize(bad); });
  ratio([&] { decimate(mesh, {.target_triangles = mesh.face_count() / 10}); });
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const Index most = argc > 1 ? static_cast<Index>(std::stoul(argv[1])) : 500'000;
  fmt::print(
      "triangles,catmull_clark,midpoint,one_rings,half_edges,vertex_normals,components,weld_within,"
      "sanitize_clean,sanitize_damaged,decimate_to_tenth\n");
  for (const Index triangles : {5'000u, 20'000u, 80'000u, 200'000u, 500'000u})
    if (triangles <= most) measure(triangles);
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "{}\n", problem.what());
  return 1;
}
