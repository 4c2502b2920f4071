// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/make.h"

#include <fmt/format.h>

#include "sinew/io/asset.h"

namespace sinew::jobs {
namespace {

using Maker = Character (*)(const MakeOptions&);

const Registry<Maker>& kinds() {
  static const Registry<Maker> registry = [] {
    Registry<Maker> r("kind of character");
    r.add({"mannequin", "mannequin", "A person with a skeleton, weights and two clips.",
           [](const MakeOptions& options) { return shapes::mannequin(options.mannequin); }});
    return r;
  }();
  return registry;
}

}  // namespace

Report make(const JobRequest& request, const MakeOptions& options, const Progress& progress) {
  Report report;
  report.command = "make";
  const auto& kind = kinds().find(request.inputs.front().string());
  const std::filesystem::path output = output_path({{kind.id}, request.output, request.force}, "", ".glb");
  io::format_of(output);  // Refuses an unknown ending before the work.
  io::Asset asset;
  {
    const StageTimer timer(report, "make");
    progress.step("making", 0.0);
    asset.character = kind.make(options);
  }
  {
    const StageTimer timer(report, "write");
    progress.step("writing", 0.8);
    io::save(asset, output, {.changes = {.positions = true, .weights = true, .skeleton = true}}, report);
  }
  const Rig& rig = asset.character.rig;
  report.metrics = {{"vertices", rig.mesh.vertex_count()},
                    {"faces", rig.mesh.face_count()},
                    {"joints", rig.skeleton.size()},
                    {"clips", asset.character.clips.size()}};
  report.text =
      fmt::format("wrote      {}: {} vertices, {} faces, {} joints, {} clips\n", output.string(),
                  rig.mesh.vertex_count(), rig.mesh.face_count(), rig.skeleton.size(), asset.character.clips.size());
  report.next = "sinew info " + shell_word(output);
  return report;
}

}  // namespace sinew::jobs
