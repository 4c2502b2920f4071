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
#include "sinew/pipeline/transfer.h"

namespace sinew::jobs {

/// What is written for a target.
enum class TransferOutput {
  kGarment,  ///< The target alone, with its skeleton.
  kMerged,   ///< The reference with the target's meshes added to it, on the same skin.
};
constexpr auto option_words(TransferOutput) { return std::array{"garment", "merged"}; }

struct TransferJobOptions {
  pipeline::TransferOptions transfer;  ///< All but `map` and `landmarks`, which come from files.
  std::string map;                     ///< A JSON file of joint names; empty for none.
  std::string landmarks;               ///< A JSON file of landmarks; empty for none.
  TransferOutput out = TransferOutput::kGarment;
  bool debug_colors = false;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    pipeline::TransferOptions::visit(self.transfer, [&](Field field, auto& member) {
      if (field.name != "map") v(std::move(field), member);
      else
        v(Field("map",
                "Which joints correspond, in a JSON file: {\"reference joint\": \"target joint\", …}; null for a joint "
                "without a partner. Other pairs are found by name, role and position.")
              .as("FILE"),
          self.map);
    });
    v(Field("landmarks",
            "Positions that correspond, for the method biharmonic, in a JSON file: [{\"reference\": P, \"target\": P}, "
            "…], "
            "each P a vertex number or [x, y, z]; at least four. Without it they are found from the skeletons.")
          .as("FILE"),
      self.landmarks);
    v(Field("out",
            "What is written: the garment or other target alone, with its skeleton; or merged, the reference with the "
            "target's meshes on the same skin."),
      self.out);
    v(Field("debug_colors",
            "Write vertex colours that show how each vertex was matched: one colour per level, darker where the result "
            "is doubtful."),
      self.debug_colors);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Gives targets the weights, helper joints and drivers of a reference, the first input; see `pipeline::transfer`. The
/// output is `NAME_transferred.glb` beside each target, or in the folder that is named, or the file that is named if
/// there is one target. The placement options are for the targets. If some of several targets cannot be treated, the
/// report names them and its status is incomplete; the others are written. \throws Error if the reference has no skin,
/// no target can be treated, the map, a joint or a method is unknown, or an output cannot be written; then nothing is
/// written.
Report transfer(const JobRequest& request, const TransferJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
