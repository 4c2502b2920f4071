// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/sphere_graph.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/shapes/kinds.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

struct Packed {
  Interior inside;
  std::vector<MedialSample> samples;
  SphereGraph graph;
};

Packed packed(const Mesh& mesh, int resolution, const PackingOptions& options = {}) {
  Packed result;
  result.inside = interior(mesh, {.resolution = resolution});
  result.samples = medial_samples(result.inside);
  result.graph = sphere_graph(pack_spheres(result.samples, options), result.inside.depth, options);
  return result;
}

Mesh made(const char* kind) { return shapes::make(kind, {}).made.character.rig.mesh; }

std::vector<MedialSample> random_samples(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<MedialSample> samples(count);
  for (MedialSample& sample : samples) {
    const double x = unit(random), y = unit(random), z = unit(random);
    sample = {Vec3(x, y, z), 0.02 + 0.1 * unit(random)};
  }
  std::sort(samples.begin(), samples.end(),
            [](const MedialSample& a, const MedialSample& b) { return a.depth > b.depth; });
  return samples;
}

// A graph whose edges are drawn at random; not all of it hangs together.
SphereGraph random_graph(Index n, double chance, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  SphereGraph graph;
  for (const MedialSample& sample : random_samples(n, seed + 1)) graph.spheres.push_back({sample.point, sample.depth});
  std::set<std::pair<Index, Index>> edges;
  for (Index u = 0; u < n; ++u)
    for (Index v = 0; v < u; ++v)
      if (unit(random) < chance) {
        edges.insert({u, v});
        edges.insert({v, u});
      }
  for (Index u = 0; u < n; ++u) {
    for (auto it = edges.lower_bound({u, 0}); it != edges.end() && it->first == u; ++it) {
      graph.neighbours.items.push_back(it->second);
      graph.lengths.push_back(static_cast<float>((graph.spheres[u].center - graph.spheres[it->second].center).norm()));
    }
    graph.neighbours.offsets.push_back(static_cast<Index>(graph.neighbours.items.size()));
  }
  return graph;
}

void expect_packed(const std::vector<MedialSample>& samples, const std::vector<Sphere>& spheres) {
  for (std::size_t a = 0; a < spheres.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE(spheres[b].radius, spheres[a].radius);
      EXPECT_GE((spheres[a].center - spheres[b].center).norm(), spheres[b].radius - 1e-12);
    }
  for (const MedialSample& sample : samples)
    EXPECT_TRUE(std::any_of(spheres.begin(), spheres.end(), [&](const Sphere& s) {
      return (s.center - sample.point).norm() <= (1 + 1e-8) * s.radius;
    }));
}

TEST(SphereGraph, NoCentreLiesInAnotherSphereAndEverySampleInOne) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<MedialSample> samples = random_samples(3000, seed);
    expect_packed(samples, pack_spheres(samples));
  }
  const Packed human = packed(made("human"), 120);
  expect_packed(human.samples, human.graph.spheres);
}

TEST(SphereGraph, PackingStopsAtTheMostSpheres) {
  const std::vector<MedialSample> samples = random_samples(3000, 3);
  const std::vector<Sphere> all = pack_spheres(samples), some = pack_spheres(samples, {.most = 10});
  ASSERT_GT(all.size(), 10U);
  ASSERT_EQ(some.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(some[i].center, all[i].center);
  EXPECT_TRUE(pack_spheres({}).empty());
}

// The three conditions of the paper. What lies on a border, but for rounding, is as the header says.
bool should_be_edge(const Packed& body, Index u, Index v) {
  const Sphere &a = body.graph.spheres[u], &b = body.graph.spheres[v];
  const double way = (a.center - b.center).norm();
  if (way < a.radius + b.radius + 1e-8) return true;
  for (Index w = 0; w < body.graph.size(); ++w)
    if (w != u && w != v && (body.graph.spheres[w].center - 0.5 * (a.center + b.center)).norm() < 0.5 * way - 1e-8)
      return false;
  for (int i = 0; i <= 100; ++i) {
    const Vec3 p = (1 - i / 100.0) * a.center + i / 100.0 * b.center;
    if (-geometry::sample(body.inside.depth, p) <= 0.49999 * std::min(a.radius, b.radius)) return false;
  }
  return true;
}

TEST(SphereGraph, EdgesAreThoseOfThePaperByBruteForce) {
  const PackingOptions paper = {.join_gap = 0};
  std::size_t not_touching = 0;
  for (const Mesh& mesh : {made("human"), joined(torus(1, 0.2), cube()), made("bird")}) {
    const Packed body = packed(mesh, 100, paper);
    ASSERT_GT(body.graph.size(), 20U);
    for (Index u = 0; u < body.graph.size(); ++u) {
      const auto neighbours = body.graph.neighbours[u];
      EXPECT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end()));
      for (Index v = 0; v < body.graph.size(); ++v) {
        if (u == v) continue;
        const auto it = std::find(neighbours.begin(), neighbours.end(), v);
        EXPECT_EQ(it != neighbours.end(), should_be_edge(body, u, v)) << u << " " << v;
        if (it == neighbours.end()) continue;
        const Sphere &a = body.graph.spheres[u], &b = body.graph.spheres[v];
        const double length = (a.center - b.center).norm();
        not_touching += length > a.radius + b.radius + 1e-8 ? 1 : 0;
        const auto item = body.graph.neighbours.offsets[u] + static_cast<std::size_t>(it - neighbours.begin());
        EXPECT_EQ(body.graph.lengths[item], static_cast<float>(length));
      }
    }
  }
  EXPECT_GT(not_touching, 10U);
}

