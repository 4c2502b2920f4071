// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/tets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::geometry {
namespace {

/// How near a cut may lie to a vertex, as a share of the edge, before the vertex is moved onto it.
constexpr double kNearLong = 0.24999, kNearShort = 0.41189;

/// Vertices of the lattice: points of a grid of half the cell whose coordinates are all even (corners) or all odd
/// (centres).
class Lattice {
 public:
  using Point = std::array<int, 3>;

  Lattice(const Box& box, double cell) : half_(0.5 * cell) {
    double points = 1;
    for (int k = 0; k < 3; ++k) {
      cubes_[k] = static_cast<int>(std::ceil((box.upper[k] - box.lower[k]) / cell)) + 2;
      origin_[k] = 0.5 * (box.lower[k] + box.upper[k] - cubes_[k] * cell);
      points *= cubes_[k] + 1.0;
    }
    if (points > 134217728.0)
      throw Error("There would be too many tetrahedra to hold in memory. Use larger tetrahedra.");
    corners_ = static_cast<std::size_t>(points);
  }

  std::size_t size() const { return 2 * corners_; }
  int cubes(int axis) const { return cubes_[axis]; }
  bool holds(const Point& p) const {
    for (int k = 0; k < 3; ++k)
      if (p[k] < 0 || p[k] > 2 * cubes_[k]) return false;
    return true;
  }
  std::size_t number(const Point& p) const {
    const auto at = (static_cast<std::size_t>(p[2] / 2) * (cubes_[1] + 1) + p[1] / 2) * (cubes_[0] + 1) + p[0] / 2;
    return 2 * at + (p[0] & 1);
  }
  Point point(std::size_t number) const {
    const int odd = static_cast<int>(number & 1);
    std::size_t at = number / 2;
    const auto x = static_cast<int>(at % static_cast<std::size_t>(cubes_[0] + 1));
    at /= static_cast<std::size_t>(cubes_[0] + 1);
    const auto y = static_cast<int>(at % static_cast<std::size_t>(cubes_[1] + 1));
    const auto z = static_cast<int>(at / static_cast<std::size_t>(cubes_[1] + 1));
    return {2 * x + odd, 2 * y + odd, 2 * z + odd};
  }
  Vec3 position(const Point& p) const { return origin_ + half_ * Vec3(p[0], p[1], p[2]); }

 private:
  double half_;
  std::array<int, 3> cubes_{};
  Vec3 origin_ = Vec3::Zero();
  std::size_t corners_ = 0;
};

bool is_long(const Lattice::Point& a, const Lattice::Point& b) { return ((a[0] ^ b[0]) & 1) == 0; }

/// A corner of the tetrahedra to be: a vertex of the lattice, or the cut of an edge.
class Stuffing {
 public:
  Stuffing(const std::function<double(const Vec3&)>& field, const Box& box, double cell)
      : field_(field), lattice_(box, cell), value_(lattice_.size()), moved_(lattice_.size(), 0) {}

  TetMesh run(const Progress& progress) {
    parallel_for(lattice_.size(), [&](std::size_t v) {
      const Lattice::Point p = lattice_.point(v);
      value_[v] = lattice_.holds(p) ? field_(lattice_.position(p)) : std::numeric_limits<double>::infinity();
    });
    progress.check();
    for (std::size_t v = 0; v < lattice_.size(); ++v)
      if (lattice_.holds(lattice_.point(v))) move_if_near(v);
    progress.check();
    for (int axis = 0; axis < 3; ++axis) add_faces(axis);
    return std::move(result_);
  }

 private:
  /// A signed vertex of one tetrahedron.
  struct Corner {
    std::size_t number;
    Lattice::Point point;
    int sign;  ///< −1 inside, 0 on the surface, 1 outside.
  };

  int sign(std::size_t v) const { return moved_[v] ? 0 : value_[v] < 0 ? -1 : value_[v] > 0 ? 1 : 0; }

  Vec3 position(std::size_t v) const {
    if (moved_[v]) return moved_to_.at(v);
    return lattice_.position(lattice_.point(v));
  }

