// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Goals are those of M. Müller, B. Heidelberger, M. Teschner, M. Gross, "Meshless deformations based on shape
// matching", 2005.
//
// Tried and rejected: gains up to 16, with which goals of neighbours that differ tear coarse skin (CactusBoy, edges
// longer by half 2.0 % instead of 0.2), and before the planes of contact instead of after them, which make new folds on
// coarse skin (Female_Child_02 15 % of the pairs left instead of 1.4, lumberjack 32 instead of 5), and before and after
// (1.6 and 6 at twice the cost).

#include "sinew/deform/contact/shared_motion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/contact/close_triangles.h"
#include "sinew/deform/contact/point_grid.h"
#include "sinew/deform/contact/turned_normal.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kSizes = 3;                                          // Of neighbourhoods:
constexpr std::array<float, kSizes> kRadius_rel = {0.015F, 0.03F, 0.06F};  // their radii,
constexpr std::array<float, kSizes> kRadiusEdges = {1.5F, 2.5F, 4.0F};     // at least so many lengths of edges.
struct Round {
  std::size_t size = 0;  // Of neighbourhoods.
  float gain = 1;        // Skin that is still not apart goes farther.
};
constexpr std::array<Round, 6> kRounds = {{{0, 1}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 4}}};
constexpr float kSamples = 3;    // Per radius: cells of which one vertex stands for all.
constexpr float kWhole = 0.3F;   // Of the radius: so far around a pair vertices go as far as those of the pair.
constexpr float kBeyond = 1.3F;  // Of the way to the goal: skin that is just apart would still touch.
constexpr int kSquarings = 10;
constexpr float kAlone = 1e-4F;  // Squared once more, it is below the rounding of floats.

