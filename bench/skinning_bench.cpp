// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Cost of the deformers per vertex, positions and normals, four joints a vertex, output in the file's order. Beside
// each the cost as a multiple of linear skinning and of a plain scalar loop over the same rig, and the bandwidth as a
// share of a memory triad's, all of the same run.
//
//     skinning_bench [LARGEST [ROUNDS]]     a table with commas; LARGEST limits the vertices
//
// Methods take turns, and ratios are medians over the rounds of what ran next to each other, so that what else the
// machine does cancels. On one thread the clock is the thread's own. Rows "in memory" are beyond the last-level cache:
// their data is several times as large, or at least a triad over arrays four times as large ran before every single
// run and left nothing of it there. Bytes are counted alike for the triad and the methods: what a method reads of its
// tables plus what it writes, without what the cache fetches in order to write.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
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
#include "sinew/deform/blend/skin_layout.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/deformer.h"

namespace {

using namespace sinew;
using namespace sinew::deform;

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

// What a method reads of its layout and writes to the output, per vertex.
double bytes_per_vertex(const SkinLayout& layout, bool normals, double more_per_block) {
  const auto blocks = static_cast<double>(layout.blocks.size());
  const auto size = [](const auto& list) { return static_cast<double>(list.size() * sizeof(list[0])); };
  const double read = size(layout.blocks) + size(layout.slot_lists) + size(layout.weights) + size(layout.scattered) +
                      size(layout.positions) + (normals ? size(layout.normals) : 0) + more_per_block * blocks;
  return read / layout.vertex_count + (normals ? 24 : 12);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One line of the table: something that runs, and how long each round of it took.
struct Row {
  std::string name;
  int threads = 1;
  double bytes = 0;  // Per vertex; 0 where they are not counted.
  std::function<void()> run;
  std::vector<double> seconds = {};
  std::vector<double> triad_seconds = {};  // Of the triad right before.
  std::string hash = {};

  // The median over the rounds of another row's time as a multiple of this one's.
  double speed_against(const Row& other) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < seconds.size(); ++i) ratios.push_back(other.seconds[i] / seconds[i]);
    return median(std::move(ratios));
  }
};

struct Bench {
  std::size_t cache_bytes = bench::last_level_cache_bytes();
  bench::Triad triad{std::max<std::size_t>(4 * cache_bytes, std::size_t{192} << 20)};
  int rounds = 15, threads = 0;
  std::vector<Vec3f> positions, normals;
  std::vector<Row> rows;
  std::vector<double> triad_speeds;

  std::string hash() const {
    Sha256 sha;
    sha.update(std::as_bytes(std::span(positions)));
    sha.update(std::as_bytes(std::span(normals)));
    return sha.hex().substr(0, 16);
  }

  void resize(Index vertices) {
    positions.assign(vertices, Vec3f::Zero());
    normals.assign(vertices, Vec3f::Zero());
    rows.clear();
  }

  void add(const std::string& name, int threads, double bytes, const Deformer& deformer, const ModelPose& pose,
           bool with_normals = true) {
    std::shared_ptr<Deformer::State> state = deformer.make_state();
    rows.push_back({name, threads, bytes, [this, state, with_normals, &deformer, &pose] {
                      const std::span<Vec3f> to = with_normals ? std::span<Vec3f>(normals) : std::span<Vec3f>();
                      deformer.deform(*state, {pose}, {positions, to});
                    }});
  }

  // Threads take a while to wake up.
  void use_threads(const Row& row) {
    if (threads == row.threads) return;
    set_thread_count(threads = row.threads);
    if (threads > 1) bench::best_seconds(2, row.run, 0.005);
  }

  void time_once(Row& row, bool in_memory) {
    use_threads(row);
    if (in_memory) row.triad_seconds.push_back(bench::thread_seconds([&] { triad.run(); }));
    // What fits the cache is already there, and a few runs of it take longer than the clock's tick.
    const auto repeats = in_memory ? 1 : 1 + 200'000 / static_cast<int>(positions.size());
    double best = 1e30;
    for (int i = 0; i < repeats; ++i)
      best = std::min(best, row.threads == 1 ? bench::thread_seconds(row.run) : bench::seconds(row.run));
    row.seconds.push_back(best);
  }

  void run(bool in_memory) {
    for (Row& row : rows) {
      std::fill(normals.begin(), normals.end(), Vec3f::Zero());
      use_threads(row);
      row.run();
      row.hash = hash();
    }
    for (int round = 0; round < rounds; ++round)
      for (Row& row : rows) time_once(row, in_memory);
    for (const Row& row : rows) print(row, in_memory);
    std::fflush(stdout);
  }

