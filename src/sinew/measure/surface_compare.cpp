// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/surface_compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/measure/shell_pairs.h"

namespace sinew::measure {
namespace {

constexpr double kStill = 2e-6;        // Of the size: corrections below it are none.
constexpr double kRestFold = kPi / 3;  // Edges that are sharper at rest cannot become folded.
constexpr double kSnap = 1e-5;         // Of the size.
constexpr double kLeastArea = 1e-8;    // Of the square of the size: smaller triangles have no side,
constexpr double kThin = kSnap;        // nor do triangles of less height than this, relative to the size.

/// Twice the area along the normal; zero if the triangle has collapsed, so that rounding decides which side is up.
Vec3 area_normal(const std::array<Index, 3>& t, std::span<const Vec3> at, double size) {
  const Vec3 a = at[t[1]] - at[t[0]], b = at[t[2]] - at[t[0]], normal = a.cross(b);
  const double longest = std::sqrt(std::max({a.squaredNorm(), b.squaredNorm(), (a - b).squaredNorm()}));
  return normal.norm() < size * std::max(kLeastArea * size, kThin * longest) ? Vec3(Vec3::Zero()) : normal;
}

// Shells in the same place must not intersect by rounding: places are those of a grid.
Vec3 snapped(const Vec3& p, double cell) { return cell > 0 ? Vec3((p / cell).array().round() * cell) : p; }

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

geometry::Lists lists_of(Index count, std::span<const std::pair<Index, Index>> items) {
  geometry::Lists lists;
  lists.offsets.assign(count + std::size_t{1}, 0);
  for (const auto& [owner, item] : items) ++lists.offsets[owner + 1];
  for (std::size_t i = 0; i < count; ++i) lists.offsets[i + 1] += lists.offsets[i];
  lists.items.resize(lists.offsets.back());
  std::vector<Index> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (const auto& [owner, item] : items) lists.items[next[owner]++] = item;
  return lists;
}

template <class Elements, class Corners>
geometry::Lists around(Index count, const Elements& elements, const Corners& corners) {
  std::vector<std::pair<Index, Index>> pairs;
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (const Index v : corners(elements[e])) pairs.emplace_back(v, static_cast<Index>(e));
  return lists_of(count, pairs);
}

// The largest value at each vertex and those within two edges of it.
std::vector<float> spread_maximum(std::vector<float> values, const geometry::Lists& rings, std::span<const Index> at) {
  std::vector<float> result(at.size());
  parallel_for(at.size(), [&](std::size_t i) {
    float most = values[at[i]];
    for (const Index u : rings[at[i]]) {
      most = std::max(most, values[u]);
      for (const Index w : rings[u]) most = std::max(most, values[w]);
    }
    result[i] = most;
  });
  return result;
}

}  // namespace

std::vector<const char*> worse_in(const SurfaceFigures& figures, const SurfaceFigures& base,
                                  const SurfaceLimits& limits) {
  std::vector<const char*> reasons;
  // A few elements more or less are a matter of where the surface happens to be cut into faces.
  const auto more = [](std::uint64_t count, std::uint64_t before) {
    return count > before + std::max<std::uint64_t>(1, before / 20);
  };
  if (figures.stretch > std::max(limits.free_stretch, limits.stretch * base.stretch)) reasons.push_back("stretch");
  if (more(figures.folded, base.folded)) reasons.push_back("folds");
  if (more(figures.flipped, base.flipped)) reasons.push_back("flips");
  if (more(figures.intersections, base.intersections)) reasons.push_back("intersections");
  if (figures.gap_rel > base.gap_rel + limits.gap_rel) reasons.push_back("gaps");
  return reasons;
}

double roughness_at(std::span<const Vec3> rest_edges, std::span<const Vec3> edges) {
  Mat3 covariance = Mat3::Zero();
  Vec3 before = Vec3::Zero(), now = Vec3::Zero();
  double reach = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    covariance += edges[k] * rest_edges[k].transpose();
    before += rest_edges[k], now += edges[k], reach += rest_edges[k].norm();
  }
  return reach > 0 ? (now - polar(covariance).rotation * before).norm() / reach : 0;
}

