// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/sphere_graph.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/distance_field.h"

namespace sinew::rigging {
namespace {

constexpr int kWaySteps = 100;  // A way between two spheres is looked at in so many steps.
// Samples from a grid often lie exactly on the border of what is asked for. Rounding must not decide, or else moving
// the mesh would change the graph: borders belong to a sphere, not to the ball of Gabriel neighbours, and are deep
// enough.
constexpr double kRounding = 1e-9;
constexpr double kFieldRounding = 1e-5;  // Depths are stored as floats.

bool are_gabriel_neighbours(const std::vector<Sphere>& spheres, Index u, Index v) {
  const Vec3 &a = spheres[u].center, &b = spheres[v].center;
  const double border = -kRounding * (a - b).squaredNorm();
  for (Index w = 0; w < spheres.size(); ++w)
    if (w != u && w != v && (a - spheres[w].center).dot(b - spheres[w].center) < border) return false;
  return true;
}

bool way_is_deep(const Sphere& u, const Sphere& v, const DistanceField& field, double share) {
  const double least = (1 - kFieldRounding) * share * std::min(u.radius, v.radius);
  for (int i = 0; i <= kWaySteps; ++i)
    if (-geometry::sample(field, u.center + double(i) / kWaySteps * (v.center - u.center)) <= least) return false;
  return true;
}

// Which spheres hang together: a forest whose roots are the lowest numbers.
class Parts {
 public:
  explicit Parts(std::size_t n) : parent_(n), count_(n) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

