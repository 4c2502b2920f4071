// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::rigging {

/// A plane across which a surface is compared with its own mirror image.
struct MirrorPlane {
  static constexpr double kMostP95 = 0.015;     ///< A surface without props.
  static constexpr double kMostMedian = 0.005;  ///< A surface of which a part, such as a weapon, has no image.

  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< Unit length.
  /// Distances of mirrored surface samples to the surface, as fractions of the longest side of the bounding box.
  double median_rel = 1, p95_rel = 1;
  bool exact = false;  ///< At least 98 % of the vertices have another vertex as their image.

  /// Whether the whole surface is its own image, up to small differences.
  bool whole() const { return exact || p95_rel <= kMostP95; }
  /// Whether most of the surface is its own image.
  bool symmetric() const { return whole() || median_rel <= kMostMedian; }
  Vec3 mirrored(const Vec3& p) const { return p - 2 * normal.dot(p - point) * normal; }
};

/// The plane with a normal near `left`, within 10°, across which the surface is most like its mirror image. The plane
/// is moved and rotated to reduce the mean of the least three quarters of the distances between mirrored samples of the
/// surface and the surface itself, so that props on one side do not matter. `MirrorPlane::symmetric` tells whether the
/// result is a plane of symmetry. Nothing for a mesh without area.
///
/// The cost is linear in the faces, plus a constant: about 16,000 samples of the surface, and some 10,000 look-ups. The
/// result is the same for any number of threads.
std::optional<MirrorPlane> find_mirror_plane_near(const Mesh& mesh, const Vec3& left);

/// Planes in any direction, the best first: for bodies whose sides are not known. At most `most` planes; none is a
/// duplicate of another. They start from the axes of the model, the principal axes of the surface, and directions every
/// 15° around the axes y and z. Never `exact`. Cost as above, with some 60,000 look-ups.
std::vector<MirrorPlane> find_mirror_planes(const Mesh& mesh, std::size_t most = 4);

}  // namespace sinew::rigging
