// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

/// The vertices and faces of one part.
struct PartRange {
  Index first_vertex = 0;
  Index vertex_count = 0;
  Index first_face = 0;
  Index face_count = 0;
};

/// One range per part; a mesh without parts is one range.
inline std::vector<PartRange> part_ranges(const Mesh& mesh) {
  if (mesh.parts.empty()) return {{0, mesh.vertex_count(), 0, mesh.face_count()}};
  std::vector<PartRange> ranges;
  ranges.reserve(mesh.parts.size());
  for (const MeshPart& part : mesh.parts)
    ranges.push_back({part.first_vertex, part.vertex_count, part.first_face, part.face_count});
  return ranges;
}

}  // namespace sinew::geometry
