// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Counts what contact leaves on random poses, by checks that share nothing with it.
//
//     contact_bench POSES FILE…                linear blending; `--contact on` and `limbs`, without a guard
//     contact_bench cost METHOD CLIP FILE…     processor time a frame: the method, and each step of contact
//
// Cost is that of one thread, over 24 frames of the clip. The best of seven passes counts for each frame. A hash of the
// positions shows whether a change to the code changes results.
//
// Every joint that moves skin is rotated within its limits, or by up to 29° about any axis. Pairs are triangles that
// intersect and do so neither at binding nor at rest. They are listed by kind: two shells that are near at rest or far,
// then one shell, near along the surface or only in space or far. Volume is what two or more layers of closed skin have
// in common, beyond that at binding, as a share of the cube of the size. Stretch is the share of edges that are more
// than half longer than at binding and than by linear blending. The step ratio is the largest step of the correction at
// 480 frames per second as a share of that at 120, in the first second of a clip.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/contact/contact.h"
#include "sinew/deform/contact/layers.h"
#include "sinew/deform/contact/shared_motion.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/io/asset.h"
#include "sinew/lab/pbd/folds.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/play.h"

namespace {

using namespace sinew;

constexpr double kNear_rel = 0.03;  // Of two shells, or along a surface.
constexpr double kLongest_rad = 0.5;
constexpr int kColumns = 150;  // Of the grid that measures volume.

enum Kind { kShellsNear, kShellsFar, kSurfaceNear, kSpaceNear, kFar, kKinds };

struct Counts {
  std::array<std::uint64_t, kKinds> pairs{};
  std::uint64_t all = 0, longer = 0, edges = 0;
  double volume = 0, seconds = 0, longest = 0;
};

bool moves_skin(const SkinWeights& rows, const Mesh& mesh, Index joint) {
  for (Index v = 0; v < mesh.positions.size() && !rows.empty(); ++v)
    for (const Influence& influence : rows.row(v))
      if (influence.joint == joint && influence.weight > 0) return true;
  for (const MeshPart& part : mesh.parts)
    if (part.skin == kNone && part.joint == joint) return true;
  return false;
}

class Subject {
 public:
  explicit Subject(const Rig& rig)
      : rig_(rig), size_(rig.mesh.size()), welding_(geometry::weld(rig.mesh)), triangles_(triangulate(rig.mesh)) {
    const SkinWeights rows = rig.weights.normalized();
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      if (moves_skin(rows, rig.mesh, j)) moving_.push_back(j);
    shells_ = geometry::components(rig.mesh, &welding_);
    rings_ = geometry::one_rings(rig.mesh, &welding_);
    find_edges();
    remember(rig.mesh);
    bind_volume_ = volume_of(rig.mesh);
  }

  void also_at(std::span<const Vec3f> positions) { remember(posed(positions)); }

  Pose random_pose(std::mt19937& random) const {
    const auto unit = [&] { return static_cast<double>(random()) / 4294967295.0; };
    Pose pose = rest_pose(rig_);
    for (const Index j : moving_) {
      Vec3 turn;
      if (const auto& limits = rig_.skeleton.joints[j].limits) {
        for (int k = 0; k < 3; ++k)
          turn[k] = limits->lower_rad[k] + unit() * (limits->upper_rad[k] - limits->lower_rad[k]);
      } else {
        const double z = 2 * unit() - 1, angle = 2 * kPi * unit(), r = std::sqrt(std::max(0.0, 1 - z * z));
        turn = kLongest_rad * unit() * Vec3(r * std::cos(angle), r * std::sin(angle), z);
      }
      const double angle = turn.norm();
      if (angle > 0) pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(angle, turn / angle));
    }
    return pose;
  }

