// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig.h"

#include <fmt/format.h>

#include <optional>

#include "sinew/binding/binder.h"
#include "sinew/core/error.h"
#include "sinew/jobs/rig_report.h"
#include "sinew/jobs/rig_request.h"
#include "sinew/pipeline/rig_apply.h"
#include "sinew/pipeline/rig_body.h"
#include "sinew/pipeline/rig_merge.h"
#include "sinew/pipeline/rig_replace.h"
#include "sinew/rigging/anatomy/generic.h"
#include "sinew/rigging/embed/embedding.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

/// Below this height, or above this one, in metres, a character was probably not measured in metres.
constexpr double kLowest = 0.05, kHighest = 50;

io::Asset read_one(const fs::path& path, const RigJobOptions& options, Report& report, const Progress& progress) {
  io::Asset asset = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  if (asset.character.rig.mesh.face_count() == 0) throw Error(fmt::format("{} has no mesh to rig.", path.string()));
  if (has_rig(asset.character) && !options.replace)
    throw Error(
        fmt::format("{} has a skeleton or clips of its own. Put a new skeleton in their place with --replace, or make "
                    "new weights for the one it has with `sinew bind`.",
                    path.string()));
  return asset;
}

// Several files as one character, in a document of its own.
io::Asset read_all(const JobRequest& request, const RigJobOptions& options, bool& moved, Report& report,
                   const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  io::Asset asset = read_one(request.inputs.front(), options, report, progress);
  moved = gather_parts(asset, report);
  for (std::size_t i = 1; i < request.inputs.size(); ++i) {
    io::Asset other = read_one(request.inputs[i], options, report, progress);
    gather_parts(other, report);
    if (has_rig(other.character))
      report.warn("rig.dropped_rig", request.inputs[i].string(),
                  "Its skeleton and the clips that moved it are left out.");
    take_out_rig(other.character);
    add_meshes(asset.character, other.character);
  }
  if (request.inputs.size() > 1) {
    if (asset.document && asset.format == "gltf")
      report.warn(
          "rig.new_document", "",
          "Several files became one, so it is written anew: what Sinew does not know of the first file, such as "
          "further texture coordinates, cameras and extensions, is left out.");
    asset.document.reset();
    asset.placement = Mat4::Identity();
  }
  return asset;
}

void tell_read(const JobRequest& request, const io::Asset& asset, Report& report) {
  const Mesh& mesh = asset.character.rig.mesh;
  for (const fs::path& input : request.inputs) report.text += fmt::format("read       {}\n", input.string());
  const double height = mesh.bounds().extent().maxCoeff();
  report.text += fmt::format("mesh       {} vertices, {} {}, {:.3g} m at its longest\n", mesh.vertex_count(),
                             mesh.parts.size(), mesh.parts.size() == 1 ? "part" : "parts", height);
  report.metrics["vertices"] = mesh.vertex_count();
  report.metrics["parts"] = mesh.parts.size();
  if (!asset.states_space && (height < kLowest || height > kHighest))
    report.warn("rig.size", "",
                fmt::format("The character is {:.3g} m long. If that is not meant, say the unit with --unit, or the "
                            "height with --height.",
                            height));
}

// Times what `plan_skeleton` calls its stages.
class StageClock {
 public:
  explicit StageClock(Report& report) : report_(report) {}
  void begin(const char* stage) {
    timer_.reset();
    timer_.emplace(report_, stage);
  }

 private:
  Report& report_;
  std::optional<StageTimer> timer_;
};

// Whoever asks for the generic skeleton gets what was asked.
rigging::Rigged generic(const Mesh& mesh, const rigging::RiggerRequest& request, const Progress& progress) {
  rigging::Rigged rigged;
  request.on_stage("inside");
  const rigging::Body body = rigging::make_body(mesh, {}, progress);
  request.on_stage("joints");
  rigged.plan = rigging::generic_plan(body.interior, body.graph);
  rigged.confidence = 1;
  return rigged;
}

rigging::Rigged make_plan(const io::Asset& asset, rigging::RiggerRequest request, const RigJobOptions& options,
                          Report& report, const Progress& progress) {
  StageClock clock(report);
  request.on_stage = [&](const char* stage) { clock.begin(stage); };
  progress.step("looking for joints", 0.1);
  if (request.templates.empty()) return generic(asset.character.rig.mesh, request, progress);
  return plan_character(asset.character.rig, request, options.rigger, progress);
}

std::string next_command(const JobRequest& request, const fs::path& output, const Skeleton& skeleton) {
  if (io::format_of(output).id == "rig")
    return fmt::format("sinew convert {} --rig {} -o {}", shell_word(request.inputs.front()), shell_word(output),
                       shell_word(fs::path(output.string() + ".glb")));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  return fmt::format("sinew render {} --clip builtin:{} --sheet -o {}", shell_word(output), fitting_clip(skeleton),
                     shell_word(sheet));
}

void write(const JobRequest& request, const fs::path& output, const RiggedAsset& rigged, Report& report,
           const Progress& progress) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::save(rigged.asset, output, rigged.save, report);
}

}  // namespace

std::string RigJobOptions::template_names() {
  std::string text;
  for (const Template& t : rigging::templates()) text += (text.empty() ? "" : ", ") + t.name;
  return text + ", generic";
}

std::string RigJobOptions::preset_names() {
  std::string text;
  for (const rigging::Preset& preset : rigging::presets()) text += (text.empty() ? "" : ", ") + preset.name;
  return text;
}

std::string RigJobOptions::method_names() {
  std::string text;
  for (const auto& method : binding::binders().entries())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", method.id, method.name);
  return text;
}

Report rig(const JobRequest& request, const RigJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "rig";
  const fs::path output = output_path(request, "rigged", ".glb");
  check_holds_skeleton(output);
  check_words(options);
  RigSettings settings;
  std::vector<ReportFile> files;
  settings.preset = chosen_preset(options, output, files);
  settings.bind = options.bind;
  settings.demo_clip = options.demo_clip;
  settings.avatar = output.extension() == ".vrm";
  settings.keep_mesh = io::format_of(output).id == "rig";
  rigging::RiggerRequest wanted = rigger_request(options, files);

  bool moved = false;
  io::Asset asset = read_all(request, options, moved, report, progress);
  report.inputs.insert(report.inputs.end(), files.begin(), files.end());
  tell_read(request, asset, report);
  report.metrics["preset"] = settings.preset.name;
  const rigging::Rigged rigged = make_plan(asset, std::move(wanted), options, report, progress);
  tell_rigged(rigged, report);
  const RiggedAsset result = apply_rigged(std::move(asset), rigged, settings, moved, report, progress);
  tell_joints(result.plan, result.skeleton.skeleton, result.skeleton.joints, report);
  write(request, output, result, report, progress);
  report.text += fmt::format("wrote      {}\n", output.string()) + times_text(report);
  report.next = next_command(request, output, result.asset.character.rig.skeleton);
  return report;
}

}  // namespace sinew::jobs
