// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/reach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Grid {
  Vec3 origin = Vec3::Zero();
  double cell = 0;
  std::array<int, 3> counts = {0, 0, 0};
  std::vector<Index> id;      // Per place: its number among the cells inside, or kNone.
  std::vector<Vec3> centers;  // Of the cells inside.
  std::vector<std::array<int, 3>> places;
  std::vector<std::vector<Index>> steps;  // Per cell inside: where one can go.

  std::size_t at(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(counts[0]) +
           static_cast<std::size_t>(x);
  }
  // Cells inside whose centres are no farther than `reach` cells along each axis.
  std::vector<Index> near(const Vec3& p, int reach) const {
    std::vector<Index> found;
    std::array<int, 3> low{}, high{};
    for (int k = 0; k < 3; ++k) {
      const int middle = static_cast<int>(std::floor((p[k] - origin[k]) / cell));
      low[static_cast<std::size_t>(k)] = std::max(0, middle - reach);
      high[static_cast<std::size_t>(k)] = std::min(counts[static_cast<std::size_t>(k)] - 1, middle + reach);
    }
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x)
          if (id[at(x, y, z)] != kNone) found.push_back(id[at(x, y, z)]);
    return found;
  }
};

struct Judge {
  const binding::Subject& subject;
  const ReachOptions& options;
  std::vector<char> in_body;  // Per vertex of the mesh.
  std::vector<geometry::TriangleVertices> triangles;
  Grid grid;
  std::unique_ptr<geometry::RayScene> scene;

  void find_body() {
    const Mesh& mesh = subject.mesh;
    const geometry::Welding welding = geometry::weld(mesh);
    const geometry::Components pieces = geometry::components(mesh, &welding);
    const std::vector<geometry::TriangleVertices> all = geometry::triangle_vertices(mesh);
    std::vector<double> area(pieces.count, 0);
    for (const auto& t : all)
      area[pieces.of_vertex[t[0]]] +=
          (mesh.positions[t[1]] - mesh.positions[t[0]]).cross(mesh.positions[t[2]] - mesh.positions[t[0]]).norm();
    const auto body = static_cast<Index>(std::max_element(area.begin(), area.end()) - area.begin());
    for (const auto& t : all)
      if (pieces.of_vertex[t[0]] == body) triangles.push_back(t);
    for (Index v = 0; v < mesh.vertex_count(); ++v) in_body.push_back(pieces.of_vertex[v] == body ? 1 : 0);
    scene = std::make_unique<geometry::RayScene>(geometry::TriangleSoup{mesh.positions, triangles});
  }

  void fill_grid() {
    const geometry::TriangleSoup soup{subject.mesh.positions, triangles};
    const Box box = geometry::bounds(soup);
    grid.cell = box.extent().maxCoeff() / options.resolution;
    grid.origin = box.lower - Vec3::Constant(0.37 * grid.cell);
    for (int k = 0; k < 3; ++k)
      grid.counts[static_cast<std::size_t>(k)] = static_cast<int>(box.extent()[k] / grid.cell) + 2;
    const std::vector<std::int8_t> signs = geometry::solid_facing(soup).signs;
    const geometry::FastWinding winding(soup, signs);
    grid.id.assign(grid.at(0, 0, grid.counts[2]), kNone);
    parallel_for(grid.id.size(), [&](std::size_t i) {
      if (winding.at(center_of(i)) > 0.5) grid.id[i] = 0;
    });
    for (std::size_t i = 0; i < grid.id.size(); ++i) {
      if (grid.id[i] == kNone) continue;
      grid.id[i] = static_cast<Index>(grid.centers.size());
      grid.centers.push_back(center_of(i));
      grid.places.push_back(place_of(i));
    }
    grid.steps.resize(grid.centers.size());
    parallel_for(
        grid.steps.size(), [&](std::size_t i) { find_steps(static_cast<Index>(i)); }, 256);
  }

  std::array<int, 3> place_of(std::size_t i) const {
    const auto nx = static_cast<std::size_t>(grid.counts[0]), ny = static_cast<std::size_t>(grid.counts[1]);
    return {static_cast<int>(i % nx), static_cast<int>(i / nx % ny), static_cast<int>(i / nx / ny)};
  }
  Vec3 center_of(std::size_t i) const {
    const std::array<int, 3> p = place_of(i);
    return grid.origin + grid.cell * Vec3(p[0] + 0.5, p[1] + 0.5, p[2] + 0.5);
  }