SurfaceAtRest::SurfaceAtRest(const Mesh& mesh)
    : welding_(geometry::weld_positions(mesh, geometry::weld(mesh))),
      size_(mesh.size()),
      rings_(geometry::one_rings(mesh, &welding_)) {
  geometry::TriangleSurface surface = geometry::triangle_surface(mesh, welding_);
  rest_ = std::move(surface.positions);
  // Copies of a face in one place move together, so one stands for all: hundreds of copies of a mesh would take
  // minutes.
  std::set<std::array<Index, 3>> seen;
  for (const auto& t : surface.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    std::array<Index, 3> turned = t;
    std::rotate(turned.begin(), std::min_element(turned.begin(), turned.end()), turned.end());
    if (seen.insert(turned).second) triangles_.push_back(t);
  }
  for (Index a = 0; a < rings_.size(); ++a)
    for (const Index b : rings_[a])
      if (const double length = (rest_[b] - rest_[a]).norm(); b > a && length > 1e-7 * size_)
        edges_.push_back({a, b}), lengths_.push_back(length);
  std::map<std::array<Index, 2>, std::vector<Index>> faces_of_edge;
  for (Index t = 0; t < triangles_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
      faces_of_edge[{std::min(a, b), std::max(a, b)}].push_back(t);
    }
  std::vector<Vec3> normals(triangles_.size());
  for (std::size_t t = 0; t < normals.size(); ++t) normals[t] = area_normal(triangles_[t], rest_, size_);
  for (const auto& [edge, faces] : faces_of_edge) {
    if (faces.size() != 2) continue;
    const Hinge hinge{edge[0], edge[1], faces[0], faces[1]};
    const double angle = hinge_rad(hinge, normals);
    if (angle > kRestFold) continue;
    hinges_.push_back(hinge);
    hinge_rest_rad_.push_back(angle);
  }
  const geometry::Components shells = geometry::components(mesh, &welding_);
  std::vector<Index> shell(rest_.size(), kNone);
  for (Index v = 0; v < mesh.vertex_count(); ++v) shell[welding_.welded[v]] = shells.of_vertex[v];
  if (shells.count > 1) links_ = close_shell_pairs(rest_, shell, kCloseShells_rel * size_);
  for (const auto& [a, b] : links_) link_lengths_.push_back((rest_[a] - rest_[b]).norm());
  const auto count = static_cast<Index>(rest_.size());
  const auto all = [](const auto& element) { return element; };
  edges_of_ = around(count, edges_, all);
  triangles_of_ = around(count, triangles_, all);
  links_of_ = around(count, links_, all);
  hinges_of_ = around(count, hinges_, [&](const Hinge& hinge) {
    std::vector<Index> corners(triangles_[hinge.left].begin(), triangles_[hinge.left].end());
    for (const Index v : triangles_[hinge.right])
      if (v != hinge.a && v != hinge.b) corners.push_back(v);
    return corners;
  });
  rest_intersections_ = count_intersections(rest_, {});
}

// Faces that run along their edge the same way have normals on opposite sides.
double SurfaceAtRest::side(const Hinge& hinge) const {
  const auto forward = [&](Index face) {
    const auto& t = triangles_[face];
    for (std::size_t k = 0; k < 3; ++k)
      if (t[k] == hinge.a) return t[(k + 1) % 3] == hinge.b;
    return false;
  };
  return forward(hinge.left) == forward(hinge.right) ? -1 : 1;
}

// Triangles that have collapsed have no side, so they fold no edge.
double SurfaceAtRest::hinge_rad(const Hinge& hinge, std::span<const Vec3> normals) const {
  const Vec3 &left = normals[hinge.left], &right = normals[hinge.right];
  if (left.isZero(0) || right.isZero(0)) return 0;
  return angle_between(left, side(hinge) * right);
}

