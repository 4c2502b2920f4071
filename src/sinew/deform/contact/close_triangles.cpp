// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/close_triangles.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kGroup = 8;  // Triangles.
constexpr std::size_t kGroupGrain = 64;
constexpr float kUnfolded = 0.6F;        // Of half a turn: between normals.
constexpr float kClose_rel = 0.04F;      // Between triangles at binding,
constexpr float kCloseEdges = 2.5F;      // or so many lengths of edges, if that is more,
constexpr float kMostClose_rel = 0.08F;  // but at most this.
// Of an intersection, from which on it counts wholly: in lengths of edges, but at least so much. Shorter ones (0.2 and
// nothing) leave as many pairs, and more than three times as long steps from frame to frame on a made human.
constexpr float kFullLength = 0.5F, kFullLength_rel = 3e-3F;
constexpr float kSteep = 0.5F;  // Sine of the angle between triangles below which their intersection counts less.
constexpr float kStill_rel = 1e-5F, kChanged_rel = 1e-3F;  // Change of distances between two triangles.

float ramp(float x, float from, float to) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

using Points = std::array<Vec3f, 3>;

geometry::BoxF no_box() {
  constexpr float most = std::numeric_limits<float>::max();
  return {{most, most, most}, {-most, -most, -most}};
}

void extend(geometry::BoxF& box, const geometry::BoxF& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], other.lower[k]);
    box.upper[k] = std::max(box.upper[k], other.upper[k]);
  }
}

