// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/rig_asset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/io/gltf/humanoid_bones.h"
#include "sinew/io/gltf/strip_rig.h"
#include "sinew/pipeline/characters.h"
#include "sinew/studio/rig_stand.h"

namespace sinew::studio {
namespace {

/// What was removed from an asset, and which nodes of its document are kept for joints to come.
struct AssetRemoval {
  pipeline::RigRemoval rig;
  std::vector<Index> node_of_joint;  // Per joint of the replaced skeleton.
};

// A glTF document is edited, so that what Sinew does not know of it stays.
AssetRemoval remove_rig(io::Asset& asset, const pipeline::RigPlan& plan, Report& report) {
  AssetRemoval removal;
  if (!plan.replaces() || asset.format != "gltf" || !asset.document) {
    removal.rig = pipeline::remove_replaced_rig(asset.character, plan);
    return removal;
  }
  std::vector<char> keep;
  for (const Index partner : plan.pairs.partner) keep.push_back(partner != kNone ? 1 : 0);
  io::StrippedRig stripped = io::strip_rig(asset, keep, report);
  asset = std::move(stripped.asset);
  pipeline::remove_rig(asset.character);
  for (Index p = 0; p < plan.old.rig.mesh.parts.size(); ++p) removal.rig.part_of.push_back(p);
  for (Index p = 0; p < stripped.parts.size(); ++p) removal.rig.part_of[stripped.parts[p]] = p;
  removal.rig.clips = std::move(stripped.lost_clips);
  removal.node_of_joint = std::move(stripped.node_of_joint);
  return removal;
}

void set_sources(Skeleton& skeleton, const motion::JointPairs& pairs, const std::vector<Index>& node_of_joint) {
  for (Joint& joint : skeleton.joints) joint.source = kNone;
  for (Index o = 0; o < node_of_joint.size(); ++o)
    if (pairs.partner[o] != kNone) skeleton.joints[pairs.partner[o]].source = node_of_joint[o];
}

}  // namespace

bool prepare_to_rig(io::Asset& asset, bool replace, Report& report) {
  if (asset.character.rig.mesh.face_count() == 0)
    throw Error(fmt::format("{} has no mesh to rig.", asset.path.string()));
  if (pipeline::has_rig(asset.character) && !replace)
    throw Error(
        fmt::format("{} has a skeleton or clips of its own. Replace them with the option 'replace', or compute new "
                    "weights for the existing skeleton with `sinew bind`.",
                    asset.path.string()));
  pipeline::GatherResult gathered = pipeline::gather_parts(std::move(asset.character));
  asset.character = std::move(gathered.character);
  report.warn(gathered.findings);
  return gathered.moved;
}

AssetRig rig_asset(io::Asset asset, bool moved, const pipeline::RigOptions& options, const std::string& stand,
                   const io::PlacementOptions& placement, Report& report, const Progress& progress,
                   const StageListener& on_stage) {
  AssetRig rigged;
  pipeline::RigPlan plan = pipeline::plan_rig(asset.character, options, progress, on_stage);
  if (turns_to_stand(plan.found, stand, placement, report)) rigged.turn = stand_up(asset, plan, report);
  check_size(plan.found.plan, asset.character.rig.mesh, report);
  const AssetRemoval removal = remove_rig(asset, plan, report);
  rigged.result = pipeline::apply_rig_plan(std::move(asset.character), plan, removal.rig, options, progress, on_stage);
  set_sources(rigged.result.character.rig.skeleton, plan.pairs, removal.node_of_joint);
  rigged.carries_clips = !removal.rig.clips.empty();
  rigged.preset = plan.preset.name;
  asset.character = std::move(rigged.result.character);
  rigged.save.changes.skeleton = rigged.save.changes.weights = true;
  rigged.save.changes.positions = rigged.save.changes.shape = moved || rigged.result.moved;
  rigged.save.new_clips = rigged.result.new_clips;
  rigged.asset = std::move(asset);
  return rigged;
}

std::optional<io::Humanoid> humanoid_table(const io::Asset& asset, const std::filesystem::path& output,
                                           Report& report) {
  const bool avatar = output.extension() == ".vrm", was_avatar = asset.contents.contains("vrm");
  if (!avatar && !was_avatar) return {};
  io::HumanoidBones bones = io::humanoid_bones(asset.character.rig.skeleton, asset.character.name);
  if (!bones.missing.empty()) {
    const std::string text =
        fmt::format("VRM requires bones that this skeleton does not have: {}", fmt::join(bones.missing, ", "));
    if (avatar && !was_avatar) throw Error(text + ". Write a .glb file.");
    report.warn("rig.vrm_bones", "", text + ". Programs may refuse the file as an avatar.");
  }
  bones.humanoid.create = avatar;
  return std::move(bones.humanoid);
}

}  // namespace sinew::studio
