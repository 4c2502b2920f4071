// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>

#include "sinew/geometry/mesh/sanitize_triangles.h"

namespace sinew::geometry {
namespace {

void erase_triangles(SanitizeTriangles& soup, const std::vector<char>& gone) {
  Index kept = 0;
  for (Index t = 0; t < soup.size(); ++t) {
    if (gone[t]) continue;
    for (Index i = 0; i < 3; ++i) {
      soup.vertex[3 * kept + i] = soup.vertex[3 * t + i];
      soup.source[3 * kept + i] = soup.source[3 * t + i];
    }
    soup.source_face[kept++] = soup.source_face[t];
  }
  soup.vertex.resize(3 * std::size_t{kept});
  soup.source.resize(3 * std::size_t{kept});
  soup.source_face.resize(kept);
}

// The corner that begins the longest side of a thin triangle; kNone for one that is not thin.
Index thin_side(const SanitizeTriangles& soup, Index t, double thin) {
  Index longest = 3 * t;
  double squared = -1;
  for (Index c = 3 * t; c < 3 * t + 3; ++c) {
    const double length = (soup.at(SanitizeTriangles::next(c)) - soup.at(c)).squaredNorm();
    if (length > squared) squared = length, longest = c;
  }
  const Vec3 a = soup.at(SanitizeTriangles::next(longest)) - soup.at(longest);
  const Vec3 b = soup.at(SanitizeTriangles::prev(longest)) - soup.at(longest);
  return a.cross(b).squaredNorm() <= thin * thin * squared ? longest : kNone;
}

// A thin triangle a, c, b lies along the side of its neighbour x, y, d: the neighbour is cut at b and the thin one is
// gone.
void flip_away(SanitizeTriangles& soup, Index side, Index other) {
  struct Corner {
    Index vertex, source;
  };
  const auto corner = [&](Index c) { return Corner{soup.vertex[c], soup.source[c]}; };
  const Corner b = corner(SanitizeTriangles::prev(side)), x = corner(other), y = corner(SanitizeTriangles::next(other)),
               d = corner(SanitizeTriangles::prev(other));
  const auto set = [&](Index t, const std::array<Corner, 3>& corners) {
    for (Index i = 0; i < 3; ++i) {
      soup.vertex[3 * t + i] = corners[i].vertex;
      soup.source[3 * t + i] = corners[i].source;
    }
  };
  soup.source_face[side / 3] = soup.source_face[other / 3];
  set(other / 3, {x, b, d});
  set(side / 3, {b, y, d});
}

// One round; says whether there is reason for another. A triangle takes part in one change a round.
bool treat_thin(SanitizeTriangles& soup, double thin, bool last, SanitizeCounts& counts) {
  std::vector<Index> side(soup.size());
  bool any = false;
  for (Index t = 0; t < soup.size(); ++t) any |= (side[t] = thin_side(soup, t, thin)) != kNone;
  if (!any) return false;
  const EdgeTable edges = soup.edges(soup.vertex, static_cast<Index>(soup.positions.size()));
  std::vector<char> gone(soup.size(), 0), touched(soup.size(), 0);
  for (Index t = 0; t < soup.size(); ++t) {
    if (side[t] == kNone || touched[t]) continue;
    const auto around = edges.around(edges.corner_edge[side[t]]);
    const Index other = around.size() != 2 ? kNone : around[around[0] == side[t] ? 1 : 0];
    const bool flip = !last && other != kNone &&
                      soup.vertex[SanitizeTriangles::prev(other)] != soup.vertex[SanitizeTriangles::prev(side[t])];
    if (flip && touched[other / 3]) continue;
    ++counts.thin_faces;
    touched[t] = 1;
    if (flip) {
      flip_away(soup, side[t], other);
      touched[other / 3] = 1;
    } else {
      gone[t] = 1;
    }
  }
  erase_triangles(soup, gone);
  return true;
}

void remove_duplicates(SanitizeTriangles& soup, SanitizeCounts& counts) {
  const EdgeTable edges = soup.edges(soup.vertex, static_cast<Index>(soup.positions.size()));
  std::vector<char> gone(soup.size(), 0);
  for (Index t = 0; t < soup.size(); ++t) {
    // Any side will do, as long as all triangles with these vertices choose the same: that without the highest.
    Index c = 3 * t;
    while (soup.vertex[SanitizeTriangles::prev(c)] < std::max(soup.vertex[c], soup.vertex[SanitizeTriangles::next(c)]))
      ++c;
    for (const Index other : edges.around(edges.corner_edge[c])) {
      if (other / 3 >= t) break;
      gone[t] |= soup.vertex[SanitizeTriangles::prev(other)] == soup.vertex[SanitizeTriangles::prev(c)];
    }
    counts.duplicate_faces += gone[t] != 0;
  }
  erase_triangles(soup, gone);
}

}  // namespace

EdgeTable SanitizeTriangles::edges(const std::vector<Index>& ids, Index id_count) const {
  std::vector<Index> offsets(size() + std::size_t{1});
  for (Index t = 0; t <= size(); ++t) offsets[t] = 3 * t;
  return edge_table(offsets, ids, id_count);
}

void remove_bad_triangles(SanitizeTriangles& soup, double thin, SanitizeCounts& counts) {
  std::vector<char> gone(soup.size(), 0);
  for (Index t = 0; t < soup.size(); ++t) {
    const Index a = soup.vertex[3 * t], b = soup.vertex[3 * t + 1], c = soup.vertex[3 * t + 2];
    gone[t] = a == b || b == c || c == a;
    counts.collapsed_faces += gone[t] != 0;
  }
  erase_triangles(soup, gone);
  remove_duplicates(soup, counts);
  // A chain of thin triangles takes a round each; what a few rounds leave is removed.
  constexpr int kRounds = 12;
  for (int round = 0; round <= kRounds; ++round)
    if (!treat_thin(soup, thin, round == kRounds, counts)) break;
  remove_duplicates(soup, counts);
}

}  // namespace sinew::geometry