std::uint64_t SurfaceAtRest::count_intersections(std::span<const Vec3> welded, const Progress& progress) const {
  Mesh mesh;
  for (const Vec3& p : welded) mesh.positions.push_back(snapped(p, kSnap * size_));
  for (const auto& t : triangles_) mesh.add_face(t);
  const geometry::SelfIntersections found = geometry::self_intersections(mesh, {}, progress);
  return found.inside_parts + found.between_parts;
}

// The neighbourhood of a face turns by the rotation that fits its corners' neighbours best.
Index SurfaceAtRest::count_flipped(std::span<const Vec3> welded) const {
  return parallel_reduce(
      triangles_.size(), Index{0},
      [&](std::size_t begin, std::size_t end) {
        Index count = 0;
        for (std::size_t t = begin; t < end; ++t) {
          const Vec3 before = area_normal(triangles_[t], rest_, size_), now = area_normal(triangles_[t], welded, size_);
          if (before.isZero(0) || now.isZero(0)) continue;
          Mat3 covariance = Mat3::Zero();
          for (const Index v : triangles_[t])
            for (const Index u : rings_[v]) covariance += (welded[u] - welded[v]) * (rest_[u] - rest_[v]).transpose();
          if (now.dot(polar(covariance).rotation * before) < 0) ++count;
        }
        return count;
      },
      [](Index a, Index b) { return a + b; });
}

std::vector<Vec3> SurfaceAtRest::welded(std::span<const Vec3f> positions) const {
  std::vector<Vec3> at(rest_.size());
  for (std::size_t w = 0; w < at.size(); ++w) at[w] = positions[welding_.first[w]].cast<double>();
  return at;
}

SurfaceFigures SurfaceAtRest::figures(std::span<const Vec3f> positions, bool intersections,
                                      const Progress& progress) const {
  SurfaceFigures result;
  const std::vector<Vec3> at = welded(positions);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const double stretch = (at[edges_[e][1]] - at[edges_[e][0]]).norm() / lengths_[e];
    if (stretch > result.stretch) result.stretch = stretch, result.stretched_vertex = welding_.first[edges_[e][0]];
  }
  std::vector<Vec3> normals(triangles_.size());
  for (std::size_t t = 0; t < normals.size(); ++t) normals[t] = area_normal(triangles_[t], at, size_);
  const SurfaceLimits limits;
  for (const Hinge& hinge : hinges_)
    if (hinge_rad(hinge, normals) > limits.fold_rad) ++result.folded;
  result.flipped = count_flipped(at);
  for (std::size_t k = 0; k < links_.size(); ++k)
    result.gap_rel =
        std::max(result.gap_rel, ((at[links_[k][0]] - at[links_[k][1]]).norm() - link_lengths_[k]) / size_);
  if (intersections) {
    const std::uint64_t found = count_intersections(at, progress);
    result.intersections = found > rest_intersections_ ? found - rest_intersections_ : 0;
  }
  return result;
}

SurfaceCase::SurfaceCase(const SurfaceAtRest& rest, std::span<const Vec3f> base, std::span<const Vec3f> from,
                         std::span<const Vec3f> corrected, const SurfaceLimits& limits)
    : rest_(rest), fold_rad_(limits.fold_rad) {
  take_vertices(from, corrected);
  if (moved_ == 0) return;
  const std::vector<Vec3> before = rest.welded(base), start = rest.welded(from);
  take_edges(before, start, limits);
  take_folds(before, start);
  take_rough(before, start, limits);
  take_gaps(before, start, limits);
  local_ = {};
  from_.reserve(vertices_.size());
  for (const Index w : vertices_) from_.push_back(start[w]);
  step_.resize(vertices_.size(), Vec3::Zero());
  count_flips(before);
}

