// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Cost of the deformers per vertex, positions and normals, four joints a vertex, output in the file's order. Beside
// each the cost of a plain scalar loop over the same rig, and the bandwidth of 72 bytes a vertex as a share of a memory
// triad's, both of the same run.
//
//     skinning_bench [LARGEST]     a table with commas; LARGEST limits the vertices

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "bench/triad.h"
#include "sinew/core/angles.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/delta_mush.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/deformer.h"

namespace {

using namespace sinew;
using namespace sinew::deform;
using bench::best_seconds;
using bench::kShortWorkSeconds;

constexpr Index kJoints = 64;

struct Body {
  Rig rig;
  Segmentation segmentation;
};

// The joint that is nearest of those before it.
Index parent_of(const std::vector<Vec3>& places, Index joint) {
  Index nearest = 0;
  for (Index j = 1; j < joint; ++j)
    if ((places[j] - places[joint]).norm() < (places[nearest] - places[joint]).norm()) nearest = j;
  return nearest;
}

// A closed, wavy body of about that many vertices, ring by ring as a modeller's grid lies in a file; the four nearest
// of 64 scattered joints move a vertex, and the bone that ends in the nearest owns it.
Body body(Index vertices) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> any(-1, 1);
  Body result;
  Rig& rig = result.rig;
  Segmentation& segmentation = result.segmentation;
  rig.skeleton.joints.resize(kJoints);
  Skin skin{"skin", {}, std::vector<Mat4>(kJoints, Mat4::Identity())};
  std::vector<Vec3> places;
  for (Index j = 0; j < kJoints; ++j) {
    rig.skeleton.joints[j].name = fmt::format("joint{}", j);
    skin.joints.push_back(j);
    const double x = any(rng), y = any(rng), z = any(rng);
    places.push_back(Vec3(0.4 * x, y, 0.4 * z));
    skin.inverse_bind[j].topRightCorner<3, 1>() = -places[j];
    if (j == 0) continue;
    rig.skeleton.joints[j].parent = parent_of(places, j);
    segmentation.segments.push_back({rig.skeleton.joints[j].parent, j});
  }
  rig.skins = {skin};
  const auto rings = static_cast<Index>(std::sqrt(vertices / 2.0));
  const Index around = vertices / rings;
  rig.weights.reserve(vertices, std::size_t{4} * vertices);
  for (Index r = 0; r < rings; ++r)
    for (Index i = 0; i < around; ++i) {
      const double turn = kTwoPi * i / around, up = 2.0 * r / (rings - 1) - 1;
      const double radius = 0.1 + 0.3 * std::sqrt(std::max(0.0, 1 - up * up)) * (1 + 0.2 * std::sin(3 * turn + 9 * up));
      const Vec3 p(radius * std::cos(turn), up, radius * std::sin(turn));
      rig.mesh.positions.push_back(p);
      rig.mesh.normals.values.push_back(Vec3(p.x(), 0, p.z()).normalized().cast<float>());
      std::array<std::pair<double, Index>, kJoints> near;
      for (Index j = 0; j < kJoints; ++j) near[j] = {(places[j] - p).squaredNorm(), j};
      std::partial_sort(near.begin(), near.begin() + 4, near.end());
      std::array<Influence, 4> row;
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += 1 / (0.01 + near[k].first);
      for (std::size_t k = 0; k < 4; ++k)
        row[k] = {near[k].second, static_cast<float>(1 / (0.01 + near[k].first) / sum)};
      rig.weights.add_row(row);
      const Index bone = std::max(near[0].second, Index{1}) - 1;
      const Vec3 begin = places[segmentation.segments[bone].joint], link = places[bone + 1] - begin;
      segmentation.owner.push_back(bone);
      segmentation.along.push_back(static_cast<float>((p - begin).dot(link) / link.squaredNorm()));
      if (r == 0) continue;
      const Index a = (r - 1) * around + i, b = (r - 1) * around + (i + 1) % around;
      const std::array<Index, 4> quad = {a, a + around, b + around, b};
      rig.mesh.add_face(quad);
    }
  MeshPart part;
  part.name = "body";
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts = {part};
  return result;
}

ModelPose pose_of(const Rig& rig, double stretch) {
  std::mt19937 rng(9);
  std::normal_distribution<double> normal(0, 0.4);
  ModelPose pose;
  for (Index j = 0; j < kJoints; ++j) {
    const double x = normal(rng), y = normal(rng), z = normal(rng);
    const Vec3 scale(1 + stretch, 1, 1 - stretch);
    const Mat4 motion = Transform{0.1 * Vec3(z, x, y), rotation_exp(Vec3(x, y, z)), scale}.matrix();
    pose.joints.push_back(motion * rig.skins[0].inverse_bind[j].inverse());
  }
  return pose;
}

// What one writes first: arrays of structs, four matrices blended, no vectors of one's own.
struct ScalarLoop {
  std::vector<Vec3f> positions, normals;
  std::vector<std::array<float, 4>> weights;
  std::vector<std::array<std::uint16_t, 4>> joints;

