// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/make.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/shapes/kinds.h"
#include "sinew/shapes/truth.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

fs::path truth_path(const JobRequest& request, const MakeOptions& options, const fs::path& output) {
  if (options.truth.empty()) return {};
  fs::path path = output_path({{}, fs::path(options.truth), request.force}, "", "");
  if (fs::absolute(path).lexically_normal() == fs::absolute(output).lexically_normal())
    throw Error(fmt::format(
        "{} cannot hold both the character and its ground truth. Choose another file for the option 'truth'.",
        path.string()));
  return path;
}

/// Leaves out what `--with` does not ask for. In a glTF file only a skin makes joints of nodes, and a skin needs
/// weights; so with the skeleton alone the whole mesh hangs on the root.
void keep_only(const std::string& with, Character& character) {
  if (with == "weights") return;
  Rig& rig = character.rig;
  rig.weights = {};
  if (with == "skeleton") {
    for (Index i = 0; i < rig.mesh.vertex_count(); ++i) rig.weights.add_row({{0, 1.0F}});
    return;
  }
  for (MeshPart& part : rig.mesh.parts) part.skin = part.joint = kNone;
  rig.skins.clear();
  rig.skeleton = {};
  character.clips.clear();
}

Json made_metrics(const std::string& kind, const Character& character, std::size_t specks) {
  const Mesh& mesh = character.rig.mesh;
  Index quads = 0;
  for (Index f = 0; f < mesh.face_count(); ++f) quads += mesh.face(f).size() == 4 ? 1 : 0;
  return {{"kind", kind},
          {"vertices", mesh.vertex_count()},
          {"faces", mesh.face_count()},
          {"quads", quads},
          {"joints", character.rig.skeleton.size()},
          {"max_influences", character.rig.weights.max_influences()},
          {"clips", character.clips.size()},
          {"speck_vertices", specks}};
}

}  // namespace

Report make(const JobRequest& request, const MakeOptions& options, const Progress& progress) {
  Report report;
  report.command = "make";
  const auto& kind = shapes::kinds().find(request.inputs.front().string());
  const fs::path output = output_path({{kind.id}, request.output, request.force}, "", ".glb");
  const auto& format = io::format_of(output);  // Refuses an unknown ending before the work.
  if (!format.make.write)
    throw Error(fmt::format("{} cannot be written: the format {} can only be read. Choose another file extension.",
                            output.string(), format.name));
  const fs::path truth_file = truth_path(request, options, output);
  shapes::Finished finished;
  {
    const StageTimer timer(report, "make");
    progress.step("making", 0.0);
    finished = shapes::make(kind.id, options.shape, progress);
  }
  std::string truth;
  if (!truth_file.empty()) truth = shapes::truth(finished, kind.id, options.shape).dump() + "\n";
  io::Asset asset;
  asset.character = std::move(finished.made.character);
  keep_only(options.with, asset.character);
  {
    const StageTimer timer(report, "write");
    progress.step("writing", 0.8);
    io::AtomicFiles files;
    io::SaveOptions save_options;
    save_options.changes.positions = save_options.changes.weights = save_options.changes.skeleton = true;
    format.make.write(asset, output, save_options, files, report);
    if (!truth_file.empty()) files.add(truth_file, truth);
    for (const io::AtomicFiles::Written& written : files.written())
      report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
    files.commit();
  }
  report.metrics = made_metrics(kind.id, asset.character, finished.specks.size());
  report.text =
      fmt::format("wrote      {}: {} vertices, {} faces ({} quads), {} joints, {} clips\n", output.string(),
                  report.metrics["vertices"].dump(), report.metrics["faces"].dump(), report.metrics["quads"].dump(),
                  report.metrics["joints"].dump(), report.metrics["clips"].dump());
  if (!truth_file.empty()) report.text += fmt::format("wrote      {}: the ground truth\n", truth_file.string());
  report.next = "sinew info " + shell_word(output);
  return report;
}

}  // namespace sinew::jobs