void SurfaceCase::count_flips(const std::vector<Vec3>& base) {
  std::vector<Vec3> before, rest;
  for (const Index w : vertices_) before.push_back(base[w]), rest.push_back(rest_.rest_[w]);
  for (const auto& face : faces_) rest_normals_.push_back(area_normal(face, rest, rest_.size_));
  was_flipped_ = flipped_faces(from_, ring_fits(from_));
  const std::vector<char> in_base = flipped_faces(before, ring_fits(before));
  base_flips_ = static_cast<Index>(
      std::max(std::count(in_base.begin(), in_base.end(), 1), std::count(was_flipped_.begin(), was_flipped_.end(), 1)));
}

// Per vertex that moves: how its ring is turned and stretched, as a covariance.
std::vector<Mat3> SurfaceCase::ring_fits(std::span<const Vec3> at) const {
  std::vector<Mat3> fits(moved_, Mat3::Zero());
  for (const Rough& rough : rough_)
    for (Index k = rough.begin; k < rough.end; ++k)
      fits[rough.vertex] += (at[ring_[k]] - at[rough.vertex]) *
                            (rest_.rest_[vertices_[ring_[k]]] - rest_.rest_[vertices_[rough.vertex]]).transpose();
  return fits;
}

// As `SurfaceAtRest::count_flipped`, for faces all of whose corners move.
std::vector<char> SurfaceCase::flipped_faces(std::span<const Vec3> at, const std::vector<Mat3>& fits) const {
  std::vector<char> flipped(faces_.size(), 0);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const auto& [a, b, c] = faces_[f];
    if (a >= moved_ || b >= moved_ || c >= moved_) continue;
    const Vec3 now = area_normal(faces_[f], at, rest_.size_);
    if (now.isZero(0) || rest_normals_[f].isZero(0)) continue;
    flipped[f] = now.dot(polar(Mat3(fits[a] + fits[b] + fits[c])).rotation * rest_normals_[f]) < 0 ? 1 : 0;
  }
  return flipped;
}

void SurfaceCase::take_vertices(std::span<const Vec3f> from, std::span<const Vec3f> corrected) {
  local_.assign(rest_.rest_.size(), kNone);
  for (Index w = 0; w < local_.size(); ++w) {
    const Index v = rest_.welding_.first[w];
    const Vec3 step = (corrected[v] - from[v]).cast<double>();
    if (!(step.norm() > kStill * rest_.size_)) continue;
    largest_ = std::max(largest_, step.norm());
    local_[w] = static_cast<Index>(vertices_.size());
    vertices_.push_back(w);
    step_.push_back(step);
  }
  moved_ = vertices_.size();
}

Index SurfaceCase::local_of(Index vertex) {
  if (local_[vertex] == kNone) {
    local_[vertex] = static_cast<Index>(vertices_.size());
    vertices_.push_back(vertex);
  }
  return local_[vertex];
}

void SurfaceCase::take_edges(const std::vector<Vec3>& base, const std::vector<Vec3>& from,
                             const SurfaceLimits& limits) {
  std::vector<float> most(base.size(), 1.0F);
  std::vector<float> stretch(rest_.edges_.size());
  float most_of_all = 1;
  for (std::size_t e = 0; e < stretch.size(); ++e) {
    const auto& [a, b] = rest_.edges_[e];
    const auto before = static_cast<float>((base[b] - base[a]).norm() / rest_.lengths_[e]);
    stretch[e] = static_cast<float>((from[b] - from[a]).norm() / rest_.lengths_[e]);
    most[a] = std::max(most[a], before), most[b] = std::max(most[b], before);
    most_of_all = std::max(most_of_all, before);
  }
  const std::vector<Index> moved(vertices_.begin(), vertices_.begin() + static_cast<std::ptrdiff_t>(moved_));
  const std::vector<float> near = spread_maximum(most, rest_.rings_, moved);
  const auto slack = static_cast<float>(limits.stretch), free = static_cast<float>(limits.free_stretch);
  for (std::size_t i = 0; i < moved_; ++i)
    for (const Index e : rest_.edges_of_[moved[i]]) {
      const auto& [a, b] = rest_.edges_[e];
      if (moved[i] != a && local_[a] < moved_) continue;  // Taken at its first vertex that moves.
      // Nowhere more than the base has anywhere, and not much more than it has near by.
      const float local =
          std::max(static_cast<float>(limits.near_stretch) * near[i], static_cast<float>(limits.free_near_stretch));
      const float whole = std::max(slack * most_of_all, free);
      const float allowed = std::max(std::min(local, whole), stretch[e] * 1.0001F);
      edges_.push_back({local_of(a), local_of(b), static_cast<float>(rest_.lengths_[e]), allowed});
    }
}