  void count(std::span<const Vec3f> positions, std::span<const Vec3f> base, Counts& counts) const {
    const Mesh mesh = posed(positions);
    for (const geometry::TrianglePair& pair : pairs_of(mesh)) {
      if (before_.contains({pair.a, pair.b})) continue;
      ++counts.all;
      ++counts.pairs[kind_of(pair)];
    }
    counts.volume += std::max(0.0, volume_of(mesh) - bind_volume_) / std::pow(size_, 3);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto [a, b] = edges_[e];
      const double now = (positions[a] - positions[b]).norm();
      const double allowed = std::max((rig_.mesh.positions[a] - rig_.mesh.positions[b]).norm(),
                                      static_cast<double>((base[a] - base[b]).norm()));
      ++counts.edges;
      counts.longer += now > 1.5 * allowed ? 1 : 0;
      if (allowed > 1e-3 * size_) counts.longest = std::max(counts.longest, now / allowed);
    }
  }

 private:
  Mesh posed(std::span<const Vec3f> positions) const {
    Mesh mesh = rig_.mesh;
    for (Index v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
    return mesh;
  }
  static std::vector<geometry::TrianglePair> pairs_of(const Mesh& mesh) {
    return geometry::self_intersections(mesh, {.list = true}).pairs;
  }
  void remember(const Mesh& mesh) {
    for (const geometry::TrianglePair& pair : pairs_of(mesh)) before_.insert({pair.a, pair.b});
  }
  static double volume_of(const Mesh& mesh) { return lab::overlap_volume(mesh, mesh.bounds(), kColumns); }

  void find_edges() {
    for (const Triangle& t : triangles_)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = t.vertices[k], b = t.vertices[(k + 1) % 3];
        if (a < b) edges_.push_back({a, b});
      }
  }

  Kind kind_of(const geometry::TrianglePair& pair) const {
    const auto &a = triangles_[pair.a].vertices, &b = triangles_[pair.b].vertices;
    double apart = 1e300;
    for (const Index i : a)
      for (const Index j : b) apart = std::min(apart, (rig_.mesh.positions[i] - rig_.mesh.positions[j]).norm());
    const double near = kNear_rel * size_;
    if (shells_.of_vertex[a[0]] != shells_.of_vertex[b[0]]) return apart < near ? kShellsNear : kShellsFar;
    if (apart >= near) return kFar;
    // Along edges, up to three times as far.
    std::vector<std::pair<double, Index>> heap;
    std::set<Index> done;
    for (const Index v : a) heap.push_back({0, welding_.welded[v]});
    while (!heap.empty()) {
      const auto at = std::min_element(heap.begin(), heap.end());
      const auto [way, w] = *at;
      heap.erase(at);
      if (way > 3 * near) break;
      if (!done.insert(w).second) continue;
      for (const Index v : b)
        if (welding_.welded[v] == w) return kSurfaceNear;
      for (const Index u : rings_[w])
        heap.push_back(
            {way + (rig_.mesh.positions[welding_.first[u]] - rig_.mesh.positions[welding_.first[w]]).norm(), u});
    }
    return kSpaceNear;
  }

  const Rig& rig_;
  double size_;
  geometry::Welding welding_;
  std::vector<Triangle> triangles_;
  geometry::Components shells_;
  geometry::Lists rings_;
  std::vector<Index> moving_;
  std::vector<std::array<Index, 2>> edges_;
  std::set<std::pair<Index, Index>> before_;
  double bind_volume_ = 0;
};

double largest_step(pipeline::Playback& plain, pipeline::Playback& contact, double fps) {
  double most = 0;
  std::vector<Vec3f> before;
  for (double time = 0; time < 1; time += 1 / fps) {
    const auto a = contact.at(time), b = plain.at(time);
    std::vector<Vec3f> now(a.begin(), a.end());
    for (std::size_t v = 0; v < now.size(); ++v) now[v] -= b[v];
    for (std::size_t v = 0; v < before.size(); ++v)
      most = std::max(most, static_cast<double>((now[v] - before[v]).norm()));
    before = std::move(now);
  }
  return most;
}

void print(std::string_view name, const Counts& c, const Counts& base, int poses) {
  const auto share = [](double x, double y) { return y > 0 ? 100 * x / y : 0.0; };
  fmt::print(
      "  {:8} pairs {:6} ({:5.1f} %): shells {} {}, surface {}, space {}, far {}; volume {:.3g} ({:.1f} %); "
      "stretch {:.2f} % most {:.1f}; {:.2f} ms\n",
      name, c.all, share(static_cast<double>(c.all), static_cast<double>(base.all)), c.pairs[kShellsNear],
      c.pairs[kShellsFar], c.pairs[kSurfaceNear], c.pairs[kSpaceNear], c.pairs[kFar], c.volume / poses,
      share(c.volume, base.volume), share(static_cast<double>(c.longer), static_cast<double>(c.edges)), c.longest,
      1e3 * c.seconds / poses);
  std::fflush(stdout);
}

/// Measures the frames of another deformer.
class Timed final : public deform::Deformer {
 public:
  Timed(std::unique_ptr<Deformer> inner, double& seconds) : inner_(std::move(inner)), seconds_(seconds) {}
  std::unique_ptr<State> make_state() const override { return inner_->make_state(); }
  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    seconds_ = bench::thread_seconds([&] { inner_->deform(state, input, output); });
  }

 private:
  std::unique_ptr<Deformer> inner_;
  double& seconds_;
};

std::uint64_t hash_of(std::span<const Vec3f> positions, std::uint64_t hash) {
  for (const Vec3f& p : positions)
    for (const float x : p) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      hash = (hash ^ bits) * 1099511628211U;
    }
  return hash;
}

