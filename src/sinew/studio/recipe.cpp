// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/isa.h"
#include "sinew/studio/recipe_steps.h"
#include "sinew/studio/rig_asset.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostKept = 12;

/// A hint names where a joint is; the last one of a joint counts.
void merge_hints(Json& hints, const Json& step) {
  for (const auto& [name, place] : step.at("hints").items())
    if (place.is_null()) hints.erase(name);
    else hints[name] = place;
}

Built start(const io::Asset& input) {
  Built built;
  built.asset = input;
  built.findings = input.warnings;
  built.automatic = std::make_shared<const SkinWeights>(built.asset.character.rig.weights);
  return built;
}

void note_placed(const pipeline::RigResult& result, Built& built) {
  built.placed.assign(built.asset.character.rig.skeleton.size(), {});
  std::set<std::string> names;
  for (std::size_t i = 0; i < result.plan.joints.size(); ++i) {
    const rigging::PlannedJoint& joint = result.plan.joints[i];
    const Index j = result.joints[i];
    if (j >= built.placed.size()) continue;
    PlacedJoint& placed = built.placed[j];
    placed.origin = joint.origin;
    placed.confidence = joint.confidence;
    // Templates take hints for joints that they have; extra parts have no role.
    if (!joint.role.empty() && names.insert(joint.name).second) placed.hint = joint.name;
    if (joint.partner != kNone) placed.partner = result.joints[joint.partner];
  }
}

[[noreturn]] void refuse(std::size_t number, const std::string& why) {
  throw Error(fmt::format("Step {} of the recipe {}.", number + 1, why));
}

void check_step(const Json& step, std::size_t number) {
  if (!step.is_object() || !step.contains("do") || !step["do"].is_string()) refuse(number, "has no 'do'");
  const std::string kind = step["do"].get<std::string>();
  const auto text = [&](const char* key) {
    if (!step.contains(key) || !step[key].is_string()) refuse(number, fmt::format("needs a text '{}'", key));
  };
  if (kind == "rig" || kind == "bind" || kind == "weights" || kind == "skeleton") {
    if (!options_of(step).is_object()) refuse(number, "needs an object 'options'");
    if (kind == "skeleton" && !options_of(step).value("preset", Json("")).is_string())
      refuse(number, "must have the name of a preset");
  } else if (kind == "joints") {
    if (!step.contains("hints") || !step["hints"].is_object()) refuse(number, "needs an object 'hints'");
    for (const auto& [name, place] : step["hints"].items())
      if (!place.is_null() && (!place.is_array() || place.size() != 3 ||
                               !std::all_of(place.begin(), place.end(), [](const Json& v) { return v.is_number(); })))
        refuse(number, fmt::format("must have three numbers for '{}'", name));
  } else if (kind == "paint") {
    text("joint"), text("pins");
    const auto mirrored = step.find("mirrored");
    if (mirrored != step.end() && !(mirrored->is_object() && mirrored->value("joint", Json()).is_string() &&
                                    mirrored->value("pins", Json()).is_string()))
      refuse(number, "needs texts 'joint' and 'pins' in 'mirrored'");
  } else if (kind == "reset") {
    text("vertices");
  } else if (kind == "piece") {
    text("joint"), text("what");
  } else if (kind == "clip") {
    text("name");
    if (step.contains("file")) text("file"), text("sha256");
    if (!options_of(step).is_object()) refuse(number, "needs an object 'options'");
  } else {
    refuse(number, fmt::format("is of an unknown kind '{}'", kind));
  }
  if (step.contains("lock") && (!step["lock"].is_array() || !std::all_of(step["lock"].begin(), step["lock"].end(),
                                                                         [](const Json& v) { return v.is_string(); })))
    refuse(number, "must have joint names in 'lock'");
}

std::string sha256_of(const io::Asset& input) {
  return input.files.empty() ? std::string() : input.files.front().sha256;
}

/// Files beside the main one, such as materials and pictures, by name.
Json side_files(const io::Asset& input) {
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 1; i < input.files.size(); ++i)
    files.emplace_back(std::filesystem::path(input.files[i].path).filename().string(), input.files[i].sha256);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  Json json = Json::array();
  for (const auto& [name, sha256] : files) json.push_back({{"name", name}, {"sha256", sha256}});
  return json;
}