void SurfaceCase::take_folds(const std::vector<Vec3>& base, const std::vector<Vec3>& from) {
  std::vector<Index> hinges;
  for (std::size_t i = 0; i < moved_; ++i)
    for (const Index h : rest_.hinges_of_[vertices_[i]]) hinges.push_back(h);
  std::sort(hinges.begin(), hinges.end());
  hinges.erase(std::unique(hinges.begin(), hinges.end()), hinges.end());
  std::map<Index, Index> face_number;
  const auto face_of = [&](Index t) {
    const auto [at, fresh] = face_number.try_emplace(t, static_cast<Index>(faces_.size()));
    if (fresh) {
      const auto& corners = rest_.triangles_[t];
      faces_.push_back({local_of(corners[0]), local_of(corners[1]), local_of(corners[2])});
    }
    return at->second;
  };
  std::vector<Vec3> before(rest_.triangles_.size()), start(rest_.triangles_.size());
  for (std::size_t t = 0; t < before.size(); ++t) {
    before[t] = area_normal(rest_.triangles_[t], base, rest_.size_);
    start[t] = area_normal(rest_.triangles_[t], from, rest_.size_);
  }
  Index from_folds = 0;
  for (const Index h : hinges) {
    const auto& hinge = rest_.hinges_[h];
    const auto angle = static_cast<float>(rest_.hinge_rad(hinge, start));
    if (rest_.hinge_rad(hinge, before) > fold_rad_) ++base_folds_;
    if (static_cast<double>(angle) > fold_rad_) ++from_folds;
    folds_.push_back({face_of(hinge.left), face_of(hinge.right), rest_.side(hinge), angle});
  }
  base_folds_ = std::max(base_folds_, from_folds);
}

void SurfaceCase::take_rough(const std::vector<Vec3>& base, const std::vector<Vec3>& from,
                             const SurfaceLimits& limits) {
  const std::size_t moved = moved_;
  roughness_ = limits.roughness * limits.roughness;
  std::vector<float> rough(base.size(), 0.0F);
  const auto at = [&](Index w) {
    std::vector<Vec3> rest, before, start;
    for (const Index u : rest_.rings_[w]) {
      rest.push_back(rest_.rest_[u] - rest_.rest_[w]);
      before.push_back(base[u] - base[w]);
      start.push_back(from[u] - from[w]);
    }
    return static_cast<float>(std::max(roughness_at(rest, before), roughness_at(rest, start)));
  };
  parallel_for(
      moved, [&](std::size_t i) { rough[vertices_[i]] = at(vertices_[i]); }, 256);
  for (std::size_t i = 0; i < moved; ++i) {
    const Index w = vertices_[i];
    if (rest_.rings_[w].empty()) continue;
    float near = rough[w];
    for (const Index u : rest_.rings_[w]) near = std::max(near, rough[u]);
    Rough entry{static_cast<Index>(i), static_cast<Index>(ring_.size()), 0,
                std::max(static_cast<float>(limits.free_roughness), static_cast<float>(limits.near_roughness) * near)};
    base_roughness_ += static_cast<double>(rough[w]) * static_cast<double>(rough[w]);
    for (const Index u : rest_.rings_[w]) ring_.push_back(local_of(u));
    entry.end = static_cast<Index>(ring_.size());
    rough_.push_back(entry);
  }
}

