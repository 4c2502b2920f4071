// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Tried and rejected: moving the cover outwards (buttons and hair leave their places); the plane of one triangle per
// vertex instead of a piece of the cover (clothes slide along the skin: Godette had more vertices outside than before).

#include "sinew/deform/contact/layers.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/contact/turned_normal.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {
namespace {

constexpr double kLayerFarthest_rel = 0.03;  // Of a cover.
constexpr double kLayerSameWay = 0.3;        // Cosine between the normals of skin and cover.
constexpr double kLayerPiece_rel = 0.03;     // Radius of the piece of cover that a vertex can meet.
constexpr std::size_t kLayerPieceTriangles = 160, kLayerLeastRings = 2;
constexpr double kLayerRim_rel = 3e-3;   // Width of the rim, along which the movement begins.
constexpr float kLayerKeep = 0.3F;       // Of the distance at binding: stays between skin and cover,
constexpr double kLayerKeep_rel = 2e-3;  // and at most this.
constexpr float kLayerSafe = 0.5F;       // Of the distance at binding: relative motion of which nothing comes.
constexpr float kLayerWidth = 0.25F;     // Of the length of edges: triangles that are so much farther still count.
constexpr float kLayerDisagree = 0.5F, kLayerAgree = 0.8F;  // Length of the mean of their normals.
constexpr double kLayerEnclosed = 0.85;                     // Winding number of a cover around what is inside of it.
constexpr std::size_t kLayerGroup = 16;                     // Triangles that share a box.
constexpr int kLayerPasses = 3;                             // Covers can be covered themselves, and are curved.
constexpr int kLayerRounds = 2;                             // Of evening out.

float layer_ramp(float x, float from, float to) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

using CoverCorners = std::array<Index, 3>;

/// The point of a triangle nearest to p, and its barycentric coordinates. After C. Ericson, "Real-time collision
/// detection", 2005, 5.1.5, in single precision.
Vec3f cover_shares(const Vec3f& p, const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  const Vec3f ab = b - a, ac = c - a, ap = p - a;
  const float d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3f bp = p - b;
  const float d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  const Vec3f cp = p - c;
  const float d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const float t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const float sum = va + vb + vc;
  if (!(sum > 0)) return {1, 0, 0};
  return {va / sum, vb / sum, vc / sum};
}

class Layers final : public Deformer {
 public:
  Layers(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress)
      : inner_(std::move(inner)), welding_(geometry::weld(rig.mesh)), size_(static_cast<float>(rig.mesh.size())) {
    const geometry::Components shells = geometry::components(rig.mesh, &welding_);
    if (shells.count < 2) return;
    rings_ = geometry::one_rings(rig.mesh, &welding_);
    for (const Triangle& t : triangulate(rig.mesh))
      triangles_.push_back(
          {welding_.welded[t.vertices[0]], welding_.welded[t.vertices[1]], welding_.welded[t.vertices[2]]});
    triangles_of_ = triangles_of_vertices();
    for (const Index v : welding_.first) rest_.push_back(rig.mesh.positions[v]);
    measure_rims(rig.mesh);
    find_covered(rig.mesh, shells, progress);
    find_cover_vertices();
    find_enclosed(shells);
    leave_out_unclear();
    find_neighbours();
  }

  bool any() const { return !covered_.empty(); }
  std::unique_ptr<Deformer> inner() { return std::move(inner_); }

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<LayersState>();
    state->inner = inner_->make_state();
    return state;
  }

  bool needs_history() const override { return inner_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<LayersState&>(any);
    inner_->deform(*state.inner, input, output);
    state.points.resize(welding_.count());
    parallel_for(state.points.size(), [&](std::size_t w) { state.points[w] = output.positions[welding_.first[w]]; });
    state.moved = state.points;
    state.normals.assign(welding_.count(), Vec3f::Zero());
    state.steps.resize(covered_.size());
    for (int pass = 0; pass < kLayerPasses; ++pass) {
      find_normals(state);
      find_boxes(state);
      const bool pushed = push(state);
      if (pass == 0 && !pushed) return;
    }
    for (int round = 0; round < kLayerRounds; ++round) {
      even_out(state);
      find_normals(state);
      find_boxes(state);
      push(state);
    }
    write(state, output);
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    return inner_->overlays(*static_cast<LayersState&>(any).inner, input);
  }

