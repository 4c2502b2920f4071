// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/penetration_body.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/part_ranges.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/geometry/spatial/predicates.h"
#include "sinew/geometry/spatial/segment.h"

namespace sinew::geometry {
namespace {

constexpr double kNearlyClosed = 0.05;        // Area of the holes, of the component's.
constexpr double kOtherPart = 2.4;            // Way along the surface, of the way through.
constexpr std::size_t kMostVisited = 50'000;  // Vertices of one neighbourhood.

Index lowest_in_set(std::vector<Index>& parent, Index v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

void unite(std::vector<Index>& parent, Index a, Index b) {
  a = lowest_in_set(parent, a), b = lowest_in_set(parent, b);
  parent[std::max(a, b)] = std::min(a, b);
}

std::vector<Index> each_alone(std::size_t count) {
  std::vector<Index> parent(count);
  for (Index v = 0; v < count; ++v) parent[v] = v;
  return parent;
}

// A ray from p along a positive axis against a triangle: +1 when it leaves through the front, −1 when it enters; exact,
// and two triangles never both claim a ray through their common edge. As in winding_number.cpp, for any axis.
class AxisRay {
 public:
  AxisRay(const Vec3& p, int axis) : p_(p), i_((axis + 1) % 3), j_((axis + 2) % 3), axis_(axis) {}

  int crossing(const Vec3& a, const Vec3& b, const Vec3& c) const {
    if (std::max({a[axis_], b[axis_], c[axis_]}) < p_[axis_]) return 0;
    const int turns = turn(a, b) + turn(b, c) + turn(c, a);
    if (turns == 0) return 0;
    const int side = orient3d(a, b, c, p_);
    return turns > 0 ? (side < 0 ? 1 : 0) : (side > 0 ? -1 : 0);
  }

 private:
  Vec2 seen(const Vec3& v) const { return {v[i_], v[j_]}; }
  int turn(const Vec3& a, const Vec3& b) const {
    const bool a_below = a[i_] <= p_[i_], b_below = b[i_] <= p_[i_];
    if (a_below == b_below) return 0;
    if (a_below) return orient2d(seen(a), seen(b), seen(p_)) > 0 ? 1 : 0;
    return orient2d(seen(b), seen(a), seen(p_)) > 0 ? -1 : 0;
  }

  const Vec3 p_;
  const int i_, j_, axis_;
};

double direction_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

// The foot of the perpendicular where it lies in the triangle, else the nearest point of the sides.
Vec3 nearest_on_triangle(const Vec3& p, const std::array<Vec3, 3>& corner) {
  const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
  const double squared = normal.squaredNorm();
  bool over = squared > 0;
  for (std::size_t k = 0; k < 3 && over; ++k)
    over = normal.dot((corner[(k + 1) % 3] - corner[k]).cross(p - corner[k])) >= 0;
  if (over) return p - normal.dot(p - corner[0]) / squared * normal;
  Vec3 best = segment_point(p, corner[0], corner[1]);
  for (std::size_t k = 1; k < 3; ++k) {
    const Vec3 q = segment_point(p, corner[k], corner[(k + 1) % 3]);
    if ((q - p).squaredNorm() < (best - p).squaredNorm()) best = q;
  }
  return best;
}

// Distances along edges from one vertex, as far as they are asked for.
class Neighbourhood {
 public:
  Neighbourhood(const EdgeGraph& graph, Index from) : graph_(graph) {
    known_[from] = 0;
    queue_.push({0, from});
  }

  // Whether a vertex is within reach along edges.
  bool reaches(Index vertex, double radius) {
    while (!queue_.empty() && queue_.top().first <= radius && known_.size() < kMostVisited) {
      const auto [distance, v] = queue_.top();
      queue_.pop();
      if (distance > known_[v]) continue;
      for (Index k = graph_.offsets[v]; k < graph_.offsets[v + 1]; ++k) {
        const double d = distance + graph_.lengths[k];
        const auto place = known_.try_emplace(graph_.neighbours[k], std::numeric_limits<double>::infinity()).first;
        if (d >= place->second) continue;
        place->second = d;
        queue_.push({d, graph_.neighbours[k]});
      }
    }
    const auto found = known_.find(vertex);
    return found != known_.end() && found->second <= radius;
  }

 private:
  using Entry = std::pair<double, Index>;
  const EdgeGraph& graph_;
  std::unordered_map<Index, double> known_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

struct PathCrossing {
  double at;   // Along the path, from 0 to 1.
  int change;  // Of the winding number.
};

// On which side of an edge a path passes. A path through the edge itself passes on one side of it, whichever triangle
// asks: so it crosses one of the two.
int passing_side(const Vec3& p, const Vec3& q, std::span<const Vec3> positions, Index a, Index b) {
  const int side = orient3d(p, q, positions[std::min(a, b)], positions[std::max(a, b)]);
  return a < b ? (side >= 0 ? 1 : -1) : (side >= 0 ? -1 : 1);
}

// Where a path crosses a triangle; false where it does not.
bool crosses(const Vec3& p, const Vec3& q, std::span<const Vec3> positions, const std::array<Index, 3>& t,
             PathCrossing& crossing) {
  const Vec3 &a = positions[t[0]], &b = positions[t[1]], &c = positions[t[2]];
  const int from = orient3d(a, b, c, p), to = orient3d(a, b, c, q);
  if (from * to >= 0) return false;
  const int side = passing_side(p, q, positions, t[0], t[1]);
  if (passing_side(p, q, positions, t[1], t[2]) != side || passing_side(p, q, positions, t[2], t[0]) != side)
    return false;
  const Vec3 normal = (b - a).cross(c - a);
  const double d = std::abs(normal.dot(p - a)), e = std::abs(normal.dot(q - a));
  crossing = {d + e > 0 ? d / (d + e) : 0, from < 0 ? -1 : 1};
  return true;
}

double box_distance(const BoxF& box, const Vec3& p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double out =
        std::max({static_cast<double>(box.lower[i]) - p[k], p[k] - static_cast<double>(box.upper[i]), 0.0});
    sum += out * out;
  }
  return std::sqrt(sum);
}

}  // namespace

Body::Body(const Mesh& mesh, bool between_parts)
    : between_parts_(between_parts),
      welding_(weld_positions(mesh, weld(mesh))),
      surface_(triangle_surface(mesh, welding_)),
      graph_(edge_graph(surface_.positions, surface_.triangles)),
      boxes_(surface_.triangles.size()) {
  parallel_for(boxes_.size(), [&](std::size_t i) {
    const auto& t = surface_.triangles[i];
    boxes_[i] =
        box_around(std::array<Vec3, 3>{surface_.positions[t[0]], surface_.positions[t[1]], surface_.positions[t[2]]});
  });
  tree_ = Bvh(boxes_);
  find_parts(mesh);
  find_components();
  find_normals();
  find_closed(topology(mesh, welding_));
}

void Body::find_parts(const Mesh& mesh) {
  part_.assign(welding_.count(), 0);
  const std::vector<PartRange> ranges = part_ranges(mesh);
  for (Index part = 0; part < ranges.size(); ++part)
    for (Index i = 0; i < ranges[part].vertex_count; ++i) part_[welding_.welded[ranges[part].first_vertex + i]] = part;
}

void Body::find_components() {
  component_ = each_alone(welding_.count());
  for (const auto& t : surface_.triangles) unite(component_, t[0], t[1]), unite(component_, t[0], t[2]);
  for (Index v = 0; v < component_.size(); ++v) component_[v] = lowest_in_set(component_, v);
}

void Body::find_normals() {
  face_normals_.assign(surface_.triangles.size(), Vec3::Zero());
  main_triangle_.assign(welding_.count(), kNone);
  std::vector<double> largest(welding_.count(), 0);
  for (Index i = 0; i < surface_.triangles.size(); ++i) {
    const auto& t = surface_.triangles[i];
    const Vec3& a = surface_.positions[t[0]];
    const Vec3 twice = (surface_.positions[t[1]] - a).cross(surface_.positions[t[2]] - a);
    const double area = twice.norm();
    face_normals_[i] = twice.stableNormalized();
    for (const Index v : t)
      if (area > largest[v]) largest[v] = area, main_triangle_[v] = i;
  }
}

// Rims that touch count as one, as they do in `topology`.
void Body::find_closed(const Topology& topology) {
  std::vector<double> area(welding_.count(), 0), length(welding_.count(), 0), holes(welding_.count(), 0);
  for (const auto& t : surface_.triangles) {
    const Vec3& a = surface_.positions[t[0]];
    area[component_[t[0]]] += (surface_.positions[t[1]] - a).cross(surface_.positions[t[2]] - a).norm() / 2;
  }
  std::vector<Index> rim = each_alone(welding_.count());
  for (const OpenEdge& e : topology.open_edges) unite(rim, e.from, e.to);
  for (const OpenEdge& e : topology.open_edges)
    length[lowest_in_set(rim, e.from)] += e.surplus * (surface_.positions[e.from] - surface_.positions[e.to]).norm();
  for (Index v = 0; v < length.size(); ++v) holes[component_[v]] += length[v] * length[v] / (4 * kPi);
  closed_.resize(welding_.count());
  for (Index v = 0; v < closed_.size(); ++v)
    closed_[v] = area[component_[v]] > 0 && holes[component_[v]] <= kNearlyClosed * area[component_[v]] ? 1 : 0;
  for (const OpenEdge& e : topology.open_edges)
    if (closed_[e.from] != 0) open_edges_.push_back(e);
}

bool Body::counts_for(Index triangle, Index vertex) const {
  const Index other = surface_.triangles[triangle][0];
  return closed_[other] != 0 && (between_parts_ || part_[other] == part_[vertex]);
}

double Body::winding_at(const Vec3& p, int axis, Index left_out, Index vertex) const {
  const auto at = [&](Index v) -> const Vec3& { return surface_.positions[v]; };
  const AxisRay ray(p, axis);
  BoxF box = box_around(std::array<Vec3, 1>{p});
  box.upper[static_cast<std::size_t>(axis)] = std::numeric_limits<float>::infinity();
  int crossings = 0;
  tree_.for_overlapping_leaves(box, [&](Index i) {
    if (i == left_out || !counts_for(i, vertex)) return;
    const auto& other = surface_.triangles[i];
    crossings += ray.crossing(at(other[0]), at(other[1]), at(other[2]));
  });
  double angle = 0;
  for (const OpenEdge& e : open_edges_)
    if (between_parts_ || part_[e.from] == part_[vertex])
      angle += e.surplus * direction_angle(-Vec3::Unit(axis), at(e.from) - p, at(e.to) - p);
  return crossings + angle / (4 * kPi);
}

Body::Sides Body::sides(Index vertex) const {
  const Index own = main_triangle_[vertex];
  if (own == kNone) return {};
  // A little way into the largest triangle: that one is left out of the count, and no other comes near.
  const auto& t = surface_.triangles[own];
  const auto at = [&](Index v) -> const Vec3& { return surface_.positions[v]; };
  const Vec3 center = (at(t[0]) + at(t[1]) + at(t[2])) / 3;
  const Vec3 p = at(vertex) + 1e-3 * (center - at(vertex));
  int axis = 0;
  face_normals_[own].cwiseAbs().maxCoeff(&axis);
  const double winding = winding_at(p, axis, own, vertex);
  if (closed_[vertex] == 0) return {winding, winding};
  return face_normals_[own][axis] > 0 ? Sides{winding, winding + 1} : Sides{winding - 1, winding};
}

bool Body::path_is_inside(Index vertex, const Vec3& q, Index last) const {
  // A little way off, for at the vertex itself the sides of a folded fan cannot be told apart.
  const Vec3 p = surface_.positions[vertex] + 1e-3 * (q - surface_.positions[vertex]);
  const BoxF box = box_around(std::array<Vec3, 2>{p, q});
  std::vector<PathCrossing> crossings;
  tree_.for_overlapping_leaves(box, [&](Index i) {
    if (i == last || !boxes_[i].overlaps(box) || !counts_for(i, vertex)) return;
    PathCrossing crossing;
    if (crosses(p, q, surface_.positions, surface_.triangles[i], crossing)) crossings.push_back(crossing);
  });
  std::sort(crossings.begin(), crossings.end(), [](const PathCrossing& a, const PathCrossing& b) {
    return a.at != b.at ? a.at < b.at : a.change > b.change;
  });
  const double start = winding_at(p, 0, kNone, vertex), sign = start < 0 ? -1 : 1;
  double winding = sign * start;
  if (winding <= 0.5) return false;
  for (const PathCrossing& crossing : crossings)
    if ((winding += sign * crossing.change) <= 0.5) return false;
  return true;
}

Body::Exit Body::exit(Index vertex, double facing) const {
  const Vec3& p = surface_.positions[vertex];
  Neighbourhood own(graph_, vertex);
  Exit best;
  best.distance = std::numeric_limits<double>::infinity();
  const auto consider = [&](Index i) {
    const auto& t = surface_.triangles[i];
    if (!counts_for(i, vertex) || t[0] == vertex || t[1] == vertex || t[2] == vertex) return;
    const Vec3 q =
        nearest_on_triangle(p, {surface_.positions[t[0]], surface_.positions[t[1]], surface_.positions[t[2]]});
    const Vec3 way = q - p;
    const double d = way.norm();
    if (d > best.distance || (d == best.distance && i > best.triangle)) return;
    if (facing * face_normals_[i].dot(way) < 0) return;
    if (component_[t[0]] == component_[vertex]) {
      for (const Index v : t)  // On from its corner to the point it is no farther than straight.
        if (own.reaches(v, kOtherPart * d + (surface_.positions[v] - q).norm())) return;
    }
    if (path_is_inside(vertex, q, i)) best = {i, d, q};
  };
  struct Visit {
    double distance;
    Index node;
    bool operator>(const Visit& other) const { return distance > other.distance; }
  };
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue;
  if (!tree_.nodes().empty()) queue.push({0, 0});
  while (!queue.empty() && queue.top().distance <= best.distance) {
    const Bvh::Node& node = tree_.nodes()[queue.top().node];
    queue.pop();
    if (node.count == 0)
      for (Index child = node.first; child < node.first + 2; ++child)
        queue.push({box_distance(tree_.nodes()[child].box, p), child});
    for (Index i = 0; i < node.count; ++i) consider(tree_.primitives()[node.first + i]);
  }
  if (best.triangle == kNone) best.distance = 0;
  return best;
}

}  // namespace sinew::geometry