  /// Where the edge crosses the surface, as a share of the way from a to b. \pre signs differ.
  double cut(std::size_t a, std::size_t b) const {
    const Vec3 pa = lattice_.position(lattice_.point(a)), pb = lattice_.position(lattice_.point(b));
    double low = 0, high = 1, at_low = value_[a], at_high = value_[b];
    double t = at_low / (at_low - at_high);
    if (!std::isfinite(t)) t = 0.5;
    for (int step = 0; step < 4; ++step) {
      const double here = field_(pa + t * (pb - pa));
      if (here == 0) break;
      if ((here < 0) == (at_low < 0)) low = t, at_low = here;
      else high = t, at_high = here;
      const double secant = low + (high - low) * at_low / (at_low - at_high);
      t = std::isfinite(secant) ? std::clamp(secant, low, high) : 0.5 * (low + high);
    }
    return t;
  }

  /// The cut nearest to a vertex among those too near to it decides where it goes.
  void move_if_near(std::size_t v) {
    if (sign(v) == 0) return;
    const Lattice::Point p = lattice_.point(v);
    double least = std::numeric_limits<double>::infinity();
    Vec3 best = Vec3::Zero();
    const auto look = [&](const Lattice::Point& q) {
      if (!lattice_.holds(q)) return;
      const std::size_t u = lattice_.number(q);
      if (sign(u) * sign(v) >= 0) return;
      const double t = cut(v, u);
      const double near = is_long(p, q) ? kNearLong : kNearShort;
      if (t >= near || t / near >= least) return;
      least = t / near;
      const Vec3 from = lattice_.position(p);
      best = from + t * (lattice_.position(q) - from);
    };
    for (int k = 0; k < 3; ++k)
      for (const int step : {-2, 2}) {
        Lattice::Point q = p;
        q[k] += step;
        look(q);
      }
    for (const int x : {-1, 1})
      for (const int y : {-1, 1})
        for (const int z : {-1, 1}) look({p[0] + x, p[1] + y, p[2] + z});
    if (std::isinf(least)) return;
    moved_[v] = 1;
    moved_to_.emplace(v, best);
  }

  /// Four tetrahedra around each edge between centres of neighbouring cubes along an axis.
  void add_faces(int axis) {
    const int u = (axis + 1) % 3, w = (axis + 2) % 3;
    const auto last = [&](int k) { return 2 * lattice_.cubes(k) - 1; };
    Lattice::Point c{};
    for (c[2] = 1; c[2] <= last(2); c[2] += 2)
      for (c[1] = 1; c[1] <= last(1); c[1] += 2)
        for (c[0] = 1; c[0] <= last(0); c[0] += 2) {
          Lattice::Point d = c;
          d[axis] += 2;
          if (d[axis] > last(axis)) continue;
          std::array<Lattice::Point, 4> ring;
          constexpr std::array<std::array<int, 2>, 4> kRing = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
          for (std::size_t i = 0; i < 4; ++i) {
            ring[i] = c;
            ring[i][axis] += 1;
            ring[i][u] += kRing[i][0];
            ring[i][w] += kRing[i][1];
          }
          for (std::size_t i = 0; i < 4; ++i) add_tet({c, d, ring[i], ring[(i + 1) % 4]});
        }
  }