TEST(SphereGraph, WaysAreThoseOfFloydAndWarshall) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Index n = 40;
    SphereGraph graph = random_graph(n, seed % 2 == 0 ? 0.15 : 0.04, seed);
    find_ways(graph);
    std::vector<double> truth(n * n, std::numeric_limits<double>::infinity());
    for (Index u = 0; u < n; ++u) {
      truth[u * n + u] = 0;
      for (Index e = graph.neighbours.offsets[u]; e < graph.neighbours.offsets[u + 1]; ++e)
        truth[u * n + graph.neighbours.items[e]] = double{graph.lengths[e]};
    }
    for (Index k = 0; k < n; ++k)
      for (Index u = 0; u < n; ++u)
        for (Index v = 0; v < n; ++v)
          truth[u * n + v] = std::min(truth[u * n + v], truth[u * n + k] + truth[k * n + v]);
    for (Index u = 0; u < n; ++u)
      for (Index v = 0; v < n; ++v) {
        if (std::isinf(truth[u * n + v])) {
          EXPECT_EQ(graph.way(u, v), SphereGraph::kUnreachable);
          EXPECT_TRUE(graph.path(u, v).empty());
          continue;
        }
        EXPECT_NEAR(graph.way(u, v), truth[u * n + v], 1e-5);
        EXPECT_EQ(graph.way(u, v), graph.way(v, u));
        const std::vector<Index> path = graph.path(u, v);
        ASSERT_FALSE(path.empty());
        EXPECT_EQ(path.front(), u);
        EXPECT_EQ(path.back(), v);
        double length = 0;
        for (std::size_t i = 1; i < path.size(); ++i) {
          const auto neighbours = graph.neighbours[path[i - 1]];
          EXPECT_TRUE(std::binary_search(neighbours.begin(), neighbours.end(), path[i]));
          length += (graph.spheres[path[i]].center - graph.spheres[path[i - 1]].center).norm();
        }
        EXPECT_NEAR(length, truth[u * n + v], 1e-5);
      }
  }
}

TEST(SphereGraph, OfARingGoesRoundIt) {
  const Packed ring = packed(torus(1, 0.15), 150);
  const SphereGraph& graph = ring.graph;
  float longest = 0;
  for (Index v = 0; v < graph.size(); ++v) longest = std::max(longest, graph.way(0, v));
  const double half = kPi * ring.inside.scale;  // Half the way round.
  EXPECT_LT(longest, 1.03 * half);
  EXPECT_GT(longest, 0.85 * half);
}

