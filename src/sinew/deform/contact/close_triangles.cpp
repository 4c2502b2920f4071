// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/close_triangles.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::deform {
namespace {

constexpr Index kSubtree = 256;  // Triangles.
constexpr std::size_t kCoupleGrain = 64;
constexpr float kUnfolded = 1.618F;      // Distance of unit normals 0.6 of half a turn apart: skin without a fold.
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

void extend(geometry::BoxF& box, const geometry::BoxF& other) {
  for (std::size_t k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], other.lower[k]);
    box.upper[k] = std::max(box.upper[k], other.upper[k]);
  }
}

/// As `BoxF::overlaps`, without branches that depend on the data.
bool overlap(const geometry::BoxF& a, const geometry::BoxF& b) {
  unsigned all = 1;
  for (std::size_t k = 0; k < 3; ++k)
    all &= static_cast<unsigned>(a.lower[k] <= b.upper[k]) & static_cast<unsigned>(b.lower[k] <= a.upper[k]);
  return all != 0;
}

/// The distance between two boxes, squared.
float squared_distance(const geometry::BoxF& a, const geometry::BoxF& b) {
  float sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const float gap = std::max({0.0F, a.lower[k] - b.upper[k], b.lower[k] - a.upper[k]});
    sum += gap * gap;
  }
  return sum;
}

/// Triangles whose boxes overlap a box, one bit for each.
unsigned overlapping(const CloseTriangles::TriangleBoxes& group, const geometry::BoxF& box) {
  using Column = Eigen::Array<float, CloseTriangles::kGroup, 1>;
  Column apart = (group.lower.col(0) - box.upper[0]).max(box.lower[0] - group.upper.col(0));
  for (int k = 1; k < 3; ++k)
    apart = apart.max((group.lower.col(k) - box.upper[k]).max(box.lower[k] - group.upper.col(k)));
  unsigned all = 0;
  for (std::size_t i = 0; i < CloseTriangles::kGroup; ++i) all |= static_cast<unsigned>(apart[i] <= 0) << i;
  return all;
}

geometry::BoxF box_of(const CloseTriangles::TriangleBoxes& group, Index i) {
  return {{group.lower(i, 0), group.lower(i, 1), group.lower(i, 2)},
          {group.upper(i, 0), group.upper(i, 1), group.upper(i, 2)}};
}

geometry::BoxF common(const geometry::BoxF& a, const geometry::BoxF& b) {
  geometry::BoxF both = a;
  for (std::size_t k = 0; k < 3; ++k) {
    both.lower[k] = std::max(a.lower[k], b.lower[k]);
    both.upper[k] = std::min(a.upper[k], b.upper[k]);
  }
  return both;
}

/// Whether no two normals in two boxes can be far apart.
bool unfolded(const geometry::BoxF& a, const geometry::BoxF& b) {
  float sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const float side = std::max(a.upper[k], b.upper[k]) - std::min(a.lower[k], b.lower[k]);
    sum += side * side;
  }
  return sum < kUnfolded * kUnfolded;
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
  add_nodes(order, kNone);
  for (const Index t : grouped_) corners_.push_back(triangles_[t]);
  find_groups_of_vertices();
  find_touching();
  find_rest_boxes();
  progress.check();
  if (!nodes_.empty()) find_couples(0, 0);
  progress.check();
  Scratch scratch;
  fit(rest_, scratch);
  find_pairs(rest_, scratch, true);
  for (const Pair& pair : scratch.pairs) at_rest_.push_back({pair.a, pair.b});
  std::sort(at_rest_.begin(), at_rest_.end());
}

float CloseTriangles::close(Index triangle) const {
  return std::clamp(kCloseEdges * edge_[triangle], kClose_rel * size_, kMostClose_rel * size_);
}

