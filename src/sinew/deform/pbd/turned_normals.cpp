// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/turned_normals.h"

#include <algorithm>

#include "sinew/core/rotation_between.h"

namespace sinew::deform {
TurnedNormals::TurnedNormals(const Mesh& mesh, const geometry::Welding& welding, std::span<const Index> moved) {
  for (const Triangle& triangle : triangulate(mesh)) {
    std::array<Index, 3> numbers;
    bool any = false;
    for (std::size_t k = 0; k < 3; ++k) {
      numbers[k] = moved[welding.welded[triangle.vertices[k]]];
      any = any || numbers[k] != kNone;
    }
    if (any) faces_.push_back({triangle.vertices, numbers});
  }
  for (const Index number : moved)
    if (number != kNone) count_ = std::max(count_, static_cast<std::size_t>(number) + 1);
  for (Index v = 0; v < welding.welded.size(); ++v)
    if (moved[welding.welded[v]] != kNone) vertices_.push_back({v, moved[welding.welded[v]]});
}

void TurnedNormals::measure(std::span<const Vec3f> positions, std::vector<Vec3f>& sums) const {
  sums.assign(count_, Vec3f::Zero());
  for (const Face& face : faces_) {
    const Vec3f& a = positions[face.vertices[0]];
    const Vec3f normal = (positions[face.vertices[1]] - a).cross(positions[face.vertices[2]] - a);
    for (const Index m : face.moved)
      if (m != kNone) sums[m] += normal;
  }
}

void TurnedNormals::turn(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<Vec3f> normals) const {
  for (const auto& [vertex, number] : vertices_)
    normals[vertex] = (rotation_between_f(before[number], after[number]) * normals[vertex]).normalized();
}

}  // namespace sinew::deform