void SurfaceCase::take_gaps(const std::vector<Vec3>& base, const std::vector<Vec3>& from, const SurfaceLimits& limits) {
  std::vector<Index> links;
  for (std::size_t i = 0; i < moved_; ++i)
    for (const Index k : rest_.links_of_[vertices_[i]]) links.push_back(k);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  for (const Index k : links) {
    const auto& [a, b] = rest_.links_[k];
    const double gap = std::max((base[a] - base[b]).norm(), rest_.link_lengths_[k]) + limits.gap_rel * rest_.size_;
    gaps_.push_back({local_of(a), local_of(b), static_cast<float>(std::max(gap, 1.0001 * (from[a] - from[b]).norm()))});
  }
}

std::vector<Vec3> SurfaceCase::shape(std::span<const float> factors) const {
  std::vector<Vec3> at = from_;
  for (std::size_t i = 0; i < moved_; ++i) at[i] += static_cast<double>(factors[vertices_[i]]) * step_[i];
  return at;
}

void SurfaceCase::add_correction(std::span<const float> factors, double& whole, double& kept) const {
  for (std::size_t i = 0; i < moved_; ++i) {
    whole += step_[i].norm();
    kept += static_cast<double>(factors[vertices_[i]]) * step_[i].norm();
  }
}

Index SurfaceCase::find_harm(std::span<const float> factors, std::vector<Index>& harmed) const {
  const std::vector<Vec3> at = shape(factors);
  Index count = 0;
  const auto mark = [&](Index local) {
    if (local < moved_) harmed.push_back(vertices_[local]);
  };
  for (const Edge& edge : edges_)
    if ((at[edge.a] - at[edge.b]).norm() > static_cast<double>(edge.allowed) * static_cast<double>(edge.length))
      ++count, mark(edge.a), mark(edge.b);
  std::vector<Vec3> normals;
  normals.reserve(faces_.size());
  for (const auto& face : faces_) normals.push_back(area_normal(face, at, rest_.size_));
  std::vector<float> angles(folds_.size());
  Index folded = 0;
  for (std::size_t h = 0; h < folds_.size(); ++h) {
    const Vec3 left = normals[folds_[h].left], right = folds_[h].side * normals[folds_[h].right];
    angles[h] = left.isZero(0) || right.isZero(0) ? 0.0F : static_cast<float>(angle_between(left, right));
    if (static_cast<double>(angles[h]) > fold_rad_) ++folded;
  }
  // As many folds as in the base may lie elsewhere. If there are more, each new one counts.
  const bool more = folded > base_folds_;
  for (std::size_t h = 0; h < folds_.size(); ++h) {
    const bool fresh = static_cast<double>(angles[h]) > fold_rad_ && static_cast<double>(folds_[h].base) <= fold_rad_;
    if (!more || !fresh) continue;
    ++count;
    for (const Index face : {folds_[h].left, folds_[h].right})
      for (const Index v : faces_[face]) mark(v);
  }
  std::vector<Vec3> before, now;
  std::vector<Index> too_rough;
  double sum = 0;
  for (const Rough& rough : rough_) {
    before.clear(), now.clear();
    for (Index k = rough.begin; k < rough.end; ++k) {
      before.push_back(rest_.rest_[vertices_[ring_[k]]] - rest_.rest_[vertices_[rough.vertex]]);
      now.push_back(at[ring_[k]] - at[rough.vertex]);
    }
    const double now_rough = roughness_at(before, now);
    sum += now_rough * now_rough;
    if (now_rough > static_cast<double>(rough.allowed)) too_rough.push_back(rough.vertex);
  }
  if (sum > roughness_ * base_roughness_)
    for (const Index v : too_rough) ++count, mark(v);
  const std::vector<char> flipped = flipped_faces(at, ring_fits(at));
  if (std::count(flipped.begin(), flipped.end(), 1) > static_cast<std::ptrdiff_t>(base_flips_))
    for (std::size_t f = 0; f < flipped.size(); ++f) {
      if (flipped[f] == 0 || was_flipped_[f] != 0) continue;
      ++count;
      for (const Index v : faces_[f]) mark(v);
    }
  for (const Gap& gap : gaps_)
    if ((at[gap.a] - at[gap.b]).norm() > static_cast<double>(gap.allowed)) ++count, mark(gap.a), mark(gap.b);
  return count;
}

