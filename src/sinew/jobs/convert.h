// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct ConvertOptions {
  io::PlacementOptions placement;
  std::string rig;  ///< A NAME.rig.json whose joints and weights replace those of the input; empty for none.
  std::optional<int> max_influences;  ///< Empty or 0: no limit.
  std::string weight_type;            ///< How glTF holds weights; empty keeps them as they are.
  std::string clip;                   ///< The clip that a BVH file gets; empty for the only one.
  std::optional<double> fps;          ///< Of that clip; empty for the rate of its keys.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    io::PlacementOptions::visit(self.placement, v);
    v(Field("rig", "Read joints and weights from this .rig.json file.").as("FILE"), self.rig);
    v(Field("max_influences",
            "Maximum number of joints that move one vertex; 0 means no limit. By default all influences are kept.")
          .range(0, 64),
      self.max_influences);
    v(Field("weight_type", "Rewrite the weights of a glTF file as floats or as normalized 16-bit or 8-bit integers.")
          .one_of({"", "float", "u16", "u8"}),
      self.weight_type);
    v(Field("clip",
            "The clip to write to a .bvh file: a clip of the file by name or number, a clip of another file as FILE or "
            "FILE#CLIP, or a built-in clip such as walk.")
          .as("CLIP"),
      self.clip);
    v(Field("fps", "Frames per second of the clip in a .bvh file. By default the rate of its keys, or 30.")
          .range(0.001, 1000),
      self.fps);
  }
};

/// Reads a character and writes it in the format of the output's ending. What Sinew does not change comes out as it
/// came in, as far as the other format can hold it; the report says what it cannot. \throws Error if the input cannot
/// be read, or the output cannot be written.
Report convert(const JobRequest& request, const ConvertOptions& options, const Progress& progress);

}  // namespace sinew::jobs