/// \throws Error if files beside the input are not those of the recipe. Names do not count, contents do.
void check_side_files(const Json& wanted, const io::Asset& input) {
  const Json found = side_files(input);
  const auto missing = [](const Json& list, const Json& other) {
    std::string name;
    for (const Json& file : list) {
      const auto same = [&](const Json& candidate) { return candidate["sha256"] == file.value("sha256", Json()); };
      if (name.empty() && std::none_of(other.begin(), other.end(), same))
        name = file.value("name", std::string("a file"));
    }
    return name;
  };
  const std::string main = input.path.filename().string();
  if (const std::string name = missing(wanted, found); !name.empty())
    throw Error(
        fmt::format("The recipe was made with {} beside {}. It is missing, or its contents differ.", name, main));
  if (const std::string name = missing(found, wanted); !name.empty())
    throw Error(fmt::format(
        "{} is used by {}, but it was not when the recipe was made. Move it away to repeat the recipe.", name, main));
}

}  // namespace

void check_steps(const Json& steps) {
  if (!steps.is_array()) throw Error("The steps of a recipe must be an array.");
  for (std::size_t i = 0; i < steps.size(); ++i) check_step(steps[i], i);
}

RecipeBuilder::RecipeBuilder(std::shared_ptr<const io::Asset> input, FileFinder files)
    : input_(std::move(input)), files_(std::move(files)) {}

std::shared_ptr<const Built> RecipeBuilder::find(const std::string& key) {
  const auto place = std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) { return entry.first == key; });
  if (place == kept_.end()) return nullptr;
  std::rotate(place, place + 1, kept_.end());
  return kept_.back().second;
}

std::shared_ptr<const Built> RecipeBuilder::keep(const std::string& key, Built built) {
  if (kept_.size() >= kMostKept) kept_.erase(kept_.begin());
  kept_.emplace_back(key, std::make_shared<const Built>(std::move(built)));
  return kept_.back().second;
}

std::shared_ptr<const Built> RecipeBuilder::rigged(const Json& step, const Json& hints, const Progress& progress,
                                                   const StageListener& on_stage) {
  const std::string key = step.dump() + hints.dump();
  if (auto known = find(key)) return known;
  RigStep options;
  OptionList(options).from_json(options_of(step));
  for (const auto& [name, place] : hints.items())
    options.rig.hint[name] = Vec3(place[0].get<double>(), place[1].get<double>(), place[2].get<double>());
  options.rig.skeleton_template = options.template_name;
  options.rig.preset = options.preset;
  pipeline::check_rig_options(options.rig);
  io::Asset asset = *input_;
  if (options.placement.any()) io::place(asset, options.placement);
  Report report;
  const bool moved = prepare_to_rig(asset, options.rig.replace, report);
  AssetRig made =
      rig_asset(std::move(asset), moved, options.rig, options.stand, options.placement, report, progress, on_stage);
  Built built;
  built.asset = std::move(made.asset);
  built.save = std::move(made.save);
  built.changed = built.rigged = true;
  built.posed = made.result.rest != rigging::RestPose::kKeep;
  built.turn = made.turn;
  built.template_name = made.result.plan.template_name;
  built.fits = made.result.fits;
  built.confidence = made.result.confidence;
  built.symmetric = made.result.plan.symmetric;
  note_placed(made.result, built);
  built.automatic = std::make_shared<const SkinWeights>(built.asset.character.rig.weights);
  built.origin = std::move(made.result.origin);
  for (const pipeline::WeightOrigin& origin : made.result.origins)
    built.origins.push_back(origin.method + ": " + origin.reason);
  built.findings = input_->warnings;
  built.findings.insert(built.findings.end(), report.warnings.begin(), report.warnings.end());
  built.findings.insert(built.findings.end(), made.result.findings.begin(), made.result.findings.end());
  return keep(key, std::move(built));
}

