// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Implicit skinning beside the methods that it starts from: frames of the clip "exercise" of a made human, with a hash
// of all positions, so that work that is left out is seen.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

using namespace sinew;

namespace {

std::vector<ModelPose> poses_of(const Rig& rig, int count) {
  const motion::Player player(rig, motion::builtin_clip(rig.skeleton, "exercise"));
  const motion::Drivers drivers(rig.skeleton);
  std::vector<ModelPose> poses;
  for (int i = 0; i < count; ++i)
    poses.push_back(motion::resolve(rig.skeleton, player.at(player.duration_s() * i / count), drivers));
  return poses;
}

// Prints one row, and returns the mean time of a frame.
double run(const std::string& method, const Rig& rig, const std::vector<ModelPose>& poses, int threads,
           double against) {
  set_thread_count(threads);
  const auto deformer = deform::bind(method, rig);
  const auto state = deformer->make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer->deform(*state, {poses.front()}, {positions, {}, nullptr});
  std::vector<double> times;
  Sha256 sha;
  for (const ModelPose& pose : poses) {
    times.push_back(bench::seconds([&] { deformer->deform(*state, {pose}, {positions, {}, nullptr}); }));
    sha.update(std::as_bytes(std::span(positions)));
  }
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  const auto share = [&](std::size_t percent) { return times[times.size() * percent / 100]; };
  const double scale = 1e6 / static_cast<double>(positions.size());
  fmt::print("{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.1f},{}\n", positions.size(), method, threads, scale * mean,
             scale * share(50), scale * share(95), scale * share(99), against > 0 ? mean / against : 1,
             sha.hex().substr(0, 16));
  return mean;
}

}  // namespace

int main(int argc, char** argv) {
  shapes::MakeOptions options;
  options.vertices = argc > 1 ? std::max(1000, std::atoi(argv[1])) : 24000;
  const Rig rig = shapes::make("human", options).made.character.rig;
  const std::vector<ModelPose> poses = poses_of(rig, argc > 2 ? std::max(10, std::atoi(argv[2])) : 200);
  fmt::print("vertices,method,threads,mean_us,median_us,p95_us,p99_us,times_lbs,hash\n");
  for (const int threads : {1, 2}) {
    const double linear = run("lbs", rig, poses, threads, 0);
    for (const char* method : {"dqs", "implicit"}) run(method, rig, poses, threads, linear);
  }
  return 0;
}
