// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

/// The enclosed volume and the area of a surface.
struct Volume {
  /// Sum of the signed tetrahedra from the centre of the box to every triangle: the volume of a closed surface that
  /// faces outwards, its negative when it faces inwards. For an open surface it is only an order of magnitude.
  double volume = 0;  ///< m³
  double area = 0;    ///< m²

  Volume& operator+=(const Volume& other) {
    volume += other.volume;
    area += other.area;
    return *this;
  }
};

/// One per part (one in all for a mesh without parts), of the triangles of `triangulate`. Linear, the same bits for any
/// number of threads.
std::vector<Volume> volumes(const Mesh& mesh);

/// The sum over all parts.
Volume volume(const Mesh& mesh);

}  // namespace sinew::geometry