std::shared_ptr<const Built> RecipeBuilder::build(const Json& steps, const Progress& progress,
                                                  const StageListener& on_stage) {
  check_steps(steps);
  const Json* rig_step = nullptr;
  Json hints = Json::object();
  std::vector<const Json*> others;
  for (const Json& step : steps) {
    if (is_step(step, "rig")) {
      rig_step = &step;
      hints = Json::object();
      others.clear();
    } else if (is_step(step, "joints")) {
      merge_hints(hints, step);
    } else {
      others.push_back(&step);
    }
  }
  if (rig_step == nullptr && !hints.empty()) throw Error("Only joints that Sinew placed can be moved. Rig first.");
  std::shared_ptr<const Built> built;
  std::string key;
  if (rig_step != nullptr) {
    key = rig_step->dump() + hints.dump();
    built = rigged(*rig_step, hints, progress, on_stage);
  } else {
    key = "file";
    if (!(built = find(key))) built = keep(key, start(*input_));
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    key += others[i]->dump();
    if (auto known = find(key)) {
      built = known;
      continue;
    }
    Built next = *built;
    apply_step(*others[i], {others.begin(), others.begin() + static_cast<std::ptrdiff_t>(i)}, next, files_, progress);
    built = keep(key, std::move(next));
  }
  return built;
}

std::string step_label(const Json& step) {
  const auto word = [&](const char* key) { return step.at(key).get<std::string>(); };
  if (is_step(step, "rig")) return "Rig";
  if (is_step(step, "joints")) {
    std::string names;
    for (const auto& entry : step["hints"].items()) names += (names.empty() ? "" : ", ") + entry.key();
    return "Move " + names;
  }
  if (is_step(step, "bind")) return "New weights";
  if (is_step(step, "paint")) return "Paint " + word("joint");
  if (is_step(step, "piece")) return fmt::format("{} follows {}", word("what"), word("joint"));
  if (is_step(step, "clip")) return "Add clip " + word("name");
  if (is_step(step, "reset")) return "Reset weights";
  if (is_step(step, "skeleton")) {
    const Json& options = options_of(step);
    if (options.contains("add")) return "Add joint";
    if (const Json preset = options.value("preset", Json()); preset.is_string())
      return "Preset " + preset.get<std::string>();
    return options.contains("remove") ? "Delete joints" : "Edit joints";
  }
  std::string names;
  for (const auto& entry : options_of(step).items())
    if (entry.key() != "lock") names += (names.empty() ? "" : ", ") + entry.key();
  return "Weights: " + names;
}

Json recipe_json(const io::Asset& input, const Json& steps, const Json& view) {
  return {
      {"schema", kRecipeSchema},
      {"kind", "sinew recipe"},
      {"isa", isa_name(current_isa())},
      {"input", {{"name", input.path.filename().string()}, {"sha256", sha256_of(input)}, {"files", side_files(input)}}},
      {"steps", steps},
      {"view", view}};
}

Json recipe_steps(const Json& recipe, const io::Asset& input) {
  if (!recipe.is_object() || recipe.value("kind", Json()) != "sinew recipe" || !recipe.contains("steps"))
    throw Error("The file is not a recipe of the studio.");
  if (recipe.value("schema", Json()) != kRecipeSchema)
    throw Error(fmt::format("The recipe has the schema {}; this program supports {}.",
                            recipe.value("schema", Json()).dump(), kRecipeSchema));
  const Json made_for = recipe.value("input", Json::object());
  const Json sha256 = made_for.is_object() ? made_for.value("sha256", Json()) : Json();
  if (sha256 != sha256_of(input))
    throw Error(fmt::format("The recipe was made for another file than {}: their contents differ.",
                            input.path.filename().string()));
  // Recipes of earlier versions list the main file only.
  if (const auto files = made_for.find("files"); files != made_for.end()) {
    if (!files->is_array() || !std::all_of(files->begin(), files->end(), [](const Json& f) { return f.is_object(); }))
      throw Error("The recipe is damaged: 'files' of its input must be an array of objects.");
    check_side_files(*files, input);
  }
  check_steps(recipe["steps"]);
  return recipe["steps"];
}

void save_built(const Built& built, const std::filesystem::path& path, Report& report) {
  io::SaveOptions save = built.save;
  if (built.rigged) save.humanoid = humanoid_table(built.asset, path, report);
  // A character that was made here, not read, has no document: everything is written.
  if (!built.asset.document && built.asset.files.empty()) {
    save.changes.positions = save.changes.weights = save.changes.skeleton = true;
    save.new_clips.clear();
    for (Index c = 0; c < built.asset.character.clips.size(); ++c) save.new_clips.push_back(c);
  }
  io::save(built.asset, path, save, report);
}

}  // namespace sinew::studio
