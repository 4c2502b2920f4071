// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What it costs to rig a bare made person, stage by stage: the inside of the body, the search with all templates, the
// places of joints, fingers and extras, weights. Seconds of the clock on one and on two threads, and the same in units
// of sorting the mesh's half-edges on one thread, which the machine has a say in too. The hash is that of joints and
// weights and tells whether a change of speed changed results.
//
// Then bodies that are no character: a box, and a soup of random triangles. Their row tells how much longer they take
// than a person of 5,000 vertices in the same run, and the counts that bound the work.
//
//     rigging_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
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

// Triangles between random points of a cube.
Mesh random_soup(Index vertices, Index triangles) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(0, 1);
  std::uniform_int_distribution<Index> corner(0, vertices - 1);
  Mesh mesh;
  for (Index v = 0; v < vertices; ++v) mesh.positions.push_back(Vec3(place(random), place(random), place(random)));
  while (mesh.face_count() < triangles) {
    const std::array<Index, 3> face = {corner(random), corner(random), corner(random)};
    if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) mesh.add_face(face);
  }
  return mesh;
}

Mesh box() {
  Mesh mesh;
  for (Index v = 0; v < 8; ++v) mesh.positions.push_back(Vec3(v & 1U, v >> 1U & 1U, v >> 2U & 1U));
  for (const std::array<Index, 4>& face :
       {std::array<Index, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}})
    mesh.add_face(face);
  return mesh;
}

double plan_seconds(const Mesh& mesh, Json& metrics) {
  rigging::RiggerRequest request;
  request.templates = rigging::templates();
  const auto start = Clock::now();
  metrics = rigging::plan_skeleton(mesh, request).metrics;
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void print_bodies_of_no_character() {
  set_thread_count(2);
  shapes::MakeOptions make;
  make.vertices = 5000;
  Json metrics;
  const double person = plan_seconds(shapes::make("human", make).made.character.rig.mesh, metrics);
  fmt::print("body,times_a_person,voxels,reading_voxels,spheres,search_entries\n");
  for (const auto& [name, mesh] : {std::pair<const char*, Mesh>{"box", box()}, {"soup", random_soup(100, 400)}}) {
    const double seconds = plan_seconds(mesh, metrics);
    fmt::print("{},{:.1f},{},{},{},{}\n", name, seconds / person, metrics["voxels"].dump(),
               metrics["reading_voxels"].dump(), metrics["spheres"].dump(), metrics["search_entries"].dump());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 300000;
  print_bodies_of_no_character();
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
