// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/info.h"

#include <fmt/format.h>

#include "sinew/core/error.h"
#include "sinew/jobs/info_report.h"

namespace sinew::jobs {

Report info(const JobRequest& request, const InfoOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("The command info reads one file: sinew info FILE.");
  Report report;
  report.command = "info";
  io::Asset asset;
  {
    const StageTimer timer(report, "read_s");
    asset = io::load(request.inputs.front(), options.placement, progress);
  }
  pipeline::CharacterFacts facts;
  std::optional<pipeline::HeatLikeness> heat;
  {
    const StageTimer timer(report, "inspect_s");
    facts = pipeline::inspect(asset.character, options.inspect, progress);
    heat = pipeline::heat_likeness(asset.character.rig, progress);
  }
  report.inputs = asset.files;
  report.warn(asset.warnings);
  report.warn(facts.findings);
  report.metrics = info_json(asset, facts);
  report.metrics["weights"]["heat"] = heat ? heat->json() : Json();
  report.text = info_text(asset, facts, options.full, heat);
  report.next = fmt::format("sinew render {} -o {}", shell_word(request.inputs.front()),
                            shell_word(request.inputs.front().stem().string() + ".png"));
  return report;
}

}  // namespace sinew::jobs
