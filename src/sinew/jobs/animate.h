// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"
#include "sinew/pipeline/animate.h"

namespace sinew::jobs {

struct AnimateJobOptions {
  pipeline::AnimateOptions animate;  ///< All but `map`, which comes from a file.
  std::string map;                   ///< A JSON file of joint names; empty for none.
  bool loop_names = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field(
          "map",
          "Which joints correspond, in a JSON file: {\"joint of the source\": \"joint of the character\", …}; null for "
          "a joint without a partner. Other pairs are found by role, name and position.")
          .as("FILE"),
      self.map);
    pipeline::AnimateOptions::visit(self.animate, v);
    v(Field("loop_names",
            "Append -loop to the names of new clips that repeat: those made with the option 'loop', and built-in clips "
            "such as walk. Godot repeats clips with such names."),
      self.loop_names);
  }
};

/// Adds clips to a character, the first input. The others are files with clips, as FILE for all of its clips or
/// FILE#CLIP for one, or built-in clips such as builtin:walk. The output is `NAME_animated.glb` unless it is named.
/// \throws Error if the character has no skeleton, a file has no such clip, no joints correspond or the output cannot
/// hold clips; then nothing is written.
Report animate(const JobRequest& request, const AnimateJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
