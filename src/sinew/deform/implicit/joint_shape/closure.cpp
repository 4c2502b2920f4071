// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/closure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/joint_shape/disk_map.h"
#include "sinew/deform/implicit/joint_shape/planar_mesh.h"
#include "sinew/deform/implicit/joint_shape/space_mesh.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kLeastLoop = 3;
constexpr double kWallReach = 3.5;    ///< Spacings from the border within which the part repels particles.
constexpr double kWallSpacing = 0.4;  ///< Between points of the part, in spacings.
constexpr double kTooNear = 0.25;     ///< Of the spacing, from a border, within which particles are dropped.
constexpr double kLateral = 60;       ///< Degrees between bone and hole from which on the hole is at the side.
constexpr int kPatchRounds = 5;
constexpr double kMostFolded = 0.25;  ///< Share of triangles that may face the bone before fairing.

using CapTriangle = std::array<Index, 3>;

/// Two unit vectors that form a right-handed frame with a third.
std::pair<Vec3, Vec3> across(const Vec3& w) {
  Eigen::Index least = 0;
  w.cwiseAbs().minCoeff(&least);
  const Vec3 a = w.cross(Vec3::Unit(least)).normalized();
  return {a, w.cross(a)};
}

/// The bone of a hole that a point belongs to: that with the nearest joint.
Index nearest_bone(const PartHole& hole, const Vec3& p) {
  Index best = 0;
  for (Index b = 1; b < hole.bones.size(); ++b)
    if ((hole.bones[b].joint - p).squaredNorm() < (hole.bones[best].joint - p).squaredNorm()) best = b;
  return best;
}

class HoleCloser {
 public:
  HoleCloser(ClosedPart& part, Index hole, const Hrbf& function, const ParticleOptions& options)
      : part_(part), number_(hole), hole_(part.holes[hole]), function_(function), options_(options) {
    for (std::size_t i = hole_.loop.size(); i-- > 0;) corners_.push_back(hole_.loop[i]);
    for (const Index v : corners_) {
      border_.push_back(part.positions[v]);
      middle_ += part.positions[v] / static_cast<double>(corners_.size());
    }
    spacing_ = particle_scale(std::max(hole_.radius, 1e-12), options.target).spacing;
  }

  void run(std::uint64_t seed, bool spread_particles_here) {
    if (corners_.size() < kLeastLoop) {
      hole_.reason = "its border has too few vertices";
      return;
    }
    if (spread_particles_here && hole_.at_joint() && function_.ok() && hole_.radius > 0) {
      ParticleResult spread = spread_particles(function_, particle_hole(part_, hole_, options_), options_, seed);
      hole_.population_steps = spread.population_steps;
      hole_.settled = spread.settled;
      drop_near_border(spread.particles);
      const Vec3 to_hole = middle_ - hole_.bones.front().joint;
      const bool lateral = to_hole.norm() > 0.3 * hole_.mean_radius && hole_angle() > radians(kLateral);
      for (const HoleFill fill :
           lateral ? std::array{HoleFill::kSphere, HoleFill::kPolar} : std::array{HoleFill::kPolar, HoleFill::kSphere})
        if (mesh(spread.particles, fill)) return;
      if (mesh_in_space(spread.particles) || flatten(spread.particles)) return;
    } else if (!spread_particles_here && hole_.at_joint()) {
      hole_.reason = "the character has too many holes";
    }
    if (!patch()) hole_.reason += hole_.reason.empty() ? "its border is too long" : "";
  }

