// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_body.h"

#include <fmt/format.h>

#include <optional>

#include "sinew/pipeline/bind_parts.h"

namespace sinew::pipeline {
namespace {

constexpr double kSure = 0.5;

/// The skinned parts as a mesh of their own; nothing if there are no others, or they are the smaller share of the
/// vertices.
std::optional<Mesh> skinned_parts(const Mesh& mesh, std::size_t& props) {
  std::vector<PartPlan> plan(mesh.parts.size());
  std::size_t skinned = 0;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (mesh.parts[p].skin != kNone) {
      skinned += mesh.parts[p].vertex_count;
      continue;
    }
    plan[p] = {PartTreatment::kKeep, "hangs on a joint"};
    ++props;
  }
  if (props == 0 || 2 * skinned < mesh.vertex_count()) return {};
  return chosen_parts(mesh, plan).mesh;
}

}  // namespace

rigging::Rigged plan_character(const Rig& rig, const rigging::RiggerRequest& request,
                               const rigging::RiggerOptions& options, const Progress& progress) {
  rigging::Rigged whole = rigging::plan_skeleton(rig.mesh, request, options, progress);
  if (whole.fits && whole.confidence >= kSure) return whole;
  std::size_t props = 0;
  const std::optional<Mesh> body = skinned_parts(rig.mesh, props);
  if (!body) return whole;
  rigging::Rigged alone = rigging::plan_skeleton(*body, request, options, progress);
  if (!alone.fits || alone.confidence <= whole.confidence) return whole;
  alone.warnings.push_back(
      {"rig.props", "",
       fmt::format("{} had no skin of {} own and no part in finding joints.",
                   props == 1 ? "One part that hung on a joint" : fmt::format("{} parts that hung on joints", props),
                   props == 1 ? "its" : "their")});
  return alone;
}

}  // namespace sinew::pipeline
