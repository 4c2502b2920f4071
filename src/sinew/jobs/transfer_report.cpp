// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sinew/core/text.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

using pipeline::TransferReference;
using pipeline::TransferResult;

namespace {

/// Below this confidence a vertex is worth a look.
constexpr float kWorthALook = 0.5F;
/// Names in one line.
constexpr std::size_t kListed = 6;

struct LevelLook {
  const char* text;
  const char* id;
  const char* color;
  float red, green, blue;  // Linear.
};

// From good to bad: green, blue, yellow, orange, red; lightness differs as well.
constexpr std::array<LevelLook, transfer::kLevels> kLooks = {{
    {"matched as intended", "matched", "green", 0.05F, 0.45F, 0.12F},
    {"found by a wider cone", "widened", "blue", 0.05F, 0.2F, 0.8F},
    {"found from inside the reference, because the bone is outside its skin", "inside", "yellow", 0.9F, 0.8F, 0.05F},
    {"spread along the surface from the vertices around them", "inpainted", "orange", 0.9F, 0.35F, 0.0F},
    {"copied from the nearest vertex of another shell", "copied", "red", 0.7F, 0.03F, 0.03F},
}};

std::string vertices_text(std::uint64_t count) { return count_of(count, "vertex", "vertices"); }

std::string map_table(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target) {
  std::size_t first = 9, second = 6;
  for (const transfer::MappedJoint& joint : map.joints) {
    first = std::max(first, reference.joints[joint.reference].name.size());
    second = std::max(second, target.joints[joint.target].name.size());
  }
  first = std::min<std::size_t>(first, 40), second = std::min<std::size_t>(second, 40);
  std::string text;
  for (const transfer::MappedJoint& joint : map.joints)
    text += fmt::format("           {:<{}} → {:<{}}  {}\n", reference.joints[joint.reference].name, first,
                        target.joints[joint.target].name, second, joint.by);
  return text;
}

Json map_json(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target) {
  Json table = Json::array();
  for (const transfer::MappedJoint& joint : map.joints)
    table.push_back({{"reference", reference.joints[joint.reference].name},
                     {"target", target.joints[joint.target].name},
                     {"by", joint.by}});
  return table;
}

std::string match_text(const TransferResult& result, const Skeleton& reference, std::string& previous_table) {
  const Skeleton& target = result.character.rig.skeleton;
  std::string table = map_table(result.joints, reference, target);
  std::string text = fmt::format("map        {} of the reference's joints have a partner{}\n",
                                 result.joints.joints.size(), table == previous_table ? ", as before" : "");
  if (table != previous_table) text += table;
  previous_table = std::move(table);
  const auto line = [&](const char* label, std::size_t count, const char* what, const std::vector<std::string>& names) {
    if (count > 0)
      text += fmt::format("{:<10} {} {}: {}\n", label, count_of(count, "joint"), what, join_some(names, kListed));
  };
  line("added", result.added_joints.size(), "of the reference", result.added_joints);
  std::vector<std::string> unmatched;
  for (const pipeline::UnmatchedJoint& joint : result.unmatched)
    unmatched.push_back(
        fmt::format("{} (to {})", reference.joints[joint.reference].name, target.joints[joint.weight_to].name));
  line("unmatched", unmatched.size(), "of the reference without a partner; another joint gets the weight", unmatched);
  line("idle", result.joints.target_alone.size(), "of the target without a partner",
       names_of(result.joints.target_alone, target));
  return text;
}

std::string fit_text(const transfer::FitSummary& fit) {
  std::map<std::string, int> origins;
  for (const std::string& origin : fit.origin) ++origins[origin];
  std::vector<std::string> words;
  for (const auto& [origin, count] : origins) words.push_back(fmt::format("{} {}", count, origin));
  const std::string how =
      fit.method == transfer::FitMethod::kCopied ? std::string("copied without change, because the surface is the same")
      : fit.method == transfer::FitMethod::kShared
          ? std::string("copied without change, because the target lies on the reference's body")
      : fit.method == transfer::FitMethod::kTemplate ? fmt::format("fitted by the template {}", fit.template_name)
      : fit.method == transfer::FitMethod::kBox      ? std::string("scaled with the bounding boxes")
                                                     : std::string("fitted with the reference as the template");
  return fmt::format("skeleton   the reference's {}, {}; confidence {:.2f}: {}\n", count_of(fit.origin.size(), "joint"),
                     how, fit.confidence, join_some(words, kListed));
}

Json fit_json(const transfer::FitSummary& fit, const Skeleton& skeleton) {
  Json joints = Json::array();
  for (Index j = 0; j < skeleton.size(); ++j)
    joints.push_back(
        {{"name", skeleton.joints[j].name}, {"origin", fit.origin[j]}, {"confidence", fit.joint_confidence[j]}});
  return {{"how", transfer::fit_name(fit.method)},
          {"template", fit.template_name},
          {"confidence", fit.confidence},
          {"joints", std::move(joints)}};
}

struct ConfidenceFigures {
  double mean = 0;
  std::size_t doubtful = 0;
};

ConfidenceFigures confidence_figures(const std::vector<float>& confidence) {
  ConfidenceFigures figures;
  for (const float c : confidence) figures.mean += static_cast<double>(c), figures.doubtful += c < kWorthALook ? 1 : 0;
  figures.mean = confidence.empty() ? 0 : figures.mean / static_cast<double>(confidence.size());
  return figures;
}

std::string regions_text(const std::vector<transfer::UnmatchedRegion>& regions, const Skeleton& reference) {
  std::vector<std::string> words;
  for (const transfer::UnmatchedRegion& region : regions)
    words.push_back(fmt::format("{} at {}", vertices_text(region.vertices),
                                region.joint == kNone ? "no joint" : reference.joints[region.joint].name));
  return words.empty()
             ? ""
             : fmt::format("unmatched  {}: {}\n", count_of(regions.size(), "region"), join_some(words, kListed));
}

std::string weights_text(const transfer::WeightTransfer& made, bool colors) {
  std::string text;
  if (!made.choice.empty()) text += fmt::format("method     {}\n", made.choice);
  for (std::size_t l = 0; l < transfer::kLevels; ++l) {
    if (made.levels[l] == 0) continue;
    text += fmt::format("{} {} {}{}\n", l == 0 ? "weights   " : "          ", vertices_text(made.levels[l]),
                        kLooks[l].text, colors ? fmt::format(" ({})", kLooks[l].color) : "");
  }
  const ConfidenceFigures figures = confidence_figures(made.confidence);
  text += fmt::format("confidence {:.2f} on average{}\n", figures.mean,
                      figures.doubtful > 0 ? fmt::format("; {} worth a look", vertices_text(figures.doubtful)) : "");
  if (made.rays > 0) text += fmt::format("rays       {}\n", made.rays);
  return text;
}

Json weights_json(const transfer::WeightTransfer& made) {
  const ConfidenceFigures confidence = confidence_figures(made.confidence);
  Json levels = Json::object();
  for (std::size_t l = 0; l < transfer::kLevels; ++l) levels[kLooks[l].id] = made.levels[l];
  Json figures = {
      {"vertices", made.level.size()},         {"levels", std::move(levels)}, {"mean_confidence", confidence.mean},
      {"low_confidence", confidence.doubtful}, {"rays", made.rays},           {"vertex_bones", made.vertex_bones}};
  for (const auto& item : made.metrics.items()) figures[item.key()] = item.value();
  return figures;
}

struct ReferenceCounts {
  std::size_t weighted = 0, helpers = 0;
};

ReferenceCounts reference_counts(const TransferReference& reference) {
  ReferenceCounts counts;
  for (Index j = 0; j < reference.skeleton().size(); ++j) {
    if (reference.joints().moves_skin[j] == 0) continue;
    ++counts.weighted;
    counts.helpers += reference.joints().helper[j] != 0 ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::string transfer_text(const TransferResult& result, const TransferReference& reference, bool colors,
                          std::string& previous_table) {
  std::string text = result.fit ? fit_text(*result.fit) : match_text(result, reference.skeleton(), previous_table);
  for (const Finding& note : result.notes) text += fmt::format("note       {}\n", note.text);
  text += weights_text(result.weights, colors);
  text += regions_text(result.weights.regions, reference.skeleton());
  const std::size_t rows = result.vertices.size();
  if (result.changed_vertices)
    text += fmt::format("only       {} of {} changed\n", *result.changed_vertices, vertices_text(rows));
  if (result.kept_vertices)
    text += fmt::format("kept       {} that had weights; {} got new ones\n", vertices_text(*result.kept_vertices),
                        vertices_text(rows - *result.kept_vertices));
  return text;
}

void add_transfer_figures(const TransferResult& result, const TransferReference& reference, Json& figures) {
  const Skeleton& target = result.character.rig.skeleton;
  if (result.fit) {
    figures["skeleton"] = fit_json(*result.fit, target);
  } else {
    figures["map"] = map_json(result.joints, reference.skeleton(), target);
    figures["added_joints"] = result.added_joints;
    Json unmatched = Json::array();
    for (const pipeline::UnmatchedJoint& joint : result.unmatched)
      unmatched.push_back({{"joint", reference.skeleton().joints[joint.reference].name},
                           {"weight_to", target.joints[joint.weight_to].name}});
    figures["unmatched"] = std::move(unmatched);
    figures["target_unmatched"] = names_of(result.joints.target_alone, target);
  }
  if (!result.notes.empty()) {
    figures["notes"] = Json::array();
    for (const Finding& note : result.notes)
      figures["notes"].push_back({{"code", note.code}, {"where", note.where}, {"text", note.text}});
  }
  figures["weights"] = weights_json(result.weights);
  if (!result.weights.choice.empty()) figures["choice"] = result.weights.choice;
  if (!result.weights.regions.empty()) {
    Json regions = Json::array();
    for (const transfer::UnmatchedRegion& region : result.weights.regions)
      regions.push_back({{"vertices", region.vertices},
                         {"center", {region.center.x(), region.center.y(), region.center.z()}},
                         {"joint", region.joint == kNone ? "" : reference.skeleton().joints[region.joint].name}});
    figures["unmatched_regions"] = std::move(regions);
  }
  if (result.changed_vertices) figures["changed_vertices"] = *result.changed_vertices;
  if (result.kept_vertices) figures["kept_vertices"] = *result.kept_vertices;
}

std::string reference_text(const TransferReference& reference, const std::string& file) {
  const ReferenceCounts counts = reference_counts(reference);
  return fmt::format("reference  {}: {} vertices, {} joints with weights{}\n", file,
                     reference.body().mesh.vertex_count(), counts.weighted,
                     counts.helpers > 0 ? fmt::format(", {} of them helpers", counts.helpers) : "");
}

Json reference_figures(const TransferReference& reference) {
  const ReferenceCounts counts = reference_counts(reference);
  return {{"vertices", reference.body().mesh.vertex_count()},
          {"joints", reference.skeleton().size()},
          {"weighted_joints", counts.weighted},
          {"helpers", counts.helpers},
          {"clips", reference.character().clips.size()}};
}

std::vector<Vec4f> level_colors(const TransferResult& result) {
  std::vector<Vec4f> colors(result.character.rig.mesh.positions.size(), Vec4f(0.3F, 0.3F, 0.3F, 1.0F));
  for (std::size_t i = 0; i < result.vertices.size(); ++i) {
    const LevelLook& look = kLooks[static_cast<std::size_t>(result.weights.level[i])];
    const float light = 0.15F + 0.85F * std::clamp(result.weights.confidence[i], 0.0F, 1.0F);
    colors[result.vertices[i]] = Vec4f(light * look.red, light * look.green, light * look.blue, 1.0F);
  }
  return colors;
}

}  // namespace sinew::jobs