  void add_tet(const std::array<Lattice::Point, 4>& points) {
    std::array<Corner, 4> corners;
    int inside = 0, outside = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t v = lattice_.number(points[i]);
      corners[i] = {v, points[i], sign(v)};
      inside += corners[i].sign < 0;
      outside += corners[i].sign > 0;
    }
    if (inside == 0) return;
    std::stable_sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) { return a.sign < b.sign; });
    if (outside == 0) {
      emit(vertex(corners[0]), vertex(corners[1]), vertex(corners[2]), vertex(corners[3]));
    } else if (inside == 1) {
      std::array<Index, 4> v;
      for (std::size_t i = 0; i < 4; ++i)
        v[i] = corners[i].sign > 0 ? cut_vertex(corners[0], corners[i]) : vertex(corners[i]);
      emit(v[0], v[1], v[2], v[3]);
    } else if (inside == 3) {
      three_inside(corners);
    } else if (outside == 1) {
      const Index a = vertex(corners[0]), b = vertex(corners[1]), top = vertex(corners[2]);
      const Index pa = cut_vertex(corners[0], corners[3]), pb = cut_vertex(corners[1], corners[3]);
      if (from_first(corners[0], corners[1], corners[3])) emit(a, b, pb, top), emit(a, pb, pa, top);
      else emit(b, pb, pa, top), emit(b, pa, a, top);
    } else {
      two_and_two(corners);
    }
  }

  /// Of the side a, b, cut of b, cut of a that a cut face leaves: whether its diagonal begins at a (else at b).
  static bool from_first(const Corner& a, const Corner& b, const Corner& out) {
    const bool long_a = is_long(a.point, out.point), long_b = is_long(b.point, out.point);
    if (long_a != long_b) return long_b;  // To the cut of the long edge.
    // Both edges are short, and the one between a and b is long: the vertex at an even place along it.
    for (std::size_t k = 0; k < 3; ++k)
      if (a.point[k] != b.point[k]) return ((a.point[k] >> 1) & 1) == 0;
    return true;
  }

  /// A prism between triangles 0 1 2 and 3 4 5, i below i+3. `low[i]`: whether the diagonal of the side i, i+1 begins
  /// at i (else at i+1) below.
  void emit_prism(const std::array<Index, 6>& v, const std::array<bool, 3>& low) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      if (low[i] && !low[k]) {  // Two diagonals begin at i.
        emit(v[i], v[3], v[4], v[5]);
        // The side opposite is j, k.
        if (low[j]) emit(v[i], v[j], v[k], v[k + 3]), emit(v[i], v[j], v[k + 3], v[j + 3]);
        else emit(v[i], v[j], v[k], v[j + 3]), emit(v[i], v[k], v[k + 3], v[j + 3]);
        return;
      }
    }
  }

  void three_inside(const std::array<Corner, 4>& corners) {
    std::array<Index, 6> v;
    std::array<bool, 3> low;
    for (std::size_t i = 0; i < 3; ++i) {
      v[i] = vertex(corners[i]);
      v[i + 3] = cut_vertex(corners[i], corners[3]);
      low[i] = from_first(corners[i], corners[(i + 1) % 3], corners[3]);
    }
    emit_prism(v, low);
  }

  void two_and_two(const std::array<Corner, 4>& corners) {
    const Corner &a = corners[0], &b = corners[1], &c = corners[2], &d = corners[3];
    // The prism a, its cuts; b, its cuts.
    const std::array<Index, 6> v = {vertex(a), cut_vertex(a, c), cut_vertex(a, d),
                                    vertex(b), cut_vertex(b, c), cut_vertex(b, d)};
    // Side 0–1 is the face a b c: its diagonal from a goes to the cut of b. Side 2–0 is the face a b d: from 2 means
    // from the cut of a.
    std::array<bool, 3> low = {from_first(a, b, c), false, !from_first(a, b, d)};
    // The side of the cuts is on the surface, and no neighbour's: the shorter diagonal, unless the three would run in a
    // circle.
    const auto length = [&](Index p, Index q) { return (result_.positions[p] - result_.positions[q]).squaredNorm(); };
    low[1] = length(v[1], v[5]) <= length(v[2], v[4]);
    if (low[0] == low[2]) low[1] = !low[0];
    emit_prism(v, low);
  }

  Index vertex(const Corner& corner) {
    const auto [at, fresh] = number_of_vertex_.try_emplace(corner.number, static_cast<Index>(result_.positions.size()));
    if (fresh) result_.positions.push_back(position(corner.number));
    return at->second;
  }

  /// \pre neither end was moved onto the surface.
  Index cut_vertex(const Corner& inside, const Corner& outside) {
    const std::uint64_t key = inside.number * static_cast<std::uint64_t>(lattice_.size()) + outside.number;
    const auto [at, fresh] = number_of_cut_.try_emplace(key, static_cast<Index>(result_.positions.size()));
    if (fresh) {
      const Vec3 a = position(inside.number), b = position(outside.number);
      result_.positions.push_back(a + cut(inside.number, outside.number) * (b - a));
    }
    return at->second;
  }

  void emit(Index a, Index b, Index c, Index d) {
    const std::vector<Vec3>& p = result_.positions;
    const double volume = (p[b] - p[a]).cross(p[c] - p[a]).dot(p[d] - p[a]);
    if (volume > 0) result_.tets.push_back({a, b, c, d});
    else if (volume < 0) result_.tets.push_back({a, b, d, c});
  }

  const std::function<double(const Vec3&)>& field_;
  Lattice lattice_;
  std::vector<double> value_;
  std::vector<char> moved_;
  std::unordered_map<std::size_t, Vec3> moved_to_;
  std::unordered_map<std::size_t, Index> number_of_vertex_;
  std::unordered_map<std::uint64_t, Index> number_of_cut_;
  TetMesh result_;
};

}  // namespace

