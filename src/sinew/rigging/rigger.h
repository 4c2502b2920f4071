// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/mesh.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/penalties.h"

namespace sinew::rigging {

struct RiggerOptions {
  std::vector<std::string> without;  ///< "arms", "legs", "head", "tail", "wings": what the body does not have.
  std::string extras = "chains";
  std::string fingers = "auto";
  std::string symmetry = "auto";
  std::string orientation = "auto";
  bool compat = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("without", "What the body lacks: arms, legs, head, tail, wings.").as("WHAT,…"), self.without);
    v(Field("extras",
            "What becomes of what the template does not explain, as tails and ears: chains of joints, or "
            "rigid on the nearest joint.")
          .one_of({"chains", "rigid"}),
      self.extras);
    v(Field("fingers", "Joints for fingers where they can be told apart, or none.").one_of({"auto", "none"}),
      self.fingers);
    v(Field("symmetry",
            "Whether both sides get mirrored joints and weights: auto where the mesh is its own mirror image.")
          .one_of({"auto", "on", "off"}),
      self.symmetry);
    v(Field("orientation", "auto finds out how the body stands; keep takes +y for up and +z for forward.")
          .one_of({"auto", "keep"}),
      self.orientation);
    v(Field("compat", "Search and refine with the constants of the released Pinocchio library, and nothing else."),
      self.compat);
  }
};

/// What is asked for, beside the options: places in model space by name or role of a template's joint.
struct RiggerRequest {
  std::vector<Template> templates;                  ///< Those to choose from, in order; one: no choice.
  std::map<std::string, Vec3> hints;                ///< Joints that lie near these places.
  std::map<std::string, Vec3> given;                ///< Joints that lie exactly there.
  std::optional<PenaltyWeights> weights;            ///< Of the search, in place of the released ones. For ablations.
  std::function<void(const char* stage)> on_stage;  ///< Called as a stage begins; may be empty. For times.
};

struct Rigged {
  SkeletonPlan plan;
  bool fits = true;  ///< False: no template fits, and the plan is the generic one.
  double confidence =
      0;  ///< 0 to 1: how far the next best reading of the body is away. Below 0.3 a warning is among the findings.
  Findings warnings;
  Json metrics =
      Json::object();  ///< Penalties, terms, runner-up, spheres, entries of the search, share of volume not covered, ….
};

/// A skeleton for a bare mesh. All joints lie inside. The same for any number of threads.
/// \throws Error for a mesh that encloses nothing, a name that no template has, an option that does not go with the
/// templates; Cancelled.
Rigged plan_skeleton(const Mesh& mesh, const RiggerRequest& request, const RiggerOptions& options = {},
                     const Progress& progress = {});

}  // namespace sinew::rigging
