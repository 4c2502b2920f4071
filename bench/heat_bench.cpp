// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What binding by heat costs on made humans of growing size, stage by stage, each as a ratio to one sort of the mesh's
// half-edges in the same run; seconds of the whole beside it.
//
//     heat_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/timing.h"
#include "sinew/binding/distance/distance.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/shapes/kinds.h"

namespace {

using namespace sinew;
using bench::best_seconds;

double sort_seconds(const Mesh& mesh) {
  const std::vector<std::uint64_t> keys = bench::half_edge_keys(mesh);
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    std::vector<std::uint64_t> copy = keys;
    best = std::min(best, best_seconds(1, [&] { parallel_sort(copy); }));
  }
  return best;
}

void measure(int vertices) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  const shapes::Finished human = shapes::make("human", options);
  const Rig& rig = human.made.character.rig;
  const binding::Subject subject = binding::rest_subject(rig.mesh, rig.skeleton);
  const binding::BoneTree tree = binding::bone_tree(subject);
  const double sort = sort_seconds(rig.mesh);

  std::vector<double> seconds;
  const auto time = [&](auto&& f) { seconds.push_back(best_seconds(2, f)); };
  binding::BoundSurface skin;
  time([&] { skin = binding::bound_surface(rig.mesh); });
  time([&] { binding::nearest_joints(skin, tree); });
  time([&] { geometry::cotangent_laplacian(skin.surface.positions, skin.surface.triangles); });
  time([&] { binding::heat_rows(skin, tree); });
  time([&] { binding::bind_by_heat(subject, {}, {}); });
  time([&] { binding::bind_by_distance(subject, {}, {}); });
  fmt::print("{},{},{:.2f}", rig.mesh.vertex_count(), tree.bones.size(), 1e3 * sort);
  for (const double value : seconds) fmt::print(",{:.1f}", value / sort);
  fmt::print(",{:.2f}\n", seconds[4]);
}

}  // namespace

int main(int argc, char** argv) {
  const long largest = argc > 1 ? std::atol(argv[1]) : 372'000;
  fmt::print("vertices,bones,sort_ms,surface,sight,laplacian,rows,heat,distance,heat_s\n");
  for (const int vertices : {5'000, 23'000, 93'000, 372'000})
    if (vertices <= largest) measure(vertices);
  return 0;
}
