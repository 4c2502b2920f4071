// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Cost of the segmentation at the sizes of the paper's Table II: a made person without fingers, 31 segments, on one and
// on two threads. Beside each the share of the time by which a sort of the mesh's half-edge keys on one thread goes by,
// and the paper's seconds over ours (its machine was slower: the ratio says little, the growth with size more).
//
//     segmentation_bench     a table with commas

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.h"
#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace {

using namespace sinew;

struct PaperRow {
  int vertices;
  double seconds;
};
constexpr std::array<PaperRow, 3> kTable = {{{6488, 0.39}, {15576, 0.88}, {172974, 32.3}}};

// Whether a joint is a finger's, but not the thumb's: without these about 30 segments are left.
bool finger(const std::string& name) {
  for (const std::string_view word : {"Index", "Middle", "Ring", "Little"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

std::string owners_hash(const Segmentation& segmentation) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(segmentation.owner)));
  sha.update(std::as_bytes(std::span(segmentation.along)));
  return sha.hex().substr(0, 16);
}

}  // namespace

int main() {
  fmt::print("vertices,segments,threads,milliseconds,ns_per_vertex,times_a_sort,paper_over_ours,hash\n");
  std::array<std::array<double, 2>, kTable.size()> seconds{};
  std::array<Index, kTable.size()> sizes{};
  for (std::size_t row = 0; row < kTable.size(); ++row) {
    shapes::MakeOptions options;
    options.vertices = kTable[row].vertices;
    options.triangles = true;
    const Rig rig = shapes::make("human", options).made.character.rig;
    binding::Subject subject = binding::rest_subject(rig.mesh, rig.skeleton);
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      if (finger(rig.skeleton.joints[j].name)) subject.bound[j] = 0;
    sizes[row] = rig.mesh.vertex_count();
    const double sort = bench::best_seconds(5, [&] {
      std::vector<std::uint64_t> keys = bench::half_edge_keys(rig.mesh);
      std::sort(keys.begin(), keys.end());
    });
    Segmentation found;
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      double& best = seconds[row][static_cast<std::size_t>(threads - 1)];
      best = bench::best_seconds(9, [&] { found = binding::segment(subject); });
      fmt::print("{},{},{},{:.2f},{:.1f},{:.2f},{:.0f},{}\n", sizes[row], found.segments.size(), threads, 1e3 * best,
                 1e9 * best / sizes[row], best / sort, kTable[row].seconds / best, owners_hash(found));
      std::fflush(stdout);
    }
  }
  fmt::print("# time grows {:.1f} times on one thread and {:.1f} times on two, vertices {:.1f} times\n",
             seconds.back()[0] / seconds.front()[0], seconds.back()[1] / seconds.front()[1],
             static_cast<double>(sizes.back()) / sizes.front());
  return 0;
}
