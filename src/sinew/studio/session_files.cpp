// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What a session reads and writes beside the character: exports, recipes, clips, earlier work.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/studio/controls.h"
#include "sinew/studio/gate.h"
#include "sinew/studio/recipe_extras.h"
#include "sinew/studio/session.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEarlier = 100;

Json locked_names(const Json& body) {
  Json names = Json::array();
  for (const Json& name : body.value("locked", Json::array()))
    if (name.is_string()) names.push_back(name);
  return names;
}

/// Removes the oldest files of a folder beyond a number.
void prune(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem))
    if (entry.is_regular_file(problem)) files.emplace_back(entry.last_write_time(problem), entry.path());
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMostEarlier < files.size(); ++i) fs::remove(files[i].second, problem);
}

}  // namespace

std::pair<fs::path, int> Session::given_file(const Json& body) {
  if (body.contains("file")) {
    const std::int64_t number = integer_of(body, "file", 0, static_cast<std::int64_t>(options_.files.size()) - 1);
    return {options_.files.at(static_cast<std::size_t>(number)), static_cast<int>(number)};
  }
  const std::lock_guard lock(mutex_);
  const std::string name = plain_name(text_of(body, "name"));
  if (drop_.empty() || name.empty()) throw Error("Nothing was uploaded.");
  return {drop_ / name, -1};
}

void Session::export_file(const Sender& sender, const Json& body, const Progress& progress) {
  std::shared_ptr<const Scene> scene;
  std::string stem;
  Json recipe;
  {
    const std::lock_guard lock(mutex_);
    scene = scene_;
    stem = fs::path(input_name_).stem().string();
    recipe = recipe_json(builder_->input(), *now().steps, {{"pose", now().pose}, {"locked", locked_names(body)}});
  }
  const std::string format = text_of(body, "format");
  const auto deliver = [&](const std::string& name, const std::string& type, io::Bytes bytes,
                           const Findings& findings) {
    Json texts = Json::array();
    for (const Finding& finding : findings) texts.push_back(without_folder(finding.text, options_.scratch.string()));
    std::uint64_t id = 0;
    {
      const std::lock_guard lock(mutex_);
      id = add_blob(type, std::move(bytes));
    }
    sender.peer->send(
        compact_text({{"t", "download"}, {"re", sender.id}, {"blob", id}, {"name", name}, {"findings", texts}}));
  };
  const bool page = format == "report", text_only = format == "recipe" || format == "pose";
  const Json formats = export_formats();
  if (!page && !text_only && std::find(formats.begin(), formats.end(), format) == formats.end())
    throw Error(fmt::format("The studio writes no '{}' files.", format));
  {
    const std::lock_guard lock(mutex_);
    const CommandSubject about = subject();
    const std::string command = compact_text({{"t", "command"}, {"text", export_command(about, format)}});
    for (const Client& client : clients_) client.peer->send(command);
  }
  if (text_only) {
    const std::string text = json_text(format == "pose" ? recipe["view"]["pose"] : recipe);
    const auto bytes = io::as_bytes(text);
    deliver(stem + (format == "pose" ? ".pose.json" : ".sinew.json"), "application/json",
            io::Bytes(bytes.begin(), bytes.end()), {});
    return;
  }
  progress.step("writing", 0.3);
  const fs::path folder = options_.scratch / fmt::format("export{}", ++exports_);
  fs::create_directories(folder);
  const std::string name = stem + (scene->built().changed ? "_rigged" : "");
  const fs::path path = folder / (name + (page ? ".glb" : "." + format));
  Report report;
  save_built(scene->built(), path, report);
  if (page) {
    if (!options_.report) throw Error("This build makes no reports.");
    deliver(name + ".html", "text/html", options_.report(path), report.warnings);
  } else {
    // Some formats have further files beside the first one, such as materials and pictures.
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path() != path) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    files.insert(files.begin(), path);
    for (const fs::path& file : files) {
      io::Bytes bytes = io::read_file(file);
      const bool first = file == path, binary = format == "glb" || format == "vrm";
      if (first && binary && flag_of(body, "recipe", false)) bytes = with_recipe(std::move(bytes), recipe);
      deliver(file.filename().string(), binary ? "model/gltf-binary" : "application/octet-stream", std::move(bytes),
              first ? report.warnings : Findings());
    }
  }
  std::error_code problem;
  fs::remove_all(folder, problem);
}

void Session::load_recipe(const std::string& name, const Progress& progress) {
  fs::path path;
  {
    const std::lock_guard lock(mutex_);
    if (drop_.empty() || name.empty()) throw Error("Nothing was uploaded.");
    path = drop_ / name;
  }
  const Json recipe = io::parse_json(io::read_json_bytes(path), path);
  Json steps = recipe_steps(recipe, builder_->input());
  apply_steps(std::move(steps), "Load " + name, progress);
  send_view(recipe);
}

/// The page restores what is not part of the steps.
void Session::send_view(const Json& recipe) {
  const Json view = recipe.value("view", Json::object());
  if (view.is_object()) broadcast({{"t", "view"}, {"locked", locked_names(view)}});
}