/// Halves a set of triangles until few are left. All groups but one are full.
void CloseTriangles::add_nodes(std::span<Index> triangles, Index parent) {
  if (triangles.empty()) return;
  const auto node = static_cast<Index>(nodes_.size()), begin = static_cast<Index>(grouped_.size());
  nodes_.push_back({kNone, 0, parent, begin, begin + static_cast<Index>(triangles.size())});
  if (triangles.size() <= kGroup) {
    grouped_.insert(grouped_.end(), triangles.begin(), triangles.end());
    nodes_[node].group = static_cast<Index>(groups_.size());
    groups_.push_back({begin, static_cast<Index>(grouped_.size()), node});
    return;
  }
  const auto middle = [&](Index t) -> Vec3f {
    return rest_[triangles_[t][0]] + rest_[triangles_[t][1]] + rest_[triangles_[t][2]];
  };
  Vec3f lower = middle(triangles[0]), upper = lower;
  for (const Index t : triangles) lower = lower.cwiseMin(middle(t)), upper = upper.cwiseMax(middle(t));
  int axis = 0;
  (upper - lower).maxCoeff(&axis);
  const std::size_t half = (triangles.size() / 2 + kGroup - 1) / kGroup * kGroup;
  std::nth_element(triangles.begin(), triangles.begin() + static_cast<std::ptrdiff_t>(half), triangles.end(),
                   [&](Index x, Index y) {
                     const float a = middle(x)[axis], b = middle(y)[axis];
                     return a != b ? a < b : x < y;
                   });
  add_nodes(triangles.first(half), node);
  nodes_[node].second = static_cast<Index>(nodes_.size());
  add_nodes(triangles.subspan(half), node);
}

/// Whether the triangles of a node hang together by common corners. Two shells in one node, such as a button and the
/// shirt below it, have alike normals and yet meet.
bool CloseTriangles::is_connected(Index n) const {
  std::vector<Index> vertices;
  for (Index i = nodes_[n].begin; i < nodes_[n].end; ++i)
    vertices.insert(vertices.end(), corners_[i].begin(), corners_[i].end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  const auto at = [&](Index v) {
    return static_cast<Index>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
  };
  geometry::UnionFind patches(vertices.size());
  for (Index i = nodes_[n].begin; i < nodes_[n].end; ++i)
    patches.join(at(corners_[i][0]), at(corners_[i][1])), patches.join(at(corners_[i][0]), at(corners_[i][2]));
  for (Index i = 1; i < vertices.size(); ++i)
    if (patches.find(i) != patches.find(0)) return false;
  return true;
}

void CloseTriangles::find_touching() {
  std::vector<char> connected(nodes_.size());
  parallel_for(
      nodes_.size(),
      [&](std::size_t n) {
        const auto node = static_cast<Index>(n);
        connected[n] = nodes_[n].triangles() <= kSubtree && is_connected(node) ? 1 : 0;
      },
      64);
  std::vector<Index> near;
  std::vector<std::vector<Index>> lists(nodes_.size());
  for (Index v = 0; v < groups_of_.size(); ++v) {
    near.clear();
    for (const Index g : groups_of_[v])
      for (Index n = groups_[g].node; n != kNone && nodes_[n].triangles() <= kSubtree; n = nodes_[n].parent)
        if (connected[n] != 0) near.push_back(n);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (std::size_t i = 0; i < near.size(); ++i)
      lists[near[i]].insert(lists[near[i]].end(), near.begin() + static_cast<std::ptrdiff_t>(i), near.end());
  }
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    touching_.items.insert(touching_.items.end(), list.begin(), list.end());
    touching_.offsets.push_back(static_cast<Index>(touching_.items.size()));
  }
}

bool CloseTriangles::touch(Index a, Index b) const {
  const auto list = touching_[std::min(a, b)];
  return std::binary_search(list.begin(), list.end(), std::max(a, b));
}

void CloseTriangles::find_groups_of_vertices() {
  std::vector<std::vector<Index>> lists(rest_.size());
  for (Index g = 0; g < groups_.size(); ++g)
    for (Index i = groups_[g].begin; i < groups_[g].end; ++i)
      for (const Index v : corners_[i])
        if (lists[v].empty() || lists[v].back() != g) lists[v].push_back(g);
  for (const auto& list : lists) {
    groups_of_.items.insert(groups_of_.items.end(), list.begin(), list.end());
    groups_of_.offsets.push_back(static_cast<Index>(groups_of_.items.size()));
  }
}

void CloseTriangles::find_rest_boxes() {
  Scratch scratch;
  fit(rest_, scratch);
  for (const PosedNode& node : scratch.nodes) rest_boxes_.push_back(node.box);
  far_.assign(nodes_.size(), 0);
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].second != kNone) {
      far_[n] = std::max(far_[n + 1], far_[nodes_[n].second]);
      continue;
    }
    const Group& group = groups_[nodes_[n].group];
    for (Index i = group.begin; i < group.end; ++i) far_[n] = std::max(far_[n], close(grouped_[i]));
  }
}

