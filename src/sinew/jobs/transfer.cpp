// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "sinew/jobs/transfer_report.h"
#include "sinew/jobs/transfer_target.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code problem;
  return fs::equivalent(a, b, problem) && !problem;
}

// Whether -o names a folder: one that is there, or one that ends like it.
bool names_folder(const fs::path& output) {
  std::error_code problem;
  return output.filename().empty() || fs::is_directory(output, problem);
}

void check_holds_rig(const fs::path& output, bool colors) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(fmt::format("{} cannot hold weights. Write .glb, .gltf, .vrm or .rig.json.", output.string()));
  if (colors && format.id == "rig")
    throw Error(fmt::format("{} cannot hold colours. Write .glb, .gltf or .vrm with --debug-colors.", output.string()));
}

// A folder that is made with the first file in it.
void check_can_be_made(const fs::path& folder) {
  std::error_code problem;
  const fs::path above = (folder.filename().empty() ? folder.parent_path() : folder).parent_path();
  if (!above.empty() && !fs::is_directory(above, problem))
    throw Error(
        fmt::format("The folder {} is not there, so {} cannot be made in it. Make it, or write elsewhere with -o.",
                    above.string(), folder.string()));
}

/// Where each target goes, all checked before the work begins.
std::vector<fs::path> output_paths(const JobRequest& request, bool colors) {
  const std::vector<fs::path> targets(request.inputs.begin() + 1, request.inputs.end());
  std::error_code problem;
  const bool folder = request.output && names_folder(*request.output);
  if (request.output && !folder && targets.size() > 1)
    throw Error(fmt::format("There are {} targets, and {} is one file. Name a folder with -o, as {}/.", targets.size(),
                            request.output->string(), request.output->string()));
  const bool new_folder = folder && !fs::is_directory(*request.output, problem);
  if (new_folder) check_can_be_made(*request.output);
  std::vector<fs::path> outputs;
  for (const fs::path& target : targets) {
    JobRequest one = request;
    one.inputs = {target};
    if (folder) {
      // Named as it would be beside the target.
      JobRequest beside{{target}, {}, true};
      one.output = *request.output / output_path(beside, "transferred", ".glb").filename();
    }
    outputs.push_back(new_folder ? *one.output : output_path(one, "transferred", ".glb"));
    check_holds_rig(outputs.back(), colors);
    if (std::find(outputs.begin(), outputs.end() - 1, outputs.back()) != outputs.end() - 1)
      throw Error(fmt::format("Two targets would be written to {}. Give them other names, or transfer them one by one.",
                              outputs.back().string()));
    if (same_file(outputs.back(), request.inputs.front()))
      throw Error(fmt::format("{} is the reference and would be overwritten. Write elsewhere with -o.",
                              outputs.back().string()));
  }
  return outputs;
}

std::map<std::string, std::string> read_map(const std::string& file, Report& report) {
  std::map<std::string, std::string> given;
  if (file.empty()) return given;
  const io::Bytes bytes = io::read_file(file);
  report.inputs.push_back(io::describe(file, bytes));
  const Json json = Json::parse(io::as_text(bytes), nullptr, false);
  if (!json.is_object())
    throw Error(
        fmt::format("{} is not a JSON object of joint names: {{\"reference joint\": \"target joint\", …}}.", file));
  for (const auto& item : json.items()) {
    if (!item.value().is_string() && !item.value().is_null())
      throw Error(fmt::format("{}: the partner of '{}' is neither a joint's name nor null.", file, item.key()));
    given[item.key()] = item.value().is_null() ? "" : item.value().get<std::string>();
  }
  return given;
}

// Joints that are named, with the helpers that hang on them.
std::vector<char> only_joints(const TransferReference& reference, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const Skeleton& skeleton = reference.skeleton();
  std::vector<char> only(skeleton.joints.size(), 0);
  for (const std::string& name : names) {
    const Index joint = skeleton.find(name);
    if (joint == kNone) throw unknown_joint(skeleton, name);
    only[joint] = 1;
  }
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index parent = skeleton.joints[j].parent;
        parent != kNone && only[parent] != 0 && reference.helpers()[j] != 0)
      only[j] = 1;
  return only;
}

