// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/batch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "sinew/batch/manifest.h"
#include "sinew/batch/runner.h"
#include "sinew/batch/slurm.h"
#include "sinew/batch/summary.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/io/file.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;
using batch::BatchFolder;
using batch::Manifest;

constexpr double kGiB = 1024.0 * 1024 * 1024;

bool is_manifest(const JobRequest& request) {
  return request.inputs.size() == 1 && request.inputs.front().filename() == "manifest.json" &&
         request.inputs.front().parent_path().filename() == ".sinew-batch";
}

// The program itself runs the steps.
fs::path own_program() {
  std::error_code problem;
  const fs::path path = fs::read_symlink("/proc/self/exe", problem);
  if (problem) throw Error("The program cannot find its own file, so that it cannot start the steps.");
  return path;
}

std::vector<batch::Step> parse_steps(const BatchOptions& options) {
  std::vector<batch::Step> steps;
  for (const std::string& line : options.steps) {
    steps.push_back(batch::parse_step(line));
    const std::string& command = steps.back().front();
    commands().find(command);
    if (command == "batch") throw Error("A batch cannot run a batch.");
  }
  if (steps.empty())
    throw Error(
        "Say what to do with each character: --do 'rig {in} -o {out}.glb'. The option may be given several times.");
  return steps;
}

Manifest make_manifest(const JobRequest& request, const BatchOptions& options) {
  Manifest manifest;
  manifest.steps = parse_steps(options);
  std::vector<std::string> inputs;
  for (const fs::path& input : request.inputs) inputs.push_back(input.string());
  if (!options.list.empty())
    for (std::string& path : batch::listed_paths(io::as_text(io::read_json_bytes(options.list))))
      inputs.push_back(std::move(path));
  if (inputs.empty())
    throw Error("There are no inputs. Name files, a folder or a pattern, or a list with the option 'list'.");
  manifest.rows = batch::make_rows(inputs);
  manifest.limits = {options.row_time, static_cast<std::uint64_t>(options.row_memory * kGiB)};
  manifest.program = SINEW_VERSION;
  return manifest;
}

double machine_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
}

batch::RunSettings settings_of(const BatchOptions& options, const Manifest& manifest) {
  batch::RunSettings settings;
  settings.program = own_program();
  const double budget = options.memory_budget > 0 ? options.memory_budget * kGiB : 0.75 * machine_memory();
  const int fitting =
      std::max(1, static_cast<int>(std::min(1024.0, budget / static_cast<double>(manifest.limits.memory))));
  const int cores = thread_count();
  settings.processes = std::min(options.processes > 0 ? options.processes : cores, fitting);
  settings.threads = std::max(1, cores / settings.processes);
  settings.index = static_cast<std::size_t>(options.index.value_or(0));
  settings.of = options.index ? static_cast<std::size_t>(options.of.value_or(1)) : 1;
  settings.stale_s = options.stale_after;
  settings.thumbnails = options.thumbnails;
  if (settings.index >= settings.of) throw Error("The option 'index' has to be below the option 'of'.");
  return settings;
}

void describe_batch(const Manifest& manifest, const batch::RunCounts& counts, const batch::Summary& summary,
                    Report& report) {
  const auto& n = summary.by_severity;
  report.metrics = {{"rows", manifest.rows.size()},
                    {"done_now", counts.done},
                    {"done_before", counts.skipped},
                    {"held_by_others", counts.held},
                    {"passed", n[0]},
                    {"to_look_at", n[1]},
                    {"failed", n[2]},
                    {"errors", n[3]},
                    {"died", n[4]},
                    {"missing", summary.missing}};
  report.text +=
      fmt::format("rows       {}: {} done now, {} before{}\n", manifest.rows.size(), counts.done, counts.skipped,
                  counts.held > 0 ? fmt::format(", {} held by other processes", counts.held) : "");
  report.text += fmt::format("results    {} passed, {} to look at, {} failed, {} with errors, {} died{}\n", n[0], n[1],
                             n[2], n[3], n[4], summary.missing > 0 ? fmt::format(", {} missing", summary.missing) : "");
  for (const std::string& file : summary.files) report.text += fmt::format("wrote      {}\n", file);
}

}  // namespace

Report batch(const JobRequest& request, const BatchOptions& options, const Progress& progress) {
  Report report;
  report.command = "batch";
  const bool resumes = is_manifest(request);
  if (!resumes && !request.output) throw Error("A batch needs a folder for its results: -o FOLDER/.");
  const BatchFolder folder(resumes ? request.inputs.front().parent_path().parent_path() : *request.output);
  const Manifest manifest =
      resumes ? Manifest::from_json(batch::read_small_json(folder.manifest())) : make_manifest(request, options);
  if (manifest.steps.empty() || manifest.rows.empty()) throw Error("The manifest has no steps or no rows.");
  const batch::RunSettings settings = settings_of(options, manifest);
  folder.create();
  if (!resumes) {
    io::AtomicFiles files(io::AtomicFiles::Newcomer::kReplaced);
    files.add(folder.manifest(), json_text(manifest.to_json()));
    files.commit();
  }
  batch::RunCounts counts;
  if (options.slurm) {
    const auto tasks = static_cast<std::size_t>(options.of.value_or(4));
    batch::run_on_slurm(folder, batch::slurm_script(folder, settings.program, tasks, options.partition), progress);
  } else {
    counts = batch::run_rows(manifest, folder, settings, progress);
  }
  const batch::Summary summary = batch::summarize(manifest, folder, progress);
  describe_batch(manifest, counts, summary, report);
  // A part is good if its own rows are; the others may not have run yet.
  const bool part = settings.of > 1;
  if (!summary.all_good() &&
      !(part && summary.missing + summary.by_severity[0] + summary.by_severity[1] == manifest.rows.size()))
    report.status = Report::Status::kIncomplete;
  report.next = fmt::format("open {}", shell_word(folder.output / "index.html"));
  return report;
}

}  // namespace sinew::jobs
