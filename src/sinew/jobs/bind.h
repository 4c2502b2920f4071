// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct BindJobOptions {
  MethodChoice method{binding::binders(), "auto"};
  std::vector<std::string> joints;   ///< Empty: as `joints_to_bind` chooses.
  std::string rig;                   ///< A NAME.rig.json with the skeleton for a mesh that has none; empty for none.
  std::vector<std::string> rigid;    ///< WHAT=JOINT; see `read_wishes`.
  std::vector<std::string> exclude;  ///< WHAT keeps its rows.
  bool debug_colors = false;
  binding::BindOptions bind;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How weights are made."), self.method);
    v(Field("joints",
            "Joints that may move the skin; without it those weighted in the file, else all but ends, controls and "
            "sockets.")
          .as("NAME,…"),
      self.joints);
    v(Field("rig", "Take the joints from this NAME.rig.json.").as("FILE"), self.rig);
    v(Field("rigid", "What hangs wholly on one joint: a mesh node, material:NAME or shell:N, and the joint.")
          .as("NODE=JOINT,…"),
      self.rigid);
    v(Field("exclude", "What keeps its weights and is left out: mesh nodes, material:NAME or shell:N.").as("NODE,…"),
      self.exclude);
    v(Field(
          "debug_colors",
          "Write how each vertex was bound as vertex colours: a colour per method and reason, darker where doubtful."),
      self.debug_colors);
    binding::BindOptions::visit(self.bind, v);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Makes new weights for the skeleton in a file, in its bind pose, and writes the file with them: materials, textures
/// and clips stay. Skins keep their joints and bind matrices and get those they lack; parts that no joint moves get a
/// skin; parts that hang rigidly on a joint, and what is excluded, stay as they are. The output is `NAME_bound.glb`
/// unless named. The report counts vertices per method and reason, joints without vertices, doubtful vertices,
/// fallbacks. \throws Error if the file has no skeleton or no mesh, a joint, node, material, shell or method is
/// unknown, or the output cannot hold weights; then nothing is written.
Report bind(const JobRequest& request, const BindJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