TetMesh stuff(const std::function<double(const Vec3&)>& field, const Box& box, double cell, const Progress& progress) {
  if (box.empty()) return {};
  return Stuffing(field, box, cell).run(progress);
}

double tet_volume(const TetMesh& tets, Index tet) {
  const auto& [a, b, c, d] = tets.tets[tet];
  const std::vector<Vec3>& p = tets.positions;
  return (p[b] - p[a]).cross(p[c] - p[a]).dot(p[d] - p[a]) / 6;
}

DihedralAngles dihedral_angles(const TetMesh& tets) {
  DihedralAngles result{kPi, 0};
  for (const auto& tet : tets.tets) {
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) {
        std::array<std::size_t, 2> other{};
        std::size_t count = 0;
        for (std::size_t k = 0; k < 4; ++k)
          if (k != i && k != j) other[count++] = k;
        const Vec3& a = tets.positions[tet[i]];
        const Vec3 axis = (tets.positions[tet[j]] - a).normalized();
        const Vec3 u = tets.positions[tet[other[0]]] - a, v = tets.positions[tet[other[1]]] - a;
        const Vec3 p = u - u.dot(axis) * axis, q = v - v.dot(axis) * axis;
        const double angle = std::atan2(p.cross(q).norm(), p.dot(q));
        result.smallest_rad = std::min(result.smallest_rad, angle);
        result.largest_rad = std::max(result.largest_rad, angle);
      }
  }
  return result;
}

TetComponents tet_components(const TetMesh& tets) {
  UnionFind sets(tets.positions.size());
  for (const auto& tet : tets.tets)
    for (std::size_t i = 1; i < 4; ++i) sets.join(tet[0], tet[i]);
  TetComponents result;
  result.of_vertex.assign(tets.positions.size(), kNone);
  std::vector<Index> number(tets.positions.size(), kNone);
  for (Index t = 0; t < tets.tets.size(); ++t) {
    Index& n = number[sets.find(tets.tets[t][0])];
    if (n == kNone) {
      n = result.count++;
      result.volume.push_back(0);
    }
    result.of_tet.push_back(n);
    result.volume[n] += tet_volume(tets, t);
    for (const Index v : tets.tets[t]) result.of_vertex[v] = n;
  }
  return result;
}

TetMesh kept_tets(const TetMesh& tets, const std::vector<char>& keep) {
  std::vector<Index> number(tets.positions.size(), kNone);
  for (Index t = 0; t < tets.tets.size(); ++t)
    if (keep[t])
      for (const Index v : tets.tets[t]) number[v] = 0;
  TetMesh result;
  for (Index v = 0; v < number.size(); ++v) {
    if (number[v] == kNone) continue;
    number[v] = static_cast<Index>(result.positions.size());
    result.positions.push_back(tets.positions[v]);
  }
  for (Index t = 0; t < tets.tets.size(); ++t) {
    if (!keep[t]) continue;
    const auto& tet = tets.tets[t];
    result.tets.push_back({number[tet[0]], number[tet[1]], number[tet[2]], number[tet[3]]});
  }
  return result;
}

