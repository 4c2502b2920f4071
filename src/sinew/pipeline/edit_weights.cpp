// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/edit_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sinew/binding/edit/weight_edit.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/pipeline/bind_names.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/weights_partners.h"

namespace sinew::pipeline {
namespace {

/// A mesh whose mirror image is farther from it than this share of its size gets a finding.
constexpr double kSymmetric = 0.01;

bool is_requested(const EditWeightsOptions& options, std::string_view operation) {
  if (operation == "repair") return options.repair;
  if (operation == "fill") return options.fill;
  if (operation == "mirror") return options.mirror.has_value();
  if (operation == "symmetrize") return options.symmetrize;
  if (operation == "smooth") return options.smooth.value_or(0) > 0;
  return options.prune.has_value();
}

// The operations in the order in which they run.
std::vector<std::string> operations_in_order(const EditWeightsOptions& options) {
  std::vector<std::string> operations = options.order;
  for (const std::string& name : operations)
    if (!is_requested(options, name))
      throw Error(
          fmt::format("The option 'order' names '{0}', which is not requested. Set the option '{0}' as well, or "
                      "remove it from the order.",
                      name));
  for (const std::string& name : EditWeightsOptions::operations())
    if (is_requested(options, name) && std::find(operations.begin(), operations.end(), name) == operations.end())
      operations.push_back(name);
  return operations;
}

// All that an edit looks at and does not change.
struct EditInput {
  const Rig& rig;
  const binding::Subject& subject;
  const binding::EditScope& scope;
};

void require_good_row(const SkinWeights& weights, const binding::EditScope& scope, const std::string& operation) {
  for (Index v = 0; v < weights.row_count(); ++v)
    if (scope.editable[v] && !binding::is_missing_row(weights.row(v))) return;
  throw Error(fmt::format(
      "No row of weights is valid, so the operation '{}' has nothing to start from. Bind the character again.",
      operation));
}

FillCounts counts_of(const binding::Filled& filled) { return {filled.vertices, filled.left}; }

void add_fill_fallbacks(const FillCounts& counts, EditWeightsResult& result) {
  const auto add = [&](binding::FilledBy how, const char* method, const char* text) {
    if (const Index count = counts.vertices[static_cast<std::size_t>(how)]; count > 0)
      result.fallbacks.push_back({"weights.missing_row", method, count, fmt::format("{} {}", count, text)});
  };
  add(binding::FilledBy::kSurface, "surface", "rows were computed along the surface from valid rows around them.");
  add(binding::FilledBy::kBones, "bones", "rows were computed along the surface from the bones near them.");
  add(binding::FilledBy::kSkin, "nearest skin", "vertices of shells without valid rows move with the skin under them.");
  add(binding::FilledBy::kJoint, "nearest joint", "vertices of shells that touch nothing follow the nearest joint.");
  if (counts.left > 0)
    result.findings.push_back(
        {"weights.left_empty", "",
         fmt::format("{} vertices still have no weights: their skin has no joint that can be used.", counts.left)});
}

RepairEdit repair(const EditInput& input, SkinWeights& weights, const Progress& progress) {
  require_good_row(weights, input.scope, "repair");
  const binding::EditSurface surface = binding::edit_surface(input.rig.mesh, weights);
  binding::Repaired repaired = binding::repaired(weights, input.subject, surface, input.scope, {}, progress);
  weights = std::move(repaired.weights);
  return {repaired.faults.vertices,   repaired.scaled,          repaired.pruned,
          counts_of(repaired.filled), repaired.faults.unplaced, repaired.kept};
}

FillEdit fill(const EditInput& input, SkinWeights& weights, const Progress& progress) {
  require_good_row(weights, input.scope, "fill");
  const binding::EditSurface surface = binding::edit_surface(input.rig.mesh, weights);
  binding::Filled filled = binding::filled(weights, std::vector<char>(weights.row_count(), 0), input.subject, surface,
                                           input.scope, progress);
  weights = std::move(filled.weights);
  return {counts_of(filled)};
}

// Joints with weights that have no partner on the other side.
std::vector<Index> without_partner(const SkinWeights& weights, const std::vector<Index>& partner) {
  std::vector<char> used(partner.size(), 0);
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) used[influence.joint] = 1;
  std::vector<Index> lonely;
  for (Index j = 0; j < partner.size(); ++j)
    if (used[j] && partner[j] == kNone) lonely.push_back(j);
  return lonely;
}

MirrorEdit mirror(const EditInput& input, binding::MirrorMode mode, SkinWeights& weights) {
  const bool both = mode == binding::MirrorMode::kBoth;
  require_good_row(weights, input.scope, both ? "symmetrize" : "mirror");
  const binding::EditSurface surface = binding::edit_surface(input.rig.mesh, weights);
  const MirrorImage image = mirror_image(input.subject, surface);
  binding::Mirrored mirrored = binding::mirrored(weights, surface, image.plane, image.partner, mode, input.scope);
  MirrorEdit edit{both,
                  mirrored.changed,
                  mirrored.alone,
                  image.plane,
                  image.named,
                  image.placed,
                  without_partner(weights, image.partner)};
  weights = std::move(mirrored.weights);
  return edit;
}

void add_mirror_findings(const MirrorEdit& edit, const Skeleton& skeleton, Findings& findings) {
  if (edit.plane.error_rel > kSymmetric)
    findings.push_back(
        {"weights.asymmetric", "",
         fmt::format("The mesh is not quite symmetric: a tenth of it is farther than {:.1f} % of its size from its "
                     "mirror image.",
                     100 * edit.plane.error_rel)});
  if (edit.joints_without_partner.empty()) return;
  std::vector<std::string> names;
  for (const Index joint : edit.joints_without_partner) names.push_back(skeleton.joints[joint].name);
  findings.push_back({"weights.no_partner", "",
                      fmt::format("Joints without a partner on the other side were mirrored onto themselves: {}.",
                                  join_some(names, names.size()))});
}

SmoothEdit smooth(const EditInput& input, int rounds, SkinWeights& weights) {
  const binding::EditSurface surface = binding::edit_surface(input.rig.mesh, weights);
  weights = binding::smoothed_along(weights, surface, rounds, input.scope);
  return {rounds};
}

PruneEdit prune(const EditInput& input, double threshold, SkinWeights& weights) {
  const std::size_t before = weights.influence_count();
  weights = binding::pruned(weights, threshold, input.scope);
  return {threshold, before - weights.influence_count()};
}

WeightEdit run(const std::string& operation, const EditWeightsOptions& options, const EditInput& input,
               SkinWeights& weights, const Progress& progress) {
  using binding::MirrorMode;
  if (operation == "repair") return repair(input, weights, progress);
  if (operation == "fill") return fill(input, weights, progress);
  if (operation == "symmetrize") return mirror(input, MirrorMode::kBoth, weights);
  if (operation == "smooth") return smooth(input, *options.smooth, weights);
  if (operation == "prune") return prune(input, *options.prune, weights);
  return mirror(input,
                options.mirror == MirrorDirection::kLeftToRight ? MirrorMode::kLeftToRight : MirrorMode::kRightToLeft,
                weights);
}

// The limit of influences; empty if none was requested and no row grew longer than the longest of the file.
std::optional<CapEdit> cap(const EditInput& input, std::optional<int> requested, SkinWeights& weights,
                           const Progress& progress) {
  const auto longest = static_cast<int>(std::max<Index>(4, input.rig.weights.max_influences()));
  const int most = requested.value_or(longest);
  if (most == 0 || (!requested && weights.max_influences() <= static_cast<Index>(most))) return std::nullopt;
  const binding::UnlockedCap limited =
      binding::cap_unlocked(weights, most, input.scope, JointSteps(input.rig.skeleton));
  const CapResult& capped = limited.cap;
  CapEdit edit{most, capped.rows, capped.largest_share, capped.mean_share, limited.filled, {}};
  if (capped.rows > 0) {
    progress.step("measuring", 0.8);
    Rig before = input.rig;
    before.weights = weights;
    edit.posed = measure::posed_agreement(before, capped.weights, progress);
  }
  weights = binding::scaled_to_one(capped.weights, input.scope);
  return edit;
}

void add_cap_findings(const CapEdit& edit, Findings& findings) {
  if (edit.filled_by_locks == 0) return;
  findings.push_back({"weights.locks_fill_rows", "",
                      fmt::format("{} as many locked joints as the limit of {} allows, so all other joints lost their "
                                  "weights there. Lock fewer joints, or allow more influences.",
                                  count_of(edit.filled_by_locks, "vertex has", "vertices have"), edit.influences)});
}

std::vector<Index> locked_joints(const Skeleton& skeleton, const std::vector<std::string>& names) {
  std::vector<Index> locked;
  std::vector<std::string> known;
  for (const Joint& joint : skeleton.joints) known.push_back(joint.name);
  for (const std::string& name : names) {
    const std::size_t before = locked.size();
    for (Index j = 0; j < skeleton.size(); ++j)
      if (known[j] == name) locked.push_back(j);
    if (locked.size() == before)
      throw Error(fmt::format("The option 'lock' names the joint '{}', which the skeleton does not have.{}", name,
                              did_you_mean(name, known)));
  }
  return locked;
}

// Joints that have weights, and those of the skins that by their names are meant to.
binding::Subject subject_of(const Rig& rig, Findings& findings) {
  std::vector<char> candidates(rig.skeleton.size(), 0);
  for (Index j = 0; j < rig.skeleton.size(); ++j) candidates[j] = rig.skeleton.joints[j].deforming ? 1 : 0;
  std::vector<char> bound = joints_of_skin(rig.skeleton, candidates);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        for (const Influence& influence : rig.weights.row(v))
          if (influence.weight > 0) bound[influence.joint] = 1;
  return {rig.mesh, rig.skeleton, binding_matrices(rig, findings), std::move(bound)};
}

}  // namespace

