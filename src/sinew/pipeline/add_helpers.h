// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/rigging/helpers/bend_joints.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::pipeline {

struct HelpersOptions {
  std::vector<std::string> twist;
  std::vector<std::string> bend;
  std::optional<int> per_bone;
  double max_twist_rad = radians(180);
  double min_section = 0.85;
  std::optional<int> max_influences;
  bool bake = true;
  std::vector<std::string> bake_clips;

  static std::vector<std::string> bake_clips_words();

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("twist",
            "Bones that get twist joints: forearm, upperarm, thigh, shin, neck, … on both sides, left_forearm for one "
            "side, or joints by name.")
          .as("BONE,…"),
      self.twist);
    v(Field("bend", "Joints that get a helper to preserve volume when they bend: elbow, knee, … or joints by name.")
          .as("JOINT,…"),
      self.bend);
    v(Field("per_bone",
            "Number of twist joints on each bone. Default: the fewest that keep 'min_section' at 'max_twist' by the "
            "formula.")
          .range(1, 15),
      self.per_bone);
    v(Field("max_twist",
            "The twist angle for which the default of 'per_bone' is chosen, and at which all sections are measured.")
          .degrees()
          .range(1, 720),
      self.max_twist_rad);
    v(Field("min_section", "The share of a bone's cross-section area that the default of 'per_bone' preserves.")
          .range(0.01, 0.999),
      self.min_section);
    v(Field("max_influences",
            "Maximum number of joints that move one vertex; 0 means no limit. Default: 4, or as many as the file has. "
            "Longer rows are shortened smoothly.")
          .range(0, 64),
      self.max_influences);
    v(Field("bake", "Write the motion of the helpers into the clips, so that every program shows it."), self.bake);
    v(Field("bake_clips",
            "Add built-in clips with the motion of the helpers: builtin for all that fit the body, or clips by name.")
          .as("CLIP,…")
          .one_of(bake_clips_words()),
      self.bake_clips);
  }
};

/// Figures of a twisted bone under linear blending, compared with `slbs`, which preserves every section.
struct TwistFigures {
  /// Smallest area of its cross-sections relative to the rest pose. Every closed curve around the bone is measured
  /// separately and moves with the skin. The value is 0 if one of them is inside out.
  double thinnest = 1;
  /// Distance from `slbs` over the vertices that the bone's joint moved before, relative to the size of the mesh.
  double rms_rel = 0;
  double max_rel = 0;
};

/// A bone that got twist joints, and their effect at `HelpersOptions::max_twist_rad`.
struct TwistBoneResult {
  rigging::TwistJoints joints;
  TwistFigures before;
  TwistFigures after;
  double formula_section = 1;  ///< The thinnest section by the formula: `rigging::twist_section`.
  double slbs_section = 1;     ///< The thinnest section that the mesh allows: by `slbs`.
};

/// The effect of the limit of influences.
struct InfluenceCap {
  Index influences = 0;  ///< The limit; 0 for none.
  Index rows = 0;        ///< Vertices that had more.
  double largest_share_dropped = 0;
  std::optional<measure::PosedAgreement> posed;  ///< How far the cut moves vertices; empty if nothing was cut.
};

/// A helper, or the twist joints of a bone, that does not act fully, because the surface would be worse than without
/// it.
struct HelperReduction {
  Index joint = kNone;         ///< The joint that was named in the options, or stands for its bone.
  bool twist = false;          ///< Twist joints; else a bend joint.
  double strength = 0;         ///< Share of the full effect, in the mean; 0 if it was left out.
  bool on_other_side = false;  ///< Left out because the helper on the other side of the body does harm.
  std::string pose;            ///< The pose in which the full effect is worst: "a twist by 90°".
  std::string figure;          ///< The figure that is worse there: "section", "stretch", "folded" or "cuts".
  double before = 0;           ///< Without the helper.
  double full = 0;             ///< With its full effect.
};

struct HelpersResult {
  Character character;
  int per_bone = 0;  ///< Twist joints on each bone.
  std::vector<TwistBoneResult> twists;
  std::vector<rigging::BendJoint> bends;
  std::vector<HelperReduction> reductions;
  InfluenceCap cap;
  Index rigid_vertices = 0;  ///< Vertices of shells that only the joint of a bone moves.
  Index joints_added = 0;
  /// Clips that baking made longer: the clip, and its first new track.
  std::vector<std::pair<Index, std::size_t>> longer_clips;
  std::vector<Index> new_clips;  ///< Built-in clips that were added.
  Findings findings;
};

/// Adds helper joints with drivers to a rigged character: twist joints along bones, and joints that preserve the volume
/// where limbs bend. They take over part of the weights; the shape in the rest pose does not change. A part of the body
/// whose joint cannot have a helper is left out with a finding, unless no joint can.
///
/// No helper makes the surface worse than it was: the rig is compared with and without it in twists and bends of the
/// joint that moves it (`harmless_strengths`), and where a section becomes thinner, an edge longer, or where faces fold
/// or intersect, the effect is reduced until they do not. A finding names each joint whose helper was reduced
/// ("helpers.reduced") or left out ("helpers.left_out"). If all are left out, the character is unchanged.
///
/// \throws Error if there is nothing to add, the character has no skin, a word matches no joint, a joint named in the
/// options cannot have a helper, or an option is out of range; Cancelled.
HelpersResult add_helpers(const Character& character, const HelpersOptions& options, const Progress& progress = {});

}  // namespace sinew::pipeline
