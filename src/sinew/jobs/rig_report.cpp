// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

namespace sinew::jobs {

void tell_rigged(const rigging::Rigged& rigged, Report& report) {
  report.metrics["template"] = rigged.plan.template_name;
  report.metrics["fits"] = rigged.fits;
  report.metrics["confidence"] = rigged.confidence;
  report.metrics["symmetric"] = rigged.plan.symmetric;
  report.metrics["embedding"] = rigged.metrics;
  report.warn(rigged.warnings);
  report.text += fmt::format("template   {}, confidence {:.2f}{}\n", rigged.plan.template_name, rigged.confidence,
                             rigged.plan.symmetric ? ", the same on both sides" : "");
  if (rigged.fits) return;
  report.status = Report::Status::kIncomplete;
  const char* sentence =
      "No template fits this body, so it got a generic skeleton along its middle. Name a template with --template, or "
      "say "
      "where joints lie with --hint.";
  const auto said = [](const Finding& finding) { return finding.code == "rig.generic"; };
  if (std::none_of(rigged.warnings.begin(), rigged.warnings.end(), said)) report.warn("rig.generic", "", sentence);
  report.text += fmt::format("no fit     {}\n", sentence);
}

void tell_joints(const rigging::SkeletonPlan& plan, const Skeleton& skeleton, const std::vector<Index>& joints,
                 Report& report) {
  Json list = Json::array();
  std::map<std::string, int> origins;
  std::vector<std::string> cells;
  std::size_t width = 0;
  for (std::size_t k = 0; k < plan.joints.size(); ++k) {
    const rigging::PlannedJoint& joint = plan.joints[k];
    const std::string& name = skeleton.joints[joints[k]].name;
    list.push_back({{"name", name},
                    {"role", joint.role},
                    {"position", {joint.position.x(), joint.position.y(), joint.position.z()}},
                    {"origin", joint.origin},
                    {"confidence", joint.confidence}});
    ++origins[joint.origin];
    cells.push_back(fmt::format("{:<22} {:<9} {:.2f}", name, joint.origin, joint.confidence));
    width = std::max(width, cells.back().size());
  }
  std::vector<std::string> counts;
  for (const auto& [origin, count] : origins) counts.push_back(fmt::format("{} {}", count, origin));
  report.metrics["joints"] = std::move(list);
  report.metrics["skeleton_joints"] = skeleton.size();
  report.text += fmt::format("joints     {}: {}\n", skeleton.size(), fmt::join(counts, ", "));
  // Two columns, read downwards.
  const std::size_t rows = (cells.size() + 1) / 2;
  for (std::size_t r = 0; r < rows; ++r)
    report.text += r + rows < cells.size() ? fmt::format("           {:<{}}   {}\n", cells[r], width, cells[r + rows])
                                           : fmt::format("           {}\n", cells[r]);
}

std::string times_text(const Report& report) {
  std::vector<std::string> parts;
  for (const auto& stage : report.timing.items())
    if (stage.value().is_number()) parts.push_back(fmt::format("{} {:.2f}", stage.key(), stage.value().get<double>()));
  return fmt::format("seconds    {}\n", fmt::join(parts, ", "));
}

}  // namespace sinew::jobs
