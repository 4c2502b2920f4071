// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>

#include "sinew/geometry/curves/curve_surface.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::geometry {

/// The section of a body by a plane through a vertex, seen from the middle of the body: 20 points of the surface, 18°
/// apart.
struct SectionProbe {
  std::array<Vec3, 20> points;
  Vec3 middle = Vec3::Zero();  ///< From where the points are seen.
  Vec3 normal = Vec3::Zero();  ///< Of the plane.
  double spread = 0;           ///< Largest minus smallest distance of the points from their mean.
};

/// Which of the two edges of a quad at one of its corners runs around the limb.
struct RoundDirection {
  Index half_edge = kNone;  ///< From the corner, around the limb.
  Index other = kNone;      ///< From the corner, along the limb.
  Vec3 normal = Vec3::Zero();
  double doubt = 1;  ///< Spread of the section around the limb over that of the other; near 1 it is a guess.
};

/// The section by the plane that contains the inward normal at a vertex and an edge. Nothing if a ray meets no surface.
std::optional<SectionProbe> probe_section(const CurveSurface& surface, const RayScene& scene, Index half_edge,
                                          const Vec3& inward);

/// The paper's test: of the sections along the two edges of the quad of `half_edge` at its start, the one around the
/// limb is rounder. Nothing where both sections fail. \pre the scene is that of surface.mesh.
std::optional<RoundDirection> round_direction(const CurveSurface& surface, const RayScene& scene, Index half_edge);

}  // namespace sinew::geometry
