// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Figures of skin that folds: how much of it is inside itself, and how rough it is.

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"

namespace sinew::lab {

/// The volume that a closed surface encloses more than once, in m³: where limbs overlap. By parallel rays, `columns` of
/// them along the longer side across; each is integrated exactly along its length. Only between two corners of a box.
double overlap_volume(const Mesh& mesh, const Box& box, int columns = 200);

/// Pairs of triangles that meet though they have no corner in common.
std::uint64_t meeting_pairs(const Mesh& mesh, const Progress& progress);

/// Mean change of the angle between the normals of neighbouring faces, in radians, over edges whose ends are within
/// `radius` of a place at rest; weighted by their length there.
double crumpling(const Mesh& mesh, std::span<const Vec3> positions, const Vec3& place, double radius);

}  // namespace sinew::lab