/// Whether triangles of two nodes can count. A little more, for rounding.
bool CloseTriangles::are_close(Index a, Index b) const {
  const float far = 1.001F * std::max(far_[a], far_[b]);
  return squared_distance(rest_boxes_[a], rest_boxes_[b]) <= far * far;
}

void CloseTriangles::find_couples(Index a, Index b) {
  const auto is_small = [&](Index n) { return nodes_[n].triangles() <= kSubtree || nodes_[n].second == kNone; };
  if (a != b && !are_close(a, b)) return;
  if (is_small(a) && is_small(b)) {
    couples_.push_back({a, b});
  } else if (a == b) {
    find_couples(a + 1, a + 1), find_couples(a + 1, nodes_[a].second);
    find_couples(nodes_[a].second, nodes_[a].second);
  } else if (is_small(b) || nodes_[a].triangles() > nodes_[b].triangles()) {
    find_couples(a + 1, b), find_couples(nodes_[a].second, b);
  } else {
    find_couples(a, b + 1), find_couples(a, nodes_[b].second);
  }
}

void CloseTriangles::find(std::span<const Vec3f> points, Scratch& scratch) const {
  fit(points, scratch);
  find_pairs(points, scratch, false);
}

void CloseTriangles::fit(std::span<const Vec3f> points, Scratch& scratch) const {
  scratch.groups.resize(groups_.size()), scratch.nodes.resize(nodes_.size());
  scratch.moved.assign(nodes_.size(), 1), scratch.moved_nodes.clear();
  parallel_for(
      groups_.size(), [&](std::size_t g) { fit_group(points, static_cast<Index>(g), scratch); }, 256);
  for (auto n = static_cast<Index>(nodes_.size()); n-- > 0;) fit_node(n, scratch);
  for (Index n = 0; n < nodes_.size(); ++n) scratch.moved_nodes.push_back(n);
}

void CloseTriangles::find_again(std::span<const Vec3f> points, std::span<const Index> moved, Scratch& scratch) const {
  for (const Index n : scratch.moved_nodes) scratch.moved[n] = 0;
  scratch.moved_nodes.clear();
  for (const Index v : moved)
    for (const Index g : groups_of_[v])
      for (Index n = groups_[g].node; n != kNone && scratch.moved[n] == 0; n = nodes_[n].parent)
        scratch.moved[n] = 1, scratch.moved_nodes.push_back(n);
  std::sort(scratch.moved_nodes.begin(), scratch.moved_nodes.end(), std::greater<>());
  parallel_for(
      scratch.moved_nodes.size(),
      [&](std::size_t i) {
        const Node& node = nodes_[scratch.moved_nodes[i]];
        if (node.second == kNone) fit_group(points, node.group, scratch);
      },
      256);
  for (const Index n : scratch.moved_nodes) fit_node(n, scratch);
  find_pairs(points, scratch, false);
}

/// Boxes and normals of the triangles of a group.
void CloseTriangles::fit_group(std::span<const Vec3f> points, Index g, Scratch& scratch) const {
  constexpr float most = std::numeric_limits<float>::max();
  using Rows = TriangleBoxes::Rows;
  const Index begin = groups_[g].begin, count = groups_[g].end - begin;
  Rows a, b, c;
  for (Index i = 0; i < kGroup; ++i) {
    const auto& corners = corners_[begin + std::min(i, count - 1)];
    const Vec3f &p = points[corners[0]], &q = points[corners[1]], &r = points[corners[2]];
    for (int k = 0; k < 3; ++k) a(i, k) = p[k], b(i, k) = q[k], c(i, k) = r[k];
  }
  TriangleBoxes& group = scratch.groups[g];
  group.lower = a.min(b).min(c), group.upper = a.max(b).max(c);
  b -= a, c -= a;
  Rows normals;
  for (int k = 0; k < 3; ++k) {
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    normals.col(k) = b.col(m) * c.col(n) - b.col(n) * c.col(m);
  }
  const Eigen::Array<float, kGroup, 1> length =
      (normals.col(0).square() + normals.col(1).square() + normals.col(2).square()).sqrt();
  PosedNode& node = scratch.nodes[groups_[g].node];
  for (int k = 0; k < 3; ++k) {
    normals.col(k) /= length.max(std::numeric_limits<float>::min());
    const auto axis = static_cast<std::size_t>(k);
    node.box.lower[axis] = group.lower.col(k).minCoeff(), node.box.upper[axis] = group.upper.col(k).maxCoeff();
    node.normals.lower[axis] = normals.col(k).minCoeff(), node.normals.upper[axis] = normals.col(k).maxCoeff();
  }
  for (Index i = count; i < kGroup; ++i) group.lower.row(i) = most, group.upper.row(i) = -most;
}

