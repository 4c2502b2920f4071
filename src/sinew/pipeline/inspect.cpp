// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/core/workable.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/pipeline/inspect_parts.h"

namespace sinew::pipeline {
namespace {

void find_harm_of_skeleton(const Rig& rig, const SkeletonHealth& skeleton, Findings& found) {
  for (const Index j : skeleton.collapsed)
    found.push_back({"skeleton.zero_scale", rig.skeleton.joints[j].name,
                     "The joint's rest scale is zero along an axis, so the vertices that it moves are flattened."});
  if (skeleton.bind_singular > 0)
    found.push_back({"skeleton.bad_bind", "",
                     fmt::format("{} no inverse, so the vertices of {} cannot be posed correctly.",
                                 count_of(skeleton.bind_singular, "bind matrix has", "bind matrices have"),
                                 skeleton.bind_singular == 1 ? "that joint" : "those joints")});
}

void find_harm_of_weights(const WeightHealth& weights, Findings& found) {
  if (weights.empty_rows > 0)
    found.push_back(
        {"weights.empty_row", "",
         fmt::format("{} of a skinned part {} no joint and will not follow the skeleton.",
                     count_of(weights.empty_rows, "vertex", "vertices"), weights.empty_rows == 1 ? "has" : "have")});
  if (weights.bad_values > 0)
    found.push_back({"weights.bad_value", "",
                     fmt::format("{} weights that are negative or not finite.",
                                 count_of(weights.bad_values, "vertex has", "vertices have"))});
  if (weights.bad_sums > 0)
    found.push_back({"weights.bad_sum", "",
                     fmt::format("{} weights that do not sum to 1 (the worst sum is {:.3g}). Programs treat such "
                                 "weights differently.",
                                 count_of(weights.bad_sums, "vertex has", "vertices have"), weights.worst_sum)});
  if (weights.split_differs > 0)
    found.push_back(
        {"weights.split_differs", "",
         fmt::format("{} into copies with different weights: the skin opens there.",
                     count_of(weights.split_differs, "vertex is split at a seam", "vertices are split at a seam"))});
}

Findings find_harm(const Rig& rig, const CharacterFacts& facts) {
  Findings found;
  if (rig.mesh.face_count() == 0) found.push_back({"mesh.no_faces", "", "The file contains no surface."});
  for (const Index p : facts.mesh.inside_out)
    found.push_back({"mesh.inside_out", rig.mesh.parts.empty() ? "" : rig.mesh.parts[p].name,
                     "The surface is closed but its faces point inwards. Reverse the order of their vertices."});
  find_harm_of_skeleton(rig, facts.skeleton, found);
  find_harm_of_weights(facts.weights, found);
  return found;
}

}  // namespace

ClipFacts clip_facts(const Clip& clip) {
  ClipFacts facts;
  facts.name = clip.name;
  facts.duration_s = clip.duration_s();
  std::vector<Index> rotated, translated, scaled, parts, joints;
  for (const Track& track : clip.tracks) {
    facts.keys += track.times_s.size();
    if (track.path == Track::Path::kRotation) rotated.push_back(track.target);
    if (track.path == Track::Path::kTranslation) translated.push_back(track.target);
    if (track.path == Track::Path::kScale) scaled.push_back(track.target);
    (track.path == Track::Path::kMorphWeights ? parts : joints).push_back(track.target);
  }
  const auto distinct = [](std::vector<Index>& list) {
    std::sort(list.begin(), list.end());
    return static_cast<std::uint64_t>(std::unique(list.begin(), list.end()) - list.begin());
  };
  facts.rotated = distinct(rotated);
  facts.translated = distinct(translated);
  facts.scaled = distinct(scaled);
  facts.morphed_parts = distinct(parts);
  facts.joints = distinct(joints);
  return facts;
}

CharacterFacts inspect(const Character& character, const InspectOptions& options, const Progress& progress) {
  const Rig& rig = character.rig;
  CharacterFacts facts;
  progress.step("welding");
  geometry::Welding fine = geometry::weld(rig.mesh);
  const Index fine_count = fine.count();
  const geometry::Welding welding = geometry::weld_positions(rig.mesh, std::move(fine));
  facts.morph_splits = fine_count - welding.count();
  const std::optional<Finding> problem = unworkable(rig);
  facts.mesh = mesh_health(rig.mesh, welding, options.deep && !problem, progress);
  progress.step("skeleton", 0.8);
  facts.skeleton = skeleton_health(rig, welding, facts.mesh.topology, facts.mesh.bounds.diagonal());
  facts.weights = weight_health(rig, welding, facts.skeleton);
  for (const Clip& clip : character.clips) facts.clips.push_back(clip_facts(clip));
  facts.findings = find_harm(rig, facts);
  if (problem) facts.findings.push_back(*problem);
  return facts;
}

}  // namespace sinew::pipeline