  void print(const Row& row, bool in_memory) {
    const auto vertices = static_cast<double>(positions.size());
    const double best = *std::min_element(row.seconds.begin(), row.seconds.end());
    std::string share;
    if (in_memory && row.threads == 1 && row.bytes > 0) {
      std::vector<double> shares;
      for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        triad_speeds.push_back(triad.bytes() / row.triad_seconds[i]);
        shares.push_back(row.bytes * vertices / row.seconds[i] / triad_speeds.back());
      }
      share = fmt::format("{:.2f}", median(std::move(shares)));
    }
    fmt::print("{},{},{},{},{:.1f},{:.3f},{:.3f},{},{:.2f},{:.2f},{}\n", positions.size(), row.name, row.threads,
               in_memory ? "memory" : "cache", row.bytes, 1e9 * best / vertices, 1e9 * median(row.seconds) / vertices,
               share, row.speed_against(rows[0]), rows[1].speed_against(row), row.hash);
  }
};

void run_size(Bench& bench, Index vertices) {
  const Body made = body(vertices);
  const Rig& rig = made.rig;
  const ModelPose pose = pose_of(rig, 0), stretched = pose_of(rig, 0.2);
  bench.resize(rig.mesh.vertex_count());
  const auto palette = palette_of(rig, pose);
  const ScalarLoop loop(rig);
  const auto lbs = bind("lbs", rig), dqs = bind("dqs", rig);
  // How the share of a twist was found does not matter to a frame.
  const auto slbs = bind_slbs(rig, made.segmentation, {TwistShare::kDelta});
  double linear[2], twisted[2];
  {
    // Per block, twists add the number of a run and per vertex a share and, with normals, its gradient.
    const SkinLayout layout = make_skin_layout(rig), grouped = make_skin_layout(rig, {}, made.segmentation.owner);
    for (const bool normals : {false, true}) {
      linear[normals] = bytes_per_vertex(layout, normals, 0);
      twisted[normals] = bytes_per_vertex(grouped, normals, 4 + (normals ? 4.0 : 1.0) * sizeof(Lanes));
    }
  }
  bench.rows.push_back({"scalar loop", 1, 72, [&] { loop.run(palette, bench.positions, bench.normals); }});
  bench.add("lbs", 1, linear[1], *lbs, pose);
  bench.add("dqs", 1, linear[1], *dqs, pose);
  bench.add("slbs", 1, twisted[1], *slbs, pose);
  bench.add("lbs positions only", 1, linear[0], *lbs, pose, false);
  bench.add("dqs positions only", 1, linear[0], *dqs, pose, false);
  bench.add("slbs positions only", 1, twisted[0], *slbs, pose, false);
  bench.add("lbs uneven scale", 1, linear[1], *lbs, stretched);
  bench.add("dqs uneven scale", 1, linear[1], *dqs, stretched);
  bench.add("slbs uneven scale", 1, twisted[1], *slbs, stretched);
  bench.add("lbs", 2, linear[1], *lbs, pose);
  bench.add("dqs", 2, linear[1], *dqs, pose);
  bench.add("slbs", 2, twisted[1], *slbs, pose);
  bench.run(static_cast<double>(bench.positions.size()) * linear[1] > static_cast<double>(bench.cache_bytes));
}

// The smoothing alone: what it adds to a frame.
void run_delta_mush(Bench& bench) {
  const Body made = body(23000);
  const Rig& rig = made.rig;
  const ModelPose pose = pose_of(rig, 0);
  bench.resize(rig.mesh.vertex_count());
  const auto plain = bind("lbs", rig), smooth = bind_delta_mush(bind("lbs", rig), rig, {});
  const auto palette = palette_of(rig, pose);
  const ScalarLoop loop(rig);
  bench.rows.push_back({"scalar loop", 1, 72, [&] { loop.run(palette, bench.positions, bench.normals); }});
  for (const int threads : {1, 2}) {
    bench.add("lbs", threads, 0, *plain, pose);
    bench.add("lbs and delta mush 5 rounds", threads, 0, *smooth, pose);
  }
  bench.run(false);
  for (std::size_t i = 1; i < bench.rows.size(); i += 2) {
    const double added = median(bench.rows[i + 1].seconds) - median(bench.rows[i].seconds);
    fmt::print("# delta mush adds {:.3f} ms a frame on {} thread{}\n", 1e3 * added, bench.rows[i].threads,
               bench.rows[i].threads == 1 ? "" : "s");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto largest = static_cast<Index>(argc > 1 ? std::atol(argv[1]) : 2'000'000);
  Bench bench;
  if (argc > 2) bench.rounds = std::max(1, std::atoi(argv[2]));
  fmt::print("# {} rounds; last-level cache {:.1f} MB, triad over {:.0f} MB\n", bench.rounds,
             static_cast<double>(bench.cache_bytes) / 1048576, bench.triad.bytes() / 1048576);
  fmt::print(
      "vertices,method,threads,from,bytes_per_vertex,best_ns_per_vertex,median_ns_per_vertex,share_of_triad,"
      "times_scalar,times_lbs,hash\n");
  for (const Index vertices : {5'000U, 20'000U, 200'000U, 2'000'000U})
    if (vertices <= largest) run_size(bench, vertices);
  run_delta_mush(bench);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (!bench.triad_speeds.empty()) fmt::print("# triad, median {:.1f} GB/s\n", 1e-9 * median(bench.triad_speeds));
  fmt::print("# peak memory {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
