// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Measures what twist joints improve: a bone twisted with and without them.

#include <array>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/geometry/mesh/section.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/pipeline/add_helpers.h"
#include "sinew/pipeline/helpers_twist.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::pipeline {

/// Bones are twisted just short of the angle, for at half a turn rounding decides which way round a twist goes.
inline constexpr double kTwistShortOf_rad = 1e-7;

/// One bone of a character as it was, and how far it was twisted.
class TwistTrial {
 public:
  /// \pre `before`, of which the knowledge is, outlives this.
  TwistTrial(const Rig& before, const TwistKnowledge& knowledge, const rigging::TwistBone& bone, double angle_rad);

  /// The thinnest section by the twist-safe deformer: what the mesh allows. On a coarse one straight edges from ring to
  /// ring cut through the limb.
  double thinnest_safe() const { return thinnest(safe_); }

  /// The thinnest section of a shape of the mesh in which the bone is in its place at rest.
  double thinnest(const std::vector<Vec3>& posed) const;

  /// Sets the flags of the mesh's vertices at sections thinner than `limit`; of seams only the first copies.
  void mark_thinner(const std::vector<Vec3>& posed, double limit, std::vector<char>& marked) const;

  /// By linear blending of a rig of the same mesh whose first joints are those of `before`.
  TwistFigures measure(const Rig& rig) const;

 private:
  Pose twisted(const Skeleton& skeleton, Index joint, const Vec3& axis) const;

  const Rig& before_;
  rigging::TwistBone bone_;
  double angle_rad_;
  Vec3 axis_;
  Vec3 start_, end_;
  std::vector<Vec3> safe_;
  std::vector<Index> vertices_;
  /// What a plane across the bone cuts from a triangle, as points of two edges: (1 − at)·a + at·b.
  struct Crossing {
    Index a = 0, b = 0;
    double at = 0;
  };
  struct Curve {
    std::vector<std::array<Crossing, 2>> pieces;
    double area = 0;  ///< At rest.
  };
  void cut_curves(const std::vector<Vec3>& rest);
  void add_curves(const geometry::TriangleSurface& surface, const geometry::Section& section);
  double area(const Curve& curve, const std::vector<Vec3>& positions) const;
  std::vector<Vec3> welded(const std::vector<Vec3>& posed) const;

  geometry::Welding welding_;
  std::vector<Curve> curves_;
};

}  // namespace sinew::pipeline
