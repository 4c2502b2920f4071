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
#include "sinew/transfer/method.h"

namespace sinew::jobs {

struct TransferJobOptions {
  std::string method = "skeleton";
  std::string map;  ///< A JSON file of joint names; empty for none.
  std::string helpers = "scaled";
  std::string joints_from = "target";
  std::vector<std::string> only;  ///< Joints of the reference; empty for all.
  bool keep_existing = false;
  bool clips = false;
  bool debug_colors = false;
  transfer::TransferOptions transfer;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How weights are transferred: " + method_names() + ".").as("METHOD"), self.method);
    v(Field("map",
            "Which joints correspond, in a JSON file: {\"reference joint\": \"target joint\", …}; null for a joint "
            "without a partner. Others are found by name, role and place.")
          .as("FILE"),
      self.map);
    v(Field("helpers",
            "Helper joints of the reference, with what drives them: added with their places scaled to the target, "
            "added as they are relative to their parents, or none.")
          .one_of({"scaled", "copy", "none"}),
      self.helpers);
    v(Field("joints_from",
            "Whose joints move the target: its own, or also those of the reference that it has not. A target without a "
            "skeleton gets the reference's.")
          .one_of({"target", "reference"}),
      self.joints_from);
    v(Field("only", "Transfer the weights of these joints of the reference alone, with their helpers; others stay.")
          .as("JOINT,…"),
      self.only);
    v(Field("keep_existing", "Vertices that have weights keep them."), self.keep_existing);
    v(Field("clips", "Also carry the reference's clips over."), self.clips);
    v(Field("debug_colors",
            "Write how each vertex was matched as vertex colours: a colour per level, darker where doubtful."),
      self.debug_colors);
    transfer::TransferOptions::visit(self.transfer, v);
    io::PlacementOptions::visit(self.placement, v);
  }

  static std::string method_names();
};

/// Gives targets the weights, helper joints and drivers of a reference, the first input. A target's own skeleton is
/// matched with the reference's; a target without one gets the reference's, fitted into it, all nodes in the same
/// order. The output is `NAME_transferred.glb` beside each target, or in the folder that is named, or the file that is
/// named if there is one target. The placement options are for the targets. Of several targets those that cannot be
/// treated are told of in the report, whose status is then incomplete; the others are written. \throws Error if the
/// reference has no skin, no target can be treated, the map, a joint or a method is unknown, or an output cannot be
/// written; then nothing is written.
Report transfer(const JobRequest& request, const TransferJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
