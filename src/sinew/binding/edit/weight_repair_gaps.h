// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// Shortens end segments to where the skin of their joint ends, the vertices it has half of: what a file does not say
/// is guessed, and a finger whose rig has no hierarchy would reach across the room. Linear.
void fit_ends(BoneTree& tree, const EditSurface& surface, const SkinWeights& rows);

/// Ways along the skeleton. Joints of one parent, and roots, are as far apart as they lie (linking roots where they
/// come nearest was tried: in hands without hierarchy it flagged 4 % of good rows instead of 0.5 %); a joint that lies
/// on a bone of another (a foot that hangs on the root, at the end of a shin) is joined to it there; else the way
/// leads from joint to joint. Joints cubed.
class SkeletonWays {
 public:
  SkeletonWays(const Subject& subject, const BoneTree& tree, double size);
  /// From a joint to the nearest end of another joint's bones: 0 to its own and to its parent's. \pre both are bound.
  double operator()(Index from, Index to) const { return ways_[place_[from] * count_ + place_[to]]; }

 private:
  void walk_tree(const Subject& subject, const BoneTree& tree, std::vector<double>& way) const;
  void nearest_ends(const BoneTree& tree, const std::vector<double>& way);

  std::size_t count_ = 0;
  std::vector<std::size_t> place_;  // Of a joint among the bound ones.
  std::vector<double> ways_;
};

/// A place on a bone that a vertex is at home with.
struct Home {
  Index bone = kNone;
  double from_start = 0;  ///< Along it.
};

/// Which bones vertices are at home with.
struct Homes {
  /// Per welded vertex, by joint: those on its inner side, about as near as the nearest.
  std::vector<std::vector<Home>> bones;
  std::vector<double> radius;  ///< Per welded vertex: distance to the nearest of these bones.
  std::vector<Index> nearest;  ///< Per welded vertex: whose bone that is; kNone without any.
};

/// Vertices times bones. Where normals tell nothing (a shell most of which has its nearest bone outside: a sheet, or
/// one that is turned inside out) they are not asked.
Homes find_homes(const EditSurface& surface, const BoneTree& tree);

/// The way along the skeleton from the places a vertex is at home at to the bones of a joint; 0 if it is at home there.
double home_gap(const std::vector<Home>& homes, Index joint, const BoneTree& tree, const SkeletonWays& ways);

/// Per welded vertex: a vertex of another shell that it lies on, within a share of the size; kNone where there is
/// none. A closest point per vertex; nothing to do for a single shell.
std::vector<Index> shell_contacts(const EditSurface& surface, double reach_rel);

/// Distance from a point to the nearest bone of a joint.
double joint_distance(const BoneTree& tree, Index joint, const Vec3& p);

}  // namespace sinew::binding
