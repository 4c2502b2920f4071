// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "sinew/deform/blend/twist_tree.h"

namespace sinew::deform {

/// The share of its bone's twist that each vertex follows.
struct TwistField {
  std::vector<float> share;  ///< 0 where the bone begins to 1 where it ends; 0 on end segments and where nothing owns.
  std::vector<Vec3> gradient;  ///< Of the share, in model space, 1/m; only its part along the surface matters.
  Index solved = 0;            ///< Vertices whose share was solved for; all others use their position along the bone.
};

/// The share in proportion to the position along the bone, clamped to 0 and 1, as in the paper. `owner` has the segment
/// of each vertex, or kNone for a vertex that no twist reaches. `links` has for each vertex the vector from the start
/// of its bone to its end.
TwistField delta_twist_field(const Segmentation& segmentation, std::span<const Index> owner,
                             std::span<const Vec3> links);

/// The same, but where a region meets those before and beyond it, it solves Laplace's equation over the region, with
/// cotangent weights of at least 1e-6: 0 where it meets regions before and beside it, 1 where it meets those beyond it,
/// both in the middle of the edges that lead there. So the twist goes from one region into the next without a jump
/// where the skin bends: there the place along the bone is not yet 1 at the last vertex of one region and 0 at the
/// first of the next. Where there is nothing before or beyond a bone, its region begins or ends at the vertices that
/// lie first or last along it. A piece of a region that lacks either border keeps its places along the bone. On welded
/// vertices. Each region is solved by itself, in parallel, the same bytes for any number of threads; about n^1.5 in the
/// vertices of the largest region. \throws Cancelled.
///
/// Tried and dropped: to hold vertices of the region itself at its borders, for with k rings on a limb all the twist
/// then lies between k − 1 of them, and where a border runs in steps the skin is stretched most; and to hold the
/// vertices across the border without counting these edges double, for then two twists share the ring between them.
TwistField harmonic_twist_field(const Mesh& mesh, const Segmentation& segmentation, const TwistTree& tree,
                                std::span<const Index> owner, std::span<const Vec3> links,
                                const Progress& progress = {});

/// The vertices of a rig that twists reach, as required by both fields.
struct TwistReach {
  std::vector<Index> owner;  ///< Per vertex its segment; kNone on rigid parts, without weights and without an owner.
  std::vector<Vec3> links;   ///< Per vertex from the start of its bone to the end, at binding; zero on end segments.
};

/// \pre one tree per skin of the rig, made of the segments of `segmentation`, which has an owner per vertex.
TwistReach twist_reach(const Rig& rig, const Segmentation& segmentation, std::span<const TwistTree> trees);

/// Per joint of the skeleton, 1 if its twist can be spread along the bone that ends in it, else 0. Only the skin of a
/// limb can follow a twist: the bone is the only one that begins at its joint, it is not much shorter than its skin is
/// thick, and its skin goes all the way round it. So hips, shoulders and fingers do not spread their twists over the
/// trunk and the palm: a hip that bends twists the bone from pelvis to hip, and nothing there is meant to twist.
std::vector<float> limb_twists(const Rig& rig, const Segmentation& segmentation);

/// One tree per skin of a rig, as that skin was bound. `factors` has one entry per joint of the skeleton, how much of
/// its twist is spread; without any, all of it, or with `limbs_only` as `limb_twists` has it. With `limbs_only`, bends
/// are untwisted. \throws Error as `make_twist_tree`.
std::vector<TwistTree> twist_trees(const Rig& rig, const Segmentation& segmentation,
                                   std::span<const float> factors = {}, bool limbs_only = false);

/// Per vertex, its share of the twist of the bone that owns it, from the harmonic field that `slbs` follows. The share
/// is 0 where no twist reaches. \throws Error as `make_twist_tree`; Cancelled.
std::vector<float> twist_shares(const Rig& rig, const Segmentation& segmentation, const Progress& progress = {});

}  // namespace sinew::deform
