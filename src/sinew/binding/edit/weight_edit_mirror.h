// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/binding/edit/weight_edit.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// The plane {p : normal·p = offset} about which a surface is its own mirror image, as nearly as it can be.
struct MirrorPlane {
  Vec3 normal = Vec3::UnitX();  ///< Unit length, to the character's left.
  double offset = 0;
  double error_rel = 0;  ///< Distance of a mirrored vertex from the surface that nine of ten do not exceed, per size.

  double side(const Vec3& p) const { return normal.dot(p) - offset; }
  Vec3 reflected(const Vec3& p) const { return p - 2 * side(p) * normal; }
};

/// Tries the hints (planes that are likely), then x = 0 and planes through the middle across the axes of the mesh and
/// of its principal components. Each is improved by turns of matching the nearest and fitting the plane, with the
/// worst fifth left out each time, so that props and one limb in another pose do not pull it aside; the best is
/// improved further. One that comes later must be plainly better. `left` says where the normal points. Some 100,000
/// closest points.
MirrorPlane mirror_plane(const EditSurface& surface, std::span<const MirrorPlane> hints = {},
                         const Vec3& left = Vec3::UnitX());

/// Completes partners by position: joints that mirror each other's place within a fiftieth of the size, nearest first,
/// those whose parents are partners before others; one on the plane is its own. Joints that `partner` names already
/// stay.
void partners_by_position(const Subject& subject, const MirrorPlane& plane, double size, std::vector<Index>& partner);

/// What becomes of the two sides.
enum class MirrorMode { kLeftToRight, kRightToLeft, kBoth };

struct Mirrored {
  SkinWeights weights;
  Index changed = 0;  ///< Vertices that were given a row from the other side.
  Index alone = 0;    ///< Vertices that have nothing within a twentieth of the size opposite them, and stay.
};

/// Rows from the point of the surface opposite, with joints changed for their partners: of one side onto the other
/// (those on the plane become even), or the mean of both. Shells are matched with the shells opposite them, where
/// there are such. A joint without partner (kNone) is its own. Linear, and a closest point per vertex.
Mirrored mirrored(const SkinWeights& weights, const EditSurface& surface, const MirrorPlane& plane,
                  const std::vector<Index>& partner, MirrorMode mode, const EditScope& scope);

}  // namespace sinew::binding