TEST(SphereGraph, PartsAreJoinedByTheShortestWayInsideTheBody) {
  // A shallow body along x; three groups whose spheres do not touch, and the field is too shallow for edges between
  // them.
  DistanceField field;
  field.cell = 0.1;
  field.samples = {21, 2, 2};
  field.values.assign(84, -0.01F);
  const std::vector<Sphere> spheres = {{Vec3(0, 0, 0), 0.2},
                                       {Vec3(0.3, 0, 0), 0.2},
                                       {Vec3(0.75, 0, 0), 0.2},
                                       {Vec3(1.2, 0, 0), 0.2},
                                       {Vec3(1.95, 0, 0), 0.2}};
  const SphereGraph apart = sphere_graph(spheres, field, {.join_gap = 0});
  EXPECT_EQ(apart.neighbours.items.size(), 2U);
  const SphereGraph graph = sphere_graph(spheres, field, {.join_gap = 0.15});
  EXPECT_EQ(graph.path(0, 3), (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(graph.neighbours.items.size(), 6U);
  EXPECT_EQ(graph.way(0, 4), SphereGraph::kUnreachable);  // Too far away.
  field.values.assign(84, 0.01F);
  EXPECT_EQ(sphere_graph(spheres, field, {.join_gap = 0.1}).neighbours.items.size(), 2U);  // Not inside.
}

TEST(SphereGraph, OnlyTheLargestPartHasWays) {
  // Two groups in a field that is shallow between them.
  DistanceField field;
  field.cell = 1;
  field.samples = {2, 2, 2};
  field.values.assign(8, 1.0F);
  const std::vector<Sphere> spheres = {{Vec3(0, 0, 0), 0.3},
                                       {Vec3(0.5, 0, 0), 0.3},
                                       {Vec3(0, 5, 0), 0.28},
                                       {Vec3(0.5, 5, 0), 0.28},
                                       {Vec3(0.7, 0.4, 0), 0.2}};
  const SphereGraph graph = sphere_graph(spheres, field);
  EXPECT_FLOAT_EQ(graph.way(0, 1), 0.5F);
  EXPECT_TRUE(graph.way(0, 4) < 1.0F);
  EXPECT_EQ(graph.neighbours[2].size(), 1U);
  EXPECT_EQ(graph.way(2, 3), SphereGraph::kUnreachable);
  EXPECT_TRUE(graph.path(2, 3).empty());
  EXPECT_EQ(graph.way(0, 2), SphereGraph::kUnreachable);
  EXPECT_EQ(graph.path(1, 1), std::vector<Index>{1});
}

TEST(SphereGraph, OfACharacterIsWholeAndOfTheSizeThePaperHas) {
  for (const char* kind : {"human", "quadruped", "hand"}) {
    const Packed body = packed(made(kind), 200);
    EXPECT_GE(body.graph.size(), 40U) << kind;
    EXPECT_LE(body.graph.size(), 250U) << kind;
    for (Index v = 0; v < body.graph.size(); ++v) EXPECT_LT(body.graph.way(0, v), 3) << kind << " " << v;
  }
}

TEST(SphereGraph, MovingAndScalingTheMeshMovesNoSphere) {
  const Mesh mesh = made("human");
  const Packed one = packed(mesh, 100), two = packed(shifted(mesh, Vec3(100, -30, 7), 250), 100);
  ASSERT_EQ(one.graph.size(), two.graph.size());
  for (Index i = 0; i < one.graph.size(); ++i) {
    EXPECT_LT((one.graph.spheres[i].center - two.graph.spheres[i].center).norm(), 1e-9);
    EXPECT_NEAR(one.graph.spheres[i].radius, two.graph.spheres[i].radius, 1e-9);
  }
  EXPECT_EQ(one.graph.neighbours.items, two.graph.neighbours.items);
}

TEST(SphereGraph, IsTheSameForAnyNumberOfThreads) {
  const Mesh mesh = made("quadruped");
  const auto run = [&](int count) {
    const Threads threads(count);
    return packed(mesh, 100).graph;
  };
  const SphereGraph one = run(1), two = run(2);
  ASSERT_EQ(one.size(), two.size());
  for (Index i = 0; i < one.size(); ++i) EXPECT_EQ(one.spheres[i].center, two.spheres[i].center);
  EXPECT_EQ(one.neighbours.items, two.neighbours.items);
  EXPECT_EQ(one.lengths, two.lengths);
  EXPECT_EQ(one.distance, two.distance);
  EXPECT_EQ(one.previous, two.previous);
}

TEST(SphereGraph, OfNothingIsEmpty) {
  const SphereGraph graph = sphere_graph({}, DistanceField{});
  EXPECT_EQ(graph.size(), 0U);
  EXPECT_TRUE(graph.distance.empty());
}

}  // namespace
}  // namespace sinew::rigging