void print_cost(const char* file, const char* method, const char* clip, deform::ContactUse use) {
  constexpr std::size_t kStages = 4, kFrames = 24, kPasses = 7;
  const io::Asset asset = io::load(file);
  const Rig& rig = asset.character.rig;
  pipeline::DeformerOptions options = pipeline::deformer(method);
  options.never_worse = false;
  Findings findings;
  std::array<double, kStages> until{};  // The end of each stage in one frame.
  auto whole = pipeline::bind_deformer(rig, options, findings);
  whole = std::make_unique<Timed>(std::move(whole), until[0]);
  whole = std::make_unique<Timed>(deform::bind_contact(std::move(whole), rig, {}, use), until[1]);
  whole = std::make_unique<Timed>(deform::bind_shared_motion(std::move(whole), rig), until[2]);
  whole = std::make_unique<Timed>(deform::bind_layers(std::move(whole), rig), until[3]);
  const motion::Player player(rig, motion::builtin_clip(rig.skeleton, clip));
  const motion::Drivers drivers(rig.skeleton);
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  std::array<double, kStages> sums{};
  std::uint64_t hash = 14695981039346656037U;
  const auto state = whole->make_state();
  for (std::size_t f = 0; f < kFrames; ++f) {
    const double time = player.duration_s() * static_cast<double>(f) / kFrames;
    const ModelPose pose = motion::resolve(rig.skeleton, player.at(time), drivers);
    std::array<double, kStages> best{};
    best.fill(std::numeric_limits<double>::max());
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
      whole->deform(*state, {pose, 0, 0}, {positions, {}, nullptr});
      for (std::size_t k = 0; k < kStages; ++k) best[k] = std::min(best[k], until[k] - (k > 0 ? until[k - 1] : 0));
    }
    for (std::size_t k = 0; k < kStages; ++k) sums[k] += best[k];
    hash = hash_of(positions, hash);
  }
  fmt::print("{} {}: {} {:.2f} ms a frame; planes {:.2f}, close skin {:.2f}, clothes {:.2f}; {:.0f} %; hash {:016x}\n",
             file, use == deform::ContactUse::kOn ? "on" : "limbs", method, 1e3 * sums[0] / kFrames,
             1e3 * sums[1] / kFrames, 1e3 * sums[2] / kFrames, 1e3 * sums[3] / kFrames,
             100 * (sums[1] + sums[2] + sums[3]) / sums[0], hash);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 4 && std::string_view(arguments[1]) == "cost") {
    sinew::set_thread_count(1);
    for (int i = 4; i < count; ++i)
      for (const deform::ContactUse use : {deform::ContactUse::kOn, deform::ContactUse::kLimbs})
        print_cost(arguments[i], arguments[2], arguments[3], use);
    return 0;
  }
  if (count < 3) {
    fmt::print(stderr, "contact_bench POSES FILE...\n");
    return 2;
  }
  const int poses = std::max(1, std::atoi(arguments[1]));
  for (int i = 2; i < count; ++i) {
    const io::Asset asset = io::load(arguments[i]);
    const Rig& rig = asset.character.rig;
    Subject subject(rig);
    struct Way {
      std::string_view name;
      deform::ContactUse use;
    };
    const std::array ways{Way{"without", deform::ContactUse::kOff}, Way{"on", deform::ContactUse::kOn},
                          Way{"limbs", deform::ContactUse::kLimbs}};
    std::vector<std::unique_ptr<deform::Deformer>> deformers;
    std::vector<std::unique_ptr<deform::Deformer::State>> states;
    for (const Way& way : ways) {
      pipeline::DeformerOptions options;
      options.never_worse = false;
      options.contact.use = way.use;
      Findings findings;
      deformers.push_back(pipeline::bind_deformer(rig, options, findings));
      states.push_back(deformers.back()->make_state());
    }
    std::vector<Vec3f> base(rig.mesh.positions.size()), positions(base.size());
    const motion::Drivers drivers(rig.skeleton);
    const auto play = [&](std::size_t way, const ModelPose& pose, std::vector<Vec3f>& to) {
      deformers[way]->deform(*states[way], {pose, 0, 0}, {to, {}, nullptr});
    };
    play(0, motion::resolve(rig.skeleton, rest_pose(rig), drivers), base);
    subject.also_at(base);
    std::array<Counts, ways.size()> counts;
    std::mt19937 random(20261118);
    for (int p = 0; p < poses; ++p) {
      const ModelPose pose = motion::resolve(rig.skeleton, subject.random_pose(random), drivers);
      play(0, pose, base);
      for (std::size_t way = 0; way < ways.size(); ++way) {
        const std::clock_t begin = std::clock();
        play(way, pose, positions);
        counts[way].seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        subject.count(positions, base, counts[way]);
      }
    }
    fmt::print("{}: {} vertices\n", arguments[i], rig.mesh.positions.size());
    for (std::size_t way = 0; way < ways.size(); ++way) print(ways[way].name, counts[way], counts[0], poses);
    if (const char* clip = std::getenv("CLIP"); clip != nullptr) {
      pipeline::DeformerOptions options;
      options.never_worse = false;
      pipeline::Playback plain(asset.character, motion::builtin_clip(rig.skeleton, clip), options);
      options.contact.use = deform::ContactUse::kLimbs;
      pipeline::Playback contact(asset.character, motion::builtin_clip(rig.skeleton, clip), options);
      const double steps = largest_step(plain, contact, 120), fine = largest_step(plain, contact, 480);
      fmt::print("  step {:.5f} of the size, ratio {:.2f}\n", steps / rig.mesh.size(), steps > 0 ? fine / steps : 0.0);
    }
  }
}