 private:
  /// Between the bone and the direction in which the border opens.
  double hole_angle() const {
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 0; i < border_.size(); ++i)
      normal += (border_[i] - middle_).cross(border_[(i + 1) % border_.size()] - middle_);
    if (!(normal.norm() > 0)) return 0;
    return std::acos(std::clamp(normal.normalized().dot(hole_.bones.front().outward()), -1.0, 1.0));
  }

  void drop_near_border(std::vector<Vec3>& particles) const {
    const double least = kTooNear * spacing_;
    std::erase_if(particles, [&](const Vec3& p) {
      return std::any_of(border_.begin(), border_.end(), [&](const Vec3& b) { return (b - p).norm() < least; });
    });
  }

  Vec2 polar(const Vec3& p) const {
    const HoleBone& bone = hole_.bones.front();
    const Vec3 w = bone.outward();
    const auto [e1, e2] = across(w);
    const BoneFoot foot = foot_on(bone, p);
    const Vec3 u = (p - foot.point).normalized();
    const double theta = std::acos(std::clamp(u.dot(w), -1.0, 1.0));
    const double radius = theta + (foot.point - bone.joint).norm() / hole_.mean_radius;
    const Vec2 around(u.dot(e1), u.dot(e2));
    return around.norm() > 0 ? Vec2(radius * around.normalized()) : Vec2(Vec2::Zero());
  }

  /// Equidistant from the direction of the hole, seen from a point at the border's inner side.
  Vec2 spherical(const Vec3& p) const {
    Vec3 w = Vec3::Zero();
    for (std::size_t i = 0; i < border_.size(); ++i)
      w += (border_[i] - middle_).cross(border_[(i + 1) % border_.size()] - middle_);
    w.normalize();
    const auto [e1, e2] = across(w);
    const Vec3 u = (p - (middle_ - 0.5 * hole_.mean_radius * w)).normalized();
    const double theta = std::acos(std::clamp(u.dot(w), -1.0, 1.0));
    const Vec2 around(u.dot(e1), u.dot(e2));
    return around.norm() > 0 ? Vec2(theta * around.normalized()) : Vec2(Vec2::Zero());
  }

  bool mesh(const std::vector<Vec3>& particles, HoleFill fill) {
    const auto plane = [&](const Vec3& p) { return fill == HoleFill::kPolar ? polar(p) : spherical(p); };
    std::vector<Vec2> corners, points;
    for (const Vec3& p : border_) corners.push_back(plane(p));
    for (const Vec3& p : particles) points.push_back(plane(p));
    const auto triangles = triangulate_polygon(corners, points);
    if (!triangles) {
      hole_.reason = "its border is folded as seen from the bone";
      return false;
    }
    return accept(particles, *triangles, fill);
  }

  /// Takes triangles by number, corners of the border first, unless they face the bone.
  bool accept(const std::vector<Vec3>& added, const std::vector<CapTriangle>& triangles, HoleFill fill) {
    const auto at = [&](Index v) -> const Vec3& { return v < border_.size() ? border_[v] : added[v - border_.size()]; };
    std::set<Index> used;
    std::size_t inverted = 0;
    for (const CapTriangle& t : triangles) {
      for (const Index v : t)
        if (v >= border_.size()) used.insert(v);
      if (hole_.at_joint() && faces_bone(at(t[0]), at(t[1]), at(t[2]))) ++inverted;
    }
    // Folds of the function vanish when distances are faired, because directions from the bone are in order.
    const double folded = static_cast<double>(inverted) / static_cast<double>(triangles.size());
    const double most = fill == HoleFill::kPolar ? kMostFolded : 0;
    const bool any = fill == HoleFill::kPatch || fill == HoleFill::kDisk || fill == HoleFill::kSpace;
    if ((!any && folded > most) || (fill != HoleFill::kPatch && used.empty())) {
      hole_.reason = used.empty() ? "no particle stayed" : "its surface is not round as seen from the bone";
      return false;
    }
    if (!edges_free(triangles)) {
      hole_.reason = "its border touches itself";
      return false;
    }
    std::map<Index, Index> number;
    for (const Index v : used) {
      number[v] = static_cast<Index>(part_.positions.size());
      part_.positions.push_back(at(v));
      part_.closure.push_back(vertex_of(at(v)));
    }
    for (const CapTriangle& t : triangles) {
      CapTriangle own{};
      for (std::size_t k = 0; k < 3; ++k) own[k] = t[k] < border_.size() ? corners_[t[k]] : number.at(t[k]);
      part_.triangles.push_back(own);
    }
    hole_.fill = fill;
    if (fill != HoleFill::kPatch) hole_.reason.clear();
    return true;
  }

  /// Whether no triangle uses an edge between vertices of the border that the part already has.
  bool edges_free(const std::vector<CapTriangle>& triangles) const {
    std::set<std::pair<Index, Index>> taken;
    for (const auto& t : part_.triangles)
      for (std::size_t k = 0; k < 3; ++k) taken.insert({t[k], t[(k + 1) % 3]});
    for (const CapTriangle& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = t[k], b = t[(k + 1) % 3];
        if (a < border_.size() && b < border_.size() && taken.contains({corners_[a], corners_[b]})) return false;
      }
    return true;
  }

  bool faces_bone(const Vec3& a, const Vec3& b, const Vec3& c) const {
    const Vec3 center = (a + b + c) / 3;
    const HoleBone& bone = hole_.bones[nearest_bone(hole_, center)];
    return (b - a).cross(c - a).dot(center - foot_on(bone, center).point) <= 0;
  }

  ClosureVertex vertex_of(const Vec3& p) const {
    ClosureVertex vertex;
    vertex.hole = number_;
    if (!hole_.at_joint()) {
      vertex.foot = middle_;
    } else {
      vertex.bone = nearest_bone(hole_, p);
      const BoneFoot foot = foot_on(hole_.bones[vertex.bone], p);
      vertex.foot = foot.point;
      vertex.beyond = foot.beyond;
    }
    vertex.distance = (p - vertex.foot).norm();
    vertex.along = vertex.distance > 0 ? Vec3((p - vertex.foot) / vertex.distance) : Vec3(Vec3::UnitX());
    return vertex;
  }

  /// The smallest triangles between the vertices of the border, divided where they are large, and moved to the
  /// function: those that were added.
  std::optional<std::vector<Vec3>> make_patch(std::vector<CapTriangle>& triangles) const {
    std::set<std::pair<Index, Index>> taken;
    for (const auto& t : part_.triangles)
      for (std::size_t k = 0; k < 3; ++k) taken.insert(std::minmax(t[k], t[(k + 1) % 3]));
    const auto start = smallest_triangles(
        border_, [&](Index a, Index b) { return taken.contains(std::minmax(corners_[a], corners_[b])); });
    if (!start) return std::nullopt;
    triangles = *start;
    std::vector<Vec3> added;
    const auto at = [&](Index v) -> const Vec3& { return v < border_.size() ? border_[v] : added[v - border_.size()]; };
    for (int round = 0; round < kPatchRounds && hole_.at_joint(); ++round) {
      const std::size_t count = triangles.size();
      for (std::size_t t = 0; t < count; ++t) {
        const CapTriangle old = triangles[t];
        Vec3 center = (at(old[0]) + at(old[1]) + at(old[2])) / 3;
        double nearest = std::numeric_limits<double>::infinity();
        for (const Index v : old) nearest = std::min(nearest, (at(v) - center).norm());
        if (nearest < 0.7 * spacing_) continue;
        const auto c = static_cast<Index>(border_.size() + added.size());
        added.push_back(center);
        triangles[t] = {old[0], old[1], c};
        triangles.push_back({old[1], old[2], c});
        triangles.push_back({old[2], old[0], c});
      }
      flip(triangles, at);
      if (triangles.size() == count) break;
    }
    for (Vec3& p : added) project(p);
    return added;
  }

  /// The last resort.
  bool patch() {
    std::vector<CapTriangle> triangles;
    const auto added = make_patch(triangles);
    return added && accept(*added, triangles, HoleFill::kPatch);
  }

  /// Where a border is folded as seen from any point, particles are meshed in the plane to which a patch is flattened:
  /// its border is a circle there.
  bool flatten(const std::vector<Vec3>& particles) {
    std::vector<CapTriangle> triangles;
    const auto added = make_patch(triangles);
    if (!added) return false;
    std::vector<Vec3> all = border_;
    all.insert(all.end(), added->begin(), added->end());
    const DiskMap map(std::move(all), border_.size(), std::move(triangles));
    if (!map.ok()) return false;
    std::vector<Vec2> points;
    for (const Vec3& p : particles) points.push_back(map.place(p));
    const auto meshed = triangulate_polygon(std::span(map.plane()).first(border_.size()), points);
    return meshed && accept(particles, *meshed, HoleFill::kDisk);
  }

  /// The surface of cells that are inside of the function, as far as particles are on it.
  bool mesh_in_space(const std::vector<Vec3>& particles) {
    const std::span<const Vec3> part = std::span(part_.positions).first(part_.fixed_vertices);
    const auto triangles = triangulate_in_space(part, corners_, particles, function_);
    return triangles && accept(particles, *triangles, HoleFill::kSpace);
  }

  void project(Vec3& p) const {
    if (!function_.ok()) return;
    const Vec3 from = p;
    for (int i = 0; i < 8; ++i) {
      const Hrbf::Value value = function_.evaluate(p);
      const double squared = value.gradient.squaredNorm();
      if (!(squared > 1e-12)) break;
      p -= value.value / squared * value.gradient;
    }
    if (!p.allFinite() || (p - from).norm() > 2 * hole_.radius) p = from;
  }

  /// Flips edges while that widens the smallest of the four angles at them.
  template <class At>
  void flip(std::vector<CapTriangle>& triangles, const At& at) const {
    const auto opposite = [&](Index a, Index b, Index c) {
      const Vec3 x = at(a) - at(c), y = at(b) - at(c);
      return std::atan2(x.cross(y).norm(), x.dot(y));
    };
    for (int round = 0; round < 10; ++round) {
      std::map<std::pair<Index, Index>, std::size_t> edges;
      for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) edges[{triangles[t][k], triangles[t][(k + 1) % 3]}] = t;
      std::set<std::size_t> changed;
      for (const auto& [edge, t] : edges) {
        const auto [a, b] = edge;
        const auto twin = edges.find({b, a});
        if (a > b || twin == edges.end() || changed.contains(t) || changed.contains(twin->second)) continue;
        const std::size_t s = twin->second;
        Index c = kNone, d = kNone;
        for (const Index v : triangles[t])
          if (v != a && v != b) c = v;
        for (const Index v : triangles[s])
          if (v != a && v != b) d = v;
        if (edges.contains({c, d}) || edges.contains({d, c})) continue;
        if (opposite(a, b, c) + opposite(a, b, d) <= kPi + 1e-9) continue;
        triangles[t] = {c, a, d};
        triangles[s] = {d, b, c};
        changed.insert(t), changed.insert(s);
      }
      if (changed.empty()) return;
    }
  }

  ClosedPart& part_;
  Index number_;
  PartHole& hole_;
  const Hrbf& function_;
  const ParticleOptions& options_;
  std::vector<Index> corners_;  ///< The border, such that the hole is at its left.
  std::vector<Vec3> border_;
  Vec3 middle_ = Vec3::Zero();
  double spacing_ = 1;
};

