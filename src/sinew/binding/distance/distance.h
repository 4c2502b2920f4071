// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/binding/binder.h"

namespace sinew::binding {

/// Which rules the weights follow.
enum class DistanceRules {
  kImproved,  ///< The third joint fades in towards joints.
  kPaper,     ///< As published: three bones within a radius of a joint, two elsewhere.
};
constexpr auto option_words(DistanceRules) { return std::array{"improved", "paper"}; }

struct DistanceOptions {
  DistanceRules mode = DistanceRules::kImproved;
  double radius_rel = 0.03;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("mode", "Rules of the weights: improved, or as published in the paper, with hard joint regions."),
      self.mode);
    v(Field("radius", "Radius of the joint regions of the published rules, as a share of the mesh's size.").range(0, 1),
      self.radius_rel);
  }
};

/// A joint and the distance of a vertex to the nearest of its bones.
struct JointDistance {
  double distance = 0;
  Index joint = kNone;

  friend auto operator<=>(const JointDistance&, const JointDistance&) = default;
};

/// Where three joints may move a vertex and not two only: a ball about a joint.
struct JointRegion {
  Vec3 center = Vec3::Zero();
  double radius =
      0;  ///< Of Pan's joint area: twice the joint's depth under the skin, at most 0.45 of its shortest bone.
};

/// One per bound joint. Depth is the distance to the nearest triangle; a mesh without any has the bones' limit alone.
std::vector<JointRegion> joint_regions(const Mesh& mesh, const BoneTree& tree, const Subject& subject);

/// How much a vertex belongs to joint regions: 1 at a joint, 0 from the region's rim on, smooth between; the most over
/// all.
double region_fade(std::span<const JointRegion> regions, const Vec3& p);

/// Terms d⁻⁴ of the two nearest joints and `fade` times that of the third, scaled to sum 1. To have no jump where two
/// joints change places in the order, the term of the first that is left out is taken from all: of the third where it
/// has faded, of the fourth where it has not. \pre sorted, not empty, distances positive.
std::vector<Influence> distance_row(std::span<const JointDistance> nearest, double fade);

/// The binder `distance`: weights by the fourth power of the distance to bones, J. Pan et al., "Automatic skinning and
/// weight retargeting of articulated characters using extended position-based dynamics", 2018, Eq. 2. The paper
/// attaches three bones in joint regions and two elsewhere; at the rim the third would drop out at once, a step of 17 %
/// for distances of 0.2, 0.2 and 0.25, so that it is faded out instead. Distances count as at least 1e-3 of the size.
///
/// It looks at nothing but distances, so it works on anything and is quick, and it bleeds between parts that lie close
/// together. Vertices × bones, in parallel. \throws Error if no joint is bound or positions are not finite; Cancelled.
///
/// With `DistanceRules::kPaper` the equation is used as printed: the terms d⁻⁴ of the three nearest joints where a
/// joint is within the radius, of the two nearest elsewhere, with the step at the rim.
BindResult bind_by_distance(const Subject& subject, const DistanceOptions& options = {}, const BindOptions& common = {},
                            const Progress& progress = {});

/// Eq. 2 as printed: terms d⁻⁴ of the first `count` joints, scaled to sum 1. \pre as `distance_row`.
std::vector<Influence> published_distance_row(std::span<const JointDistance> nearest, std::size_t count);

BinderMethod distance_method();

}  // namespace sinew::binding
