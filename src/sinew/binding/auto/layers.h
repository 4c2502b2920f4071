// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <vector>

#include "sinew/binding/auto/layers_rows.h"
#include "sinew/binding/auto/shells.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {

/// Shells that have rows already, on which others sit.
class Carrier {
 public:
  /// Looks at `rows`, one per clean vertex, until the end of its life.
  Carrier(const Shells& shells, const std::vector<Index>& which, const std::vector<WeightRow>& rows);

  struct Touch {
    WeightRow row;  ///< Of the nearest point; empty when nothing was found.
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  ///< Of the triangle, unit length.
    double distance = 0;
    Index shell = kNone;
  };
  Touch nearest(const Vec3& p) const;
  /// The nearest point where the surface faces the same way as `normal` (within about 75°) and that is not farther
  /// than `reach`.
  Touch nearest_facing(const Vec3& p, const Vec3& normal, double reach) const;

 private:
  Touch touch(const geometry::ClosestPoint& found) const;

  const Shells& shells_;
  const std::vector<WeightRow>& rows_;
  std::vector<geometry::TriangleVertices> triangles_;
  std::vector<Vec3> normals_;
  std::unique_ptr<geometry::RayScene> scene_;
};

/// Rows for one layer: each vertex takes the row of the skin under it, the nearest point that faces the same way, so
/// that a sleeve beside the trunk follows the arm in it. Where nothing is under it, the rows of the layer itself go
/// on. Then rows are evened out along the layer, for more rounds the farther the skin is away: cloth that lies close
/// moves exactly as the skin does and does not let it through, while a skirt between two legs takes from both.
/// `doubtful` is set for vertices with nothing under them. \pre the carrier has triangles and rows.
void bind_layer(const Shells& shells, Index shell, const Carrier& body, std::vector<WeightRow>& rows,
                std::vector<char>& doubtful);

/// One row for the whole of a small shell: the joint whose bone it holds, if the bone nearest to its centre is of that
/// joint, too, else the mean of what it sits on, the nearest places counting most. For pieces of some length the bones
/// nearest to them count as well, and one that must not be bent (a ball, or one about whose bones the two disagree)
/// follows a single joint.
void bind_small_shell(const Shells& shells, Index shell, const Carrier& carrier, std::vector<WeightRow>& rows);

/// One row for each strip: that of the place where it is nearest to what carries it, its root. Strips of one part of
/// which most, by area, have the same strongest joint at their roots all follow that: the hair of a head,
/// also where a lock lies on a shoulder. Strips that hold a bone follow its joint.
void bind_strips(const Shells& shells, const std::vector<Index>& strips, const Carrier& carrier,
                 std::vector<WeightRow>& rows);

/// One joint for a shell that touches nothing: the strongest at the nearest place of what else there is.
void bind_loose(const Shells& shells, Index shell, const Carrier& carrier, std::vector<WeightRow>& rows);

}  // namespace sinew::binding