namespace {

/// A face of a tetrahedron by its vertices in increasing order.
struct TetFace {
  std::array<Index, 3> key;
  Index tet;
};

/// All faces, those of the same vertices beside each other.
std::vector<TetFace> sorted_faces(const TetMesh& tets) {
  std::vector<TetFace> faces;
  faces.reserve(4 * tets.tets.size());
  for (Index t = 0; t < tets.tets.size(); ++t)
    for (std::size_t without = 0; without < 4; ++without) {
      TetFace face{{}, t};
      std::size_t count = 0;
      for (std::size_t c = 0; c < 4; ++c)
        if (c != without) face.key[count++] = tets.tets[t][c];
      std::sort(face.key.begin(), face.key.end());
      faces.push_back(face);
    }
  std::sort(faces.begin(), faces.end(),
            [](const TetFace& a, const TetFace& b) { return a.key != b.key ? a.key < b.key : a.tet < b.tet; });
  return faces;
}

}  // namespace

CutTets cut_tets(const TetMesh& tets, const std::function<bool(Index a, Index b)>& joined) {
  const auto corner_of = [&](Index t, Index v) {
    const auto& tet = tets.tets[t];
    return static_cast<Index>(4 * t + static_cast<Index>(std::find(tet.begin(), tet.end(), v) - tet.begin()));
  };
  CutTets result;
  result.tets = tets;
  result.at_cut.assign(tets.positions.size(), 0);
  UnionFind corners(4 * tets.tets.size());
  const std::vector<TetFace> faces = sorted_faces(tets);
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
    const TetFace &one = faces[i], &other = faces[i + 1];
    if (one.key != other.key) continue;
    if (joined(one.tet, other.tet))
      for (const Index v : one.key) corners.join(corner_of(one.tet, v), corner_of(other.tet, v));
    else
      for (const Index v : one.key) result.at_cut[v] = 1;
  }
  for (Index v = 0; v < tets.positions.size(); ++v) result.copy_of.push_back(v);
  std::vector<Index> number(4 * tets.tets.size(), kNone);  // Of the vertex, by the first corner of each group.
  std::vector<char> taken(tets.positions.size(), 0);
  for (Index t = 0; t < tets.tets.size(); ++t)
    for (std::size_t c = 0; c < 4; ++c) {
      const Index v = tets.tets[t][c];
      Index& n = number[corners.find(4 * t + static_cast<Index>(c))];
      if (n == kNone && (result.at_cut[v] == 0 || taken[v] == 0)) {
        n = v;  // Vertices away from cuts stay whole, also where tetrahedra meet in nothing but them.
        taken[v] = 1;
      } else if (n == kNone) {
        n = static_cast<Index>(result.tets.positions.size());
        result.tets.positions.push_back(tets.positions[v]);
        result.copy_of.push_back(v);
        result.at_cut.push_back(1);
      }
      result.tets.tets[t][c] = n;
    }
  return result;
}

std::vector<std::array<Index, 3>> tet_surface(const TetMesh& tets) {
  struct Face {
    std::array<Index, 3> key, corners;
  };
  // Seen from outside, counter-clockwise.
  constexpr std::array<std::array<std::size_t, 3>, 4> kFaces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  std::vector<Face> faces;
  faces.reserve(4 * tets.tets.size());
  for (const auto& tet : tets.tets)
    for (const auto& f : kFaces) {
      Face face{{tet[f[0]], tet[f[1]], tet[f[2]]}, {tet[f[0]], tet[f[1]], tet[f[2]]}};
      std::sort(face.key.begin(), face.key.end());
      faces.push_back(face);
    }
  std::sort(faces.begin(), faces.end(),
            [](const Face& a, const Face& b) { return a.key != b.key ? a.key < b.key : a.corners < b.corners; });
  std::vector<std::array<Index, 3>> result;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && faces[end].key == faces[i].key) ++end;
    if (end == i + 1) result.push_back(faces[i].corners);
    i = end;
  }
  return result;
}

}  // namespace sinew::geometry