/// Edges from the border, for every vertex of a closure.
void count_rings(ClosedPart& part) {
  std::vector<std::vector<Index>> rings(part.positions.size());
  for (std::size_t t = part.fixed_triangles; t < part.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      rings[part.triangles[t][k]].push_back(part.triangles[t][(k + 1) % 3]);
      rings[part.triangles[t][(k + 1) % 3]].push_back(part.triangles[t][k]);
    }
  std::vector<int> ring(part.positions.size(), -1);
  std::vector<Index> queue;
  for (const PartHole& hole : part.holes)
    for (const Index v : hole.loop)
      if (ring[v] < 0) ring[v] = 0, queue.push_back(v);
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (const Index v : rings[queue[q]])
      if (ring[v] < 0) ring[v] = ring[queue[q]] + 1, queue.push_back(v);
  for (std::size_t i = 0; i < part.closure.size(); ++i)
    part.closure[i].ring = std::max(1, ring[part.fixed_vertices + i]);
}

/// Unit vectors along the surface, away from the part, at the vertices of a border.
std::vector<Vec3> border_conormals(const ClosedPart& part, const std::vector<Index>& loop) {
  std::map<std::pair<Index, Index>, Index> inner;
  for (Index t = 0; t < part.fixed_triangles; ++t)
    for (std::size_t k = 0; k < 3; ++k)
      inner[{part.triangles[t][k], part.triangles[t][(k + 1) % 3]}] = part.triangles[t][(k + 2) % 3];
  std::vector<Vec3> sums(loop.size(), Vec3::Zero());
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const std::size_t j = (i + 1) % loop.size();
    const auto opposite = inner.find({loop[i], loop[j]});
    if (opposite == inner.end()) continue;
    const Vec3 &a = part.positions[loop[i]], &b = part.positions[loop[j]], along = (b - a).normalized();
    Vec3 in = part.positions[opposite->second] - a;
    in -= along.dot(in) * along;
    if (!(in.norm() > 0)) continue;
    sums[i] -= in.normalized(), sums[j] -= in.normalized();
  }
  for (Vec3& sum : sums) sum = sum.norm() > 1e-6 ? Vec3(sum.normalized()) : Vec3(Vec3::Zero());
  return sums;
}

}  // namespace

