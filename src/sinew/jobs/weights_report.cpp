// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/weights_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {
namespace {

constexpr std::size_t kMostListedRows = 40;

Json fill_json(const pipeline::FillCounts& filled) {
  const auto count = [&](binding::FilledBy how) { return filled.vertices[static_cast<std::size_t>(how)]; };
  return {{"surface", count(binding::FilledBy::kSurface)},
          {"bones", count(binding::FilledBy::kBones)},
          {"nearest_skin", count(binding::FilledBy::kSkin)},
          {"nearest_joint", count(binding::FilledBy::kJoint)},
          {"left_empty", filled.left}};
}

EditLine line_of(const pipeline::RepairEdit& edit, const Skeleton& skeleton) {
  Json found = Json::object();
  std::vector<std::string> words;
  for (std::size_t f = 1; f < binding::kFaultCount; ++f) {
    const std::string name(binding::fault_name(static_cast<binding::Fault>(f)));
    found[name] = edit.faults[f];
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '_', ' ');
    if (edit.faults[f] > 0) words.push_back(fmt::format("{} {}", edit.faults[f], plain));
  }
  const Index all = edit.all();
  return {"repair",
          all == 0 ? "nothing found"
                   : fmt::format("{} vertices: {}; {} rescaled, {} freed from wrong joints, {} computed again{}", all,
                                 fmt::join(words, ", "), edit.scaled, edit.pruned, all - edit.scaled - edit.pruned,
                                 edit.kept == 0 ? ""
                                                : fmt::format("; {} of these left as they were, because the skin would "
                                                              "stretch more",
                                                              edit.kept)),
          {{"vertices", all},
           {"found", found},
           {"scaled", edit.scaled},
           {"wrong_joints_dropped", edit.pruned},
           {"left_because_worse", edit.kept},
           {"solved", fill_json(edit.filled)},
           {"joints_not_judged", names_of(edit.joints_not_judged, skeleton)}}};
}

EditLine line_of(const pipeline::FillEdit& edit, const Skeleton&) {
  const Index all = edit.filled.all();
  return {"fill",
          all == 0 ? "no row is missing" : fmt::format("{} rows computed", all),
          {{"vertices", all}, {"solved", fill_json(edit.filled)}}};
}

EditLine line_of(const pipeline::MirrorEdit& edit, const Skeleton& skeleton) {
  const Vec3& normal = edit.plane.normal;
  return {edit.both ? "symmetrize" : "mirror",
          fmt::format("{} vertices, {} without a counterpart; the mesh is symmetric within {:.2g} % of its size",
                      edit.changed, edit.alone, 100 * edit.plane.error_rel),
          {{"vertices", edit.changed},
           {"alone", edit.alone},
           {"plane_normal", {normal.x(), normal.y(), normal.z()}},
           {"plane_offset_m", edit.plane.offset},
           {"plane_error_rel", edit.plane.error_rel},
           {"partners_by_name", edit.partners_by_name},
           {"partners_by_place", edit.partners_by_position},
           {"joints_without_partner", names_of(edit.joints_without_partner, skeleton)}}};
}

EditLine line_of(const pipeline::SmoothEdit& edit, const Skeleton&) {
  return {"smooth",
          count_of(static_cast<std::uint64_t>(edit.rounds), "round") + " along the surface",
          {{"rounds", edit.rounds}}};
}

EditLine line_of(const pipeline::PruneEdit& edit, const Skeleton&) {
  return {"prune",
          fmt::format("{} weights below {:g} dropped", edit.removed, edit.threshold),
          {{"threshold", edit.threshold}, {"dropped", edit.removed}}};
}

