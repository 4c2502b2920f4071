// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/weld_within.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "sinew/geometry/mesh/part_ranges.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/spatial/hash_cells.h"

namespace sinew::geometry {
namespace {

// Vertices by cells that are some times larger than the tolerance, so that most look into one cell only.
class NearGrid {
 public:
  NearGrid(const std::vector<Vec3>& positions, double tolerance, const Vec3& origin)
      : positions_(positions),
        tolerance_(tolerance),
        cell_(8 * tolerance),
        origin_(origin),
        heads_(std::bit_ceil(2 * positions.size() + 16), kNone),
        next_(positions.size(), kNone) {}

  // Calls found(other) for every vertex added before that is near v, then adds v.
  template <class Found>
  void add(Index v, Found&& found) {
    const Vec3& p = positions_[v];
    const HashCell low = cell(p - Vec3::Constant(tolerance_)), high = cell(p + Vec3::Constant(tolerance_));
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z)
          for (Index i = heads_[slot({x, y, z})]; i != kNone; i = next_[i])
            if ((positions_[i] - p).squaredNorm() <= tolerance_ * tolerance_) found(i);
    Index& head = heads_[slot(cell(p))];
    next_[v] = head;
    head = v;
  }

 private:
  HashCell cell(const Vec3& p) const { return hash_cell(p, origin_, cell_); }
  std::size_t slot(const HashCell& c) const { return hash_slot(c, heads_.size()); }

  const std::vector<Vec3>& positions_;
  double tolerance_, cell_;
  Vec3 origin_;
  std::vector<Index> heads_, next_;
};

// Cuts a chain that has grown too long: sets the group of each member.
void cut_chain(const std::vector<Vec3>& positions, double tolerance, std::vector<Index> members,
               std::vector<Index>& group) {
  std::sort(members.begin(), members.end(), [&](Index a, Index b) {
    const Vec3 &p = positions[a], &q = positions[b];
    if (p != q) return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
    return a < b;
  });
  std::vector<Index> leaders;
  std::size_t near = 0;  // Leaders before it lie too far back in x for this and all later members.
  for (const Index v : members) {
    while (near < leaders.size() && positions[leaders[near]].x() < positions[v].x() - tolerance) ++near;
    Index leader = kNone;
    for (std::size_t i = near; i < leaders.size() && leader == kNone; ++i)
      if ((positions[leaders[i]] - positions[v]).squaredNorm() <= tolerance * tolerance) leader = leaders[i];
    if (leader == kNone) leaders.push_back(leader = v);
    group[v] = leader;
  }
}

// A root per vertex: joins the vertices near each other, but none below `first_of_part` of the later one.
std::vector<Index> group_near(const std::vector<Vec3>& positions, double tolerance, const Vec3& origin,
                              const std::vector<Index>& first_of_part) {
  NearGrid grid(positions, tolerance, origin);
  UnionFind sets(positions.size());
  const auto count = static_cast<Index>(positions.size());
  for (Index v = 0; v < count; ++v)
    grid.add(v, [&](Index other) {
      if (other >= first_of_part[v]) sets.join(v, other);
    });
  std::vector<Index> group(count);
  std::vector<Box> boxes(count);
  for (Index v = 0; v < count; ++v) {
    group[v] = sets.find(v);
    boxes[group[v]].extend(positions[v]);
  }
  std::map<Index, std::vector<Index>> chains;
  for (Index v = 0; v < count; ++v)
    if (boxes[group[v]].diagonal() > 2 * tolerance) chains[group[v]].push_back(v);
  for (auto& [root, members] : chains) cut_chain(positions, tolerance, std::move(members), group);
  return group;
}

// What `weld` should see: no morphs, and no parts where they do not matter.
Mesh bare_vertices(const Mesh& mesh, bool across_parts) {
  Mesh bare;
  bare.positions = mesh.positions;
  if (!across_parts)
    for (const PartRange& range : part_ranges(mesh)) {
      MeshPart part;
      part.first_vertex = range.first_vertex;
      part.vertex_count = range.vertex_count;
      bare.parts.push_back(part);
    }
  return bare;
}

}  // namespace

Welding weld_within(const Mesh& mesh, double tolerance, bool across_parts) {
  const Mesh bare = bare_vertices(mesh, across_parts);
  const Welding exact = weld(bare);
  const Box bounds = mesh.bounds();
  // Cells below the last digit of the coordinates have no meaning.
  if (!(tolerance > 1e-15 * bounds.diagonal())) return exact;
  std::vector<Vec3> positions(exact.count());
  for (Index i = 0; i < exact.count(); ++i) positions[i] = mesh.positions[exact.first[i]];
  std::vector<Index> first_of_part;
  for (const PartRange& range : part_ranges(bare)) {
    const auto begin = static_cast<Index>(first_of_part.size());
    while (first_of_part.size() < exact.count() &&
           exact.first[first_of_part.size()] < range.first_vertex + range.vertex_count)
      first_of_part.push_back(begin);
  }
  const std::vector<Index> group = group_near(positions, tolerance, bounds.lower, first_of_part);
  Welding result;
  result.welded.resize(mesh.vertex_count());
  std::vector<Index> number(exact.count(), kNone);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    Index& welded = number[group[exact.welded[v]]];
    if (welded == kNone) {
      welded = result.count();
      result.first.push_back(v);
    }
    result.welded[v] = welded;
  }
  return result;
}

}  // namespace sinew::geometry