// Steps of a person are kept in a file that is named after the contents of the input. With the lock held.
void Session::autosave() {
  const std::size_t steps = now().steps->size();
  if (options_.state.empty() || sample_ || steps <= automatic_steps_) return;
  const fs::path path = earlier_path();
  if (path.empty()) return;
  try {
    fs::create_directories(options_.state);
    fs::permissions(options_.state, fs::perms::owner_all);
    io::AtomicFiles files;
    files.add(path, json_text(recipe_json(builder_->input(), *now().steps, {{"pose", now().pose}})));
    io::set_may_replace(path, true);
    files.commit();
    prune(options_.state);
    earlier_steps_ = 0;
  } catch (const std::exception&) {
    // A full or read-only disk must not stop the work itself.
  }
}

fs::path Session::earlier_path() const {
  const std::vector<ReportFile>& files = builder_->input().files;
  return options_.state.empty() || files.empty() ? fs::path() : options_.state / (files.front().sha256 + ".sinew.json");
}

// With the lock held.
void Session::find_earlier_work() {
  earlier_steps_ = 0;
  std::error_code problem;
  const fs::path path = earlier_path();
  if (path.empty() || !fs::is_regular_file(path, problem)) return;
  try {
    const Json recipe = io::parse_json(io::read_json_bytes(path), path);
    earlier_steps_ = recipe_steps(recipe, builder_->input()).size();
  } catch (const std::exception&) {
    // Of another version, or with other materials: not offered.
  }
}

void Session::restore(const Progress& progress) {
  const fs::path path = earlier_path();
  const Json recipe = io::parse_json(io::read_json_bytes(path), path);
  apply_steps(recipe_steps(recipe, builder_->input()), "Restore earlier work", progress);
  send_view(recipe);
}

void Session::forget() {
  std::error_code problem;
  fs::remove(earlier_path(), problem);
  earlier_steps_ = 0;
  broadcast({{"t", "earlier"}, {"steps", 0}});
}

// A file that was exported with its recipe names the mesh that it was made from. When that mesh is opened, the steps
// are applied to it.
void Session::find_carried_recipe(const Progress& progress) {
  const io::Asset& input = builder_->input();
  if (carried_recipe_.is_object()) {
    const Json recipe = std::exchange(carried_recipe_, Json());
    Json steps;
    try {
      steps = recipe_steps(recipe, input);
    } catch (const Error&) {
      // It belongs to another file.
    }
    if (steps.is_array()) {
      apply_steps(std::move(steps), "Steps of the exported file", progress);
      send_view(recipe);
      return;
    }
  }
  carried_recipe_ = recipe_of(input);
  if (!carried_recipe_.is_object()) return;
  send_view(carried_recipe_);
  const Json made_from = carried_recipe_.value("input", Json::object());
  const Json name = made_from.is_object() ? made_from.value("name", Json("")) : Json("");
  Json message = {{"t", "carried"}, {"name", name}, {"steps", carried_recipe_.value("steps", Json::array()).size()}};
  if (const Json open = known_file(plain_name(name.is_string() ? name.get<std::string>() : "")); !open.is_null())
    message["open"] = open;
  broadcast(message);
}

/// How a page opens a file of this name: a listed one, or one of the current drop. Null if there is none.
Json Session::known_file(const std::string& name) const {
  if (name.empty()) return {};
  for (std::size_t i = 0; i < options_.files.size(); ++i)
    if (options_.files[i].filename() == name) return {{"file", i}};
  const std::lock_guard lock(mutex_);
  std::error_code problem;
  if (!drop_.empty() && fs::is_regular_file(drop_ / name, problem)) return {{"name", name}};
  return {};
}

fs::path Session::clip_file(const std::string& name) {
  const std::string plain = plain_name(name);
  if (const auto found = clip_files_.find(plain); found != clip_files_.end()) return found->second;
  // A recipe may be dropped together with the files that it uses.
  const std::lock_guard lock(mutex_);
  std::error_code problem;
  return !drop_.empty() && fs::is_regular_file(drop_ / plain, problem) ? drop_ / plain : fs::path();
}

// {name: "walk.bvh", options: {…}}: every clip of a file that was uploaded becomes one of the character.
void Session::add_clips(const Json& body, const Progress& progress) {
  const std::string name = plain_name(text_of(body, "name"));
  fs::path path;
  Json steps;
  {
    const std::lock_guard lock(mutex_);
    if (drop_.empty() || name.empty()) throw Error("Nothing was uploaded.");
    path = drop_ / name;
    if (scene_->character().rig.skeleton.empty()) throw Error("There is no skeleton that clips could move. Rig first.");
    steps = *now().steps;
  }
  const io::Asset source = io::load(path, {}, progress);
  if (source.character.clips.empty()) throw Error(fmt::format("{} has no clips.", name));
  clip_files_[name] = path;
  for (const Clip& clip : source.character.clips) {
    Json step = {{"do", "clip"}, {"name", clip.name}, {"file", name}, {"sha256", source.files.front().sha256}};
    if (body.contains("options")) step["options"] = body["options"];
    steps.push_back(std::move(step));
  }
  check_steps(steps);
  const std::string label = source.character.clips.size() == 1
                                ? "Add clip " + source.character.clips.front().name
                                : fmt::format("Add {} clips of {}", source.character.clips.size(), name);
  apply_steps(std::move(steps), label, progress);
  const std::vector<Clip>& clips = scene_->character().clips;
  broadcast({{"t", "play"}, {"clip", clips.size() - source.character.clips.size()}});
}

}  // namespace sinew::studio