bool EditWeightsOptions::any() const {
  const std::vector<std::string> all = operations();
  return max_influences.has_value() ||
         std::any_of(all.begin(), all.end(), [&](const std::string& name) { return is_requested(*this, name); });
}

Index FillCounts::all() const { return std::accumulate(vertices.begin() + 1, vertices.end(), Index{0}); }

Index RepairEdit::all() const { return std::accumulate(faults.begin() + 1, faults.end(), Index{0}); }

bool has_skin_weights(const Rig& rig) {
  return !rig.skeleton.empty() && !rig.weights.empty() &&
         std::any_of(rig.mesh.parts.begin(), rig.mesh.parts.end(),
                     [](const MeshPart& part) { return part.skin != kNone && part.vertex_count > 0; });
}

EditWeightsResult edit_weights(const Character& character, const EditWeightsOptions& options,
                               const Progress& progress) {
  EditWeightsOptions checked = options;
  OptionList(checked).validate();
  const Rig& rig = character.rig;
  if (!has_skin_weights(rig)) throw Error("The character has no skin, so there are no weights to edit.");
  const std::vector<std::string> operations = operations_in_order(options);
  const binding::EditScope scope = binding::edit_scope(rig, locked_joints(rig.skeleton, options.lock));
  EditWeightsResult result;
  const binding::Subject subject = subject_of(rig, result.findings);
  const EditInput input{rig, subject, scope};
  SkinWeights weights = rig.weights;
  for (const std::string& operation : operations) {
    progress.step(operation, 0.1);
    result.edits.push_back(run(operation, options, input, weights, progress));
    if (const auto* repaired = std::get_if<RepairEdit>(&result.edits.back()))
      add_fill_fallbacks(repaired->filled, result);
    if (const auto* filled = std::get_if<FillEdit>(&result.edits.back())) add_fill_fallbacks(filled->filled, result);
    if (const auto* mirrored = std::get_if<MirrorEdit>(&result.edits.back()))
      add_mirror_findings(*mirrored, rig.skeleton, result.findings);
  }
  weights = binding::scaled_to_one(weights, scope);
  if (auto capped = cap(input, options.max_influences, weights, progress)) {
    add_cap_findings(*capped, result.findings);
    result.edits.emplace_back(std::move(*capped));
  }
  result.changes = weight_changes(rig.weights, weights, rig.skeleton.size());
  result.character = character;
  result.character.rig.weights = std::move(weights);
  return result;
}

}  // namespace sinew::pipeline