void tell_reference(const TransferReference& reference, Report& report) {
  const auto count = [](const std::vector<char>& flags) { return std::count(flags.begin(), flags.end(), 1); };
  Index helpers = 0;
  for (Index j = 0; j < reference.skeleton().size(); ++j)
    helpers += reference.helpers()[j] != 0 && reference.moves_skin()[j] != 0 ? 1 : 0;
  report.text += fmt::format("reference  {}: {} vertices, {} joints with weights{}\n", reference.asset().path.string(),
                             reference.side().mesh.vertex_count(), count(reference.moves_skin()),
                             helpers > 0 ? fmt::format(", {} of them helpers", helpers) : "");
  report.metrics["reference"] = {{"vertices", reference.side().mesh.vertex_count()},
                                 {"joints", reference.skeleton().size()},
                                 {"weighted_joints", count(reference.moves_skin())},
                                 {"helpers", helpers},
                                 {"clips", reference.asset().character.clips.size()}};
}

std::string next_look(const fs::path& output, const Json& figures) {
  if (io::format_of(output).id == "rig") return fmt::format("sinew info {}", shell_word(output));
  const fs::path sheet = output.parent_path() / (output.stem().string() + "_sheet.png");
  const Json clips = figures.value("clips", Json::array());
  const std::string clip = clips.empty() ? "builtin:exercise" : clips.front().get<std::string>();
  return fmt::format("sinew render {} --clip {} --sheet -o {}", shell_word(output), shell_word(fs::path(clip)),
                     shell_word(sheet));
}

std::string times_line(const Report& report) {
  std::string text;
  for (const auto& item : report.timing.items())
    text += fmt::format("{}{} {:.2f} s", text.empty() ? "" : ", ", item.key(), item.value().get<double>());
  return text.empty() ? text : fmt::format("time       {}\n", text);
}

}  // namespace

std::string TransferJobOptions::method_names() {
  std::string text;
  for (const auto& method : transfer::methods().entries())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", method.id, method.name);
  return text;
}

Report transfer(const JobRequest& request, const TransferJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "transfer";
  if (request.inputs.size() < 2)
    throw Error("There is no target. Name the reference first, then one target or several.");
  report.metrics["method"] = sinew::transfer::methods().find(options.method).id;
  for (std::size_t i = 1; i < request.inputs.size(); ++i)
    if (same_file(request.inputs[i], request.inputs.front()))
      throw Error(fmt::format("{} is the reference and a target at once.", request.inputs[i].string()));
  const std::vector<fs::path> outputs = output_paths(request, options.debug_colors);
  std::map<std::string, std::string> given = read_map(options.map, report);
  std::optional<TransferReference> reference;
  {
    const StageTimer timer(report, "read");
    reference.emplace(request.inputs.front(), report, progress);
  }
  TransferTask task{request, options, *reference, std::move(given), only_joints(*reference, options.only)};
  tell_reference(*reference, report);

  Json targets = Json::array();
  std::string table, first_problem;
  std::size_t done = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path& input = request.inputs[i + 1];
    if (outputs.size() == 1) {
      targets.push_back(transfer_target(task, input, outputs[i], table, report, progress));
    } else {
      try {
        targets.push_back(transfer_target(task, input, outputs[i], table, report, progress));
      } catch (const Error& problem) {
        if (first_problem.empty()) first_problem = problem.what();
        report.status = Report::Status::kIncomplete;
        report.warn("transfer.target_failed", input.string(), problem.what());
        report.text += fmt::format("failed     {}\n", problem.what());
        targets.push_back({{"input", input.string()}, {"error", problem.what()}});
        continue;
      }
    }
    if (done++ == 0) report.next = next_look(outputs[i], targets.back());
  }
  if (done == 0) throw Error(first_problem);
  report.metrics["targets"] = std::move(targets);
  report.text += times_line(report);
  return report;
}

}  // namespace sinew::jobs
