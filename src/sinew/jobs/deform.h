// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct DeformJobOptions {
  std::string method = "lbs";
  std::string clip;
  std::string pose;
  std::string frames;  ///< Empty: all.
  double fps = 30;
  deform::DeformOptions deform;
  double tolerance = 1e-3;
  int max_targets = 128;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How the skin follows the joints: " + method_names() + ".").as("METHOD"), self.method);
    v(Field("clip",
            "What is played: a clip of the file by name or number, one of another file as FILE or FILE#CLIP, or a "
            "built-in one such as exercise.")
          .as("CLIP"),
      self.clip);
    v(Field("pose", "A pose in place of a clip, from a JSON file.").as("FILE"), self.pose);
    v(Field("frames", "Only these frames of the clip, counted from 0: one, or first and last as 10:50.").as("A:B"),
      self.frames);
    v(Field("fps", "Frames a second at which the clip is played.").range(0.001, 1000), self.fps);
    deform::DeformOptions::visit(self.deform, v);
    v(Field("tolerance", "How far key shapes may be from the true motion, as a share of the character's size.")
          .range(1e-7, 1),
      self.tolerance);
    v(Field("max_targets", "Most key shapes a part may get.").range(1, 4096), self.max_targets);
    io::PlacementOptions::visit(self.placement, v);
  }

  static std::string method_names();
};

/// Plays a clip, or takes a pose, through a deformer and writes what comes out. The output's ending decides how:
/// `.glb` and `.gltf` play in any viewer (skinned if that is all the method does, else key shapes), `.pc2` and `.mdd`
/// are vertex caches, `.obj` is one pose. docs/commands/deform.md describes each. \throws Error if the input has no
/// skeleton, the clip, pose or frames are not there, more key shapes than allowed would be needed, or the output cannot
/// be written; then nothing is written.
Report deform(const JobRequest& request, const DeformJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
