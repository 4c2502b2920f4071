// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/geometry/mesh/topology.h"

namespace sinew::geometry {

/// The generalised winding number of a mesh at each point: how often the surface goes round it, a whole number for
/// closed surfaces and a fraction for open ones; 1 inside a body that faces outwards, near 0.5 in the mouth of a hole.
/// After A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
/// numbers", 2013.
///
/// No sum over all triangles: seen from the point, the surface covers the sphere of directions as often as a ray counts
/// crossings, up to what its open edges add. So the number is the signed crossings of one ray, decided exactly, plus
/// the solid angles of the triangles between the ray's opposite direction and each open edge. Linear in the triangles
/// once, plus points times open edges. A point on the surface gets the value of one of its sides.
///
/// `topology` is that of the mesh and its welding.
std::vector<double> winding_numbers(const Mesh& mesh, const Welding& welding, const Topology& topology,
                                    std::span<const Vec3> points);

}  // namespace sinew::geometry
