// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/core/shell_word.h"
#include "sinew/io/file.h"
#include "sinew/io/reach.h"
#include "sinew/io/temporary_files.h"
#include "sinew/jobs/temporary_files.h"
#include "sinew/jobs/texture_folder.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code problem;
  return fs::equivalent(a, b, problem) && !problem;
}

bool is_input(const JobRequest& request, const fs::path& output) {
  return std::any_of(request.inputs.begin(), request.inputs.end(),
                     [&](const fs::path& input) { return is_same_file(input, output); });
}

// "hero" for "hero.glb" and for "hero.rig.json".
std::string stem_of(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view rig = ".rig.json";
  if (name.size() > rig.size() && name.ends_with(rig)) return name.substr(0, name.size() - rig.size());
  return path.stem().string();
}

fs::path default_output(const JobRequest& request, const std::string& suffix, const std::string& ending) {
  if (request.inputs.empty())
    throw Error("There is no input from which the output could be named. Specify the output with -o.");
  std::string name = stem_of(request.inputs.front());
  if (!suffix.empty()) name += (suffix.front() == '_' ? "" : "_") + suffix;
  if (!ending.empty()) name += (ending.front() == '.' ? "" : ".") + ending;
  return request.inputs.front().parent_path() / name;
}

}  // namespace

fs::path output_path(const JobRequest& request, const std::string& suffix, const std::string& ending) {
  const fs::path output = request.output ? *request.output : default_output(request, suffix, ending);
  std::error_code problem;
  if (output.filename().empty() || fs::is_directory(output, problem))
    throw Error(fmt::format("{} is a folder. Specify a file in it.", output.string()));
  const fs::path folder = output.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, problem))
    throw Error(
        fmt::format("The folder {} does not exist. Create it, or choose another output with -o.", folder.string()));
  const bool may_replace = request.force || is_input(request, output);
  io::set_may_replace(output, may_replace);
  // A link that leads nowhere is a file too.
  if (fs::symlink_status(output, problem).type() != fs::file_type::not_found && !may_replace)
    throw Error(fmt::format(
        "{} already exists. Overwrite it with the option 'force', or choose another output with -o.", output.string()));
  return output;
}

void keep_backup(const JobRequest& request, const fs::path& output) {
  if (!is_input(request, output)) return;
  const io::Bytes bytes = io::read_file(output);
  for (int number = 1;; ++number) {
    const fs::path backup = output.string() + (number == 1 ? ".bak" : fmt::format(".bak{}", number));
    std::error_code problem;
    if (fs::exists(backup, problem)) {
      if (fs::is_regular_file(backup, problem) && io::read_file(backup) == bytes) return;
      continue;
    }
    io::AtomicFiles files;
    files.add(backup, bytes);
    files.commit();
    return;
  }
}

std::vector<std::string> names_of(const std::vector<Index>& joints, const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Index joint : joints) names.push_back(skeleton.joints[joint].name);
  return names;
}

std::string shell_word(const fs::path& path) { return sinew::shell_word(path.string()); }

void allow_outside(bool allowed) { io::allow_outside_files(allowed); }

bool wrote_files() { return io::committed_files() > 0; }

void remove_temporary_files() noexcept { io::remove_temporary_files(); }

void set_texture_folder(const fs::path& folder) { io::set_texture_folder(folder); }

Json read_config(const fs::path& path, const std::string& command) {
  const io::Bytes bytes = io::read_json_bytes(path);
  const Json json = io::parse_json(bytes, path);
  if (!json.is_object())
    throw Error(fmt::format("{} is neither a JSON object of options nor a report.", path.string()));
  if (!json.contains("schema") || !json.contains("options")) return json;
  if (json["schema"] != Report::kSchema)
    throw Error(fmt::format("{} is a report of schema {}; this program supports schema {}.", path.string(),
                            json["schema"].dump(), Report::kSchema));
  if (json.value("command", Json()) != Json(command))
    throw Error(fmt::format("{} is a report of the command {}, not of '{}'.", path.string(),
                            json.value("command", Json()).dump(), command));
  return json["options"];
}

}  // namespace sinew::jobs