ParticleHole particle_hole(const ClosedPart& part, const PartHole& hole, const ParticleOptions& options) {
  ParticleHole result;
  result.radius = hole.radius;
  for (const Index v : hole.loop) result.border.push_back(part.positions[v]);
  result.conormals = border_conormals(part, hole.loop);
  const double spacing = particle_scale(hole.radius, options.target).spacing, reach = kWallReach * spacing;
  Box box;
  for (const Vec3& p : result.border) box.extend(p);
  const auto near = [&](const Vec3& p) {
    if ((p - p.cwiseMax(box.lower).cwiseMin(box.upper)).norm() > reach) return false;
    return std::any_of(result.border.begin(), result.border.end(),
                       [&](const Vec3& b) { return (b - p).squaredNorm() < reach * reach; });
  };
  // Thinned by cells, in the order of the triangles: the wall has the same height for any density of points.
  std::map<std::array<std::int64_t, 3>, char> cells;
  const auto add = [&](const Vec3& p) {
    const Vec3 cell = (p - box.lower) / (kWallSpacing * spacing);
    const std::array<std::int64_t, 3> key = {static_cast<std::int64_t>(std::floor(cell.x())),
                                             static_cast<std::int64_t>(std::floor(cell.y())),
                                             static_cast<std::int64_t>(std::floor(cell.z()))};
    if (cells.emplace(key, 1).second) result.part.push_back(p);
  };
  const auto add_edge = [&](const Vec3& a, const Vec3& b) {
    const int pieces = std::min(64, 1 + static_cast<int>((b - a).norm() / (kWallSpacing * spacing)));
    for (int i = 0; i <= pieces; ++i)
      if (const Vec3 p = a + static_cast<double>(i) / pieces * (b - a); near(p)) add(p);
  };
  for (std::size_t i = 0; i < hole.loop.size(); ++i)
    add_edge(result.border[i], result.border[(i + 1) % result.border.size()]);
  for (Index t = 0; t < part.fixed_triangles; ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = part.triangles[t][k], b = part.triangles[t][(k + 1) % 3];
      if (a < b) add_edge(part.positions[a], part.positions[b]);
    }
  return result;
}

