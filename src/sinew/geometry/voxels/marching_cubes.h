// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/volume.h"
#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::geometry {

/// The zero set of a field as triangles, counter-clockwise seen from where the field is positive, with the long and
/// thin ones that real extractors leave: one vertex per grid edge that is cut, the cuts of each cell joined to loops
/// along its faces, and each loop filled as a fan. Where all four edges of a face are cut, the inside corners are kept
/// apart, whichever cell looks, so the surface is closed wherever the field is positive on the grid's border. After
/// W. Lorensen, H. Cline, "Marching cubes" (1987), but without a table: the loops are traced. Vertices keep a tenth of
/// an edge away from its ends, so that no triangle is a point. Linear in the samples. \pre the field is valid.
TriangleSurface marching_cubes(const DistanceField& field);

}  // namespace sinew::geometry
