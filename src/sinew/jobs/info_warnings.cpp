// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include "sinew/jobs/info_report.h"

namespace sinew::jobs {
namespace {

std::string plural(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

Findings info_warnings(const io::Asset& asset, const InfoFacts& facts) {
  Findings found;
  const Rig& rig = asset.character.rig;
  if (rig.mesh.face_count() == 0) found.push_back({"mesh.no_faces", "", "The file holds no surface."});
  for (const Index p : facts.mesh.inside_out)
    found.push_back({"mesh.inside_out", rig.mesh.parts.empty() ? "" : rig.mesh.parts[p].name,
                     "The surface is closed but faces inwards. Turn its faces round."});
  for (const Index j : facts.skeleton.collapsed)
    found.push_back({"skeleton.zero_scale", rig.skeleton.joints[j].name,
                     "The joint's rest scale is zero along an axis: what it moves is squashed flat."});
  if (facts.skeleton.bind_singular > 0)
    found.push_back({"skeleton.bad_bind", "",
                     fmt::format("{} cannot be undone, so those joints move nothing sensibly.",
                                 plural(facts.skeleton.bind_singular, "bind matrix", "bind matrices"))});
  const WeightHealth& weights = facts.weights;
  if (weights.empty_rows > 0)
    found.push_back(
        {"weights.empty_row", "",
         fmt::format("{} of a skinned part {} moved by no joint and will stay behind.",
                     plural(weights.empty_rows, "vertex", "vertices"), weights.empty_rows == 1 ? "is" : "are")});
  if (weights.bad_values > 0)
    found.push_back({"weights.bad_value", "",
                     fmt::format("{} negative weights or weights that are not numbers.",
                                 plural(weights.bad_values, "vertex has", "vertices have"))});
  if (weights.bad_sums > 0)
    found.push_back({"weights.bad_sum", "",
                     fmt::format("{} weights that do not sum to 1 (the worst to {:.3g}); programs "
                                 "disagree on what that means.",
                                 plural(weights.bad_sums, "vertex has", "vertices have"), weights.worst_sum)});
  if (weights.split_differs > 0)
    found.push_back(
        {"weights.split_differs", "",
         fmt::format("{} with copies whose weights differ: the skin tears open there.",
                     plural(weights.split_differs, "vertex is split at a seam", "vertices are split at a seam"))});
  return found;
}

}  // namespace sinew::jobs