EditLine line_of(const pipeline::CapEdit& edit, const Skeleton&) {
  EditLine line{"cap",
                fmt::format("{} influences: {} rows cut, {:.2g} % of a row at most, {:.2g} % on average",
                            edit.influences, edit.rows, 100 * edit.largest_share, 100 * edit.mean_share),
                {{"influences", edit.influences},
                 {"rows", edit.rows},
                 {"largest_share_dropped", edit.largest_share},
                 {"mean_share_dropped", edit.mean_share}}};
  if (edit.posed) {
    line.figures["largest_displacement_m"] = edit.posed->max;
    line.figures["rms_displacement_m"] = edit.posed->rms;
    line.text += fmt::format("; a vertex moves by {:.2g} m at most when any joint rotates by 45°", edit.posed->max);
  }
  return line;
}

}  // namespace

EditLine edit_line(const pipeline::WeightEdit& edit, const Skeleton& skeleton) {
  return std::visit([&](const auto& of_kind) { return line_of(of_kind, skeleton); }, edit);
}

Json changes_json(const pipeline::WeightChanges& changes, const Skeleton& skeleton) {
  Json joints = Json::array();
  for (const pipeline::JointChange& change : changes.joints)
    joints.push_back({{"joint", skeleton.joints[change.joint].name},
                      {"vertices", change.vertices},
                      {"weight_before", change.before},
                      {"weight_after", change.after},
                      {"largest_change", change.largest}});
  return {{"vertices", changes.vertices}, {"rows_added", changes.added}, {"joints", std::move(joints)}};
}

ResultTable changes_table(const pipeline::WeightChanges& changes, const Skeleton& skeleton) {
  ResultTable table;
  table.id = "changes";
  table.title = fmt::format("changes    {} vertices, {} joints", changes.vertices, changes.joints.size());
  table.header = {"joint", "vertices", "weight before", "after", "largest change"};
  for (std::size_t i = 0; i < std::min(kMostListedRows, changes.joints.size()); ++i) {
    const pipeline::JointChange& c = changes.joints[i];
    table.rows.push_back({skeleton.joints[c.joint].name, fmt::format("{}", c.vertices), fmt::format("{:.1f}", c.before),
                          fmt::format("{:.1f}", c.after), fmt::format("{:.3f}", c.largest)});
  }
  if (changes.joints.size() > kMostListedRows)
    table.note = fmt::format("{} more; --json lists them all", changes.joints.size() - kMostListedRows);
  return table;
}

Json comparison_json(const pipeline::WeightComparison& comparison) {
  Json joints = Json::array();
  for (const auto& joint : comparison.joints)
    joints.push_back({{"joint", joint.name},
                      {"half_l1", joint.half_l1},
                      {"dominates", joint.dominates},
                      {"same_dominant", joint.same}});
  return {{"mean_half_l1", comparison.all.mean_half_l1},   {"worst_half_l1", comparison.all.worst_half_l1},
          {"same_dominant", comparison.all.same_dominant}, {"empty_rows", comparison.all.empty_rows},
          {"unmatched_joints", comparison.unmatched},      {"joints", std::move(joints)}};
}

ResultTable comparison_table(const pipeline::WeightComparison& comparison) {
  ResultTable table;
  table.id = "compare";
  table.title = fmt::format(
      "agreement  half L1 {:.4f} on average, {:.3f} at worst; same dominant joint on {:.1f} % of the vertices",
      comparison.all.mean_half_l1, comparison.all.worst_half_l1, 100 * comparison.all.same_dominant);
  table.header = {"joint", "half L1, sum", "dominates", "in both"};
  for (std::size_t i = 0; i < std::min(kMostListedRows, comparison.joints.size()); ++i) {
    const auto& joint = comparison.joints[i];
    table.rows.push_back({joint.name, fmt::format("{:.2f}", joint.half_l1), fmt::format("{}", joint.dominates),
                          fmt::format("{}", joint.same)});
  }
  if (comparison.joints.size() > kMostListedRows)
    table.note = fmt::format("{} more; --json lists them all", comparison.joints.size() - kMostListedRows);
  return table;
}

}  // namespace sinew::jobs
