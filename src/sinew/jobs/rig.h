// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/rig_options.h"

namespace sinew::jobs {

struct RigJobOptions {
  std::string template_name = "auto";
  std::string preset;  ///< Empty: plain, or vrm for a .vrm file.
  pipeline::RigOptions rig;
  std::string joint_positions;  ///< A JSON file; empty for none.
  std::vector<std::string> also_posed;
  std::string stand = "auto";
  std::string session;  ///< A recipe of the studio; empty for none.
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("template", "Body plan: " + template_names() + ", or a JSON file.").as("NAME|FILE"), self.template_name);
    v(Field("preset", "Joint names, axes and rest pose for a target program: " + preset_names() +
                          ", or a JSON file. The default is plain, or vrm for a .vrm file.")
          .as("NAME|FILE"),
      self.preset);
    pipeline::RigOptions::visit(self.rig, v);
    v(Field("joint_positions", "JSON file with the exact positions of joints: {\"NAME\": [x, y, z], …}.").as("FILE"),
      self.joint_positions);
    v(Field(
          "also_posed",
          "Files with other poses of the same mesh, with the same vertices. Joints are placed where limbs bend in any "
          "of them.")
          .as("FILE,…"),
      self.also_posed);
    v(Field("stand",
            "Whether a body that lies or faces another way is turned to stand along +y and face +z: auto turns it if "
            "its orientation is sure.")
          .one_of({"auto", "on", "off"}),
      self.stand);
    v(Field("session",
            "Repeat the steps of a recipe that the studio saved for this file. The steps decide; other options of this "
            "command are not used.")
          .as("FILE"),
      self.session);
    io::PlacementOptions::visit(self.placement, v);
  }

  static std::string template_names();
  static std::string preset_names();
};

/// Rigs a character. Several files are one character. The mesh keeps its vertices, UVs, materials and morphs. A file
/// that has a skeleton needs `replace`: then joints, skins and weights are removed, clips are carried over to the new
/// joints, and whatever has no partner is removed and listed. The output is `NAME_rigged.glb` unless it is named. If no
/// template fits, the file has a generic skeleton. Below the requested confidence the status of the report is
/// incomplete. \throws Error if a file has no mesh, or a skeleton that is not to be replaced; if a template, preset,
/// joint, clip or method is unknown; if the output cannot hold a skeleton. Then nothing is written.
Report rig(const JobRequest& request, const RigJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
