// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "sinew/core/finding_level.h"

namespace sinew::pipeline {
namespace {

constexpr double kSure = 0.8;  // Joints from this confidence on are not listed.
constexpr double kLeastHarm = 0.2;

/// Per joint the share of the skin that moves with it and with what hangs on it.
std::vector<double> moved_shares(const Rig& rig) {
  std::vector<double> share(rig.skeleton.size(), 0);
  const SkinWeights weights = rig.weights.normalized();
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) share[influence.joint] += influence.weight;
  for (Index j = rig.skeleton.size(); j-- > 0;)
    if (const Index parent = rig.skeleton.joints[j].parent; parent != kNone) share[parent] += share[j];
  const double all = std::max<double>(1, weights.row_count());
  for (double& value : share) value = std::min(1.0, value / all);
  return share;
}

double harm_of(double share) { return std::max(kLeastHarm, std::sqrt(share)); }

AttentionTool tool_of(const std::string& id) {
  const auto begins = [&](const char* text) { return id.rfind(text, 0) == 0; };
  if (id == "rig.size" || id == "rig.orientation" || id == "rig.turned" || id == "mesh.size" || id == "mesh.up")
    return AttentionTool::kPlacement;
  if (id.find(".missing_") != std::string::npos) return AttentionTool::kFiles;
  if (id == "weights.pieces") return AttentionTool::kPieces;
  if (begins("weights.") || begins("bind.")) return AttentionTool::kWeights;
  if (begins("skeleton.") || begins("rig.")) return AttentionTool::kJoints;
  if (begins("range.")) return AttentionTool::kDeformer;
  return AttentionTool::kNone;
}

/// Where a fault is: the middle and the reach of its vertices, or its joint.
void locate(const Rig& rig, const CheckRow& row, AttentionItem& item) {
  if (row.vertices.empty() && row.joint == kNone) return;
  const PosedFault posed = posed_fault(rig, row);
  Vec3 middle = Vec3::Zero();
  for (const Index v : row.vertices) middle += posed.positions[v] / static_cast<double>(row.vertices.size());
  if (row.vertices.empty()) middle = posed.joints[row.joint].topRightCorner<3, 1>();
  double radius = 0.04 * rig.mesh.size();
  for (const Index v : row.vertices) radius = std::max(radius, (posed.positions[v] - middle).norm());
  if (radius > 0.4 * rig.mesh.size()) return;  // Everywhere.
  item.place = middle;
  item.radius = radius;
}

double beyond(const CheckRow& row) {
  if (row.verdict == CheckVerdict::kFail) {
    const double limit = row.limit.fail.value_or(0);
    return std::clamp(limit > 0 ? 0.5 + 0.5 * (row.value - limit) / limit : 1.0, 0.5, 1.0);
  }
  return 0.35;
}

}  // namespace

std::string tool_name(AttentionTool tool) {
  constexpr std::array names = {"none", "files", "placement", "joints", "pieces", "weights", "deformer"};
  return names[static_cast<std::size_t>(tool)];
}

std::vector<AttentionItem> attention(const Character& character, const std::vector<JointDoubt>& joints,
                                     const Findings& findings, const CheckResult* checks) {
  const Rig& rig = character.rig;
  const std::vector<double> share = moved_shares(rig);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  std::vector<AttentionItem> items;
  for (const JointDoubt& doubt : joints) {
    if (doubt.joint >= rig.skeleton.size() || doubt.confidence >= kSure) continue;
    AttentionItem item;
    item.id = "joint";
    item.score = 100 * (1 - doubt.confidence) * harm_of(share[doubt.joint]);
    item.title = rig.skeleton.joints[doubt.joint].name;
    item.text = fmt::format("Its position is unsure ({}, confidence {:.0f} %).", doubt.origin, 100 * doubt.confidence);
    item.tool = AttentionTool::kJoints;
    item.joint = doubt.joint;
    item.place = rest[doubt.joint].topRightCorner<3, 1>();
    item.radius = 0.06 * rig.mesh.size();
    items.push_back(std::move(item));
  }
  std::map<std::string, std::pair<std::size_t, std::size_t>> first;  // Per code: its item, and how many more there are.
  for (const Finding& finding : findings) {
    const FindingLevel level = finding_level(finding.code);
    if (level == FindingLevel::kNote) continue;
    const Index joint = rig.skeleton.find(finding.where);
    // Ten missing textures are one thing to look at. Joints are looked at one by one.
    if (const auto known = first.find(finding.code); known != first.end() && joint == kNone) {
      ++known->second.second;
      continue;
    }
    AttentionItem item;
    item.id = finding.code;
    item.score = level == FindingLevel::kDoubt ? 100 : 30;
    item.title = finding.where.empty() ? finding.code : finding.where;
    item.text = finding.text;
    item.tool = tool_of(finding.code);
    item.joint = joint;
    if (joint == kNone) first.emplace(finding.code, std::pair(items.size(), std::size_t{0}));
    items.push_back(std::move(item));
  }
  for (const auto& [code, place] : first)
    if (place.second > 0) items[place.first].text += fmt::format(" And {} more of this kind.", place.second);
  if (checks != nullptr)
    for (const CheckRow& row : checks->rows) {
      if (row.verdict == CheckVerdict::kPass) continue;
      AttentionItem item;
      item.id = row.kind->id;
      const double part = row.vertices.empty()
                              ? (row.joint < share.size() ? share[row.joint] : 0.0)
                              : static_cast<double>(row.vertices.size()) / std::max<double>(1, rig.mesh.vertex_count());
      item.score = 100 * beyond(row) * harm_of(part);
      item.title = row.where.empty() ? row.kind->title : row.where;
      item.text = row.text.empty() ? row.kind->title : row.text;
      item.tool = tool_of(item.id);
      item.joint = row.joint;
      item.pose = row.pose;
      // Where a joint is in a clip, the page that plays it sees.
      if (row.time_s) item.clip = row.where, item.time_s = *row.time_s;
      else locate(rig, row, item);
      items.push_back(std::move(item));
    }
  std::stable_sort(items.begin(), items.end(),
                   [](const AttentionItem& a, const AttentionItem& b) { return a.score > b.score; });
  return items;
}

}  // namespace sinew::pipeline
