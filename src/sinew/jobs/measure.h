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
#include "sinew/measure/meter.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/range_of_motion.h"

namespace sinew::jobs {

struct MeasureOptions {
  std::string against;  ///< A file to compare with; empty for none.
  std::string clip;     ///< Empty: the rest pose and the bind pose.
  std::string pose;     ///< A pose file; empty for none.
  std::string frames;   ///< Empty: all of the clip.
  double fps = 30;
  std::string csv;
  bool rom = false;
  std::vector<std::string> rom_methods;
  pipeline::RangeAngles rom_angles = pipeline::RangeAngles::kWhole;
  measure::MeterOptions meter;
  pipeline::DeformerOptions deformer;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("against", "Compare positions and weights with those of this file, another copy of the same mesh.")
          .as("FILE"),
      self.against);
    v(Field("clip",
            "The clip whose frames are measured: a clip of the file by name or number, a clip of another file as FILE "
            "or FILE#CLIP, or a built-in clip such as exercise. Default: the rest pose and the bind pose.")
          .as("CLIP"),
      self.clip);
    v(Field("pose", "A pose file (JSON) to use instead of a clip.").as("FILE"), self.pose);
    v(Field("frames", "Measure only these frames of the clip, counted from 0: one frame, or a range such as 10:50.")
          .as("A:B"),
      self.frames);
    v(Field("fps", "Frames per second at which the clip is measured.").range(0.001, 1000), self.fps);
    v(Field("csv", "Write the figures of every frame to this CSV file.").as("FILE.csv"), self.csv);
    v(Field(
          "rom",
          "Measure the range of motion instead: bends and twists of the main joints by several methods, each compared "
          "with the method that it corrects, or with linear blending."),
      self.rom);
    v(Field("rom_methods",
            "Methods to compare by the option 'rom'; 'delta_mush' is delta mush over linear blending. Default: all.")
          .as("METHOD,…"),
      self.rom_methods);
    v(Field("rom_angles",
            "Angles of the range of motion: whole, shorter (0.87 of them) or random (one half to all of them). Methods "
            "are compared with their base in the first ones already when they are prepared."),
      self.rom_angles);
    measure::MeterOptions::visit(self.meter, v);
    pipeline::DeformerOptions::visit(self.deformer, v);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Measures the character of a file (`pipeline::measure`) and reports the figures as text, JSON and, on request, a
/// table. \throws Error if a file cannot be read, a clip, pose, method or frame does not exist, or the vertices of the
/// file to compare with do not fit.
Report measure(const JobRequest& request, const MeasureOptions& options, const Progress& progress);

}  // namespace sinew::jobs
