// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/info.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/jobs/info_report.h"

namespace sinew::jobs {

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

Report info(const JobRequest& request, const InfoOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("info looks at one file. Name it: sinew info FILE.");
  Report report;
  report.command = "info";
  io::Asset asset;
  {
    const StageTimer timer(report, "read_s");
    asset = io::load(request.inputs.front(), options.placement, progress);
  }
  const Rig& rig = asset.character.rig;
  InfoFacts facts;
  {
    const StageTimer timer(report, "mesh_s");
    progress.step("welding");
    geometry::Welding fine = geometry::weld(rig.mesh);
    const Index fine_count = fine.count();
    const geometry::Welding welding = geometry::weld_positions(rig.mesh, std::move(fine));
    facts.morph_splits = fine_count - welding.count();
    facts.mesh = mesh_health(rig.mesh, welding, options.deep, progress);
    progress.step("skeleton", 0.8);
    const StageTimer rig_timer(report, "rig_s");
    facts.skeleton = skeleton_health(rig, welding, facts.mesh.topology, facts.mesh.bounds.diagonal());
    facts.weights = weight_health(rig, welding, facts.skeleton);
  }
  for (const Clip& clip : asset.character.clips) facts.clips.push_back(clip_facts(clip));

  report.inputs = asset.files;
  report.warn(asset.warnings);
  report.warn(info_warnings(asset, facts));
  report.metrics = info_json(asset, facts);
  report.text = info_text(asset, facts, options.full);
  report.next = fmt::format("sinew render {} -o {}", shell_word(request.inputs.front()),
                            shell_word(request.inputs.front().stem().string() + ".png"));
  return report;
}

}  // namespace sinew::jobs
