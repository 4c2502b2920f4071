// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/walk.h"

#include <algorithm>
#include <cmath>

namespace sinew::geometry {
namespace {

constexpr double kMostSlope = 0.7072;  // Sine of 45°: edges that are steeper to the plane do not follow it.
constexpr double kForward = 0.2;       // Cosine: edges that turn back more are not taken.

}  // namespace

EdgeWalk EdgeWalker::walk(Index half_edge, const Vec3& normal, const std::vector<Index>& taken, WalkRule rule,
                          Index most) {
  EdgeWalk way;
  const Index start = s_.from(half_edge);
  if (taken[start] != kNone) return way;
  ++walks_;
  seen_[start] = walks_;
  way.edges.reserve(64);
  Index h = half_edge;
  while (way.edges.size() < most) {
    const Index v = s_.to(h);
    if (v != start && (taken[v] != kNone || seen_[v] == walks_)) return way;
    way.edges.push_back(h);
    seen_[v] = walks_;
    const Index next = ahead(h, normal, rule, taken);
    if (v == start) {
      // Paper: back at the start. Straight: back at it and going on as it began.
      way.closed = way.edges.size() > 2 && (rule == WalkRule::kFixedPlane || next == half_edge);
      if (way.closed && rule == WalkRule::kStraight) {
        const int left = left_of(h, half_edge);
        way.turn_left += left - 1;
        way.turn_right += static_cast<int>(s_.valence[v]) - 3 - left;
      }
      return way;
    }
    if (next == kNone) return way;
    if (rule == WalkRule::kStraight && !s_.regular[v]) {
      const int left = left_of(h, next);
      way.turn_left += left - 1;
      way.turn_right += static_cast<int>(s_.valence[v]) - 3 - left;
    }
    h = next;
  }
  return way;
}

Index EdgeWalker::ahead(Index h, const Vec3& normal, WalkRule rule, const std::vector<Index>& taken) const {
  const HalfEdges& e = s_.edges;
  const Index v = s_.to(h);
  if (rule == WalkRule::kStraight && s_.regular[v]) return e.next[e.twin[e.next[h]]];
  const Vec3 came = (s_.position(v) - s_.position(s_.from(h))).normalized();
  Index best = kNone;
  double least = kMostSlope;
  Index out = e.next[h];
  for (Index k = 0; k < s_.valence[v]; ++k) {
    const Index u = s_.to(out);
    const Vec3 along = (s_.position(u) - s_.position(v)).normalized();
    const double slope = std::abs(along.dot(normal));
    const bool forward =
        rule == WalkRule::kFixedPlane ? taken[u] == kNone && u != s_.from(h) : along.dot(came) > kForward;
    if (forward && slope < least) least = slope, best = out;
    const Index twin = e.twin[out];
    if (twin == kNone) return rule == WalkRule::kStraight ? kNone : best;
    out = e.next[twin];
  }
  return best;
}

int EdgeWalker::left_of(Index arriving, Index leaving) const {
  int count = 0;
  const auto most = static_cast<int>(s_.valence[s_.to(arriving)]);
  for (Index out = s_.edges.next[arriving]; out != leaving && count < most; ++count) {
    if (s_.edges.twin[out] == kNone) return count;
    out = s_.edges.next[s_.edges.twin[out]];
  }
  return count;
}

Vec3 newell_normal(const CurveSurface& s, const std::vector<Index>& half_edges) {
  Vec3 sum = Vec3::Zero();
  if (half_edges.empty()) return sum;
  const Vec3& origin = s.position(s.from(half_edges.front()));
  for (const Index h : half_edges) sum += (s.position(s.from(h)) - origin).cross(s.position(s.to(h)) - origin);
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : Vec3(Vec3::Zero());
}

}  // namespace sinew::geometry