void CloseTriangles::fit_node(Index n, Scratch& scratch) const {
  if (nodes_[n].second == kNone) return;
  PosedNode& node = scratch.nodes[n];
  const PosedNode& other = scratch.nodes[nodes_[n].second];
  node = scratch.nodes[n + 1];
  extend(node.box, other.box), extend(node.normals, other.normals);
}

void CloseTriangles::find_pairs(std::span<const Vec3f> points, Scratch& scratch, bool at_binding) const {
  scratch.chunks.resize((couples_.size() + kCoupleGrain - 1) / kCoupleGrain);
  parallel_blocks(couples_.size(), kCoupleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Pair>& found = scratch.chunks[begin / kCoupleGrain];
    found.clear();
    for (std::size_t i = begin; i < end; ++i) find_pairs_of(couples_[i], points, scratch, at_binding, found);
  });
  scratch.pairs.clear();
  for (const auto& chunk : scratch.chunks) scratch.pairs.insert(scratch.pairs.end(), chunk.begin(), chunk.end());
  std::sort(scratch.pairs.begin(), scratch.pairs.end(),
            [](const Pair& x, const Pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
}

/// Descends two subtrees together.
void CloseTriangles::find_pairs_of(Couple couple, std::span<const Vec3f> points, const Scratch& scratch,
                                   bool at_binding, std::vector<Pair>& found) const {
  std::array<Couple, 64> stack;  // Subtrees have few levels, and a level adds three at most.
  std::size_t size = 0;
  stack[size++] = couple;
  while (size > 0) {
    const auto [a, b] = stack[--size];
    if ((scratch.moved[a] | scratch.moved[b]) == 0) continue;
    const PosedNode &p = scratch.nodes[a], &q = scratch.nodes[b];
    if (a != b && !overlap(p.box, q.box)) continue;
    if (!at_binding && unfolded(p.normals, q.normals) && touch(a, b)) continue;
    if (a != b && !are_close(a, b)) continue;
    const Node &x = nodes_[a], &y = nodes_[b];
    if (x.second == kNone && y.second == kNone) {
      find_pairs_of_groups(x.group, y.group, points, scratch, at_binding, found);
    } else if (a == b) {
      stack[size++] = {a + 1, a + 1}, stack[size++] = {a + 1, x.second}, stack[size++] = {x.second, x.second};
    } else if (y.second == kNone || (x.second != kNone && x.triangles() > y.triangles())) {
      stack[size++] = {a + 1, b}, stack[size++] = {x.second, b};
    } else {
      stack[size++] = {a, b + 1}, stack[size++] = {a, y.second};
    }
  }
}

void CloseTriangles::find_pairs_of_groups(Index g, Index h, std::span<const Vec3f> points, const Scratch& scratch,
                                          bool at_binding, std::vector<Pair>& found) const {
  const TriangleBoxes &first = scratch.groups[g], &second = scratch.groups[h];
  const geometry::BoxF both = common(scratch.nodes[groups_[g].node].box, scratch.nodes[groups_[h].node].box);
  unsigned others = overlapping(second, both);
  if (others == 0) return;
  for (unsigned rows = overlapping(first, both); rows != 0; rows &= rows - 1) {
    const auto i = static_cast<Index>(std::countr_zero(rows));
    if (g == h) others &= ~1U << i;
    for (unsigned hits = others & overlapping(second, box_of(first, i)); hits != 0; hits &= hits - 1) {
      const auto k = static_cast<Index>(std::countr_zero(hits));
      const auto [a, b] = std::minmax(grouped_[groups_[g].begin + i], grouped_[groups_[h].begin + k]);
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
