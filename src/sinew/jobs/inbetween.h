// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/inbetween.h"
#include "sinew/pipeline/key_shapes.h"

namespace sinew::jobs {

struct InbetweenJobOptions {
  std::vector<std::string> times, morph_poses, at;
  std::string clip;
  double fps = 30;
  pipeline::InbetweenOptions inbetween;
  pipeline::KeyShapeOptions key_shapes;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("times", "When each pose is reached, in seconds; the default is one second apart.").as("S,…"), self.times);
    v(Field("morph_poses", "Morph targets of one file that are the poses; the first can be rest. The default is all.")
          .as("NAME,…"),
      self.morph_poses);
    v(Field("clip", "A clip of one file whose frames are the poses, by name or number.").as("CLIP"), self.clip);
    v(Field("at", "Times of that clip that are poses, in seconds.").as("S,…"), self.at);
    v(Field("fps", "Frames per second of the result.").range(0.001, 1000), self.fps);
    pipeline::InbetweenOptions::visit(self.inbetween, v);
    pipeline::KeyShapeOptions::visit(self.key_shapes, v);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Writes the motion through example poses of one mesh: several files, or morph targets or frames of one. The ending
/// of the output decides how: `.glb` and `.gltf` have joints and key shapes, `.pc2` is a vertex cache, `.obj` with
/// `%04d` in its name is one file per frame. \throws Error if poses differ in their vertices or faces, if times do not
/// rise, or if the output cannot be written; then nothing is written.
Report inbetween(const JobRequest& request, const InbetweenJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
