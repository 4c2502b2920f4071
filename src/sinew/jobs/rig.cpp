// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/io/gltf/humanoid_bones.h"
#include "sinew/io/gltf/strip_rig.h"
#include "sinew/jobs/rig_report.h"
#include "sinew/jobs/rig_stand.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/rig.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

// A word that names a file rather than something built in.
bool names_a_json_file(const std::string& word) {
  return word.ends_with(".json") || word.find('/') != std::string::npos;
}

Json read_json(const std::string& file, Report& report, const char* expected) {
  const io::Bytes bytes = io::read_json_bytes(file);
  const Json json = io::parse_json(bytes, file);
  if (json.is_discarded()) throw Error(fmt::format("{} is not JSON, so it is not a {}.", file, expected));
  report.inputs.push_back(io::describe(file, bytes));
  return json;
}

std::map<std::string, Vec3> read_positions(const std::string& file, Report& report) {
  const Json json = read_json(file, report, "list of positions");
  if (!json.is_object()) throw Error(fmt::format("{} is not a JSON object of joints: {{\"NAME\": [x, y, z]}}.", file));
  std::map<std::string, Vec3> positions;
  for (const auto& entry : json.items()) {
    const Json& value = entry.value();
    const auto number = [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()); };
    if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), number))
      throw Error(fmt::format("{}: '{}' must have three numbers, [x, y, z].", file, entry.key()));
    positions[entry.key()] = Vec3(value[0].get<double>(), value[1].get<double>(), value[2].get<double>());
  }
  return positions;
}

// The options of the call, with what they name read from files.
pipeline::RigOptions read_options(const RigJobOptions& options, const fs::path& output, Report& report) {
  pipeline::RigOptions result = options.rig;
  if (const std::string& word = options.template_name; names_a_json_file(word))
    result.skeleton_template = rigging::read_template(read_json(word, report, "template"), word);
  else result.skeleton_template = word;
  const std::string preset = !options.preset.empty() ? options.preset : output.extension() == ".vrm" ? "vrm" : "plain";
  if (names_a_json_file(preset)) result.preset = rigging::read_preset(read_json(preset, report, "preset"), preset);
  else result.preset = preset;
  if (!options.joint_positions.empty()) result.joint_positions = read_positions(options.joint_positions, report);
  pipeline::check_rig_options(result);
  if (io::format_of(output).id == "rig" && pipeline::preset_of(result).rest != "keep") {
    result.rest = rigging::RestPose::kKeep;
    report.warn(options.rig.rest ? "rig.rest_kept" : "rig.preset_rest", "",
                "A rig file holds no mesh, so the pose of the mesh cannot change.");
  }
  return result;
}

void check_holds_skeleton(const fs::path& output) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(
        fmt::format("{} cannot hold a skeleton. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
}

// One file with all parts in one pose. `moved` is set if that changed any position.
io::Asset read_one(const fs::path& path, const RigJobOptions& options, bool& moved, Report& report,
                   const Progress& progress) {
  io::Asset asset = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  if (asset.character.rig.mesh.face_count() == 0) throw Error(fmt::format("{} has no mesh to rig.", path.string()));
  if (pipeline::has_rig(asset.character) && !options.rig.replace)
    throw Error(
        fmt::format("{} has a skeleton or clips of its own. Replace them with the option 'replace', or compute new "
                    "weights for the existing skeleton with `sinew bind`.",
                    path.string()));
  pipeline::GatherResult gathered = pipeline::gather_parts(std::move(asset.character));
  asset.character = std::move(gathered.character);
  moved = gathered.moved;
  report.warn(gathered.findings);
  return asset;
}

// Several files as one character, in a document of its own.
io::Asset read_all(const std::vector<fs::path>& inputs, const RigJobOptions& options, bool& moved, Report& report,
                   const Progress& progress) {
  const StageTimer timer(report, "read");
  if (inputs.size() > 1)
    report.warn(
        "rig.one_character", "",
        fmt::format("The {} files form one character. To rig several characters, run the command once per file.",
                    inputs.size()));
  progress.step(inputs.size() > 1 ? fmt::format("reading {} files as one character,", inputs.size()) : "reading", 0.0);
  io::Asset asset = read_one(inputs.front(), options, moved, report, progress);
  if (inputs.size() == 1) return asset;
  std::vector<Character> others;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    bool other_moved = false;
    others.push_back(read_one(inputs[i], options, other_moved, report, progress).character);
    if (pipeline::has_rig(others.back()))
      report.warn("rig.dropped_rig", inputs[i].string(), "Its skeleton and the clips that moved it are left out.");
  }
  asset.character = pipeline::merge_characters(std::move(asset.character), others);
  if (asset.document && asset.format == "gltf")
    report.warn("rig.new_document", "",
                "Several files become one new file. Data of the first file that Sinew does not know, such as further "
                "texture coordinates, cameras and extensions, is left out.");
  asset.document.reset();
  asset.placement = Mat4::Identity();
  return asset;
}

