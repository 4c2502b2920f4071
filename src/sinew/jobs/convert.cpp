// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/convert.h"

#include <fmt/format.h>

#include "sinew/core/error.h"
#include "sinew/core/joint_steps.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/io/rig_json.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resample.h"

namespace sinew::jobs {
namespace {

Json counts(const Character& character) {
  const Rig& rig = character.rig;
  Json json;
  json["parts"] = rig.mesh.parts.size();
  json["vertices"] = rig.mesh.vertex_count();
  json["faces"] = rig.mesh.face_count();
  json["joints"] = rig.skeleton.size();
  json["skins"] = rig.skins.size();
  json["influences"] = rig.weights.influence_count();
  json["max_influences"] = rig.weights.max_influences();
  json["clips"] = character.clips.size();
  return json;
}

std::string counts_text(const Character& character, bool mesh_only = false) {
  const Rig& rig = character.rig;
  std::string text =
      count_of(rig.mesh.vertex_count(), "vertex", "vertices") + ", " + count_of(rig.mesh.face_count(), "face");
  if (mesh_only) return text;
  if (!rig.skeleton.empty()) text += ", " + count_of(rig.skeleton.size(), "joint");
  if (!character.clips.empty()) text += ", " + count_of(character.clips.size(), "clip");
  return text;
}

// Vertices of skinned parts that no joint moves.
std::uint64_t unweighted_vertices(const Rig& rig) {
  std::uint64_t count = 0;
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; part.skin != kNone && v < part.first_vertex + part.vertex_count; ++v)
      count += rig.weights.empty() || rig.weights.row(v).empty();
  return count;
}

void put_rig_on(io::Asset& asset, const std::string& path, io::Changes& changes, Report& report) {
  const io::Bytes bytes = io::read_file(path);
  report.inputs.push_back(io::describe(path, bytes));
  const std::size_t known = asset.warnings.size();
  io::apply_rig(asset, io::read_rig_json(bytes, path));
  report.warn(Findings(asset.warnings.begin() + static_cast<std::ptrdiff_t>(known), asset.warnings.end()));
  if (const std::uint64_t count = unweighted_vertices(asset.character.rig); count > 0)
    report.warn("rig.empty_rows", "",
                fmt::format("{} no weights in the rig. In formats that need weights, {} the first joint of the skin.",
                            count_of(count, "vertex has", "vertices have"), count == 1 ? "it follows" : "they follow"));
  changes.skeleton = changes.weights = true;
  report.text += fmt::format("rig        {}: {}\n", path, count_of(asset.character.rig.skeleton.size(), "joint"));
}

// Limits the influences if any row has more. Rows that are short enough are only scaled to the sum 1.
void limit_influences(io::Asset& asset, int most, io::Changes& changes, Report& report) {
  SkinWeights& weights = asset.character.rig.weights;
  double dropped = 0;
  if (weights.max_influences() > static_cast<Index>(most)) {
    const JointSteps steps(asset.character.rig.skeleton);
    CapResult capped = cap_influences(weights.normalized(), most, &steps);
    weights = std::move(capped.weights);
    dropped = capped.largest_share;
    changes.weights = true;
    report.text += fmt::format("capped     {} influences per vertex, at most {:.2g} % of a vertex's weight dropped\n",
                               most, 100 * dropped);
  }
  report.metrics["largest_share_dropped"] = dropped;
}

// The one clip that a BVH file holds, with evenly spaced keys.
void choose_clip(io::Asset& asset, const ConvertOptions& options, Report& report, const Progress& progress) {
  Character& character = asset.character;
  std::string word = options.clip;
  if (word.empty()) {
    if (character.clips.size() != 1)
      throw Error(
          fmt::format("A BVH file holds one clip. Choose it with the option 'clip'. {}", available_clips(asset)));
    word = "0";
  }
  Findings warnings;
  Clip clip = *find_motion(asset, word, report.inputs, warnings, progress).clip;
  report.warn(warnings);
  const double rate = options.fps.value_or(motion::key_rate(clip).value_or(30.0));
  const motion::Player player(character.rig, clip);
  character.clips = {
      motion::resampled(character.rig, player, motion::even_times(player.duration_s(), rate), clip.name)};
  report.text +=
      fmt::format("clip       '{}': {:.2f} s, {:.4g} frames per second\n", clip.name, player.duration_s(), rate);
}

}  // namespace

Report convert(const JobRequest& request, const ConvertOptions& options, const Progress& progress) {
  Report report;
  report.command = "convert";
  if (!request.output) throw Error("The command convert requires an output file. Specify it with -o.");
  const std::filesystem::path output = output_path(request, "", "");
  const auto& format = io::format_of(output);
  if (!format.make.write)
    throw Error(fmt::format("{} cannot be written: the format {} can only be read. Choose another file extension.",
                            output.string(), format.name));
  io::Changes changes;
  io::Asset asset;
  {
    const StageTimer timer(report, "read");
    progress.step("reading", 0.0);
    asset = io::load(request.inputs.front(), options.placement, progress);
    report.inputs = asset.files;
    report.warn(asset.warnings);
  }
  report.metrics["read"] = counts(asset.character);
  report.metrics["read"]["format"] = asset.format;
  report.text += fmt::format("read       {}: {}\n", request.inputs.front().string(), counts_text(asset.character));
  if (!options.rig.empty()) put_rig_on(asset, options.rig, changes, report);
  if (const int most = options.max_influences.value_or(0); most > 0) limit_influences(asset, most, changes, report);
  if (format.id == "bvh") choose_clip(asset, options, report, progress);
  else if (!options.clip.empty() || options.fps)
    throw Error("The options 'clip' and 'fps' are for .bvh files. Other formats keep all clips of the input.");
  {
    const StageTimer timer(report, "write");
    progress.step("writing", 0.6);
    keep_backup(request, output);
    io::SaveOptions save_options;
    save_options.changes = changes;
    if (!options.weight_type.empty()) {
      save_options.changes.weights = save_options.changes.weights || !asset.character.rig.skins.empty();
      save_options.weight_type = options.weight_type;
    }
    io::save(asset, output, save_options, report);
  }
  report.metrics["written"] = counts(asset.character);
  report.metrics["written"]["format"] = format.id;
  report.text += fmt::format("wrote      {}: {}\n", output.string(), counts_text(asset.character, format.id == "obj"));
  report.next = "sinew info " + shell_word(output);
  return report;
}

}  // namespace sinew::jobs