geometry::BoxF box_of(const std::array<Index, 3>& t, std::span<const Vec3f> points) {
  const Vec3f &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
  const Vec3f lower = a.cwiseMin(b).cwiseMin(c), upper = a.cwiseMax(b).cwiseMax(c);
  return {{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

bool on_one_side(const std::array<float, 3>& distances) {
  return (distances[0] < 0) == (distances[1] < 0) && (distances[0] < 0) == (distances[2] < 0);
}

/// The interval in which a triangle crosses a plane, along a direction in the plane, given the distances of its corners
/// from it, which are not all on one side.
std::pair<float, float> crossing(const Points& p, const std::array<float, 3>& distances, const Vec3f& along) {
  std::pair<float, float> interval{std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t n = (k + 1) % 3;
    if ((distances[k] < 0) == (distances[n] < 0)) continue;
    const float at = along.dot(p[k] + distances[k] / (distances[k] - distances[n]) * (p[n] - p[k]));
    interval = {std::min(interval.first, at), std::max(interval.second, at)};
  }
  return interval;
}

/// The length of the segment in which two triangles intersect; less for nearly parallel ones, where it changes quickly,
/// down to 0 in one plane. 0 if they do not intersect. After T. Möller, "A fast triangle-triangle intersection test",
/// 1997.
float common_length(const Points& a, const Points& b) {
  const Vec3f normal_a = (a[1] - a[0]).cross(a[2] - a[0]), normal_b = (b[1] - b[0]).cross(b[2] - b[0]);
  std::array<float, 3> from_a{}, from_b{};
  for (std::size_t k = 0; k < 3; ++k) from_a[k] = normal_a.dot(b[k] - a[0]);
  if (on_one_side(from_a)) return 0;
  for (std::size_t k = 0; k < 3; ++k) from_b[k] = normal_b.dot(a[k] - b[0]);
  if (on_one_side(from_b)) return 0;
  Vec3f along = normal_a.cross(normal_b);
  const float length = along.norm(), sine = length / (normal_a.norm() * normal_b.norm());
  if (!(sine > 1e-6F)) return 0;
  along /= length;
  const auto [a_from, a_to] = crossing(a, from_b, along);
  const auto [b_from, b_to] = crossing(b, from_a, along);
  return std::min(1.0F, sine / kSteep) * std::max(0.0F, std::min(a_to, b_to) - std::max(a_from, b_from));
}

}  // namespace

CloseTriangles::CloseTriangles(std::span<const std::array<Index, 3>> triangles, std::span<const Vec3f> rest, float size,
                               const Progress& progress)
    : triangles_(triangles.begin(), triangles.end()), rest_(rest.begin(), rest.end()), size_(size) {
  for (const auto& [a, b, c] : triangles_)
    edge_.push_back(((rest_[a] - rest_[b]).norm() + (rest_[b] - rest_[c]).norm() + (rest_[c] - rest_[a]).norm()) / 3);
  std::vector<Index> order(triangles_.size());
  std::iota(order.begin(), order.end(), Index{0});
  add_groups(order);
  find_touching();
  progress.check();
  Scratch scratch;
  find_boxes(rest_, {}, scratch);
  find_pairs(rest_, scratch, true);
  for (const Pair& pair : scratch.pairs) at_rest_.push_back({pair.a, pair.b});
  std::sort(at_rest_.begin(), at_rest_.end());
}

float CloseTriangles::close(Index triangle) const {
  return std::clamp(kCloseEdges * edge_[triangle], kClose_rel * size_, kMostClose_rel * size_);
}

/// Halves a set of triangles until few are left.
void CloseTriangles::add_groups(std::span<Index> triangles) {
  if (triangles.empty()) return;
  const std::size_t node = nodes_.size();
  nodes_.emplace_back();
  if (triangles.size() <= kGroup) {
    const auto begin = static_cast<Index>(grouped_.size()), group = static_cast<Index>(groups_.size());
    grouped_.insert(grouped_.end(), triangles.begin(), triangles.end());
    nodes_[node].group = group;
    groups_.push_back({begin, static_cast<Index>(grouped_.size()), 0, 0, static_cast<Index>(node)});
    return;
  }
  const auto middle = [&](Index t) -> Vec3f {
    return rest_[triangles_[t][0]] + rest_[triangles_[t][1]] + rest_[triangles_[t][2]];
  };
  Vec3f lower = middle(triangles[0]), upper = lower;
  for (const Index t : triangles) lower = lower.cwiseMin(middle(t)), upper = upper.cwiseMax(middle(t));
  int axis = 0;
  (upper - lower).maxCoeff(&axis);
  const std::size_t half = triangles.size() / 2;
  std::nth_element(triangles.begin(), triangles.begin() + static_cast<std::ptrdiff_t>(half), triangles.end(),
                   [&](Index x, Index y) {
                     const float a = middle(x)[axis], b = middle(y)[axis];
                     return a != b ? a < b : x < y;
                   });
  add_groups(triangles.first(half));
  nodes_[node].second = static_cast<Index>(nodes_.size());
  add_groups(triangles.subspan(half));
}

void CloseTriangles::find_touching() {
  geometry::UnionFind shells(rest_.size());
  for (const auto& [a, b, c] : triangles_) shells.join(a, b), shells.join(a, c);
  // Two shells in one group, such as a button and the shirt below it, have alike normals and yet meet.
  const auto is_of_one_shell = [&](const Group& group) {
    const auto shell = [&](Index i) { return shells.find(triangles_[grouped_[i]][0]); };
    for (Index i = group.begin; i < group.end; ++i)
      if (shell(i) != shell(group.begin)) return false;
    return true;
  };
  std::vector<std::vector<Index>> at(rest_.size());
  for (Index g = 0; g < groups_.size(); ++g)
    for (Index i = groups_[g].begin; i < groups_[g].end && is_of_one_shell(groups_[g]); ++i)
      for (const Index v : triangles_[grouped_[i]])
        if (at[v].empty() || at[v].back() != g) at[v].push_back(g);
  std::vector<Index> near;
  for (Group& group : groups_) {
    near.clear();
    for (Index i = group.begin; i < group.end && is_of_one_shell(group); ++i)
      for (const Index v : triangles_[grouped_[i]]) near.insert(near.end(), at[v].begin(), at[v].end());
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    group.first_touching = static_cast<Index>(touching_.size());
    touching_.insert(touching_.end(), near.begin(), near.end());
    group.end_touching = static_cast<Index>(touching_.size());
  }
}

bool CloseTriangles::touch(Index g, Index h) const {
  return std::binary_search(touching_.begin() + groups_[g].first_touching, touching_.begin() + groups_[g].end_touching,
                            h);
}

void CloseTriangles::find(std::span<const Vec3f> points, std::span<const float> moved, Scratch& scratch) const {
  find_boxes(points, moved, scratch);
  find_pairs(points, scratch, false);
}

void CloseTriangles::find_boxes(std::span<const Vec3f> points, std::span<const float> moved, Scratch& scratch) const {
  scratch.boxes.resize(grouped_.size()), scratch.node_boxes.resize(nodes_.size());
  scratch.moved_groups.resize(groups_.size());
  scratch.axes.resize(groups_.size()), scratch.spreads.resize(groups_.size());
  parallel_for(
      groups_.size(),
      [&](std::size_t g) {
        const auto has_moved = [&](Index triangle) {
          const auto& [a, b, c] = triangles_[triangle];
          return moved[a] != 0 || moved[b] != 0 || moved[c] != 0;
        };
        const std::span<const Index> members(grouped_.data() + groups_[g].begin, grouped_.data() + groups_[g].end);
        scratch.moved_groups[g] = moved.empty() || std::any_of(members.begin(), members.end(), has_moved) ? 1 : 0;
        if (scratch.moved_groups[g] == 0) return;
        geometry::BoxF all = no_box();
        std::array<Vec3f, kGroup> normals;
        Vec3f sum = Vec3f::Zero();
        for (Index i = groups_[g].begin; i < groups_[g].end; ++i) {
          const auto& t = triangles_[grouped_[i]];
          scratch.boxes[i] = box_of(t, points);
          extend(all, scratch.boxes[i]);
          Vec3f& normal = normals[i - groups_[g].begin];
          normal = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).normalized();
          sum += normal;
        }
        scratch.node_boxes[groups_[g].node] = all;
        scratch.axes[g] = sum.normalized();
        float cosine = 1;
        for (std::size_t i = 0; i < members.size(); ++i) cosine = std::min(cosine, scratch.axes[g].dot(normals[i]));
        scratch.spreads[g] = std::acos(std::max(-1.0F, cosine));
      },
      256);
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].second == kNone) continue;
    scratch.node_boxes[n] = scratch.node_boxes[n + 1];
    extend(scratch.node_boxes[n], scratch.node_boxes[nodes_[n].second]);
  }
}

