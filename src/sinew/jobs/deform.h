// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/jobs/part_files.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/key_shapes.h"

namespace sinew::jobs {

/// How vertex caches are divided into files.
enum class Caches { kParts, kWhole };
constexpr auto option_words(Caches) { return std::array{"parts", "whole"}; }

struct DeformJobOptions {
  pipeline::DeformerOptions deformer;
  PartFiles part_files;
  std::string clip;
  std::string pose;
  std::string frames;  ///< Empty: all.
  double fps = 30;
  pipeline::KeyShapeOptions key_shapes;
  Caches caches = Caches::kParts;
  std::string prepared_output;  ///< Empty: none.
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::DeformerOptions::visit(self.deformer, v);
    PartFiles::visit(self.part_files, v);
    v(Field("clip",
            "The clip to play: a clip of the file by name or number, a clip of another file as FILE or FILE#CLIP, or a "
            "built-in clip such as exercise.")
          .as("CLIP"),
      self.clip);
    v(Field("pose", "A pose file (JSON) to use instead of a clip.").as("FILE"), self.pose);
    v(Field("frames", "Play only these frames, counted from 0: one frame, or a range such as 10:50.").as("A:B"),
      self.frames);
    v(Field("fps", "Frames per second at which the clip is played.").range(0.001, 1000), self.fps);
    v(Field("shapes",
            "Key shapes that correct the skin, which stays with all clips; or key shapes of whole parts, which lose "
            "their skin."),
      self.key_shapes.kind);
    pipeline::KeyShapeOptions::visit(self.key_shapes, v);
    v(Field("caches", "Vertex caches: one file for each part of a mesh, or one for the whole character."), self.caches);
    v(Field("prepared_output",
            "Also write the character, not deformed, with the data that the method prepared. Commands that read this "
            "file need not prepare it again.")
          .as("FILE.glb"),
      self.prepared_output);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Plays a clip, or takes a pose, through a deformer and writes what comes out. The output's ending decides how:
/// `.glb` and `.gltf` play in any viewer (skinned if that is all the method does, else key shapes), `.pc2` and `.mdd`
/// are vertex caches, `.obj` is one pose. docs/commands/deform.md describes each. \throws Error if the input has no
/// skeleton, the clip, pose or frames are not there, more key shapes than allowed would be needed, or the output cannot
/// be written; then nothing is written.
Report deform(const JobRequest& request, const DeformJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
