// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <memory>
#include <span>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// How a twist spreads over a bone.
enum class TwistShare { kHarmonic, kDelta };
constexpr auto option_words(TwistShare) { return std::array{"harmonic", "delta"}; }

/// Which twists are spread.
enum class SpreadTwists { kLimbs, kAll };
constexpr auto option_words(SpreadTwists) { return std::array{"limbs", "all"}; }

struct SlbsOptions {
  TwistShare twist_share = TwistShare::kHarmonic;
  SpreadTwists spread_twists = SpreadTwists::kLimbs;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field(
          "twist_share",
          "How a twist spreads over a bone: harmonic, which also fits bent rest poses, or delta, in proportion to the "
          "distance along the bone."),
      self.twist_share);
    v(Field("spread_twists",
            "Which twists are spread: limbs, those meant as twists of a limb, or all of every joint as in the paper. A "
            "bend of a hip twists the bone from pelvis to hip, where nothing is meant to twist."),
      self.spread_twists);
  }
};

/// Linear blend skinning that spreads the twist of each joint along the bone before it, so that the limb never
/// collapses, however far the joint twists: S. Ramírez Flores, A. Susín, "Segmentation-based skinning", 2015, called
/// SLBS there. First, a vertex follows the twist of its bone, about the bone and by its share (`twist_field.h`), and
/// all twists above it. Then joints swing it as in linear blending, each without its twist:
///
///     y = Ω_a (o_a + R(u_b, share·θ_b) (v − o_a)),   v' = Σ w_m M_m Ω_m⁻¹ y
///
/// for a vertex of the bone from a to b, with M the matrices of linear blending, θ the twists about incoming bones
/// (`twist_tree.h`) and Ω_k = Ω_parent · rotation(o_k, u_k, θ_k). The paper's chains of partial, whole and inverse
/// twists come out of this where all links are parallel; it also holds where they are not, at branches and for any
/// influences.
///
/// The method accepts any weights. Where nothing twists, the result is that of linear blending, except for rounding.
/// Parts that are attached rigidly to a joint, and vertices that no bone owns, are blended linearly. With
/// `SpreadTwists::kLimbs`, only limbs spread twists (`limb_twists`): those of hips and shoulders count as swings, and
/// so does a rotation about an axis nearly across the bone (`TwistTree`). Twists about the outgoing bone of a joint
/// count as swings if that bone is not in line with the one before it. Normals follow the slope of the twist and are
/// blended as in `lbs`.
///
/// \throws Error if the segmentation does not fit the rig. Frames report joints that swing by half a turn. Their twist
/// is undefined and may jump from frame to frame.
/// `twist_factors` has a share per joint of the skeleton: how much of its twist is spread. The rest is blended
/// linearly. Without any, `limb_twists` decides.
std::unique_ptr<Deformer> bind_slbs(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options = {},
                                    const Progress& progress = {}, std::span<const float> twist_factors = {});

/// The registry entry.
DeformerMethod slbs_method();

}  // namespace sinew::deform