float ramp(float x, float from, float to) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// The rotation R for which the trace of R' · product is largest: Horn's quaternion, the dominant eigenvector of a
/// matrix of order four, by repeated squaring. Where two eigenvalues are alike it goes from one to the other
/// continuously.
Eigen::Matrix3f nearest_rotation(const Eigen::Matrix3f& p) {
  Eigen::Matrix4f n;
  n << p(0, 0) + p(1, 1) + p(2, 2), p(2, 1) - p(1, 2), p(0, 2) - p(2, 0), p(1, 0) - p(0, 1),  //
      0, p(0, 0) - p(1, 1) - p(2, 2), p(1, 0) + p(0, 1), p(0, 2) + p(2, 0),                   //
      0, 0, -p(0, 0) + p(1, 1) - p(2, 2), p(2, 1) + p(1, 2),                                  //
      0, 0, 0, -p(0, 0) - p(1, 1) + p(2, 2);
  n.triangularView<Eigen::StrictlyLower>() = n.transpose().triangularView<Eigen::StrictlyLower>();
  n.diagonal().array() += 1.75F * p.norm();  // No eigenvalue is negative then.
  for (int k = 0; k < kSquarings; ++k) {
    n *= 1 / n.norm();
    // Of a matrix whose other eigenvalues are nothing against the largest one, the trace is now 1.
    const bool last = n.trace() < 1 + kAlone;
    n = (n * n).eval();
    if (last) break;
  }
  int column = 0;
  n.diagonal().maxCoeff(&column);
  const Eigen::Vector4f q = n.col(column).normalized();
  return Eigen::Quaternionf(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

class SharedMotion final : public Deformer {
 public:
  SharedMotion(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress)
      : inner_(std::move(inner)),
        welding_(geometry::weld(rig.mesh)),
        rings_(geometry::one_rings(rig.mesh, &welding_)),
        size_(static_cast<float>(rig.mesh.size())) {
    for (const Index v : welding_.first) rest_.push_back(rig.mesh.positions[v].cast<float>());
    for (const Triangle& t : triangulate(rig.mesh))
      triangles_.push_back(
          {welding_.welded[t.vertices[0]], welding_.welded[t.vertices[1]], welding_.welded[t.vertices[2]]});
    find_triangles_of();
    close_ = CloseTriangles(triangles_, rest_, size_, progress);
    find_radii();
    make_samples();
  }

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<SharedState>();
    state->inner = inner_->make_state();
    return state;
  }

  bool needs_history() const override { return inner_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<SharedState&>(any);
    inner_->deform(*state.inner, input, output);
    state.points.resize(welding_.count());
    parallel_for(state.points.size(), [&](std::size_t w) { state.points[w] = output.positions[welding_.first[w]]; });
    close_.find(state.points, state.close);
    if (state.close.pairs.empty()) return;
    state.moved = state.points;
    state.part.resize(rest_.size()), state.goals.resize(rest_.size());
    state.wanted.assign(rest_.size(), 0);
    state.places.resize(rest_.size());
    parallel_for(rest_.size(), [&](std::size_t w) { state.places[w] << state.points[w], 0.0F; });
    for (std::size_t round = 0; round < kRounds.size() && !state.close.pairs.empty(); ++round) {
      // What intersects after a round has moved in it.
      if (round > 0) close_.find_again(state.moved, state.active, state.close);
      spread(state, kRounds[round]);
      move(state, kRounds[round].size);
    }
    write(state, output);
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    return inner_->overlays(*static_cast<SharedState&>(any).inner, input);
  }

 private:
  struct SharedState final : State {
    std::unique_ptr<State> inner;
    CloseTriangles::Scratch close;
    // Per welded vertex: before and after, where it goes, how far by the pairs that it belongs to, and how far in all.
    std::vector<Vec3f> points, moved, goals;
    std::vector<float> wanted, part;
    std::vector<Eigen::Vector4f> places;  // As `moved`, and 0: whole registers.
    std::vector<Index> sources, active;
  };

  /// A vertex that stands for the skin around it.
  struct Sample {
    Vec3f rest = Vec3f::Zero();
    float mass = 0;  ///< The area of that skin.
    Index vertex = 0;
  };

  void find_triangles_of() {
    std::vector<std::vector<Index>> lists(rest_.size());
    for (Index t = 0; t < triangles_.size(); ++t)
      for (const Index w : triangles_[t]) lists[w].push_back(t);
    for (const auto& list : lists) {
      triangles_of_.items.insert(triangles_of_.items.end(), list.begin(), list.end());
      triangles_of_.offsets.push_back(static_cast<Index>(triangles_of_.items.size()));
    }
  }

  /// Small shells, such as buttons, have neighbourhoods as large as the triangles near them need.
  void find_radii() {
    std::vector<float> edges(rest_.size(), 0);
    for (Index w = 0; w < rest_.size(); ++w) {
      for (const Index u : rings_[w]) edges[w] += (rest_[w] - rest_[u]).norm();
      if (!rings_[w].empty()) edges[w] /= static_cast<float>(rings_[w].size());
    }
    std::vector<Index> all(rest_.size());
    std::iota(all.begin(), all.end(), Index{0});
    points_ = PointGrid(rest_, all, kRadius_rel[1] * size_);
    for (const Index w : points_.points()) sorted_rest_.push_back(rest_[w]);
    std::vector<float> near = edges;
    for (Index w = 0; w < rest_.size(); ++w)
      points_.for_near(rest_[w], edges[w], [&](Index u) {
        if ((rest_[u] - rest_[w]).squaredNorm() < edges[w] * edges[w]) near[u] = std::max(near[u], edges[w]);
      });
    float usual = 0;
    if (!edges.empty()) {
      const auto at = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() * 9 / 10);
      std::nth_element(edges.begin(), at, edges.end());
      usual = *at;
    }
    for (std::size_t k = 0; k < kSizes; ++k) {
      for (const float edge : near)
        radii_[k].push_back(std::max(kRadius_rel[k] * size_, kRadiusEdges[k] * std::min(edge, usual)));
    }
  }

  void make_samples() {
    std::vector<float> areas(rest_.size(), 0);
    for (const auto& t : triangles_) {
      const float area = (rest_[t[1]] - rest_[t[0]]).cross(rest_[t[2]] - rest_[t[0]]).norm() / 6;
      for (const Index w : t) areas[w] += area;
    }
    std::vector<Index> all(rest_.size());
    std::iota(all.begin(), all.end(), Index{0});
    for (std::size_t k = 0; k < kSizes; ++k) {
      const PointGrid cells(rest_, all, kRadius_rel[k] * size_ / kSamples);
      std::vector<Index> samples;
      std::vector<float> masses(rest_.size(), 0);
      for (std::size_t c = 0; c < cells.cells(); ++c) {
        const auto here = cells.points_of(c);
        const auto less = [&](Index x, Index y) { return areas[x] < areas[y]; };
        const Index best = *std::max_element(here.begin(), here.end(), less);
        for (const Index w : here) masses[best] += areas[w];
        if (masses[best] > 0) samples.push_back(best);
      }
      grids_[k] = PointGrid(rest_, samples, kRadius_rel[k] * size_);
      for (const Index w : grids_[k].points()) samples_[k].push_back({rest_[w], masses[w], w});
    }
  }

  /// How far each vertex goes: as far as the pairs of any vertex want that is near it at binding, less with the
  /// distance.
  void spread(SharedState& state, const Round& round) const {
    state.sources.clear(), state.active.clear();
    for (const CloseTriangles::Pair& pair : state.close.pairs)
      for (const Index t : {pair.a, pair.b})
        for (const Index w : triangles_[t]) {
          if (state.wanted[w] == 0) state.sources.push_back(w);
          state.wanted[w] += pair.part;
        }
    std::fill(state.part.begin(), state.part.end(), 0.0F);
    for (const Index w : state.sources) {
      const float radius = radii_[round.size][w], wanted = std::min(1.0F, round.gain * state.wanted[w]);
      points_.for_near_at(rest_[w], radius, [&](Index i) {
        const float squared = (sorted_rest_[i] - rest_[w]).squaredNorm();
        if (!(squared < radius * radius)) return;
        const Index u = points_.points()[i];
        const float part = wanted * (1 - ramp(std::sqrt(squared), kWhole * radius, radius));
        if (!(part > state.part[u])) return;
        if (state.part[u] == 0) state.active.push_back(u);
        state.part[u] = part;
      });
    }
    for (const Index w : state.sources) state.wanted[w] = 0;
  }

  void move(SharedState& state, std::size_t size) const {
    parallel_for(
        state.active.size(),
        [&](std::size_t i) { state.goals[state.active[i]] = goal(state.active[i], size, state.places); }, 64);
    parallel_for(state.active.size(), [&](std::size_t i) {
      const Index w = state.active[i];
      state.moved[w] += kBeyond * state.part[w] * (state.goals[w] - state.moved[w]);
      state.places[w].head<3>() = state.moved[w];
    });
  }

  /// Where the mean motion of its neighbourhood takes a vertex: a rotation, a translation and a scale.
  Vec3f goal(Index w, std::size_t size, const std::vector<Eigen::Vector4f>& places) const {
    const float squared_radius = radii_[size][w] * radii_[size][w];
    const Vec3f &rest = rest_[w], now = places[w].head<3>();
    const Eigen::Vector4f origin(now[0], now[1], now[2], -1);
    // Sums of the products of (after, 1) and (before, 1).
    Eigen::Matrix4f sums = Eigen::Matrix4f::Zero();
    float square = 0;
    const std::vector<Sample>& samples = samples_[size];
    grids_[size].for_near_at(rest, radii_[size][w], [&](Index i) {
      const Sample& sample = samples[i];
      const Vec3f before = sample.rest - rest;
      const float squared = before.squaredNorm(), close = 1 - squared / squared_radius;
      if (!(close > 0)) return;
      const float m = close * close * sample.mass;
      const Eigen::Vector4f after = places[sample.vertex] - origin;
      for (int k = 0; k < 3; ++k) sums.col(k) += (m * before[k]) * after;
      sums.col(3) += m * after;
      square += m * squared;
    });
    const float mass = sums(3, 3);
    if (!(mass > 0)) return now;
    const Vec3f sum = sums.col(3).head<3>(), rest_sum = sums.row(3).head<3>();
    const Vec3f middle = rest_sum / mass;
    const Eigen::Matrix3f product = sums.topLeftCorner<3, 3>() - sum * middle.transpose();
    square -= rest_sum.dot(middle);
    if (!(square > 1e-6F * mass * squared_radius)) return now;
    const Eigen::Matrix3f rotation = nearest_rotation(product);
    const float scale = std::max(0.0F, rotation.cwiseProduct(product).sum() / square);
    return now + sum / mass - scale * (rotation * middle);
  }

  /// Normals turn as those of the faces around do.
  void write(const SharedState& state, const FrameOutput& output) const {
    const auto moved = [&](Index w) { return state.moved[w] != state.points[w]; };
    parallel_for(output.positions.size(), [&](std::size_t v) {
      const Index w = welding_.welded[v];
      if (moved(w)) output.positions[v] += state.moved[w] - state.points[w];
      if (output.normals.empty()) return;
      const auto ring = rings_[w];
      if (!moved(w) && std::none_of(ring.begin(), ring.end(), moved)) return;
      const Vec3f before = normal_around(w, triangles_, triangles_of_, state.points);
      const Vec3f after = normal_around(w, triangles_, triangles_of_, state.moved);
      output.normals[v] = rotation_between_f(before, after) * output.normals[v];
    });
  }

  std::unique_ptr<Deformer> inner_;
  geometry::Welding welding_;
  geometry::Lists rings_, triangles_of_;
  float size_ = 1;
  std::vector<Vec3f> rest_;                      // Of welded vertices.
  std::vector<std::array<Index, 3>> triangles_;  // Of welded vertices.
  CloseTriangles close_;
  PointGrid points_;                                 // All vertices,
  std::vector<Vec3f> sorted_rest_;                   // in the order of the grid.
  std::array<PointGrid, kSizes> grids_;              // Vertices that stand for those around them,
  std::array<std::vector<Sample>, kSizes> samples_;  // in the order of the grid.
  std::array<std::vector<float>, kSizes> radii_;     // Of the neighbourhood of each vertex.
};

}  // namespace

std::unique_ptr<Deformer> bind_shared_motion(std::unique_ptr<Deformer> inner, const Rig& rig,
                                             const Progress& progress) {
  return std::make_unique<SharedMotion>(std::move(inner), rig, progress);
}

}  // namespace sinew::deform
