// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/pipeline/rest.h"

namespace sinew::jobs {
namespace {

bool is_pose_file(const std::string& word) {
  const std::string name = lower_case(word);
  return name.ends_with(".json") && !name.ends_with(".rig.json");
}

// The names of each joint and of all above it: names alone are not unique where meshes and joints share them.
std::vector<std::string> joint_paths(const Skeleton& skeleton) {
  std::vector<std::string> paths(skeleton.size());
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    paths[j] = (joint.parent == kNone ? std::string() : paths[joint.parent]) + '\n' + joint.name;
  }
  return paths;
}

// The rest pose of another character, by the names of joints. Joints that it lacks stay as they rest.
std::vector<Transform> pose_of_other(const io::Asset& asset, const std::string& path, Report& report,
                                     const Progress& progress) {
  const io::Asset other = io::load(path, {}, progress);
  report.inputs.insert(report.inputs.end(), other.files.begin(), other.files.end());
  const Skeleton &here = asset.character.rig.skeleton, &there = other.character.rig.skeleton;
  std::vector<Transform> local = rest_pose(asset.character.rig).local;
  const std::vector<std::string> paths_here = joint_paths(here), paths_there = joint_paths(there);
  std::size_t found = 0;
  for (Index j = 0; j < here.size(); ++j) {
    const auto same = std::ranges::find(paths_there, paths_here[j]);
    const Index k =
        same == paths_there.end() ? there.find(here.joints[j].name) : static_cast<Index>(same - paths_there.begin());
    if (k != kNone) local[j] = there.joints[k].rest, ++found;
  }
  if (found == 0) throw Error(fmt::format("{} has no joint of this character, so it has no pose for it.", path));
  if (found < here.size())
    report.warn(
        "rest.missing_joints", path,
        fmt::format("It lacks {} of this character, which stay as they rest.", count_of(here.size() - found, "joint")));
  return local;
}

std::vector<Transform> wanted_pose(const io::Asset& asset, const std::string& to, Report& report,
                                   const Progress& progress) {
  const Rig& rig = asset.character.rig;
  if (to == "t") return pipeline::standard_pose(rig, rigging::RestPose::kT);
  if (to == "a") return pipeline::standard_pose(rig, rigging::RestPose::kA);
  if (to == "rest") return rest_pose(rig).local;
  if (to == "bind") return pipeline::bound_pose(rig);
  return is_pose_file(to) ? read_pose(asset, to, report.inputs).pose.local : pose_of_other(asset, to, report, progress);
}

}  // namespace

Report rest(const JobRequest& request, const RestOptions& options, const Progress& progress) {
  Report report;
  report.command = "rest";
  const std::filesystem::path output = output_path(request, "rest", ".glb");
  if (io::format_of(output).id != "gltf")
    throw Error(fmt::format("{} cannot hold a rigged character. Write a .glb, .gltf or .vrm file.", output.string()));
  io::Asset asset = io::load(request.inputs.front(), {}, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  if (asset.character.rig.skeleton.empty())
    throw Error(fmt::format("{} has no skeleton. Make one with `sinew rig`.", request.inputs.front().string()));
  const std::vector<Transform> local = wanted_pose(asset, options.to, report, progress);
  pipeline::RestResult result = pipeline::set_rest(std::move(asset.character), local);
  asset.character = std::move(result.character);
  report.warn(result.findings);
  report.metrics = {{"joints", result.moved_joints},
                    {"vertices", result.moved_vertices},
                    {"largest_move", result.largest_move},
                    {"clips", result.longer_clips.size()}};
  report.text += fmt::format("rest pose  {} and {} moved, a vertex by at most {:.3g} % of the size\n",
                             count_of(result.moved_joints, "joint"),
                             count_of(result.moved_vertices, "vertex", "vertices"), 100 * result.largest_move);
  if (!result.longer_clips.empty())
    report.text +=
        fmt::format("clips      {} with keys for joints that rested\n", count_of(result.longer_clips.size(), "clip"));
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.skeleton = save.changes.weights = save.changes.positions = save.changes.shape = true;
  save.longer_clips = result.longer_clips;
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = fmt::format("sinew render {} --show skin,skeleton -o {}", shell_word(output),
                            shell_word(output.parent_path() / (output.stem().string() + ".png")));
  return report;
}

}  // namespace sinew::jobs
