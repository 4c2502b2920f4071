// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What it costs to carry weights from one made person to another: as the target grows, and as the reference grows.
// Times in units of closest points of the same target on one thread, which are another method's whole work, and of a
// plain loop over all triangles for every ray, as the published plug-in has it, measured on a few rays. The hash is
// that of the weights and tells whether a change of speed changed results.
//
//     transfer_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/rays/guides.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "sinew/transfer/surface/closest_point.h"

namespace {

using namespace sinew;

Rig person(int vertices, int seed, double vary) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  make.seed = seed;
  make.vary = vary;
  make.triangles = true;
  return shapes::make("human", make).made.character.rig;
}

std::string weights_hash(const SkinWeights& weights) {
  Sha256 sha;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) {
      sha.update(std::as_bytes(std::span(&influence.joint, 1)));
      sha.update(std::as_bytes(std::span(&influence.weight, 1)));
    }
  return sha.hex().substr(0, 16);
}

// Seconds for one ray against all triangles, in single precision, one after the other.
double plain_ray_seconds(const Mesh& mesh) {
  struct Corner3 {
    Vec3f a, b, c;
  };
  std::vector<Corner3> triangles;
  for (const Triangle& t : triangulate(mesh))
    triangles.push_back({mesh.positions[t.vertices[0]].cast<float>(), mesh.positions[t.vertices[1]].cast<float>(),
                         mesh.positions[t.vertices[2]].cast<float>()});
  geometry::Random random(1);
  const Vec3f origin = mesh.bounds().center().cast<float>();
  constexpr int kRays = 200;
  float sum = 0;
  const double all = bench::best_seconds(3, [&] {
    for (int i = 0; i < kRays; ++i) {
      const Vec3f d =
          Vec3(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5).normalized().cast<float>();
      float nearest = 1e30F;
      for (const Corner3& t : triangles) {
        const Vec3f e1 = t.b - t.a, e2 = t.c - t.a, p = d.cross(e2);
        const float det = e1.dot(p);
        if (det == 0) continue;
        const Vec3f s = origin - t.a;
        const float u = s.dot(p) / det;
        const Vec3f q = s.cross(e1);
        const float v = d.dot(q) / det, distance = e2.dot(q) / det;
        if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && distance < nearest) nearest = distance;
      }
      sum += nearest;
    }
  });
  if (sum < 0) fmt::print("{}\n", sum);  // So that the loop stays.
  return all / kRays;
}

void run(int reference_vertices, int target_vertices) {
  const Rig from_rig = person(reference_vertices, 1, 0), to_rig = person(target_vertices, 7, 0.3);
  const transfer::Reference from{{from_rig.mesh, from_rig.skeleton, rest_matrices(from_rig.skeleton)},
                                 from_rig.weights.normalized()};
  const transfer::TransferBody to{to_rig.mesh, to_rig.skeleton, rest_matrices(to_rig.skeleton)};
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < from_rig.skeleton.size(); ++j)
    if (from_rig.skeleton.joints[j].deforming)
      joints.emplace_back(j, to_rig.skeleton.find(from_rig.skeleton.joints[j].name));
  const transfer::Correspondence pairs = transfer::correspond(from_rig.skeleton, to_rig.skeleton, joints);
  transfer::Guides guides;
  const double guided = bench::seconds([&] { guides = transfer::make_guides(from, to, pairs); });
  transfer::WeightTransfer found;
  const auto work = [&] { found = transfer::transfer_by_skeleton(from, to, pairs, guides); };
  const double both = bench::best_seconds(3, work);
  set_thread_count(1);
  const double one = bench::best_seconds(3, work);
  const double closest = bench::best_seconds(3, [&] { transfer::transfer_closest_point(from, to, {}); });
  set_thread_count(2);
  const double plain = plain_ray_seconds(from_rig.mesh) * static_cast<double>(found.rays);
  fmt::print("{},{},{},{:.3f},{:.3f},{:.2f},{:.2f},{:.3f},{:.2f},{:.1f},{}\n", from_rig.mesh.vertex_count(),
             to_rig.mesh.vertex_count(), found.rays, both, one, one / both,
             1e-6 * static_cast<double>(found.rays) / one, guided, one / closest, plain / one,
             weights_hash(found.weights));
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 200000;
  set_thread_count(2);
  fmt::print(
      "reference,target,rays,two_threads_s,one_thread_s,speed_up,mrays_per_s,guides_s,closest_points,plain_loop,"
      "hash\n");
  for (const int vertices : {5000, 10000, 20000, 50000, 100000, 200000})
    if (vertices <= largest) run(7000, vertices);
  for (const int vertices : {5000, 10000, 20000, 50000, 100000, 200000})
    if (vertices <= largest) run(vertices, 7000);
}
