// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/mesh.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/stage_listener.h"
#include "sinew/core/template.h"
#include "sinew/rigging/anatomy/pieces.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/penalties.h"

namespace sinew::rigging {

struct RiggerOptions {
  std::vector<std::string> without;  ///< "arms", "legs", "head", "tail", "wings": parts that are missing.
  std::string extras = "chains";
  std::string fingers = "auto";
  std::string symmetry = "auto";
  std::string orientation = "auto";
  double min_confidence = 0.3;
  bool compat = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("without", "Body parts that are missing.").as("WHAT,…").one_of({"arms", "legs", "head", "tail", "wings"}),
      self.without);
    v(Field("extras",
            "What to do with parts that the template does not cover, such as tails and ears: give them chains of "
            "joints, or attach them rigidly to the nearest joint.")
          .one_of({"chains", "rigid"}),
      self.extras);
    v(Field(
          "fingers",
          "Fingers of each hand, with the thumb: auto gives joints to all that can be distinguished. With fewer, those "
          "farthest from the thumb get no joints, and their skin follows the finger beside them.")
          .one_of({"auto", "none", "2", "3", "4", "5"}),
      self.fingers);
    v(Field(
          "symmetry",
          "Whether joints and weights are mirrored between the two sides: auto mirrors them if the mesh is symmetric.")
          .one_of({"auto", "on", "off"}),
      self.symmetry);
    v(Field("orientation", "auto detects the orientation of the body; keep assumes +y for up and +z for forward.")
          .one_of({"auto", "keep"}),
      self.orientation);
    v(Field("min_confidence",
            "A result with a lower confidence is a doubt: the file is written, and the exit code is 1.")
          .range(0, 1),
      self.min_confidence);
    v(Field("compat", "Only search and refine, with the constants of the released Pinocchio library."), self.compat);
  }
};

/// The request of a caller, beside the options. Positions are in model space, by the name or role of a joint of a
/// template.
struct RiggerRequest {
  std::vector<Template> templates;        ///< The candidates, in order. With a single template there is no choice.
  std::map<std::string, Vec3> hints;      ///< Approximate positions of joints.
  std::map<std::string, Vec3> given;      ///< Exact positions of joints.
  std::optional<PenaltyWeights> weights;  ///< Weights of the search instead of the released ones. For ablations.
  StageListener on_stage;                 ///< May be empty.
};

struct PlanResult {
  SkeletonPlan plan;
  bool fits = true;  ///< False: no template fits, and the plan is the generic one.
  /// 0 to 1: the margin to the second-best interpretation. Below `min_confidence` the findings have a doubt.
  double confidence = 0;
  Findings warnings;
  PieceSorting pieces;  ///< Of the mesh; empty if they were not looked at.
  /// Penalties, terms, the second-best candidate, spheres, entries of the search, share of volume not covered, ….
  Json metrics = Json::object();
};

/// Plans a skeleton for a mesh without one. All joints are inside the mesh. The result is the same for any number of
/// threads.
/// \throws Error for a mesh that encloses no volume, a joint name that no template has, or an option that does not fit
/// the templates; Cancelled.
PlanResult plan_skeleton(const Mesh& mesh, const RiggerRequest& request, const RiggerOptions& options = {},
                         const Progress& progress = {});

/// Plans a skeleton that follows the shape alone, without a template, for callers that request one. The result fits,
/// with confidence 1. \throws Error for a mesh that encloses no volume; Cancelled.
PlanResult plan_generic_skeleton(const Mesh& mesh, const StageListener& on_stage = {}, const Progress& progress = {});

}  // namespace sinew::rigging