  explicit ScalarLoop(const Rig& rig) : normals(rig.mesh.normals.values) {
    for (const Vec3& p : rig.mesh.positions) positions.push_back(p.cast<float>());
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      weights.emplace_back();
      joints.emplace_back();
      for (std::size_t k = 0; k < 4; ++k) {
        weights.back()[k] = rig.weights.row(v)[k].weight;
        joints.back()[k] = static_cast<std::uint16_t>(rig.weights.row(v)[k].joint);
      }
    }
  }

  void run(const std::vector<std::array<float, 12>>& palette, std::vector<Vec3f>& out,
           std::vector<Vec3f>& out_normals) const {
    for (std::size_t v = 0; v < positions.size(); ++v) {
      float m[12] = {};
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t e = 0; e < 12; ++e) m[e] += weights[v][k] * palette[joints[v][k]][e];
      const float *const p = positions[v].data(), *const n = normals[v].data();
      float q[3], o[3];
      for (std::size_t r = 0; r < 3; ++r) {
        q[r] = m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
        o[r] = m[4 * r] * n[0] + m[4 * r + 1] * n[1] + m[4 * r + 2] * n[2];
      }
      const float k = 1 / std::sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
      out[v] = Vec3f(q[0], q[1], q[2]);
      out_normals[v] = Vec3f(k * o[0], k * o[1], k * o[2]);
    }
  }
};

std::vector<std::array<float, 12>> palette_of(const Rig& rig, const ModelPose& pose) {
  std::vector<std::array<float, 12>> palette(pose.joints.size());
  for (std::size_t j = 0; j < palette.size(); ++j) {
    const Mat4 m = pose.joints[j] * rig.skins[0].inverse_bind[j];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) palette[j][static_cast<std::size_t>(4 * r + c)] = static_cast<float>(m(r, c));
  }
  return palette;
}

struct Bench {
  double triad = 0;
  double scalar_ns = 0, lbs_ns = 0;
  std::vector<Vec3f> positions, normals;

  std::string hash() const {
    Sha256 sha;
    sha.update(std::as_bytes(std::span(positions)));
    sha.update(std::as_bytes(std::span(normals)));
    return sha.hex().substr(0, 16);
  }

  double time(const Deformer& deformer, const ModelPose& pose, bool with_normals) {
    const auto state = deformer.make_state();
    const FrameOutput out{positions, with_normals ? std::span<Vec3f>(normals) : std::span<Vec3f>()};
    deformer.deform(*state, {pose}, out);
    const double seconds = best_seconds(
        5, [&] { deformer.deform(*state, {pose}, out); }, kShortWorkSeconds);
    return 1e9 * seconds / static_cast<double>(positions.size());
  }

  void print(const std::string& what, int threads, double ns) const {
    const double share = 72e9 / ns / triad;
    fmt::print("{},{},{},{:.3f},{:.3f},{:.2f},{:.2f},{}\n", positions.size(), what, threads, ns, share, scalar_ns / ns,
               lbs_ns > 0 ? ns / lbs_ns : 0, hash());
    std::fflush(stdout);
  }
};

void run_size(Bench& bench, Index vertices) {
  const Body made = body(vertices);
  const Rig& rig = made.rig;
  const ModelPose pose = pose_of(rig, 0), stretched = pose_of(rig, 0.2);
  bench.positions.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  bench.normals.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  bench.triad = bench::triad_bytes_per_second();
  bench.lbs_ns = 0;
  set_thread_count(1);
  const auto palette = palette_of(rig, pose);
  {
    const ScalarLoop loop(rig);
    const double seconds = best_seconds(
        5, [&] { loop.run(palette, bench.positions, bench.normals); }, kShortWorkSeconds);
    bench.scalar_ns = 1e9 * seconds / rig.mesh.vertex_count();
    bench.print("scalar loop", 1, bench.scalar_ns);
  }
  const auto lbs = bind("lbs", rig), dqs = bind("dqs", rig);
  // How the share of a twist was found does not matter to a frame.
  const auto slbs = bind_slbs(rig, made.segmentation, {TwistShare::kDelta});
  bench.lbs_ns = bench.time(*lbs, pose, true);
  bench.print("lbs", 1, bench.lbs_ns);
  bench.print("dqs", 1, bench.time(*dqs, pose, true));
  bench.print("slbs", 1, bench.time(*slbs, pose, true));
  bench.print("lbs positions only", 1, bench.time(*lbs, pose, false));
  bench.print("slbs positions only", 1, bench.time(*slbs, pose, false));
  bench.print("lbs uneven scale", 1, bench.time(*lbs, stretched, true));
  bench.print("dqs uneven scale", 1, bench.time(*dqs, stretched, true));
  bench.print("slbs uneven scale", 1, bench.time(*slbs, stretched, true));
  set_thread_count(2);
  bench.print("lbs", 2, bench.time(*lbs, pose, true));
  bench.print("dqs", 2, bench.time(*dqs, pose, true));
  bench.print("slbs", 2, bench.time(*slbs, pose, true));
}

// The smoothing alone: what it adds to a frame.
void run_delta_mush(Bench& bench) {
  const Body made = body(23000);
  const Rig& rig = made.rig;
  const ModelPose pose = pose_of(rig, 0);
  bench.positions.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  bench.normals.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  const auto plain = bind("lbs", rig), smooth = bind_delta_mush(bind("lbs", rig), rig, {});
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const double base = bench.time(*plain, pose, true);
    const double added = bench.time(*smooth, pose, true) - base;
    fmt::print("{},delta mush 5 rounds,{},{:.3f},,,,{}\n", rig.mesh.vertex_count(), threads, added, bench.hash());
    fmt::print("# delta mush adds {:.3f} ms a frame on {} thread{}\n", added * 1e-6 * rig.mesh.vertex_count(), threads,
               threads == 1 ? "" : "s");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto largest = static_cast<Index>(argc > 1 ? std::atol(argv[1]) : 2'000'000);
  Bench bench;
  fmt::print("vertices,method,threads,ns_per_vertex,share_of_triad,times_scalar,times_lbs,hash\n");
  for (const Index vertices : {5'000U, 20'000U, 200'000U, 2'000'000U})
    if (vertices <= largest) run_size(bench, vertices);
  run_delta_mush(bench);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("# triad {:.1f} GB/s, peak memory {:.0f} MB\n", bench.triad * 1e-9,
             static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