 private:
  struct Covered {
    Index vertex = 0;
    Index anchor = 0;  ///< Triangle of the cover.
    Vec3f barycentric = Vec3f::Zero();
    float spacing = 0;                     ///< Mean length of the edges of its piece.
    float gap = 0;                         ///< Distance from the cover at binding.
    Index begin = 0, end = 0;              ///< Its piece of the cover, in `pieces_`.
    Index inner_begin = 0, inner_end = 0;  ///< Covered neighbours, in `neighbours_`.
    Index group_begin = 0, group_end = 0;  ///< The whole cover, in `groups_`, if it encloses the vertex.

    bool enclosed() const { return group_end > group_begin; }
  };
  /// Neighbouring triangles of a cover that encloses something, in `grouped_`.
  struct Group {
    Index begin = 0, end = 0;
  };
  struct Box {
    Vec3f lower = Vec3f::Zero(), upper = Vec3f::Zero();

    float squared_distance(const Vec3f& p) const {
      return (lower - p).cwiseMax(p - upper).cwiseMax(0.0F).squaredNorm();
    }
  };
  struct LayersState final : State {
    std::unique_ptr<State> inner;
    std::vector<Vec3f> points, moved, normals;  // Per welded vertex.
    std::vector<Vec3f> steps;                   // Per covered vertex.
    std::vector<Box> boxes;                     // Per group.
  };

  geometry::Lists triangles_of_vertices() const {
    std::vector<std::vector<Index>> lists(welding_.count());
    for (Index t = 0; t < triangles_.size(); ++t)
      for (const Index w : triangles_[t]) lists[w].push_back(t);
    geometry::Lists result;
    for (const auto& list : lists) {
      result.items.insert(result.items.end(), list.begin(), list.end());
      result.offsets.push_back(static_cast<Index>(result.items.size()));
    }
    return result;
  }

  /// Per welded vertex its distance from the nearest border of its shell along edges, as far as that matters.
  void measure_rims(const Mesh& mesh) {
    const geometry::HalfEdges edges = geometry::half_edges(mesh, &welding_);
    const auto most = static_cast<float>(2 * kLayerRim_rel * mesh.size());
    rim_.assign(welding_.count(), most);
    using Entry = std::pair<float, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (Index h = 0; h < edges.size(); ++h)
      if (edges.kind[h] == geometry::EdgeKind::kBoundary)
        for (const Index w : {edges.vertex[h], edges.vertex[edges.next[h]]})
          if (rim_[w] > 0) rim_[w] = 0, open.push({0.0F, w});
    while (!open.empty()) {
      const auto [distance, w] = open.top();
      open.pop();
      if (distance > rim_[w]) continue;
      for (const Index u : rings_[w]) {
        const float next = distance + static_cast<float>((rest_[w] - rest_[u]).norm());
        if (next < rim_[u]) rim_[u] = next, open.push({next, u});
      }
    }
  }

