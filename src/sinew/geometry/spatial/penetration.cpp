// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/penetration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/penetration_body.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::geometry {
namespace {

constexpr std::size_t kAsked = 9;  // Vertices of a region.

// Sets of vertices that grow together; each is known by its lowest.
class VertexSets {
 public:
  explicit VertexSets(std::size_t count) : parent_(count) {
    for (Index v = 0; v < count; ++v) parent_[v] = v;
  }
  Index find(Index v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(Index a, Index b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Index> parent_;
};

class PenetrationSearch {
 public:
  PenetrationSearch(const Mesh& mesh, const PenetrationOptions& options, const Progress& progress)
      : progress_(progress),
        pairs_(
            self_intersections(mesh, {.between_parts = options.between_parts, .list = true, .adjacent = true}, progress)
                .pairs) {
    result_.depth.assign(mesh.vertex_count(), 0);
    result_.pairs = pairs_.size();
    if (!pairs_.empty()) run(Body(mesh, options.between_parts));
  }

  Penetration take() { return std::move(result_); }

 private:
  void run(const Body& body) {
    const std::size_t count = body.surface().positions.size();
    facing_.assign(count, 0);
    classify(body);
    std::vector<Index> inside;
    for (Index v = 0; v < count; ++v)
      if (facing_[v] != 0) inside.push_back(v);
    std::vector<Body::Exit> exits(inside.size());
    parallel_blocks(inside.size(), 16, [&](std::size_t begin, std::size_t end) {
      progress_.check();
      for (std::size_t i = begin; i < end; ++i) exits[i] = body.exit(inside[i], facing_[inside[i]]);
    });
    collect(body, inside, exits);
    std::vector<double> welded(count, 0);
    for (std::size_t i = 0; i < inside.size(); ++i) welded[inside[i]] = exits[i].distance;
    for (Index v = 0; v < result_.depth.size(); ++v) result_.depth[v] = welded[body.welding().welded[v]];
  }

  // Regions are joined by edges none of whose triangles is cut: nothing can change sides along them.
  void classify(const Body& body) {
    const auto& triangles = body.surface().triangles;
    std::vector<char> cut(triangles.size(), 0), at_cut(facing_.size(), 0);
    for (const TrianglePair& pair : pairs_) cut[pair.a] = cut[pair.b] = 1;
    VertexSets regions(facing_.size()), components(facing_.size());
    std::vector<std::pair<Index, Index>> cut_edges;
    for (Index i = 0; i < triangles.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = triangles[i][k], b = triangles[i][(k + 1) % 3];
        components.join(a, b);
        if (cut[i] == 0) continue;
        cut_edges.push_back(std::minmax(a, b));
        at_cut[a] = 1;
      }
    std::sort(cut_edges.begin(), cut_edges.end());
    for (Index i = 0; i < triangles.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = triangles[i][k], b = triangles[i][(k + 1) % 3];
        if (at_cut[a] != 0 && at_cut[b] != 0 &&
            std::binary_search(cut_edges.begin(), cut_edges.end(), std::pair<Index, Index>(std::minmax(a, b))))
          continue;
        regions.join(a, b);
      }
    std::vector<char> touched(facing_.size(), 0);
    for (Index v = 0; v < facing_.size(); ++v)
      if (at_cut[v] != 0) touched[components.find(v)] = 1;
    std::map<Index, std::vector<Index>> members;
    for (Index v = 0; v < facing_.size(); ++v)
      if (touched[components.find(v)] != 0) members[regions.find(v)].push_back(v);
    std::vector<const std::vector<Index>*> list;
    for (const auto& region : members) list.push_back(&region.second);
    std::vector<signed char> verdict(list.size(), 0);
    parallel_for(
        list.size(), [&](std::size_t i) { verdict[i] = ask(body, *list[i]); }, 16);
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const Index v : *list[i]) facing_[v] = verdict[i];
  }

  // 1 or −1 when most of a few vertices have inside on both sides, with the sign of the winding; else 0.
  static signed char ask(const Body& body, const std::vector<Index>& region) {
    const std::size_t count = std::min(kAsked, region.size());
    std::size_t inside = 0, outwards = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Body::Sides sides = body.sides(region[i * region.size() / count]);
      if (std::min(std::abs(sides.front), std::abs(sides.back)) <= 0.5) continue;
      ++inside;
      if (sides.front + sides.back > 0) ++outwards;
    }
    if (2 * inside <= count) return 0;
    return 2 * outwards >= inside ? 1 : -1;
  }

  void collect(const Body& body, const std::vector<Index>& inside, const std::vector<Body::Exit>& exits) {
    const auto& triangles = body.surface().triangles;
    VertexSets sets(facing_.size());
    for (const TrianglePair& pair : pairs_)
      for (std::size_t k = 0; k < 3; ++k) {
        sets.join(triangles[pair.a][0], triangles[pair.a][k]);
        sets.join(triangles[pair.a][0], triangles[pair.b][k]);
      }
    const EdgeGraph& graph = body.graph();
    for (const Index v : inside)
      for (Index k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k)
        if (facing_[graph.neighbours[k]] != 0) sets.join(v, graph.neighbours[k]);
    std::map<Index, PenetrationSet> found;
    for (const TrianglePair& pair : pairs_) ++found[sets.find(triangles[pair.a][0])].pairs;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      PenetrationSet& set = found[sets.find(inside[i])];
      ++set.vertices;
      if (exits[i].triangle == kNone) ++set.unmeasured;
      set.mean_depth += exits[i].distance;
      if (set.deepest != kNone && exits[i].distance <= set.max_depth) continue;
      set.max_depth = exits[i].distance;
      set.deepest = body.welding().first[inside[i]];
      set.nearest = exits[i].triangle == kNone ? body.surface().positions[inside[i]] : exits[i].point;
    }
    for (auto& entry : found) {
      PenetrationSet& set = entry.second;
      if (set.vertices > 0) set.mean_depth /= set.vertices;
      result_.vertices += set.vertices;
      result_.max_depth = std::max(result_.max_depth, set.max_depth);
      result_.sets.push_back(set);
    }
    std::stable_sort(result_.sets.begin(), result_.sets.end(), [](const PenetrationSet& a, const PenetrationSet& b) {
      return a.max_depth != b.max_depth ? a.max_depth > b.max_depth : a.pairs > b.pairs;
    });
  }

  const Progress& progress_;
  const std::vector<TrianglePair> pairs_;
  std::vector<signed char> facing_;  // Per welded vertex: 1 or −1 where it penetrates, else 0.
  Penetration result_;
};

}  // namespace

Penetration penetration(const Mesh& mesh, const PenetrationOptions& options, const Progress& progress) {
  return PenetrationSearch(mesh, options, progress).take();
}

}  // namespace sinew::geometry
