// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "sinew/deform/implicit/hrbf.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"
#include "sinew/deform/implicit/joint_shape/particles.h"

namespace sinew::deform {

/// Holes at joints of a whole character that get particles. Characters have up to 106; a soup of 1,000 triangles has
/// as many holes, which took more than two minutes.
inline constexpr std::size_t kMostSpreadHoles = 160;

/// Closes all holes of a part: at joints by particles on the zero set of its function (`spread_particles`), which are
/// meshed in coordinates about the end of the bone (angle from the bone and around it), in which the rounded end of a
/// limb is a disk; where the hole is at the side of its bone, in coordinates about the direction of the hole. Particles
/// of holes whose border is folded as seen from there are meshed in the plane to which a patch is flattened
/// (`DiskMap`). The patch itself, the smallest triangles between the vertices of the border, divided and projected to
/// the function, closes natural borders and what is left.
///
/// The power crust of the paper, with bones as the medial axis, has one centre for nearly all particles and collapses
/// to a sphere (`literal_power_crust`). Two further differences: its faces have other vertices than the particles, and
/// it does not keep the border.
///
/// Particles of one hole take about 0.1 s. At most `most_spread` holes get them, those with the largest radii; patches
/// close all others.
void close_holes(ClosedPart& part, const Hrbf& function, const ParticleOptions& options, std::uint64_t seed,
                 std::size_t most_spread = std::numeric_limits<std::size_t>::max());

/// What the particles need to know about a hole of a part.
ParticleHole particle_hole(const ClosedPart& part, const PartHole& hole, const ParticleOptions& options);

/// Why a part is not a closed surface that keeps its first triangles: an edge without exactly one opposite one, or a
/// closure whose triangles face its bone. Empty if it is. `open` holes are expected to be open.
std::string closure_problem(const ClosedPart& part);

/// The smallest angle of the triangles of closures.
double smallest_angle_rad(const ClosedPart& part);

/// The power crust as printed: balls about the points of the bone nearest to the vertices of a closure. Of balls about
/// one centre only the largest has a cell.
struct LiteralPowerCrust {
  std::size_t vertices = 0;
  std::size_t balls = 0;     ///< Distinct centres, which is what the crust is made of.
  std::size_t at_joint = 0;  ///< Vertices whose centre is the end of the bone.
};
LiteralPowerCrust literal_power_crust(const ClosedPart& part, Index hole);

}  // namespace sinew::deform