  Index root(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(Index u, Index v) {
    u = root(u), v = root(v);
    if (u == v) return;
    parent_[std::max(u, v)] = std::min(u, v);
    --count_;
  }
  std::size_t count() const { return count_; }

 private:
  std::vector<Index> parent_;
  std::size_t count_;
};

struct Link {
  double length;
  Index u, v;
};

// Where the neighbourhoods of spheres of different parts meet: each sphere floods the samples inside the body, all at
// once.
std::vector<Link> links_between(const std::vector<Sphere>& spheres, const DistanceField& field, Parts& parts) {
  std::vector<Index> owner(field.values.size(), kNone);
  std::vector<std::size_t> queue;
  const std::array<std::size_t, 3> strides = {1, field.samples[0], std::size_t{field.samples[0]} * field.samples[1]};
  for (Index u = 0; u < spheres.size(); ++u) {
    std::size_t voxel = 0;
    for (int k = 0; k < 3; ++k) {
      const auto n = static_cast<std::size_t>(k);
      const double at = std::round((spheres[u].center[k] - field.origin[k]) / field.cell);
      voxel += strides[n] * static_cast<std::size_t>(std::clamp(at, 0.0, double(field.samples[n]) - 1));
    }
    if (field.values[voxel] >= 0 || owner[voxel] != kNone) continue;
    owner[voxel] = u;
    queue.push_back(voxel);
  }
  std::vector<Link> links;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::size_t voxel = queue[i];
    const Index u = owner[voxel];
    const std::array<std::size_t, 3> at = {voxel % strides[1], voxel % strides[2] / strides[1], voxel / strides[2]};
    for (int step = 0; step < 27; ++step) {
      const std::array<int, 3> by = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
      bool inside = true;
      auto next = static_cast<std::ptrdiff_t>(voxel);
      Vec3 place = field.origin;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::ptrdiff_t c = static_cast<std::ptrdiff_t>(at[k]) + by[k];
        inside = inside && c >= 0 && c < static_cast<std::ptrdiff_t>(field.samples[k]);
        next += by[k] * static_cast<std::ptrdiff_t>(strides[k]);
        place[static_cast<Eigen::Index>(k)] += field.cell * static_cast<double>(c);
      }
      const auto other = static_cast<std::size_t>(next);
      if (!inside || field.values[other] >= 0) continue;
      if (owner[other] == kNone) {
        owner[other] = u;
        queue.push_back(other);
      } else if (const Index v = owner[other]; parts.root(v) != parts.root(u)) {
        const double length = (spheres[u].center - place).norm() + (spheres[v].center - place).norm();
        links.push_back({length, std::min(u, v), std::max(u, v)});
      }
    }
  }
  return links;
}

// Adds the shortest ways inside the body that make parts one, to the neighbours of higher number.
void join_parts(const std::vector<Sphere>& spheres, const DistanceField& field, double gap,
                std::vector<std::vector<Index>>& later) {
  Parts parts(spheres.size());
  for (Index u = 0; u < spheres.size(); ++u)
    for (const Index v : later[u]) parts.join(u, v);
  if (parts.count() < 2 || !(gap > 0)) return;
  std::vector<Link> links = links_between(spheres, field, parts);
  std::sort(links.begin(), links.end(),
            [](const Link& a, const Link& b) { return std::tie(a.length, a.u, a.v) < std::tie(b.length, b.u, b.v); });
  for (const Link& link : links) {
    if (link.length > spheres[link.u].radius + spheres[link.v].radius + gap) continue;
    if (parts.root(link.u) == parts.root(link.v)) continue;
    parts.join(link.u, link.v);
    std::vector<Index>& list = later[link.u];
    list.insert(std::lower_bound(list.begin(), list.end(), link.v), link.v);
  }
}

void list_neighbours(SphereGraph& graph, const std::vector<std::vector<Index>>& later) {
  const std::size_t n = graph.spheres.size();
  std::vector<std::vector<Index>> all(n);
  for (Index u = 0; u < n; ++u)
    for (const Index v : later[u]) all[v].push_back(u);
  for (Index u = 0; u < n; ++u) {
    all[u].insert(all[u].end(), later[u].begin(), later[u].end());
    for (const Index v : all[u]) {
      graph.neighbours.items.push_back(v);
      graph.lengths.push_back(static_cast<float>((graph.spheres[u].center - graph.spheres[v].center).norm()));
    }
    graph.neighbours.offsets.push_back(static_cast<Index>(graph.neighbours.items.size()));
  }
}

// Spheres of the connected part of largest volume. Equal ones: the part with the first sphere.
std::vector<bool> main_part(const SphereGraph& graph) {
  Parts parts(graph.size());
  for (Index u = 0; u < graph.size(); ++u)
    for (const Index v : graph.neighbours[u]) parts.join(u, v);
  std::vector<double> volumes(graph.size(), 0);
  for (Index u = 0; u < graph.size(); ++u) volumes[parts.root(u)] += std::pow(graph.spheres[u].radius, 3);
  const auto largest = static_cast<Index>(std::max_element(volumes.begin(), volumes.end()) - volumes.begin());
  std::vector<bool> inside(graph.size());
  for (Index u = 0; u < graph.size(); ++u) inside[u] = parts.root(u) == largest;
  return inside;
}

void close_other_parts(SphereGraph& graph) {
  const std::vector<bool> inside = main_part(graph);
  const std::size_t n = graph.size();
  for (Index u = 0; u < n; ++u)
    for (Index v = 0; v < n; ++v) {
      if (u == v || (inside[u] && inside[v])) continue;
      graph.distance[u * n + v] = SphereGraph::kUnreachable;
      graph.previous[u * n + v] = static_cast<std::uint16_t>(v);
    }
}

// Shortest ways from one sphere. Of two equally short ones the way through the sphere of lower number.
void find_ways_from(SphereGraph& graph, Index source) {
  const std::size_t n = graph.size(), row = source * n;
  std::vector<double> best(n, std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> done(n, 0);
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  best[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const Index u = queue.top().second;
    queue.pop();
    if (done[u] != 0) continue;
    done[u] = 1;
    for (Index e = graph.neighbours.offsets[u]; e < graph.neighbours.offsets[u + 1]; ++e) {
      const Index v = graph.neighbours.items[e];
      const double length = best[u] + double{graph.lengths[e]};
      const bool shorter = length < best[v];
      if (shorter) {
        best[v] = length;
        queue.push({length, v});
      }
      if (shorter || (done[v] == 0 && length == best[v] && u < graph.previous[row + v]))
        graph.previous[row + v] = static_cast<std::uint16_t>(u);
    }
  }
  for (std::size_t v = 0; v < n; ++v) graph.distance[row + v] = static_cast<float>(best[v]);
}

}  // namespace

std::vector<Index> SphereGraph::path(Index u, Index v) const {
  std::vector<Index> way;
  if (this->way(u, v) == kUnreachable) return way;
  for (Index at = v; at != u; at = previous[std::size_t{u} * spheres.size() + at]) way.push_back(at);
  way.push_back(u);
  std::reverse(way.begin(), way.end());
  return way;
}

std::vector<Sphere> pack_spheres(std::span<const MedialSample> samples, const PackingOptions& options) {
  std::vector<Sphere> spheres;
  for (const MedialSample& sample : samples) {
    if (static_cast<int>(spheres.size()) >= options.most) break;
    const bool covered = std::any_of(spheres.begin(), spheres.end(), [&](const Sphere& s) {
      return (s.center - sample.point).squaredNorm() <= (1 + kRounding) * s.radius * s.radius;
    });
    if (!covered) spheres.push_back({sample.point, sample.depth});
  }
  return spheres;
}

SphereGraph sphere_graph(std::vector<Sphere> spheres, const DistanceField& depth, const PackingOptions& options) {
  SphereGraph graph;
  graph.spheres = std::move(spheres);
  const std::size_t n = graph.spheres.size();
  std::vector<std::vector<Index>> later(n);  // Neighbours of higher number.
  parallel_for(
      n,
      [&](std::size_t i) {
        const auto u = static_cast<Index>(i);
        for (Index v = u + 1; v < n; ++v) {
          const Sphere &a = graph.spheres[u], &b = graph.spheres[v];
          if ((a.center - b.center).norm() <= (1 + kRounding) * (a.radius + b.radius) ||
              (are_gabriel_neighbours(graph.spheres, u, v) && way_is_deep(a, b, depth, options.deep_edge)))
            later[i].push_back(v);
        }
      },
      4);
  join_parts(graph.spheres, depth, options.join_gap, later);
  list_neighbours(graph, later);
  find_ways(graph);
  close_other_parts(graph);
  return graph;
}

void find_ways(SphereGraph& graph) {
  const std::size_t n = graph.size();
  assert(n <= 65535);
  graph.distance.assign(n * n, SphereGraph::kUnreachable);
  graph.previous.resize(n * n);
  for (std::size_t i = 0; i < n * n; ++i) graph.previous[i] = static_cast<std::uint16_t>(i % n);
  parallel_for(
      n, [&](std::size_t source) { find_ways_from(graph, static_cast<Index>(source)); }, 4);
  // Sums in either direction may differ in their last bit.
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < u; ++v) graph.distance[u * n + v] = graph.distance[v * n + u];
}

}  // namespace sinew::rigging
