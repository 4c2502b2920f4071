// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/geometry/curves/curve_surface.h"

namespace sinew::geometry {
namespace {

constexpr double kMostCost = 1.2;

/// A pair of triangles that could be a quad.
struct QuadCandidate {
  double cost = 0;
  Index half_edge = kNone;  // The lower one of the common edge.
};

double angle_at(const Vec3& before, const Vec3& corner, const Vec3& after) {
  const Vec3 u = before - corner, v = after - corner;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

/// The corners of the quad that two triangles form: from the start of h, round the other triangle.
std::array<Index, 4> quad_across(const HalfEdges& e, Index h) {
  const Index t = e.twin[h];
  return {e.vertex[h], e.vertex[e.prev[t]], e.vertex[e.next[h]], e.vertex[e.prev[h]]};
}

/// Infinite for quads that are not convex.
double pair_cost(const Mesh& mesh, const HalfEdges& e, Index h) {
  const auto q = quad_across(e, h);
  std::array<Vec3, 4> p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = mesh.positions[q[i]];
  const Vec3 near = (p[2] - p[0]).cross(p[3] - p[0]), far = (p[1] - p[0]).cross(p[2] - p[0]);
  const Vec3 normal = near + far;
  double off = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 &before = p[(i + 3) % 4], &after = p[(i + 1) % 4];
    if ((p[i] - before).cross(after - p[i]).dot(normal) <= 0) return 2 * kMostCost;
    off += 0.25 * std::abs(angle_at(before, p[i], after) - 0.5 * kPi);
  }
  return off + std::atan2(near.cross(far).norm(), near.dot(far));
}

class Pairing {
 public:
  explicit Pairing(const Mesh& mesh) : mesh_(mesh), edges_(half_edges(mesh)), partner_(mesh.face_count(), kNone) {}

  Mesh run() {
    collect();
    for (const QuadCandidate& c : candidates_) {
      const Index f = face(c.half_edge), g = face(edges_.twin[c.half_edge]);
      if (partner_[f] == kNone && partner_[g] == kNone) join(c.half_edge);
    }
    augment();
    return joined();
  }

 private:
  Index face(Index h) const { return edges_.face[h]; }
  bool triangle(Index f) const { return mesh_.face_offsets[f + 1] - mesh_.face_offsets[f] == 3; }
  void join(Index h) {
    partner_[face(h)] = h;
    partner_[face(edges_.twin[h])] = edges_.twin[h];
  }
  void collect() {
    cost_.assign(edges_.size(), 2 * kMostCost);
    for (Index h = 0; h < edges_.size(); ++h) {
      const Index t = edges_.twin[h];
      if (t == kNone || t < h || !triangle(face(h)) || !triangle(face(t))) continue;
      cost_[h] = cost_[t] = pair_cost(mesh_, edges_, h);
      if (cost_[h] <= kMostCost) candidates_.push_back({cost_[h], h});
    }
    std::sort(candidates_.begin(), candidates_.end(), [](const QuadCandidate& a, const QuadCandidate& b) {
      return a.cost < b.cost || (a.cost == b.cost && a.half_edge < b.half_edge);
    });
  }
  bool possible(Index h) const { return edges_.twin[h] != kNone && cost_[h] <= kMostCost; }

  /// Leftover – joined – joined – leftover: the two outer pairs instead of the inner one.
  void augment() {
    for (Index f = 0; f < mesh_.face_count(); ++f) {
      if (!triangle(f) || partner_[f] != kNone) continue;
      Index h = mesh_.face_offsets[f];
      for (int i = 0; i < 3 && partner_[f] == kNone; ++i, h = edges_.next[h]) {
        if (!possible(h)) continue;
        const Index inner = partner_[face(edges_.twin[h])];
        if (inner == kNone) {
          join(h);
          continue;
        }
        const Index beyond = face(edges_.twin[inner]);
        Index k = mesh_.face_offsets[beyond];
        for (int j = 0; j < 3; ++j, k = edges_.next[k]) {
          if (!possible(k) || partner_[face(edges_.twin[k])] != kNone || face(edges_.twin[k]) == f) continue;
          join(h), join(k);
          break;
        }
      }
    }
  }

  Mesh joined() const {
    Mesh result;
    result.positions = mesh_.positions;
    for (Index f = 0; f < mesh_.face_count(); ++f) {
      const Index h = partner_[f];
      if (h == kNone) result.add_face(mesh_.face(f));
      else if (f < face(edges_.twin[h])) result.add_face(quad_across(edges_, h));
    }
    return result;
  }

  const Mesh& mesh_;
  HalfEdges edges_;
  std::vector<double> cost_;  // Per half-edge.
  std::vector<QuadCandidate> candidates_;
  std::vector<Index> partner_;  // Per face: its half-edge that lies inside the quad.
};

}  // namespace

Mesh pair_triangles(const Mesh& mesh) { return Pairing(mesh).run(); }

}  // namespace sinew::geometry