// Other poses of the mesh, vertex by vertex.
std::vector<std::vector<Vec3>> read_poses(const RigJobOptions& options, Report& report, const Progress& progress) {
  std::vector<std::vector<Vec3>> poses;
  for (const std::string& file : options.also_posed) {
    io::Asset asset = io::load(file, options.placement, progress);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    poses.push_back(std::move(asset.character.rig.mesh.positions));
  }
  return poses;
}

// What was removed from an asset, and which nodes of its document are kept for joints to come.
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

// The table of bones of an avatar; nothing for other files.
std::optional<io::Humanoid> humanoid_table(const io::Asset& asset, const fs::path& output, Report& report) {
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

std::string next_command(const JobRequest& request, const fs::path& output, const Skeleton& skeleton) {
  if (io::format_of(output).id == "rig")
    return fmt::format("sinew convert {} --rig {} -o {}", shell_word(request.inputs.front()), shell_word(output),
                       shell_word(fs::path(output.string() + ".glb")));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  return fmt::format("sinew render {} --clip builtin:{} --sheet -o {}", shell_word(output),
                     motion::fitting_clip(skeleton), shell_word(sheet));
}

void write(const JobRequest& request, const fs::path& output, const io::Asset& asset, const io::SaveOptions& save,
           Report& report, const Progress& progress) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::save(asset, output, save, report);
}

}  // namespace

std::string RigJobOptions::template_names() { return fmt::format("{}", fmt::join(pipeline::template_words(), ", ")); }

std::string RigJobOptions::preset_names() { return fmt::format("{}", fmt::join(pipeline::preset_words(), ", ")); }

Report rig(const JobRequest& request, const RigJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "rig";
  const fs::path output = output_path(request, "rigged", ".glb");
  check_holds_skeleton(output);
  pipeline::RigOptions rig_options = read_options(options, output, report);

  bool moved = false;
  io::Asset asset = read_all(request.inputs, options, moved, report, progress);
  report_input(request.inputs, asset, report);
  rig_options.posed = read_poses(options, report, progress);
  pipeline::RigResult result;
  bool carries_clips = false;
  {
    StageClock clock(report);
    const StageListener on_stage = [&](const char* stage) { clock.begin(stage); };
    pipeline::RigPlan plan = pipeline::plan_rig(asset.character, rig_options, progress, on_stage);
    if (turns_to_stand(plan.found, options.stand, options.placement, report)) stand_up(asset, plan, report);
    check_size(plan.found.plan, asset.character.rig.mesh, report);
    const AssetRemoval removal = remove_rig(asset, plan, report);
    result = pipeline::apply_rig_plan(std::move(asset.character), plan, removal.rig, rig_options, progress, on_stage);
    set_sources(result.character.rig.skeleton, plan.pairs, removal.node_of_joint);
    carries_clips = !removal.rig.clips.empty();
    report.metrics["preset"] = plan.preset.name;
  }
  report_result(result, carries_clips, report);

  asset.character = std::move(result.character);
  io::SaveOptions save;
  save.changes.skeleton = save.changes.weights = true;
  save.changes.positions = save.changes.shape = moved || result.moved;
  save.new_clips = result.new_clips;
  save.humanoid = humanoid_table(asset, output, report);
  write(request, output, asset, save, report, progress);
  report.text += fmt::format("wrote      {}\n", output.string()) + times_text(report);
  report.next = next_command(request, output, asset.character.rig.skeleton);
  return report;
}

}  // namespace sinew::jobs
