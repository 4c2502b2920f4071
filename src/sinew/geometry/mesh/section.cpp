// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/section.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/section_loops.h"
#include "sinew/geometry/spatial/segment.h"

namespace sinew::geometry {
namespace {

// A plane with coordinates of its own, counter-clockwise seen from where the normal points.
struct CutPlane {
  Vec3 origin, normal, u, v;

  CutPlane(const Vec3& at, const Vec3& direction) : origin(at), normal(direction.stableNormalized()) {
    int least = 0;
    normal.cwiseAbs().minCoeff(&least);
    u = normal.cross(Vec3::Unit(least)).normalized();
    v = normal.cross(u);
  }
  double height(const Vec3& p) const { return normal.dot(p - origin); }
  Vec2 flat(const Vec3& p) const { return {u.dot(p - origin), v.dot(p - origin)}; }
  Vec3 lifted(const Vec2& q) const { return origin + q.x() * u + q.y() * v; }
};

// Triangles of all leaves that the plane may cut, rising.
std::vector<Index> near_plane(const Bvh& tree, const CutPlane& plane) {
  std::vector<Index> found, stack;
  if (!tree.nodes().empty()) stack.push_back(0);
  while (!stack.empty()) {
    const Bvh::Node& node = tree.nodes()[stack.back()];
    stack.pop_back();
    double middle = 0, reach = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double low = static_cast<double>(node.box.lower[i]) - plane.origin[k];
      const double high = static_cast<double>(node.box.upper[i]) - plane.origin[k];
      middle += plane.normal[k] * (low + high) / 2;
      reach += std::abs(plane.normal[k]) * (high - low) / 2;
      size = std::max({size, std::abs(low), std::abs(high)});
    }
    if (std::abs(middle) > reach + 1e-12 * size) continue;  // With room for rounding.
    if (node.count == 0) stack.push_back(node.first), stack.push_back(node.first + 1);
    for (Index i = 0; i < node.count; ++i) found.push_back(tree.primitives()[node.first + i]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

class PlaneCut {
 public:
  PlaneCut(const TriangleSurface& surface, const CutPlane& plane) : surface_(surface), plane_(plane) {}

  std::vector<CurveSegment> run(const std::vector<Index>& candidates) const {
    std::vector<CurveSegment> segments;
    for (const Index t : candidates) {
      const auto& v = surface_.triangles[t];
      if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
      std::array<double, 3> height;
      for (std::size_t k = 0; k < 3; ++k) height[k] = plane_.height(surface_.positions[v[k]]);
      const int above = (height[0] >= 0) + (height[1] >= 0) + (height[2] >= 0);
      if (above == 0 || above == 3) continue;
      // The corner that is alone on its side. Going round the triangle, its edges go up once and down once; solid lies
      // to the left of the way from the edge that goes down to the one that goes up.
      std::size_t k = 0;
      while ((height[k] >= 0) != (above == 1)) ++k;
      const std::size_t next = (k + 1) % 3, before = (k + 2) % 3;
      const std::uint64_t out = key(v[k], v[next]), in = key(v[before], v[k]);
      const Vec2 p = crossing_point(v[k], v[next]), q = crossing_point(v[before], v[k]);
      if (above == 1) segments.push_back({out, in, p, q});
      else segments.push_back({in, out, q, p});
    }
    return segments;
  }

 private:
  static std::uint64_t key(Index a, Index b) { return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b); }

  // The same bits from both sides of the edge.
  Vec2 crossing_point(Index a, Index b) const {
    if (a > b) std::swap(a, b);
    const Vec3 &p = surface_.positions[a], &q = surface_.positions[b];
    const double h = plane_.height(p), g = plane_.height(q);
    const Vec2 start = plane_.flat(p), end = plane_.flat(q);
    const double t = h / (h - g);
    return start + std::clamp(t, 0.0, 1.0) * (end - start);
  }

  const TriangleSurface& surface_;
  const CutPlane& plane_;
};

double cross2(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// How often a polygon goes round a point.
int turns_about(const std::vector<Vec2>& polygon, const Vec2& q) {
  int turns = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 a = polygon[i] - q, b = polygon[i + 1 == polygon.size() ? 0 : i + 1] - q;
    if ((a.y() <= 0) == (b.y() <= 0)) continue;
    const double side = cross2(a, b);
    if (a.y() <= 0 ? side > 0 : side < 0) turns += a.y() <= 0 ? 1 : -1;
  }
  return turns;
}

SectionLoop measure_loop(const PlaneLoop& curve, const CutPlane& plane) {
  SectionLoop loop;
  const std::vector<Vec2>& p = curve.points;
  // About the first point: far from the axis the products would cancel.
  double twice = 0;
  Vec2 moment = Vec2::Zero(), middle = Vec2::Zero();
  loop.min_radius = p[0].norm();
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 &a = p[i], &b = p[i + 1 == p.size() ? 0 : i + 1];
    const double length = (b - a).norm(), area2 = cross2(a - p[0], b - p[0]);
    twice += area2;
    moment += area2 * (a + b - 2 * p[0]) / 3;
    middle += length * (a + b) / 2;
    loop.perimeter += length;
    loop.min_radius = std::min(loop.min_radius, segment_distance(Vec2(0, 0), a, b));
    loop.max_radius = std::max(loop.max_radius, a.norm());
    if (curve.gap[i] != 0) ++loop.gaps, loop.gap_length += length;
    loop.points.push_back(plane.lifted(a));
  }
  loop.area = twice / 2;
  Vec2 center = loop.perimeter > 0 ? Vec2(middle / loop.perimeter) : p[0];
  // Of a sliver the quotient of two vanishing sums could lie anywhere.
  if (std::abs(twice) > 1e-9 * loop.perimeter * loop.perimeter) center = p[0] + moment / twice;
  loop.centroid = plane.lifted(center);
  loop.surrounds = turns_about(p, Vec2::Zero()) != 0;
  return loop;
}

// Most of a few points of one curve lie in the other.
bool mostly_inside(const PlaneLoop& inner, const PlaneLoop& outer) {
  constexpr std::size_t kTested = 15;
  const std::size_t count = std::min(kTested, inner.points.size());
  std::size_t inside = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (turns_about(outer.points, inner.points[i * inner.points.size() / count]) != 0) ++inside;
  return 2 * inside > count;
}

std::vector<char> near_axis(const std::vector<PlaneLoop>& curves, const std::vector<SectionLoop>& loops) {
  std::vector<char> chosen(loops.size(), 0);
  std::size_t main = loops.size();
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].surrounds) {
      chosen[i] = 1;
      if (main == loops.size() || std::abs(loops[i].area) > std::abs(loops[main].area)) main = i;
    }
  if (main == loops.size())
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (main == loops.size() || loops[i].min_radius < loops[main].min_radius) main = i;
  if (main == loops.size()) return chosen;
  chosen[main] = 1;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (chosen[i] == 0 && mostly_inside(curves[i], curves[main])) chosen[i] = 1;
  return chosen;
}

