// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/deform/implicit/operators.h"

namespace sinew::deform {

/// The method that the correction starts from.
enum class ImplicitBase { kAuto, kLbs, kDqs, kSlbs };
constexpr auto option_words(ImplicitBase) { return std::array{"auto", "lbs", "dqs", "slbs"}; }

/// How the skin is divided into parts.
enum class PartsBy { kWeights, kShape };
constexpr auto option_words(PartsBy) { return std::array{"weights", "shape"}; }

struct ImplicitOptions {
  ImplicitBase base = ImplicitBase::kDqs;
  PartsBy parts_by = PartsBy::kWeights;
  int samples = 80;
  double part_weight = 0.75;
  EndSamples end_samples = EndSamples::kNeeded;
  int grid_nodes = 24000;
  JointOperator joint_operator = JointOperator::kAuto;
  std::map<std::string, std::string> joint_operators;  ///< Per joint name.
  double bulge = 0.25;
  std::map<std::string, double> joint_bulge;  ///< Per joint name.
  bool contact = true;                        ///< Stop skin where it would pass through other skin.
  int contact_reach = 3;
  int steps = 12;
  int relaxations = 1;
  int smoothings = 4;
  bool tracking = false;
  SlbsOptions slbs;  ///< Of the bases `auto` and `slbs`.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("base", "The deformer to start from. auto uses lbs, and slbs where joints are twisted far."), self.base);
    v(Field("parts_by", "How the skin is divided into parts: by weights, or by its shape, as sinew segment does."),
      self.parts_by);
    v(Field("part_samples", "Samples of the surface per part. More follow the skin more closely.").range(12, 600),
      self.samples);
    v(Field("part_weight", "Weight of a joint from which on a vertex belongs to the part of that joint.").range(0.4, 1),
      self.part_weight);
    v(Field("end_samples",
            "When parts are closed by a sample beyond the end of a bone: needed, if the end lies too close to the "
            "surface, always, or never."),
      self.end_samples);
    v(Field("grid_nodes", "Approximate largest number of tabulated values per part.").range(1000, 1000000),
      self.grid_nodes);
    v(Field("joint_operator",
            "How two parts are joined: union, blend, which rounds the outside of bends, bulge, which swells beside "
            "folds, "
            "or auto, which blends except where more than three bones begin, as in a hand."),
      self.joint_operator);
    v(Field("joint_operators", "The same for single joints.").as("JOINT=OPERATOR,…"), self.joint_operators);
    v(Field("bulge", "How far the skin bulges beside a contact, with the operator bulge.").range(0, 0.5), self.bulge);
    v(Field("joint_bulge", "The same for single joints.").as("JOINT=STRENGTH,…").range(0, 0.5), self.joint_bulge);
    v(Field("contact_reach", "How many joints away skin is in contact.").range(1, 100), self.contact_reach);
    v(Field("projection_steps", "Steps of one projection at most.").range(1, 1000), self.steps);
    v(Field("relaxations", "Rounds of sliding vertices that start far from their place; 0 disables it.").range(0, 100),
      self.relaxations);
    v(Field("contact_smoothing", "Rounds of smoothing near contacts; 0 disables it.").range(0, 100), self.smoothings);
    v(Field("tracking",
            "Start each frame from the one before, for deep folds such as a fist. Frames then depend on those before."),
      self.tracking);
    SlbsOptions::visit(self.slbs, v);
  }
};

/// Implicit skinning: R. Vaillant et al., "Implicit skinning: real-time skin deformation with contact modeling", 2013.
/// A base method moves the skin. Then vertices return to the value that they had at binding in a field made of one
/// rigid function per joint, so that limbs keep their shape and folds meet in contact. `implicit_body.h` has the
/// functions, `projection.h` what a frame does.
///
/// A frame depends only on its pose, unless `tracking` is on (`tracking.h`). \throws Error like the base method, for a
/// rig without weights, or for options that name unknown joints or operators.
std::unique_ptr<Deformer> bind_implicit(const Rig& rig, const MethodInputs& inputs, const ImplicitOptions& options = {},
                                        const Progress& progress = {});

/// The same with a body that was made before.
std::unique_ptr<Deformer> bind_implicit(const Rig& rig, ImplicitBody body, const ImplicitOptions& options = {},
                                        const Progress& progress = {});

/// The registry entry. Prepares the functions of the parts.
DeformerMethod implicit_method();

}  // namespace sinew::deform
