// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/isa.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/pipeline/edit_weights.h"
#include "sinew/studio/pins.h"
#include "sinew/studio/rig_asset.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostKept = 12;

const Json& options_of(const Json& step) {
  static const Json none = Json::object();
  const auto found = step.find("options");
  return found == step.end() ? none : *found;
}

bool is_step(const Json& step, const char* kind) { return step.at("do") == kind; }

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

void apply_bind(const Json& step, Built& built, const Progress& progress) {
  pipeline::BindRequest request;
  OptionList(request).from_json(options_of(step));
  pipeline::BindingResult result = pipeline::bind(built.asset.character, request, progress);
  built.asset.character = std::move(result.character);
  built.save.changes.weights = true;
  if (result.skin_changes.any()) built.save.changes.skeleton = true;
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
}

void apply_edit(const Json& step, Built& built, const Progress& progress) {
  pipeline::EditWeightsOptions options;
  OptionList(options).from_json(options_of(step));
  pipeline::EditWeightsResult result = pipeline::edit_weights(built.asset.character, options, progress);
  built.asset.character = std::move(result.character);
  built.save.changes.weights = true;
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
}

Index joint_named(const Skeleton& skeleton, const Json& name) {
  const Index joint = name.is_string() ? skeleton.find(name.get<std::string>()) : kNone;
  if (joint == kNone) throw Error(fmt::format("The skeleton has no joint {}.", name.dump()));
  return joint;
}

void apply_rows(const Json& step, Built& built) {
  Rig& rig = built.asset.character.rig;
  std::vector<Pin> pins;
  const Index joint = joint_named(rig.skeleton, step.at("joint"));
  if (is_step(step, "piece")) {
    const std::vector<char> chosen =
        pipeline::vertices_of_word(built.asset.character, step.at("what").get<std::string>());
    for (Index v = 0; v < chosen.size(); ++v)
      if (chosen[v] != 0) pins.push_back({v, 1.0F});
  } else {
    pins = pins_from_text(step.at("pins").get<std::string>());
  }
  std::vector<Index> locked;
  if (step.contains("lock"))
    for (const Json& name : step["lock"]) locked.push_back(joint_named(rig.skeleton, name));
  apply_pins(rig, joint, pins, locked);
  built.save.changes.weights = true;
}

void apply_clip(const Json& step, Built& built) {
  Character& character = built.asset.character;
  Clip clip = motion::builtin_clip(character.rig.skeleton, step.at("name").get<std::string>());
  const auto same = [&](const Clip& other) { return other.name == clip.name; };
  if (std::any_of(character.clips.begin(), character.clips.end(), same)) return;
  built.save.new_clips.push_back(static_cast<Index>(character.clips.size()));
  character.clips.push_back(std::move(clip));
}

void apply(const Json& step, const std::vector<const Json*>& before, Built& built, const Progress& progress) {
  built.changed = true;
  if (is_step(step, "bind")) {
    apply_bind(step, built, progress);
    for (const Json* earlier : before)
      if (is_step(*earlier, "paint") || is_step(*earlier, "piece")) apply_rows(*earlier, built);
  } else if (is_step(step, "weights")) {
    apply_edit(step, built, progress);
  } else if (is_step(step, "clip")) {
    apply_clip(step, built);
  } else {
    apply_rows(step, built);
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
  if (kind == "rig" || kind == "bind" || kind == "weights") {
    if (!options_of(step).is_object()) refuse(number, "needs an object 'options'");
  } else if (kind == "joints") {
    if (!step.contains("hints") || !step["hints"].is_object()) refuse(number, "needs an object 'hints'");
    for (const auto& [name, place] : step["hints"].items())
      if (!place.is_null() && (!place.is_array() || place.size() != 3 ||
                               !std::all_of(place.begin(), place.end(), [](const Json& v) { return v.is_number(); })))
        refuse(number, fmt::format("must have three numbers for '{}'", name));
  } else if (kind == "paint") {
    text("joint"), text("pins");
  } else if (kind == "piece") {
    text("joint"), text("what");
  } else if (kind == "clip") {
    text("name");
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

}  // namespace

void check_steps(const Json& steps) {
  if (!steps.is_array()) throw Error("The steps of a recipe must be an array.");
  for (std::size_t i = 0; i < steps.size(); ++i) check_step(steps[i], i);
}

RecipeBuilder::RecipeBuilder(std::shared_ptr<const io::Asset> input) : input_(std::move(input)) {}

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

std::shared_ptr<const Built> RecipeBuilder::rigged(const Json& step, const Json& hints, const Progress& progress) {
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
  AssetRig made = rig_asset(std::move(asset), moved, options.rig, options.stand, options.placement, report, progress);
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
  built.findings = input_->warnings;
  built.findings.insert(built.findings.end(), report.warnings.begin(), report.warnings.end());
  built.findings.insert(built.findings.end(), made.result.findings.begin(), made.result.findings.end());
  return keep(key, std::move(built));
}

std::shared_ptr<const Built> RecipeBuilder::build(const Json& steps, const Progress& progress) {
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
    built = rigged(*rig_step, hints, progress);
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
    apply(*others[i], {others.begin(), others.begin() + static_cast<std::ptrdiff_t>(i)}, next, progress);
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
  std::string names;
  for (const auto& entry : options_of(step).items())
    if (entry.key() != "lock") names += (names.empty() ? "" : ", ") + entry.key();
  return "Weights: " + names;
}

std::string step_command(const Json& step, const std::string& file) {
  std::string command;
  if (is_step(step, "rig")) command = "sinew rig ";
  else if (is_step(step, "bind")) command = "sinew bind ";
  else if (is_step(step, "weights")) command = "sinew weights ";
  else return {};
  command += file;
  for (const auto& entry : options_of(step).items()) {
    std::string flag = entry.key();
    std::replace(flag.begin(), flag.end(), '_', '-');
    const Json& value = entry.value();
    if (value.is_null() || value.is_object() || value == false) continue;
    command += " --" + flag;
    if (value == true) continue;
    if (value.is_array()) {
      std::string words;
      for (const Json& item : value)
        words += (words.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
      command += " " + words;
    } else {
      command += " " + (value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return command;
}

Json recipe_json(const io::Asset& input, const Json& steps, const Json& view) {
  return {{"schema", kRecipeSchema},
          {"kind", "sinew recipe"},
          {"isa", isa_name(current_isa())},
          {"input", {{"name", input.path.filename().string()}, {"sha256", sha256_of(input)}}},
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
