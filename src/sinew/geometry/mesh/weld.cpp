// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/weld.h"

#include <bit>
#include <cstdint>

namespace sinew::geometry {
namespace {

std::uint64_t mix(std::uint64_t h, double value) {
  // Adding zero turns −0 into 0. The multiplier is odd and random-looking (from the golden ratio).
  h ^= std::bit_cast<std::uint64_t>(value + 0.0);
  h *= 0x9E3779B97F4A7C15U;
  return h ^ (h >> 29);
}

bool same_morphs(const MeshPart& part, Index a, Index b) {
  for (const Morph& morph : part.morphs)
    if (morph.deltas[a] != morph.deltas[b]) return false;
  return true;
}

void weld_range(const Mesh& mesh, const MeshPart& part, std::vector<Index>& table, Welding& result) {
  const std::size_t slots = std::bit_ceil(std::size_t{part.vertex_count} * 2 + 1);
  table.assign(slots, kNone);
  for (Index i = 0; i < part.vertex_count; ++i) {
    const Index v = part.first_vertex + i;
    const Vec3& p = mesh.positions[v];
    std::size_t slot = mix(mix(mix(0, p.x()), p.y()), p.z()) & (slots - 1);
    for (;; slot = (slot + 1) & (slots - 1)) {
      if (table[slot] == kNone) {
        table[slot] = result.count();
        result.welded[v] = result.count();
        result.first.push_back(v);
        break;
      }
      const Index other = result.first[table[slot]];
      if (mesh.positions[other] == p && same_morphs(part, other - part.first_vertex, i)) {
        result.welded[v] = table[slot];
        break;
      }
    }
  }
}

}  // namespace

Welding weld(const Mesh& mesh) {
  Welding result;
  result.welded.resize(mesh.vertex_count());
  result.first.reserve(mesh.vertex_count());
  std::vector<Index> table;
  if (mesh.parts.empty()) {
    MeshPart whole;
    whole.vertex_count = mesh.vertex_count();
    weld_range(mesh, whole, table, result);
  }
  for (const MeshPart& part : mesh.parts) weld_range(mesh, part, table, result);
  return result;
}

}  // namespace sinew::geometry
