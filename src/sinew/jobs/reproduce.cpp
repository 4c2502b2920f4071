// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/reproduce.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::jobs {
namespace {

std::string tables_in_format(const std::vector<ResultTable>& tables, const std::string& name, bool markdown) {
  if (!markdown) return tables_csv(tables);
  std::string text = "# " + name + "\n";
  for (const ResultTable& table : tables) text += "\n" + table_markdown(table);
  return text;
}

std::optional<std::filesystem::path> table_path(const JobRequest& request) {
  if (!request.output) return std::nullopt;
  const std::filesystem::path path = output_path(request, "", "");
  const std::string ending = path.extension().string();
  if (ending != ".csv" && ending != ".md")
    throw Error(fmt::format("{} cannot be written: tables are .md or .csv files.", path.string()));
  return path;
}

}  // namespace

Report reproduce(const JobRequest& request, const lab::ReproduceOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1)
    throw Error("The command reproduce runs one experiment, for example: sinew reproduce blend-bar.");
  Report report;
  report.command = "reproduce";
  const auto& experiment = lab::experiments().find(request.inputs.front().string());
  const std::optional<std::filesystem::path> output = table_path(request);
  lab::Reproduction found;
  {
    const StageTimer timer(report, "run");
    found = experiment.make(options, progress);
  }
  report.metrics = std::move(found.metrics);
  report.metrics["experiment"] = experiment.id;
  for (const auto& [key, value] : found.timing.items())
    (key.starts_with("table_") ? report.timing[key] : report.timing["deform_ms"][key]) = value;
  report.warn(found.misses);
  if (!found.misses.empty()) report.status = Report::Status::kIncomplete;
  for (const auto* tables : {&found.tables, &found.times})
    for (const ResultTable& table : *tables) report.text += (report.text.empty() ? "" : "\n") + table_text(table);
  if (output) {
    std::vector<ResultTable> written = found.tables;
    if (options.with_times) written.insert(written.end(), found.times.begin(), found.times.end());
    const std::string text = tables_in_format(written, experiment.name, output->extension() == ".md");
    io::AtomicFiles files;
    files.add(*output, text);
    files.commit();
    report.outputs.push_back(io::describe(*output, io::as_bytes(text)));
    report.text += fmt::format("\nwrote      {}: {} tables\n", output->string(), written.size());
  }
  report.next = "sinew make bar --joint-count 5 --checkerboard -o bar.glb";
  return report;
}

}  // namespace sinew::jobs