  void find_covered(const Mesh& mesh, const geometry::Components& shells, const Progress& progress) {
    const double size = mesh.size();
    const geometry::RayScene scene(mesh);
    const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding_);
    const auto shell_of = [&](Index t) { return shells.of_vertex[welding_.first[triangles_[t][0]]]; };
    std::vector<Covered> found(welding_.count());
    std::vector<std::vector<Index>> pieces(welding_.count());
    progress.check();
    parallel_for(
        welding_.count(),
        [&](std::size_t w) {
          const Index v = welding_.first[w], own = shells.of_vertex[v];
          if (own == kNone || !(normals[v].squaredNorm() > 0.5)) return;
          const auto same_way = [&](Index t) {
            const auto& [a, b, c] = triangles_[t];
            return (rest_[b] - rest_[a]).cross(rest_[c] - rest_[a]).normalized().dot(normals[v]) > kLayerSameWay;
          };
          const geometry::ClosestPoint closest = scene.closest_point(
              rest_[w], kLayerFarthest_rel * size, [&](Index t) { return shell_of(t) != own && same_way(t); });
          if (!closest) return;
          const auto& [a, b, c] = triangles_[closest.triangle];
          const Vec3 normal = (rest_[b] - rest_[a]).cross(rest_[c] - rest_[a]).normalized();
          if (!((closest.point - rest_[w]).dot(normal) > 0.5 * closest.distance) || !(closest.distance > 0)) return;
          found[w].vertex = static_cast<Index>(w);
          found[w].anchor = closest.triangle;
          found[w].barycentric = closest.barycentric.cast<float>();
          found[w].gap = static_cast<float>(closest.distance);
          pieces[w] = piece_around(closest.triangle, closest.point, same_way);
        },
        64);
    for (Index w = 0; w < welding_.count(); ++w) {
      if (pieces[w].empty()) continue;
      covered_.push_back(found[w]);
      covered_.back().begin = static_cast<Index>(pieces_.size());
      pieces_.insert(pieces_.end(), pieces[w].begin(), pieces[w].end());
      covered_.back().end = static_cast<Index>(pieces_.size());
      double lengths = 0;
      for (const Index t : pieces[w])
        for (std::size_t k = 0; k < 3; ++k)
          lengths += (rest_[triangles_[t][k]] - rest_[triangles_[t][(k + 1) % 3]]).norm();
      covered_.back().spacing = static_cast<float>(lengths / (3.0 * static_cast<double>(pieces[w].size())));
    }
  }

  /// What is deep in a closed cover, such as the inner end of an arm in a torso, can come out of any part of it, and
  /// meets the whole of it.
  void find_enclosed(const geometry::Components& shells) {
    std::vector<std::vector<Index>> triangles(shells.count);
    for (Index t = 0; t < triangles_.size(); ++t)
      if (const Index shell = shells.of_vertex[welding_.first[triangles_[t][0]]]; shell != kNone)
        triangles[shell].push_back(t);
    std::vector<std::vector<Index>> below(shells.count);
    for (Index i = 0; i < covered_.size(); ++i)
      below[shells.of_vertex[welding_.first[triangles_[covered_[i].anchor][0]]]].push_back(i);
    for (Index shell = 0; shell < shells.count; ++shell) {
      if (below[shell].empty()) continue;
      std::vector<geometry::TriangleVertices> corners;
      for (const Index t : triangles[shell]) corners.push_back(triangles_[t]);
      const geometry::FastWinding winding(geometry::TriangleSoup{rest_, corners});
      std::vector<Vec3> points;
      for (const Index i : below[shell]) points.push_back(rest_[covered_[i].vertex]);
      const std::vector<double> numbers = winding.at(points);
      const auto first = static_cast<Index>(groups_.size());
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (!(numbers[k] > kLayerEnclosed)) continue;
        if (groups_.size() == first) add_groups(triangles[shell]);
        covered_[below[shell][k]].group_begin = first;
        covered_[below[shell][k]].group_end = static_cast<Index>(groups_.size());
      }
    }
  }

  /// Halves a set of triangles until few are left.
  void add_groups(std::span<Index> triangles) {
    if (triangles.size() <= kLayerGroup) {
      const auto begin = static_cast<Index>(grouped_.size());
      grouped_.insert(grouped_.end(), triangles.begin(), triangles.end());
      groups_.push_back({begin, static_cast<Index>(grouped_.size())});
      return;
    }
    const auto middle = [&](Index t) -> Vec3 {
      return rest_[triangles_[t][0]] + rest_[triangles_[t][1]] + rest_[triangles_[t][2]];
    };
    Vec3 lower = middle(triangles[0]), upper = lower;
    for (const Index t : triangles) lower = lower.cwiseMin(middle(t)), upper = upper.cwiseMax(middle(t));
    int axis = 0;
    (upper - lower).maxCoeff(&axis);
    std::sort(triangles.begin(), triangles.end(), [&](Index a, Index b) {
      const double x = middle(a)[axis], y = middle(b)[axis];
      return x != y ? x < y : a < b;
    });
    add_groups(triangles.first(triangles.size() / 2));
    add_groups(triangles.subspan(triangles.size() / 2));
  }

  void find_boxes(LayersState& state) const {
    state.boxes.resize(groups_.size());
    parallel_for(
        groups_.size(),
        [&](std::size_t g) {
          Box box{Vec3f::Constant(1e30F), Vec3f::Constant(-1e30F)};
          for (Index i = groups_[g].begin; i < groups_[g].end; ++i)
            for (const Index w : triangles_[grouped_[i]])
              box.lower = box.lower.cwiseMin(state.moved[w]), box.upper = box.upper.cwiseMax(state.moved[w]);
          state.boxes[g] = box;
        },
        64);
  }

  /// Where normals of the cover are not clear, as at a hem, vertices would move already in the bind pose.
  void leave_out_unclear() {
    LayersState state;
    for (const Vec3& p : rest_) state.moved.push_back(p.cast<float>());
    state.normals.assign(welding_.count(), Vec3f::Zero());
    find_normals(state);
    find_boxes(state);
    std::vector<Covered> clear;
    for (const Covered& covered : covered_) {
      const Meeting meeting = meet(covered, false, state.moved[covered.vertex], state);
      if (meeting.part > 0 && meeting.height < -kLayerSafe * covered.gap) clear.push_back(covered);
    }
    covered_ = std::move(clear);
  }

  void find_neighbours() {
    std::vector<Index> number(welding_.count(), kNone);
    for (Index i = 0; i < covered_.size(); ++i) number[covered_[i].vertex] = i;
    for (Covered& covered : covered_) {
      covered.inner_begin = static_cast<Index>(neighbours_.size());
      for (const Index u : rings_[covered.vertex])
        if (number[u] != kNone) neighbours_.push_back(number[u]);
      covered.inner_end = static_cast<Index>(neighbours_.size());
    }
  }

  /// Triangles that face the same way, connected with the first one, up to some distance from a point of it; two rings
  /// at least.
  template <class SameWay>
  std::vector<Index> piece_around(Index first, const Vec3& point, const SameWay& same_way) const {
    const double radius = kLayerPiece_rel * static_cast<double>(size_);
    std::vector<Index> piece = {first};
    std::size_t ring_end = 1;
    for (std::size_t next = 0, ring = 0; next < piece.size() && piece.size() < kLayerPieceTriangles; ++next) {
      if (next == ring_end) ++ring, ring_end = piece.size();
      for (const Index w : triangles_[piece[next]]) {
        if (ring >= kLayerLeastRings && (rest_[w] - point).norm() > radius) continue;
        for (const Index t : triangles_of_[w])
          if (std::find(piece.begin(), piece.end(), t) == piece.end() && same_way(t)) piece.push_back(t);
      }
    }
    std::sort(piece.begin(), piece.end());
    return piece;
  }

  void find_cover_vertices() {
    std::vector<char> used(welding_.count(), 0);
    for (const Index t : pieces_)
      for (const Index w : triangles_[t]) used[w] = 1;
    for (Index w = 0; w < used.size(); ++w)
      if (used[w] != 0) cover_vertices_.push_back(w);
  }

  Vec3f normal_at(Index w, const std::vector<Vec3f>& points) const {
    return normal_around(w, triangles_, triangles_of_, points);
  }

  void find_normals(LayersState& state) const {
    parallel_for(
        cover_vertices_.size(),
        [&](std::size_t i) {
          const Index w = cover_vertices_[i];
          const Vec3f normal = normal_at(w, state.moved);
          const float length = normal.norm();
          state.normals[w] = length > 0 ? Vec3f(normal / length) : Vec3f(Vec3f::Zero());
        },
        256);
  }

  Vec3f mixed(const CoverCorners& corners, const Vec3f& shares, const std::vector<Vec3f>& of) const {
    return shares[0] * of[corners[0]] + shares[1] * of[corners[1]] + shares[2] * of[corners[2]];
  }

  /// Moves what comes out of its cover. Returns whether anything did.
  bool push(LayersState& state) const {
    parallel_for(
        covered_.size(), [&](std::size_t i) { state.steps[i] = step_of(covered_[i], state); }, 64);
    bool any = false;
    for (std::size_t i = 0; i < covered_.size(); ++i) {
      if (state.steps[i].isZero(0)) continue;
      state.moved[covered_[i].vertex] += state.steps[i];
      any = true;
    }
    return any;
  }

  /// Where a vertex is relative to its cover.
  struct Meeting {
    float height = 0;              ///< Above the cover.
    float part = 0;                ///< How far the cover holds it, from 0 to 1.
    Vec3f normal = Vec3f::Zero();  ///< Of the cover.
  };

  /// Calls visit(triangle) for the triangles that a vertex can meet: of its piece, or of the whole cover that encloses
  /// it, as far as they are within a distance.
  template <class Visit>
  void for_near(const Covered& covered, bool whole, const Vec3f& p, const LayersState& state, float squared,
                const Visit& visit) const {
    if (!whole) {
      for (Index i = covered.begin; i < covered.end; ++i) visit(pieces_[i]);
      return;
    }
    for (Index g = covered.group_begin; g < covered.group_end; ++g)
      if (state.boxes[g].squared_distance(p) <= squared)
        for (Index i = groups_[g].begin; i < groups_[g].end; ++i) visit(grouped_[i]);
  }

  /// The point of a triangle nearest to another point, and its barycentric coordinates.
  std::pair<Vec3f, Vec3f> nearest_of(Index t, const Vec3f& p, const LayersState& state) const {
    const CoverCorners& corners = triangles_[t];
    const Vec3f shares = cover_shares(p, state.moved[corners[0]], state.moved[corners[1]], state.moved[corners[2]]);
    return {mixed(corners, shares, state.moved), shares};
  }

  /// The mean of the planes of all triangles that the vertex can meet, by their distances from it: the nearest triangle
  /// alone changes at once where a cover folds, and the vertex would jump.
  Meeting meet(const Covered& covered, bool whole, const Vec3f& p, const LayersState& state) const {
    const Vec3f at = mixed(triangles_[covered.anchor], covered.barycentric, state.moved);
    float nearest = (p - at).squaredNorm();
    for_near(covered, whole, p, state, nearest,
             [&](Index t) { nearest = std::min(nearest, (p - nearest_of(t, p, state).first).squaredNorm()); });
    const float width = kLayerWidth * covered.spacing, most = nearest + 9 * width * width;
    Vec3f normals = Vec3f::Zero(), points = Vec3f::Zero();
    float sum = 0, heights = 0, rims = 0;
    for_near(covered, whole, p, state, most, [&](Index i) {
      const CoverCorners& t = triangles_[i];
      const auto [point, shares] = nearest_of(i, p, state);
      const float squared = (p - point).squaredNorm();
      if (!(squared < most)) return;
      const Vec3f& corner = state.moved[t[0]];
      Vec3f normal = (state.moved[t[1]] - corner).cross(state.moved[t[2]] - corner);
      const float length = normal.norm();
      if (!(length > 0)) return;
      normal /= length;
      // Ends at `most` without a step.
      const float close = 1 - (squared - nearest) / (most - nearest);
      const float weight = close * close * std::exp((nearest - squared) / (width * width));
      sum += weight;
      normals += weight * normal;
      points += weight * point;
      heights += weight * normal.dot(p - point);
      rims += weight * (shares[0] * rim_[t[0]] + shares[1] * rim_[t[1]] + shares[2] * rim_[t[2]]);
    });
    Meeting meeting;
    const float agreed = sum > 0 ? normals.norm() / sum : 0;
    if (!(agreed > kLayerDisagree)) return meeting;
    meeting.normal = normals / (agreed * sum);
    meeting.height = heights / sum;
    meeting.part = layer_ramp(agreed, kLayerDisagree, kLayerAgree) *
                   layer_ramp(rims / sum, 0, static_cast<float>(kLayerRim_rel) * size_);
    if (whole) return meeting;
    const float reach = static_cast<float>(kLayerPiece_rel) * size_;
    meeting.part *= (1 - layer_ramp((points / sum - at).norm(), 0.6F * reach, reach)) *
                    (1 - layer_ramp(meeting.height, reach, 2 * reach));
    return meeting;
  }

  Vec3f step_of(const Covered& covered, const LayersState& state) const {
    const CoverCorners& anchor = triangles_[covered.anchor];
    const Vec3f usual = mixed(anchor, covered.barycentric, state.moved) -
                        covered.gap * mixed(anchor, covered.barycentric, state.normals);
    const Vec3f& p = state.moved[covered.vertex];
    const float apart = (p - usual).norm();
    if (!(apart > kLayerSafe * covered.gap)) return Vec3f::Zero();
    const float keep = std::min(kLayerKeep * covered.gap, static_cast<float>(kLayerKeep_rel) * size_);
    const float part = layer_ramp(apart, kLayerSafe * covered.gap, covered.gap);
    Vec3f step = Vec3f::Zero();
    const Meeting near = meet(covered, false, p, state);
    if (near.height + keep > 0) step = -(part * near.part * (near.height + keep)) * near.normal;
    // Only what has left its place takes the cost of the whole cover.
    const float left = layer_ramp(apart, covered.gap, 2 * covered.gap);
    if (!covered.enclosed() || !(left > 0)) return step;
    // It is still outside, of another part of the cover: back to where it was below the cover, as far as the height,
    // about linear on the way, makes that necessary.
    const Meeting any = meet(covered, true, p + step, state);
    const float over = any.height + keep;
    if (over > 0) step += left * any.part * over / std::max(over, any.height + covered.gap) * (usual - p - step);
    return step;
  }

  /// Movements become alike between covered neighbours.
  void even_out(LayersState& state) const {
    parallel_for(
        covered_.size(),
        [&](std::size_t i) {
          const Covered& covered = covered_[i];
          const Vec3f own = state.moved[covered.vertex] - state.points[covered.vertex];
          Vec3f mean = Vec3f::Zero();
          for (Index n = covered.inner_begin; n < covered.inner_end; ++n) {
            const Index u = covered_[neighbours_[n]].vertex;
            mean += state.moved[u] - state.points[u];
          }
          // Neighbours that are not covered do not move.
          const auto count = static_cast<float>(rings_[covered.vertex].size());
          state.steps[i] = count > 0 ? Vec3f(0.5F * own + 0.5F / count * mean) : own;
        },
        256);
    for (std::size_t i = 0; i < covered_.size(); ++i)
      state.moved[covered_[i].vertex] = state.points[covered_[i].vertex] + state.steps[i];
  }

  /// Normals turn as those of the faces around do.
  void write(const LayersState& state, const FrameOutput& output) const {
    parallel_for(output.positions.size(), [&](std::size_t v) {
      const Index w = welding_.welded[v];
      if (state.moved[w] != state.points[w]) output.positions[v] += state.moved[w] - state.points[w];
      if (output.normals.empty()) return;
      const auto ring = rings_[w];
      const bool near = state.moved[w] != state.points[w] || std::any_of(ring.begin(), ring.end(), [&](Index u) {
                          return state.moved[u] != state.points[u];
                        });
      if (!near) return;
      const Vec3f before = normal_at(w, state.points), after = normal_at(w, state.moved);
      output.normals[v] = rotation_between_f(before, after) * output.normals[v];
    });
  }

  std::unique_ptr<Deformer> inner_;
  geometry::Welding welding_;
  float size_ = 1;
  geometry::Lists rings_, triangles_of_;
  std::vector<CoverCorners> triangles_;  // Of welded vertices.
  std::vector<Vec3> rest_;               // Of welded vertices.
  std::vector<float> rim_;               // Of welded vertices: distance from a border.
  std::vector<Covered> covered_;
  std::vector<Index> pieces_, neighbours_, cover_vertices_;
  std::vector<Group> groups_;   // Of covers that enclose something, one cover after the other.
  std::vector<Index> grouped_;  // Their triangles.
};

}  // namespace

std::unique_ptr<Deformer> bind_layers(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress) {
  auto layers = std::make_unique<Layers>(std::move(inner), rig, progress);
  if (!layers->any()) return layers->inner();
  return layers;
}

}  // namespace sinew::deform
