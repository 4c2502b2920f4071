// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What it costs to rig a bare made person, stage by stage: the inside of the body, the search with all templates, the
// places of joints, fingers and extras, weights. Seconds of the clock on one and on two threads, and the same in units
// of sorting the mesh's half-edges on one thread, which the machine has a say in too. The hash is that of joints and
// weights and tells whether a change of speed changed results.
//
//     rigging_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/timing.h"
#include "sinew/binding/auto/auto.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/rigging/build/build_skeleton.h"
#include "sinew/rigging/rigger.h"
#include "sinew/rigging/templates/preset.h"
#include "sinew/rigging/templates/template_file.h"
#include "sinew/shapes/kinds.h"

namespace {

using namespace sinew;
using Clock = std::chrono::steady_clock;

// Seconds by stage, in the order in which they came.
class Stages {
 public:
  void begin(const char* name) {
    end();
    current_ = name;
    start_ = Clock::now();
  }
  void end() {
    if (!current_.empty()) seconds_[current_] += std::chrono::duration<double>(Clock::now() - start_).count();
    current_.clear();
  }
  double of(const char* name) const {
    const auto found = seconds_.find(name);
    return found == seconds_.end() ? 0 : found->second;
  }
  double sum() const {
    double all = 0;
    for (const auto& [name, seconds] : seconds_) all += seconds;
    return all;
  }

 private:
  std::map<std::string, double> seconds_;
  std::string current_;
  Clock::time_point start_;
};

struct Result {
  std::size_t joints = 0;
  Stages stages;
  std::string hash;
};

std::string state_hash(const rigging::SkeletonPlan& plan, const SkinWeights& weights) {
  Sha256 sha;
  for (const rigging::PlannedJoint& joint : plan.joints) sha.update(std::as_bytes(std::span(joint.position.data(), 3)));
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) {
      const std::pair<Index, float> entry(influence.joint, influence.weight);
      sha.update(std::as_bytes(std::span(&entry.first, 1)));
      sha.update(std::as_bytes(std::span(&entry.second, 1)));
    }
  return sha.hex().substr(0, 16);
}

Result rig(const Mesh& mesh) {
  Result result;
  rigging::RiggerRequest request;
  request.templates = rigging::templates();
  request.on_stage = [&](const char* stage) { result.stages.begin(stage); };
  const rigging::PlanResult rigged = rigging::plan_skeleton(mesh, request);
  result.stages.begin("bind");
  const rigging::BuiltSkeleton built = rigging::build_skeleton(rigged.plan, rigging::find_preset("plain"));
  std::vector<char> bound;
  for (const Joint& joint : built.skeleton.joints) bound.push_back(joint.deforming ? 1 : 0);
  const binding::Subject subject{mesh, built.skeleton, rest_matrices(built.skeleton), std::move(bound)};
  const binding::BindResult made = binding::bind_auto(subject);
  result.stages.end();
  result.joints = rigged.plan.joints.size();
  result.hash = state_hash(rigged.plan, made.weights);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 300000;
  fmt::print("vertices,joints,threads,inside_s,search_s,joints_s,details_s,bind_s,all_s,all_sorts,hash\n");
  for (const int vertices : {5000, 20000, 93000, 300000}) {
    if (vertices > largest) continue;
    shapes::MakeOptions make;
    make.vertices = vertices;
    Mesh mesh = shapes::make("human", make).made.character.rig.mesh;
    for (MeshPart& part : mesh.parts) part.skin = part.joint = kNone;
    set_thread_count(1);
    const double sort = bench::best_seconds(5, [&] {
      std::vector<std::uint64_t> keys = bench::half_edge_keys(mesh);
      std::sort(keys.begin(), keys.end());
    });
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      Result best = rig(mesh);
      for (int again = 0; again < 2; ++again)
        if (Result other = rig(mesh); other.stages.sum() < best.stages.sum()) best = std::move(other);
      const Stages& s = best.stages;
      fmt::print("{},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.0f},{}\n", mesh.vertex_count(), best.joints,
                 threads, s.of("inside"), s.of("search"), s.of("joints"), s.of("details"), s.of("bind"), s.sum(),
                 s.sum() / sort, best.hash);
      std::fflush(stdout);
    }
  }
  return 0;
}
