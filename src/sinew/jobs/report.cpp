// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/file.h"
#include "sinew/jobs/check_report.h"
#include "sinew/jobs/report_measures.h"
#include "sinew/picture/browser.h"
#include "sinew/picture/report_page.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;
using pipeline::CheckRow;

// The file as glTF that a browser can show: the bytes of the file itself, or written anew.
io::Bytes glb_of(const io::Asset& asset, Report& report) {
  const std::string ending = lower_case(asset.path.extension().string());
  if (ending == ".glb" || ending == ".vrm") {
    io::Bytes bytes = io::read_file(asset.path);
    const std::string_view text = io::as_text(bytes);
    if (text.find("KHR_draco_mesh_compression") == std::string_view::npos) return bytes;
  }
  const picture::ScratchFolder scratch;
  const fs::path path = scratch.path() / "model.glb";
  io::AtomicFiles files;
  io::SaveOptions save;
  save.changes.positions = save.changes.weights = save.changes.skeleton = true;
  Report ignored;
  io::format_of(path).make.write(asset, path, save, files, ignored);
  files.commit();
  report.warn("report.converted", asset.path.filename().string(), "The page shows the character as converted to glTF.");
  return io::read_file(path);
}

// The middle and the reach of the places of a fault, in the pose in which it is seen.
void add_place(const Rig& rig, const CheckRow& row, Json& json) {
  if (row.vertices.empty() && row.joint == kNone) return;
  const pipeline::PosedFault posed = pipeline::posed_fault(rig, row);
  Vec3 middle = Vec3::Zero();
  for (const Index v : row.vertices) middle += posed.positions[v] / static_cast<double>(row.vertices.size());
  if (row.vertices.empty()) middle = posed.joints[row.joint].topRightCorner<3, 1>();
  double radius = 0.03 * rig.mesh.size();
  for (const Index v : row.vertices) radius = std::max(radius, (posed.positions[v] - middle).norm());
  if (radius > 0.4 * rig.mesh.size()) return;  // Everywhere.
  json["place"] = {middle.x(), middle.y(), middle.z()};
  json["radius"] = radius;
}

Json check_for_page(const CheckRow& row, const fs::path& file, const Rig& rig) {
  Json json = {{"id", row.kind->id},
               {"verdict", pipeline::verdict_name(row.verdict)},
               {"title", row.kind->title},
               {"value_text", pipeline::check_value_text(row.value, row.kind->unit)},
               {"limit_text", limit_text(row)},
               {"where", row.where},
               {"text", row.text}};
  if (row.pose)
    json["pose"] = {{"joint", rig.skeleton.joints[row.pose->joint].name},
                    {"axis", {row.pose->axis.x(), row.pose->axis.y(), row.pose->axis.z()}},
                    {"degrees", sinew::degrees(row.pose->angle_rad)}};
  if (row.verdict == pipeline::CheckVerdict::kPass) return json;
  add_place(rig, row, json);
  const std::string mend = mend_command(row, file);
  if (!mend.empty()) json["mend"] = mend;
  else json["advice"] = row.kind->advice;
  return json;
}

Json facts_of(const Character& character) {
  const Rig& rig = character.rig;
  const Vec3 extent = rig.mesh.bounds().upper - rig.mesh.bounds().lower;
  return Json::array({{"size", fmt::format("{:.3g} × {:.3g} × {:.3g} m", extent.x(), extent.y(), extent.z())},
                      {"mesh", fmt::format("{} vertices, {} faces, {}", rig.mesh.vertex_count(), rig.mesh.face_count(),
                                           count_of(rig.mesh.parts.size(), "part"))},
                      {"skeleton", count_of(rig.skeleton.size(), "joint")},
                      {"clips", fmt::format("{}", character.clips.size())}});
}

// The report of this run as the page holds it: without what differs between equal runs or machines, and without the
// page's own hash. Files have names but no folders, so that a page can be passed on.
Json run_for_page(const Report& report, ReportOptions options) {
  Json run = report.to_json();
  run["options"] = OptionList(options).to_json();
  for (Json& input : run["inputs"]) input["path"] = fs::path(input["path"].get<std::string>()).filename().string();
  for (const char* key : {"isa", "outputs", "timing"}) run.erase(key);
  return run;
}

}  // namespace

Report report(const JobRequest& request, const ReportOptions& options, const Progress& progress) {
  Report report;
  report.command = "report";
  const fs::path output = output_path(request, "report", ".html");
  if (lower_case(output.extension().string()) != ".html")
    throw Error(fmt::format("{} cannot be written: a report is a page, whose name ends in .html.", output.string()));
  const pipeline::CheckProfile profile = read_profile(options.profile, report);
  Json data = {{"title", options.title}, {"models", Json::array()}};
  std::vector<std::string> names;
  std::string clip;  // Of the first file; others are measured in their own of that name if they have it.
  for (const fs::path& path : request.inputs) {
    progress.step("reading " + path.filename().string(),
                  static_cast<double>(names.size()) / static_cast<double>(request.inputs.size()));
    const io::Asset asset = io::load(path, options.placement, progress);
    report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
    const pipeline::CheckResult result = pipeline::check(asset.character, profile, progress);
    Json checks = Json::array();
    for (const CheckRow& row : result.rows) checks.push_back(check_for_page(row, path, asset.character.rig));
    if (names.empty() && !asset.character.clips.empty()) clip = asset.character.clips.front().name;
    ReportMeasures measures = measure_for_report(asset.character, clip, progress);
    names.push_back(path.filename().string());
    data["models"].push_back({{"name", names.back()},
                              {"verdict", pipeline::verdict_name(result.verdict)},
                              {"facts", facts_of(asset.character)},
                              {"checks", std::move(checks)},
                              {"measures", std::move(measures.page)},
                              {"glb", io::base64_encode(glb_of(asset, report))}});
    Json entry = check_json({path.filename(), "", result});
    entry["measures"] = std::move(measures.summary);
    report.metrics["files"].push_back(std::move(entry));
  }
  if (options.title.empty()) data["title"] = join_some(names, 4);
  data["run"] = run_for_page(report, options);
  io::AtomicFiles files;
  files.add(output, picture::report_page(data));
  for (const io::AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
  report.text += fmt::format("wrote      {}: {}, {}\n", output.string(), count_of(names.size(), "character"),
                             bytes_text(report.outputs.back().bytes));
  report.next = fmt::format("open {}", shell_word(output));
  return report;
}

}  // namespace sinew::jobs