void close_holes(ClosedPart& part, const Hrbf& function, const ParticleOptions& options, std::uint64_t seed,
                 std::size_t most_spread) {
  std::vector<Index> largest_first;
  for (Index h = 0; h < part.holes.size(); ++h)
    if (part.holes[h].at_joint()) largest_first.push_back(h);
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [&](Index a, Index b) { return part.holes[a].radius > part.holes[b].radius; });
  std::vector<char> spread(part.holes.size(), 0);
  for (std::size_t i = 0; i < std::min(most_spread, largest_first.size()); ++i) spread[largest_first[i]] = 1;
  for (Index h = 0; h < part.holes.size(); ++h)
    HoleCloser(part, h, function, options).run(seed * 1000003 + h, spread[h] != 0);
  count_rings(part);
}

std::string closure_problem(const ClosedPart& part) {
  std::map<std::pair<Index, Index>, int> edges;
  for (const auto& t : part.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  std::set<std::pair<Index, Index>> open;
  for (const PartHole& hole : part.holes)
    if (hole.fill == HoleFill::kOpen)
      for (std::size_t i = 0; i < hole.loop.size(); ++i)
        open.insert({hole.loop[i], hole.loop[(i + 1) % hole.loop.size()]});
  for (const auto& [edge, count] : edges) {
    if (count != 1) return "an edge belongs to several triangles";
    if (!edges.contains({edge.second, edge.first}) && !open.contains(edge)) return "an edge is open";
  }
  return {};
}

double smallest_angle_rad(const ClosedPart& part) {
  double least = kPi;
  for (std::size_t t = part.fixed_triangles; t < part.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& c = part.positions[part.triangles[t][k]];
      const Vec3 x = part.positions[part.triangles[t][(k + 1) % 3]] - c,
                 y = part.positions[part.triangles[t][(k + 2) % 3]] - c;
      least = std::min(least, std::atan2(x.cross(y).norm(), x.dot(y)));
    }
  return least;
}

LiteralPowerCrust literal_power_crust(const ClosedPart& part, Index hole) {
  LiteralPowerCrust result;
  std::vector<Vec3> centers;
  for (const ClosureVertex& vertex : part.closure) {
    if (vertex.hole != hole) continue;
    ++result.vertices;
    if (vertex.beyond) ++result.at_joint;
    if (std::none_of(centers.begin(), centers.end(),
                     [&](const Vec3& c) { return (c - vertex.foot).norm() < 1e-9 * part.holes[hole].radius; }))
      centers.push_back(vertex.foot);
  }
  result.balls = centers.size();
  return result;
}

}  // namespace sinew::deform
