// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/atomic_files.h"
#include "sinew/io/file.h"
#include "sinew/jobs/check_report.h"
#include "sinew/jobs/check_sheet.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

pipeline::CheckProfile read_profile(const std::string& word, Report& report) {
  const fs::path path = word;
  if (lower_case(path.extension().string()) != ".json") return pipeline::check_profile(word);
  try {
    const io::Bytes bytes = io::read_json_bytes(path);
    report.inputs.push_back(io::describe(path, bytes));
    return pipeline::check_profile_from_json(io::parse_json(bytes, path));
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", path.string(), problem.what()));
  }
}

// An output beside the report. \throws Error if it may not be written.
void require_output(const JobRequest& request, const std::string& path) {
  if (!path.empty()) output_path({request.inputs, path, request.force}, "", "");
}

}  // namespace

Report check(const JobRequest& request, const CheckOptions& options, const Progress& progress) {
  Report report;
  report.command = "check";
  const pipeline::CheckProfile profile = read_profile(options.profile, report);
  require_output(request, options.sarif);
  require_output(request, options.sheet);
  if (request.output) output_path(request, "", "");
  std::optional<pipeline::CheckResult> baseline;
  if (!options.baseline.empty()) {
    const io::Asset before = io::load(options.baseline, options.placement, progress);
    report.inputs.insert(report.inputs.end(), before.files.begin(), before.files.end());
    baseline = pipeline::check(before.character, profile, progress);
  }
  std::vector<CheckedFile> files;
  std::vector<CheckSheetTile> tiles;
  for (const fs::path& path : request.inputs) {
    CheckedFile file{path, "", {}};
    io::Asset asset;
    try {
      asset = io::load(path, options.placement, progress);
      report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
      file.result = pipeline::check(asset.character, profile, progress);
      if (baseline) pipeline::judge_by_baseline(file.result, *baseline);
    } catch (const Error& problem) {
      file.error = problem.what();
      report.status = Report::Status::kUnreadable;
    }
    if (file.error.empty() && file.result.verdict == pipeline::CheckVerdict::kFail &&
        report.status == Report::Status::kDone)
      report.status = Report::Status::kIncomplete;
    if (!options.sheet.empty() && file.error.empty())
      add_tiles(std::move(asset.character), file.result, path.filename().string(), tiles);
    files.push_back(std::move(file));
  }
  report.metrics["files"] = Json::array();
  for (const CheckedFile& file : files) {
    report.metrics["files"].push_back(check_json(file));
    report.text += check_text(file);
  }
  io::AtomicFiles outputs;
  if (request.output) outputs.add(*request.output, json_text(report.metrics));
  if (!options.sarif.empty()) outputs.add(options.sarif, json_text(sarif_json(files)));
  if (!options.sheet.empty()) outputs.add(options.sheet, draw_tiles(tiles, report, progress));
  for (const io::AtomicFiles::Written& written : outputs.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  outputs.commit();
  for (const ReportFile& output : report.outputs) report.text += fmt::format("wrote      {}\n", output.path);
  for (const CheckedFile& file : files)
    for (const pipeline::CheckRow& row : file.result.rows)
      if (report.next.empty() && row.verdict == pipeline::CheckVerdict::kFail)
        report.next = mend_command(row, file.path);
  return report;
}

}  // namespace sinew::jobs
