// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/binding/edit/weight_edit.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// The plane {p : normal·p = offset} across which a surface is most nearly symmetric.
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

/// Completes the list of partners by position: two joints are partners if their positions mirror each other within a
/// fiftieth of the size. The nearest come first, and joints whose parents are partners come before others. A joint on
/// the plane is its own partner. Existing entries of `partner` stay.
void partners_by_position(const Subject& subject, const MirrorPlane& plane, double size, std::vector<Index>& partner);

/// Which side is copied to which.
enum class MirrorMode { kLeftToRight, kRightToLeft, kBoth };

struct Mirrored {
  SkinWeights weights;
  Index changed = 0;  ///< Vertices that got a row from the other side.
  Index alone = 0;    ///< Vertices with no surface within a twentieth of the size opposite them. They stay.
};

/// Takes each row from the opposite point of the surface and replaces its joints by their partners: from one side to
/// the other (rows on the plane become symmetric), or as the mean of both. Shells are matched with opposite shells if
/// there are any. A joint without a partner (kNone) is its own partner. Linear, plus one closest-point query per
/// vertex.
Mirrored mirrored(const SkinWeights& weights, const EditSurface& surface, const MirrorPlane& plane,
                  const std::vector<Index>& partner, MirrorMode mode, const EditScope& scope);

}  // namespace sinew::binding