// Pairs that intersect, of which at least one triangle differs.
std::vector<std::pair<Index, Index>> SurfaceCase::intersecting(std::span<const Vec3> shape, const Known& known,
                                                               const Progress& progress) const {
  Mesh mesh;
  std::unordered_map<Index, Index> number;
  for (const Index t : known.triangles) {
    std::array<Index, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Index w = rest_.triangles_[t][k];
      const auto [at, fresh] = number.try_emplace(w, mesh.vertex_count());
      if (fresh) mesh.positions.push_back(snapped(shape[w], kSnap * rest_.size_));
      corners[k] = at->second;
    }
    mesh.add_face(corners);
  }
  geometry::SelfIntersectionOptions options;
  options.list = true;
  std::vector<std::pair<Index, Index>> pairs;
  for (const geometry::TrianglePair& pair : geometry::self_intersections(mesh, options, progress).pairs)
    if (const Index a = known.triangles[pair.a], b = known.triangles[pair.b]; known.differs[a] || known.differs[b])
      pairs.emplace_back(a, b);
  return pairs;
}

SurfaceCase::Known SurfaceCase::know_intersections(std::span<const Vec3f> base, std::span<const Vec3f> from,
                                                   const Progress& progress) const {
  Known known;
  const bool same = base.data() == from.data();
  const std::vector<Vec3> before = rest_.welded(base);
  known.from = same ? before : rest_.welded(from);
  std::vector<Vec3> after = known.from;
  std::vector<char> moves(before.size(), 0);
  Box box;
  for (std::size_t i = 0; i < moved_; ++i) {
    const Index w = vertices_[i];
    after[w] += step_[i];
    moves[w] = 1;
    box.extend(before[w]), box.extend(known.from[w]), box.extend(after[w]);
  }
  known.differs.assign(rest_.triangles_.size(), 0);
  for (Index t = 0; t < rest_.triangles_.size(); ++t) {
    Box own;
    for (const Index w : rest_.triangles_[t])
      own.extend(known.from[w]), own.extend(after[w]), known.differs[t] |= moves[w];
    if (known.differs[t] != 0 ||
        ((own.lower.array() <= box.upper.array()).all() && (own.upper.array() >= box.lower.array()).all()))
      known.triangles.push_back(t);
  }
  known.base_pairs = intersecting(before, known, progress);
  known.from_pairs = same ? known.base_pairs : intersecting(known.from, known, progress);
  known.allowed = std::max(known.base_pairs.size(), known.from_pairs.size());
  return known;
}

std::uint64_t SurfaceCase::find_intersections(const Known& known, std::span<const float> factors,
                                              std::vector<Index>& harmed, const Progress& progress) const {
  std::vector<Vec3> at = known.from;
  for (std::size_t i = 0; i < moved_; ++i) at[vertices_[i]] += static_cast<double>(factors[vertices_[i]]) * step_[i];
  const auto pairs = intersecting(at, known, progress);
  if (pairs.size() <= known.allowed) return 0;
  std::vector<char> moves(at.size(), 0);
  for (std::size_t i = 0; i < moved_; ++i) moves[vertices_[i]] = factors[vertices_[i]] > 0 ? 1 : 0;
  for (const auto& pair : pairs) {
    if (std::binary_search(known.base_pairs.begin(), known.base_pairs.end(), pair)) continue;
    if (std::binary_search(known.from_pairs.begin(), known.from_pairs.end(), pair)) continue;
    for (const Index t : {pair.first, pair.second})
      for (const Index w : rest_.triangles_[t])
        if (moves[w] != 0) harmed.push_back(w);
  }
  return pairs.size() - known.allowed;
}

}  // namespace sinew::measure