void CloseTriangles::find_pairs(std::span<const Vec3f> points, Scratch& scratch, bool at_binding) const {
  scratch.chunks.resize((groups_.size() + kGroupGrain - 1) / kGroupGrain);
  parallel_blocks(groups_.size(), kGroupGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Pair>& found = scratch.chunks[begin / kGroupGrain];
    found.clear();
    for (auto g = static_cast<Index>(begin); g < end; ++g) {
      if (scratch.moved_groups[g] == 0) continue;
      const geometry::BoxF& box = scratch.node_boxes[groups_[g].node];
      std::array<Index, 64> stack;  // The tree is balanced.
      std::size_t size = 0;
      stack[size++] = 0;
      while (size > 0) {
        const Index n = stack[--size];
        if (!scratch.node_boxes[n].overlaps(box)) continue;
        if (nodes_[n].second != kNone) {
          stack[size++] = nodes_[n].second;
          stack[size++] = n + 1;
          continue;
        }
        const Index h = nodes_[n].group;
        // Of two groups that have moved, the first one finds their pairs.
        if (h < g && scratch.moved_groups[h] != 0) continue;
        if (at_binding || !touch(g, h) || folded(g, h, scratch))
          find_pairs_of(g, h, points, scratch, at_binding, found);
      }
    }
  });
  scratch.pairs.clear();
  for (const auto& chunk : scratch.chunks) scratch.pairs.insert(scratch.pairs.end(), chunk.begin(), chunk.end());
}

/// Whether normals of two groups are far apart.
bool CloseTriangles::folded(Index g, Index h, const Scratch& scratch) {
  const float between = std::acos(std::clamp(scratch.axes[g].dot(scratch.axes[h]), -1.0F, 1.0F));
  return !(between + scratch.spreads[g] + scratch.spreads[h] < kUnfolded * static_cast<float>(kPi));
}

void CloseTriangles::find_pairs_of(Index g, Index h, std::span<const Vec3f> points, const Scratch& scratch,
                                   bool at_binding, std::vector<Pair>& found) const {
  for (Index i = groups_[g].begin; i < groups_[g].end; ++i) {
    if (!scratch.boxes[i].overlaps(scratch.node_boxes[groups_[h].node])) continue;
    for (Index k = g == h ? i + 1 : groups_[h].begin; k < groups_[h].end; ++k) {
      if (!scratch.boxes[i].overlaps(scratch.boxes[k])) continue;
      const auto [a, b] = std::minmax(grouped_[i], grouped_[k]);
      const float part = part_of(a, b, points, at_binding);
      if (part > 0) found.push_back({a, b, part});
    }
  }
}

/// How much two triangles count, from 0 to 1; at binding, all that intersects counts.
float CloseTriangles::part_of(Index a, Index b, std::span<const Vec3f> points, bool at_binding) const {
  const std::array<Index, 3>&s = triangles_[a], &t = triangles_[b];
  for (const Index v : s)
    if (v == t[0] || v == t[1] || v == t[2]) return 0;
  const float length =
      common_length({points[s[0]], points[s[1]], points[s[2]]}, {points[t[0]], points[t[1]], points[t[2]]});
  if (!(length > 0)) return 0;
  if (at_binding) return 1;
  if (std::binary_search(at_rest_.begin(), at_rest_.end(), std::pair{a, b})) return 0;
  float nearest = std::numeric_limits<float>::max(), change = 0;
  for (const Index u : s)
    for (const Index v : t) {
      const float before = (rest_[u] - rest_[v]).norm();
      nearest = std::min(nearest, before);
      change = std::max(change, std::abs((points[u] - points[v]).norm() - before));
    }
  const float far = std::max(close(a), close(b));
  // What moves rigidly only touches, by rounding.
  const float full = std::max(kFullLength * std::min(edge_[a], edge_[b]), kFullLength_rel * size_);
  return std::min(1.0F, length / full) * ramp(change, kStill_rel * size_, kChanged_rel * size_) *
         (1 - ramp(nearest, 0.7F * far, far));
}

}  // namespace sinew::deform
