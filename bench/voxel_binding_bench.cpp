// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What the binder `voxel` costs on a made person with 24 bound joints: all of it, and a change of falloff or cap alone.
// Seconds of the clock on all threads, and the same in units of sorting the mesh's half-edges, which the machine has a
// say in too. The state hash tells whether a change of speed changed results.
//
//     voxel_binding_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string>

#include "bench/timing.h"
#include "sinew/binding/voxel/voxel.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace {

using namespace sinew;
using namespace sinew::binding;

// The joints that are not of fingers, then those of fingers, 24 in all.
Subject with_24_joints(const Rig& rig) {
  Subject subject = rest_subject(rig.mesh, rig.skeleton);
  subject.bound.assign(subject.bound.size(), 0);
  int left = 24;
  for (const bool fingers : {false, true})
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      bool finger = false;
      for (const char* word : {"Thumb", "Index", "Middle", "Ring", "Little"})
        finger = finger || rig.skeleton.joints[j].name.find(word) != std::string::npos;
      if (finger != fingers || left == 0) continue;
      subject.bound[j] = 1;
      --left;
    }
  return subject;
}

std::uint64_t hash_of(const SkinWeights& weights) {
  std::uint64_t hash = 14695981039346656037U;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v)) {
      hash = (hash ^ i.joint) * 1099511628211U;
      hash = (hash ^ static_cast<std::uint64_t>(static_cast<double>(i.weight) * 1e6)) * 1099511628211U;
    }
  return hash;
}

void measure(int vertices, int resolution, VoxelSteps steps, bool guard) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  const Rig rig = shapes::make("human", make).made.character.rig;
  const Subject subject = with_24_joints(rig);
  VoxelOptions options;
  options.resolution = resolution;
  options.steps = steps;
  options.leak_guard = guard;
  const double unit = bench::best_seconds(3, [&] {
    std::vector<std::uint64_t> keys = bench::half_edge_keys(rig.mesh);
    parallel_sort(keys);
  });
  const double bind = bench::best_seconds(2, [&] { VoxelBinding(subject, options); });
  const VoxelBinding binding(subject, options);
  SkinWeights weights;
  const double change = bench::best_seconds(5, [&] {
    BindOptions common;
    common.max_influences = 3;
    weights = binding.weights(0.4, common);
  });
  fmt::print("{},{},{},{},{},{:.3f},{:.1f},{:.4f},{:.2f},{:016x}\n", rig.mesh.vertex_count(), binding.joints().size(),
             resolution, option_words(steps)[static_cast<std::size_t>(steps)], guard ? "guarded" : "plain", bind,
             bind / unit, change, change / unit, hash_of(weights));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 173000;
  fmt::print("vertices,joints,resolution,steps,guard,bind_s,bind_units,change_s,change_units,hash\n");
  for (const int vertices : {7000, 173000}) {
    if (vertices > largest) continue;
    measure(vertices, 128, VoxelSteps::kMarching, true);
    measure(vertices, 256, VoxelSteps::kMarching, true);
    measure(vertices, 256, VoxelSteps::kMarching, false);
    measure(vertices, 256, VoxelSteps::kChamfer, false);
  }
}