  bool open_way(const Vec3& from, const Vec3& to, double skip) const {
    return !scene->occluded({from, to - from, skip, 1.0});
  }

  void find_steps(Index i) {
    const std::array<int, 3>& p = grid.places[i];
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const std::array<int, 3> q = {p[0] + x, p[1] + y, p[2] + z};
          bool outside = x == 0 && y == 0 && z == 0;
          for (std::size_t k = 0; k < 3; ++k) outside = outside || q[k] < 0 || q[k] >= grid.counts[k];
          if (outside) continue;
          const Index other = grid.id[grid.at(q[0], q[1], q[2])];
          if (other != kNone && open_way(grid.centers[i], grid.centers[other], 0)) grid.steps[i].push_back(other);
        }
  }

  double to_bones(const std::vector<const binding::Bone*>& bones, const Vec3& p, Vec3* point = nullptr) const {
    double least = kInfinite;
    for (const binding::Bone* bone : bones) {
      const binding::BonePoint closest = binding::closest_on_bone(*bone, p);
      if (closest.distance >= least) continue;
      least = closest.distance;
      if (point != nullptr) *point = closest.point;
    }
    return least;
  }

  // Length of the shortest way from the bones to each cell, as far as `most`.
  std::vector<double> ways_from(const std::vector<const binding::Bone*>& bones, double most) const {
    std::vector<double> way(grid.centers.size(), kInfinite);
    using Entry = std::pair<double, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    double nearest = kInfinite;
    std::vector<double> straight(way.size());
    for (Index c = 0; c < way.size(); ++c) nearest = std::min(nearest, straight[c] = to_bones(bones, grid.centers[c]));
    for (Index c = 0; c < way.size(); ++c)
      if (straight[c] <= std::max(nearest, 0.9 * grid.cell)) queue.emplace(way[c] = straight[c], c);
    while (!queue.empty()) {
      const auto [length, c] = queue.top();
      queue.pop();
      if (length > way[c] || length > most) continue;
      for (const Index n : grid.steps[c]) {
        const double next = length + (grid.centers[c] - grid.centers[n]).norm();
        if (next < way[n]) queue.emplace(way[n] = next, n);
      }
    }
    return way;
  }
};

// What is asked of one joint.
struct Question {
  Index vertex;
  double weight;
};

}  // namespace

ReachReport bleeding(const binding::Subject& subject, const SkinWeights& weights, const ReachOptions& options) {
  Judge judge{subject, options, {}, {}, {}, {}};
  judge.find_body();
  judge.fill_grid();
  const binding::BoneTree tree = binding::bone_tree(subject);
  ReachReport report;
  std::vector<std::vector<Question>> asked(subject.skeleton.size());
  for (Index v = 0; v < weights.row_count(); ++v) {
    if (judge.in_body[v] == 0) continue;
    ++report.judged;
    for (const Influence& i : weights.row(v))
      if (static_cast<double>(i.weight) > options.least_weight)
        asked[i.joint].push_back({v, static_cast<double>(i.weight)});
  }
  for (Index joint = 0; joint < asked.size(); ++joint) {
    if (asked[joint].empty()) continue;
    std::vector<const binding::Bone*> bones;
    for (const Index b : tree.outgoing[joint]) bones.push_back(&tree.bones[b]);
    double farthest = 0;
    for (const Question& q : asked[joint])
      farthest = std::max(farthest, judge.to_bones(bones, subject.mesh.positions[q.vertex]));
    const double slack = options.slack_cells * judge.grid.cell;
    const std::vector<double> way = judge.ways_from(bones, options.factor * farthest + slack);
    for (const Question& q : asked[joint]) {
      const Vec3& p = subject.mesh.positions[q.vertex];
      Vec3 point = Vec3::Zero();
      const double straight = judge.to_bones(bones, p, &point);
      if (judge.open_way(p, point, 1e-3)) continue;
      double inside = kInfinite;
      bool any = false;
      for (const Index c : judge.grid.near(p, 2)) {
        if (!judge.open_way(p, judge.grid.centers[c], 1e-3)) continue;
        any = true;
        inside = std::min(inside, way[c] + (judge.grid.centers[c] - p).norm());
      }
      if (!any) ++report.unjudged;
      else if (inside > options.factor * straight + slack)
        report.bleeds.push_back({q.vertex, joint, q.weight, straight, inside});
    }
  }
  return report;
}

}  // namespace sinew::test
