// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/reproduce.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "sinew/picture/close_up.h"
#include "sinew/picture/picture.h"

namespace sinew::jobs {
namespace {

constexpr int kFigureSide = 400;

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

/// Before the experiment, which may take minutes.
void make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!std::filesystem::is_directory(folder, problem))
    throw Error(fmt::format("The folder {} cannot be created.", folder.string()));
}

/// Draws figures: a row for each bent joint, its methods beside each other with one camera.
std::vector<picture::PictureScene> figure_scenes(const std::vector<lab::Figure>& figures) {
  std::vector<picture::PictureScene> scenes;
  for (const lab::Figure& figure : figures) {
    picture::PictureScene& scene = scenes.emplace_back(*figure.rows.front().character);
    for (const lab::FigureRow& row : figure.rows) {
      const std::size_t first = scene.frames.size();
      for (const lab::FigurePanel& panel : row.panels)
        scene.frames.push_back({panel.positions, row.joints, row.character});
      const picture::PictureCloseUp close_up =
          picture::CloseUpFinder(row.character->rig, scene.frames[first]).close_up(row.joint);
      for (std::size_t p = 0; p < row.panels.size(); ++p)
        scene.cells.push_back(
            {picture::PictureView::kThreeQuarter, static_cast<Index>(first + p), row.panels[p].title, close_up});
    }
    scene.columns = static_cast<int>(figure.rows.front().panels.size());
    scene.width = kFigureSide * scene.columns;
    scene.height = kFigureSide * static_cast<int>(figure.rows.size());
  }
  return scenes;
}

/// Draws the figures to files `ID.png` of a folder.
void add_pictures(const std::vector<lab::Figure>& figures, const std::filesystem::path& folder, io::AtomicFiles& files,
                  Report& report, const Progress& progress) {
  const std::vector<picture::PictureScene> scenes = figure_scenes(figures);
  std::vector<const picture::PictureScene*> drawn;
  for (const picture::PictureScene& scene : scenes) drawn.push_back(&scene);
  const std::vector<picture::Picture> pictures = picture::draw_pictures(drawn, progress);
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const std::filesystem::path path = folder / (figures[f].id + ".png");
    files.add(path, pictures[f].png);
    report.warn(pictures[f].warnings);
    report.outputs.push_back(io::describe(path, pictures[f].png));
    report.text += fmt::format("\nwrote      {}: {}\n", path.string(), figures[f].title);
  }
}

}  // namespace

Report reproduce(const JobRequest& request, const lab::ReproduceOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1)
    throw Error("The command reproduce runs one experiment, for example: sinew reproduce blend-bar.");
  Report report;
  report.command = "reproduce";
  const auto& experiment = lab::experiments().find(request.inputs.front().string());
  const std::optional<std::filesystem::path> output = table_path(request);
  if (!options.picture_folder.empty()) make_folder(options.picture_folder);
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
  io::AtomicFiles files;
  if (!options.picture_folder.empty() && found.figures.empty())
    report.warn("reproduce.no_figures", experiment.id, "This experiment has no pictures.");
  if (!options.picture_folder.empty() && !found.figures.empty())
    add_pictures(found.figures, options.picture_folder, files, report, progress);
  if (output) {
    std::vector<ResultTable> written = found.tables;
    if (options.with_times) written.insert(written.end(), found.times.begin(), found.times.end());
    const std::string text = tables_in_format(written, experiment.name, output->extension() == ".md");
    files.add(*output, text);
    report.outputs.push_back(io::describe(*output, io::as_bytes(text)));
    report.text += fmt::format("\nwrote      {}: {} tables\n", output->string(), written.size());
  }
  files.commit();
  report.next = "sinew make bar --joint-count 5 --checkerboard -o bar.glb";
  return report;
}

}  // namespace sinew::jobs
