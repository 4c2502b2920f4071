// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/edge_table.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld_within.h"

namespace sinew::binding {
namespace {

using geometry::EdgeTable;
using geometry::Welding;

constexpr double kWeldTolerance = 1e-6;  // Of the size.
// A shell that encloses less than this share of a ball of the same area is a sheet: its volume says nothing.
constexpr double kLeastRoundness = 1e-3;
constexpr double kBall = 10.634723105433096;  // Area^1.5 of a ball is so many times its volume: 6·√π.

EdgeTable welded_edges(const Mesh& mesh, const Welding& welding) {
  return geometry::edge_table(mesh.face_offsets, geometry::corner_vertices(mesh, &welding), welding.count());
}

// Welded vertices at the ends of edges of one face only: what may hang together with something across a seam.
std::vector<Index> rim_vertices(const EdgeTable& edges, Index count) {
  std::vector<char> on_rim(count);
  for (Index e = 0; e < edges.size(); ++e)
    if (edges.around(e).size() == 1) on_rim[edges.ends[e][0]] = on_rim[edges.ends[e][1]] = 1;
  std::vector<Index> rim;
  for (Index v = 0; v < count; ++v)
    if (on_rim[v] != 0) rim.push_back(v);
  return rim;
}

// Joins vertices of the rim that lie within the tolerance of each other, of any part and whatever morphs do to them.
// Says whether there were any. Only the rim is looked at: on a surface that is closed after the exact weld nothing is
// left to join, and the search for near vertices takes longer than all the rest.
bool join_rims(const Mesh& mesh, const std::vector<Index>& rim, double tolerance, Welding& welding) {
  if (rim.empty()) return false;
  Mesh points;
  for (const Index v : rim) points.positions.push_back(mesh.positions[welding.first[v]]);
  const Welding near = geometry::weld_within(points, tolerance, true);
  if (near.count() == rim.size()) return false;
  std::vector<Index> stands_for(welding.count());
  for (Index v = 0; v < welding.count(); ++v) stands_for[v] = v;
  for (std::size_t i = 0; i < rim.size(); ++i) stands_for[rim[i]] = rim[near.first[near.welded[i]]];
  Welding joined;
  joined.welded.resize(welding.welded.size());
  std::vector<Index> number(welding.count(), kNone);
  for (Index v = 0; v < joined.welded.size(); ++v) {
    Index& welded = number[stands_for[welding.welded[v]]];
    if (welded == kNone) {
      welded = joined.count();
      joined.first.push_back(v);
    }
    joined.welded[v] = welded;
  }
  welding = std::move(joined);
  return true;
}

// As `geometry::one_rings`, of edges that are known.
geometry::Lists rings_of(const EdgeTable& edges, Index count) {
  geometry::Lists rings;
  rings.offsets.assign(count + std::size_t{1}, 0);
  for (const auto& ends : edges.ends) ++rings.offsets[ends[0]], ++rings.offsets[ends[1]];
  Index sum = 0;
  for (Index& offset : rings.offsets) offset = sum += offset;
  rings.items.resize(sum);
  // Edges rise by their lower end, then by the higher one: filled from behind, each ring comes out in order.
  for (Index e = edges.size(); e-- > 0;) {
    const auto [low, high] = edges.ends[e];
    rings.items[--rings.offsets[low]] = high;
    rings.items[--rings.offsets[high]] = low;
  }
  return rings;
}

void label_shells(const EdgeTable& edges, SegmentationSurface& surface) {
  const Index count = surface.count();
  geometry::UnionFind joined(count);
  for (const auto& ends : edges.ends) joined.join(ends[0], ends[1]);
  surface.shell.resize(count);
  surface.shell_offsets = {0};
  for (Index v = 0; v < count; ++v) {
    const Index lowest = joined.find(v);
    if (lowest == v) {
      surface.shell[v] = surface.shells();
      surface.shell_offsets.push_back(0);
    } else {
      surface.shell[v] = surface.shell[lowest];
    }
    ++surface.shell_offsets[surface.shell[v] + 1];
  }
  for (std::size_t s = 1; s < surface.shell_offsets.size(); ++s)
    surface.shell_offsets[s] += surface.shell_offsets[s - 1];
  surface.shell_vertices.resize(count);
  std::vector<Index> next(surface.shell_offsets.begin(), surface.shell_offsets.end() - 1);
  for (Index v = 0; v < count; ++v) surface.shell_vertices[next[surface.shell[v]]++] = v;
}

std::vector<Vec3> shell_centres(const SegmentationSurface& surface) {
  std::vector<Vec3> centres(surface.shells(), Vec3::Zero());
  for (Index v = 0; v < surface.count(); ++v) centres[surface.shell[v]] += surface.positions[v];
  for (Index s = 0; s < surface.shells(); ++s) centres[s] /= surface.shell_offsets[s + 1] - surface.shell_offsets[s];
  return centres;
}

// Sums over the faces: a normal per vertex, and which shells face inwards.
struct FaceSums {
  std::vector<Vec3> normals;
  std::vector<char> inward;

