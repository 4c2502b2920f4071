// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/core/workable.h"
#include "sinew/pipeline/bind_pinned.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/pipeline/bind_springs.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {
namespace {

/// A joint without a vertex of at least this weight moves nothing that can be seen.
constexpr float kNoticeable = 0.01F;
/// Below this confidence a vertex is worth a look.
constexpr float kDoubtful = 0.5F;

void require_something_to_bind(const std::vector<PartPlan>& parts) {
  const auto kept = [](const PartPlan& part) { return part.treatment == PartTreatment::kKeep; };
  if (!std::all_of(parts.begin(), parts.end(), kept)) return;
  const bool excluded =
      std::any_of(parts.begin(), parts.end(), [](const PartPlan& part) { return part.reason == kExcludedPart; });
  throw Error(fmt::format("Every part of the mesh is attached rigidly to a joint{}, so there is nothing to bind.",
                          excluded ? " or is excluded" : ""));
}

// Rows for the vertices that are attached to one joint, behind those the method made.
void add_rigid_rows(const VertexSelection& selection, binding::BindResult& rows, std::vector<Index>& vertices) {
  if (selection.rigid_count() == 0) return;
  const auto origin = static_cast<std::uint8_t>(rows.origins.size());
  rows.origins.push_back({"rigid", "on one joint, as named"});
  for (Index v = 0; v < selection.rigid.size(); ++v) {
    if (selection.rigid[v] == kNone) continue;
    rows.weights.add_row({Influence{selection.rigid[v], 1.0F}});
    rows.origin.push_back(origin);
    rows.confidence.push_back(1.0F);
    vertices.push_back(v);
  }
}

std::vector<Index> idle_joints(const SkinWeights& weights, const std::vector<char>& bound) {
  std::vector<char> moves(bound.size(), 0);
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v))
      if (influence.weight >= kNoticeable) moves[influence.joint] = 1;
  std::vector<Index> idle;
  for (Index j = 0; j < bound.size(); ++j)
    if (bound[j] != 0 && moves[j] == 0) idle.push_back(j);
  return idle;
}

// Given rows by the numbers of vertices that are bound.
std::vector<binding::PinnedRow> chosen_pins(const std::vector<binding::PinnedRow>& pins, Index vertex_count,
                                            const std::vector<Index>& vertices, const std::vector<char>& bound) {
  std::vector<Index> number(vertex_count, kNone);
  for (Index i = 0; i < vertices.size(); ++i) number[vertices[i]] = i;
  std::vector<binding::PinnedRow> result;
  for (const binding::PinnedRow& pin : pins) {
    if (pin.vertex >= vertex_count || number[pin.vertex] == kNone || pin.row.empty()) continue;
    const bool known = std::all_of(pin.row.begin(), pin.row.end(), [&](const Influence& influence) {
      return influence.joint < bound.size() && bound[influence.joint] != 0;
    });
    if (known) result.push_back({number[pin.vertex], pin.row});
  }
  return result;
}

// Without `pins` as the method does it by itself.
BindingResult bind_all(const Character& character, const BindRequest& request,
                       const std::vector<binding::PinnedRow>* pins, const Progress& progress);

}  // namespace

Index BindingResult::bound_joint_count() const {
  return static_cast<Index>(std::count(bound.begin(), bound.end(), char{1}));
}

BindingResult bind(const Character& character, const BindRequest& request, const Progress& progress) {
  return bind_all(character, request, nullptr, progress);
}

BindingResult bind(const Character& character, const BindRequest& request, const std::vector<binding::PinnedRow>& pins,
                   const Progress& progress) {
  return bind_all(character, request, &pins, progress);
}

namespace {

BindingResult bind_all(const Character& character, const BindRequest& request,
                       const std::vector<binding::PinnedRow>* pins, const Progress& progress) {
  require_workable(character.rig);
  const Rig& rig = character.rig;
  if (rig.mesh.positions.empty()) throw Error("The character has no mesh to bind.");
  if (rig.skeleton.empty()) throw Error("The character has no skeleton to bind to.");
  BindingResult result;
  binding::Subject whole = bind_subject(rig, request.joints, result.findings);
  result.bound = whole.bound;
  result.parts = plan_parts(rig, result.bound);
  VertexSelection selection = select_vertices(character, request.rigid, request.exclude);
  if (request.keep_springs) result.spring_vertices = keep_spring_skin(rig, selection);
  const std::vector<char> left_out = apply_selection(rig, selection, result.parts);
  result.excluded_vertices = selection.excluded_count();
  require_something_to_bind(result.parts);

  ChosenParts chosen = chosen_parts(rig.mesh, result.parts, left_out);
  if (chosen.vertices.empty() && selection.rigid_count() == 0) throw Error("The character has no vertices to bind.");
  const Skeleton skeleton = with_leaf_ends(rig, whole.joints, whole.bound);
  const binding::Subject subject{chosen.mesh, skeleton, whole.joints, whole.bound};
  if (!chosen.vertices.empty())
    result.rows = pins == nullptr
                      ? binding::bind(request.method, subject, request.common, progress)
                      : binding::bind(request.method, subject,
                                      chosen_pins(*pins, rig.mesh.vertex_count(), chosen.vertices, whole.bound),
                                      request.common, progress);
  result.vertices = std::move(chosen.vertices);
  add_rigid_rows(selection, result.rows, result.vertices);

  result.character = character;
  result.skin_changes =
      put_weights(result.character.rig, result.parts, result.vertices, result.rows.weights, whole.joints, whole.bound);
  result.lost_skin = joints_that_lost_skin(rig.weights, result.character.rig.weights, rig.skeleton.size());
  result.idle_joints = idle_joints(result.rows.weights, result.bound);
  result.doubtful_vertices = static_cast<Index>(std::count_if(
      result.rows.confidence.begin(), result.rows.confidence.end(), [](float c) { return c < kDoubtful; }));
  result.findings.insert(result.findings.end(), result.rows.findings.begin(), result.rows.findings.end());
  result.fallbacks = result.rows.fallbacks;
  return result;
}

}  // namespace

}  // namespace sinew::pipeline
