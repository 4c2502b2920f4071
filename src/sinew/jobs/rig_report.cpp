// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sinew/core/finding_level.h"
#include "sinew/core/text.h"

namespace sinew::jobs {
namespace {

using pipeline::RigResult;

void report_plan(const RigResult& result, Report& report) {
  report.metrics["template"] = result.plan.template_name;
  report.metrics["fits"] = result.fits;
  report.metrics["confidence"] = result.confidence;
  report.metrics["symmetric"] = result.plan.symmetric;
  report.metrics["embedding"] = result.metrics;
  report.text += fmt::format("template   {}, confidence {:.2f}{}\n", result.plan.template_name, result.confidence,
                             result.plan.symmetric ? ", symmetric" : "");
  if (const Json moved = result.metrics.value("place", Json::object()).value("moved", Json::array()); !moved.empty())
    report.text += fmt::format("placed     {} by curves around the limbs\n", count_of(moved.size(), "joint"));
  if (result.fits) return;
  report.text +=
      "no fit     No template fits this body, so it gets a generic skeleton along its centre. Choose a template with "
      "--template, or specify positions of joints with --hint.\n";
}

void report_weights(const RigResult& result, Report& report) {
  Json origins = Json::array();
  for (const pipeline::WeightOrigin& origin : result.origins) {
    if (origin.vertices == 0) continue;
    origins.push_back({{"method", origin.method}, {"reason", origin.reason}, {"vertices", origin.vertices}});
    report.text += fmt::format("bound      {} by {}: {}\n", count_of(origin.vertices, "vertex", "vertices"),
                               origin.method, origin.reason);
  }
  report.metrics["weights"] = {{"method", result.binder}, {"origins", std::move(origins)}};
  report.metrics["max_influences"] = result.character.rig.weights.max_influences();
  if (!result.mirrored_vertices) return;
  report.metrics["mirrored_vertices"] = *result.mirrored_vertices;
  report.text += fmt::format("mirrored   {} of {} vertices have the same weights on both sides\n",
                             *result.mirrored_vertices, result.character.rig.mesh.vertex_count());
}

void report_clips(const RigResult& result, bool carries_clips, Report& report) {
  if (carries_clips) {
    Json lost = Json::array();
    for (const auto& dropped : result.dropped_tracks)
      lost.push_back({{"clip", dropped.clip}, {"joints", dropped.joints}});
    report.metrics["carried_clips"] = result.carried_clips;
    report.metrics["dropped_tracks"] = std::move(lost);
  }
  if (!result.carried_clips.empty())
    report.text += fmt::format("carried    {} over to the new joints\n", count_of(result.carried_clips.size(), "clip"));
  report.metrics["demo_clips"] = result.demo_clips;
  if (!result.demo_clips.empty())
    report.text += fmt::format("clips      {} added\n", fmt::join(result.demo_clips, ", "));
}

// Where each joint comes from, by the names in the file.
void report_joints(const RigResult& result, Report& report) {
  const Skeleton& skeleton = result.character.rig.skeleton;
  Json list = Json::array();
  std::map<std::string, int> origins;
  std::vector<std::string> cells;
  std::size_t width = 0;
  for (std::size_t k = 0; k < result.plan.joints.size(); ++k) {
    const rigging::PlannedJoint& joint = result.plan.joints[k];
    const std::string& name = skeleton.joints[result.joints[k]].name;
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

}  // namespace

void report_input(const std::vector<std::filesystem::path>& inputs, const io::Asset& asset, Report& report) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (const std::filesystem::path& input : inputs) report.text += fmt::format("read       {}\n", input.string());
  const double height = mesh.bounds().extent().maxCoeff();
  report.text +=
      fmt::format("mesh       {}, {}, {:.3g} m at its longest\n", count_of(mesh.vertex_count(), "vertex", "vertices"),
                  count_of(mesh.parts.size(), "part"), height);
  report.metrics["vertices"] = mesh.vertex_count();
  report.metrics["parts"] = mesh.parts.size();
}

void report_result(const RigResult& result, bool carries_clips, Report& report) {
  report.warn(result.findings);
  if (has_level(result.findings, FindingLevel::kDoubt)) report.status = Report::Status::kIncomplete;
  report.fallbacks.insert(report.fallbacks.end(), result.fallbacks.begin(), result.fallbacks.end());
  report_plan(result, report);
  report_weights(result, report);
  report.metrics["rest"] = option_words(result.rest)[static_cast<std::size_t>(result.rest)];
  if (result.rest != rigging::RestPose::kKeep)
    report.text +=
        fmt::format("rest       changed to {} pose\n", result.rest == rigging::RestPose::kT ? "a T" : "an A");
  report_clips(result, carries_clips, report);
  report_joints(result, report);
}

std::string times_text(const Report& report) {
  std::vector<std::string> parts;
  for (const auto& stage : report.timing.items())
    if (stage.value().is_number()) parts.push_back(fmt::format("{} {:.2f}", stage.key(), stage.value().get<double>()));
  return fmt::format("seconds    {}\n", fmt::join(parts, ", "));
}

}  // namespace sinew::jobs
