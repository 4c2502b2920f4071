// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/fit_joints.h"

#include <fmt/format.h>

#include "sinew/core/text.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/io/part_shapes.h"
#include "sinew/io/parts_json.h"

namespace sinew::jobs {

namespace fs = std::filesystem;

Report fit_joints(const JobRequest& request, const FitJointsJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "fit-joints";
  const fs::path output = output_path(request, "fitted", ".glb");
  const bool json = lower_case(output.extension().string()) == ".json";
  if (!json && io::format_of(output).id != "gltf")
    throw Error(fmt::format("{} cannot hold shapes. Write a .glb, .gltf, .vrm or .json file.", output.string()));
  io::Asset asset = io::load(request.inputs.front(), {}, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  if (!json) asset = io::as_gltf(std::move(asset), report);
  const Skeleton& skeleton = asset.character.rig.skeleton;
  StageClock clock(report);
  const pipeline::FitJointsResult result =
      pipeline::fit_joints(asset.character, options.fit, io::read_part_meshes(options.edited_parts, skeleton), progress,
                           [&](const char* stage) { clock.begin(stage); });
  clock.begin("write");
  report.warn(result.findings);
  report.metrics = pipeline::joint_figures(result, skeleton);
  report.text += table_text(pipeline::joint_table(result, skeleton));
  report.text += fmt::format("adjusted   {} of {}; {} of {} closed by particles\n", result.adjusted,
                             count_of(result.joints, "joint"), result.by_particles, count_of(result.holes, "hole"));
  io::AtomicFiles files;
  if (!options.parts.empty()) io::add_part_meshes(pipeline::part_meshes(result, skeleton), options.parts, files);
  if (json) files.add(output, io::samples_json(result.samples));
  else io::store_part_samples(asset, result.samples);
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.extras = true;
  if (!json) io::format_of(output).make.write(asset, output, save, files, report);
  for (const io::AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = fmt::format("sinew deform {} --clip exercise --method implicit{}{} -o out.glb",
                            shell_word(json ? request.inputs.front() : output), json ? " --samples-file " : "",
                            json ? shell_word(output) : "");
  return report;
}

}  // namespace sinew::jobs