void sum_up(Section& section) {
  Vec3 moment = Vec3::Zero(), middle = Vec3::Zero();
  for (const SectionLoop& loop : section.loops) {
    const bool first = &loop == &section.loops.front();
    section.area += loop.area;
    section.perimeter += loop.perimeter;
    moment += loop.area * (loop.centroid - section.origin);
    middle += loop.perimeter * (loop.centroid - section.origin);
    section.min_radius = first ? loop.min_radius : std::min(section.min_radius, loop.min_radius);
    section.max_radius = std::max(section.max_radius, loop.max_radius);
    section.gaps += loop.gaps;
    section.surrounded = section.surrounded || loop.surrounds;
  }
  section.centroid = section.origin;
  if (std::abs(section.area) > 1e-9 * section.perimeter * section.perimeter) section.centroid += moment / section.area;
  else if (section.perimeter > 0) section.centroid += middle / section.perimeter;
}

}  // namespace

SectionCutter::SectionCutter(TriangleSurface surface) : surface_(std::move(surface)) {
  std::vector<BoxF> boxes(surface_.triangles.size());
  parallel_for(boxes.size(), [&](std::size_t i) {
    const auto& t = surface_.triangles[i];
    boxes[i] =
        box_around(std::array<Vec3, 3>{surface_.positions[t[0]], surface_.positions[t[1]], surface_.positions[t[2]]});
  });
  tree_ = Bvh(boxes);
}

Section SectionCutter::cut(const Vec3& a, const Vec3& b, double parameter, const SectionOptions& options) const {
  if (!((b - a).stableNorm() > 0))
    throw Error(
        "A cross-section needs an axis, but both ends of this axis are at the same position. Choose a bone of nonzero "
        "length.");
  Section section;
  section.parameter = parameter;
  section.origin = a + parameter * (b - a);
  const CutPlane plane(section.origin, b - a);
  const std::vector<PlaneLoop> curves = join_segments(PlaneCut(surface_, plane).run(near_plane(tree_, plane)));
  std::vector<SectionLoop> loops;
  for (const PlaneLoop& curve : curves) loops.push_back(measure_loop(curve, plane));
  const std::vector<char> chosen =
      options.rule == SectionRule::kAll ? std::vector<char>(loops.size(), 1) : near_axis(curves, loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (chosen[i] != 0) section.loops.push_back(std::move(loops[i]));
    else ++section.left_out;
  }
  sum_up(section);
  return section;
}

std::vector<Section> SectionCutter::cut(const Vec3& a, const Vec3& b, std::span<const double> parameters,
                                        const SectionOptions& options) const {
  std::vector<Section> result(parameters.size());
  parallel_for(
      parameters.size(), [&](std::size_t i) { result[i] = cut(a, b, parameters[i], options); }, 1);
  return result;
}

std::vector<double> even_parameters(Index count) {
  std::vector<double> parameters(count);
  for (Index i = 0; i < count; ++i) parameters[i] = (i + 0.5) / count;
  return parameters;
}

std::vector<Section> sections(const Mesh& mesh, const Vec3& a, const Vec3& b, Index count,
                              const SectionOptions& options) {
  return SectionCutter(triangle_surface(mesh, weld(mesh))).cut(a, b, even_parameters(count), options);
}

}  // namespace sinew::geometry