  FaceSums(const Mesh& mesh, const SegmentationSurface& surface)
      : normals(surface.count(), Vec3::Zero()), inward(surface.shells()) {
    const std::vector<Vec3> centres = shell_centres(surface);
    std::vector<double> volume(surface.shells()), area(surface.shells());
    std::vector<Index> ids;
    for (Index f = 0; f < mesh.face_count(); ++f) {
      const auto corners = mesh.face(f);
      if (corners.size() < 3) continue;
      ids.clear();
      for (const Index c : corners) ids.push_back(surface.welding.welded[c]);
      const Index shell = surface.shell[ids[0]];
      const Vec3 twice_area = add_corners(surface, ids);
      // The volume between a polygon and a point, by its mean plane.
      volume[shell] += (surface.positions[ids[0]] - centres[shell]).dot(twice_area) / 6;
      area[shell] += twice_area.norm() / 2;
    }
    for (Index s = 0; s < surface.shells(); ++s)
      inward[s] = kBall * volume[s] < -kLeastRoundness * std::pow(area[s], 1.5) ? 1 : 0;
  }

 private:
  // N. Max, "Weights for computing vertex normals from facet normals", 1999: at each corner the cross product of the
  // edges over their squared lengths. As good as weights by angles, and without any arc tangents: these took a quarter
  // of the whole time.
  Vec3 add_corners(const SegmentationSurface& surface, const std::vector<Index>& ids) {
    const std::size_t n = ids.size();
    Vec3 edge = surface.positions[ids[0]] - surface.positions[ids[n - 1]], twice_area = Vec3::Zero();
    double squared = edge.squaredNorm();
    const Vec3& origin = surface.positions[ids[0]];
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3& here = surface.positions[ids[i]];
      const Vec3 next = surface.positions[ids[i + 1 < n ? i + 1 : 0]] - here;
      const double next_squared = next.squaredNorm();
      const double weight = squared * next_squared;
      if (weight > 0) normals[ids[i]] += edge.cross(next) / weight;
      twice_area += (here - origin).cross(next);
      edge = next;
      squared = next_squared;
    }
    return twice_area;
  }
};

void find_normals(const Mesh& mesh, SegmentationSurface& surface) {
  FaceSums sums(mesh, surface);
  std::vector<Vec3>& own = sums.normals;
  parallel_for(own.size(), [&](std::size_t v) {
    const double length = own[v].norm();
    if (length > 0) own[v] /= sums.inward[surface.shell[v]] != 0 ? -length : length;
  });
  surface.normals.resize(surface.count());
  parallel_for(own.size(), [&](std::size_t v) {
    Vec3 sum = own[v];
    for (const Index u : surface.rings[v]) sum += own[u];
    const double length = sum.norm();
    surface.normals[v] = length > 1e-9 ? Vec3(sum / length) : Vec3(Vec3::Zero());
  });
}

}  // namespace

SegmentationSurface segmentation_surface(const Mesh& mesh) {
  SegmentationSurface surface;
  surface.size = mesh.size();
  surface.welding = geometry::weld(mesh);
  EdgeTable edges = welded_edges(mesh, surface.welding);
  if (join_rims(mesh, rim_vertices(edges, surface.count()), kWeldTolerance * surface.size, surface.welding))
    edges = welded_edges(mesh, surface.welding);
  surface.rings = rings_of(edges, surface.count());
  surface.positions.resize(surface.count());
  for (Index v = 0; v < surface.count(); ++v) surface.positions[v] = mesh.positions[surface.welding.first[v]];
  label_shells(edges, surface);
  find_normals(mesh, surface);
  return surface;
}

}  // namespace sinew::binding
