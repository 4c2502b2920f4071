// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sinew/binding/binder.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& parts_to_lack() {
  static const std::vector<std::string> words = {"arms", "legs", "head", "tail", "wings"};
  return words;
}

std::string did_you_mean_word(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest_word(word, known);
  return near.empty() ? "" : fmt::format(" Did you mean '{}'?", near);
}

std::optional<double> number_in(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  double value = 0;
  const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || problem != std::errc() || stop != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

[[noreturn]] void bad_hint(const std::string& text) {
  throw Error(fmt::format("--hint takes NAME=x,y,z, such as left_hand=0.7,1.4,0, not '{}'.", text));
}

// A word that names a file rather than something built in.
bool names_a_json_file(const std::string& word) {
  return word.ends_with(".json") || word.find('/') != std::string::npos;
}

Json read_json(const std::string& file, std::vector<ReportFile>& files, const char* wanted) {
  const io::Bytes bytes = io::read_file(file);
  const Json json = Json::parse(io::as_text(bytes), nullptr, false);
  if (json.is_discarded()) throw Error(fmt::format("{} is not JSON, so it is no {}.", file, wanted));
  files.push_back(io::describe(file, bytes));
  return json;
}

std::vector<std::string> joint_names_of(const std::vector<Template>& templates) {
  std::vector<std::string> names;
  for (const Template& t : templates)
    for (const Template::Joint& joint : t.joints) {
      names.push_back(joint.name);
      if (!joint.role.empty()) names.push_back(joint.role);
    }
  return names;
}

void check_places(const std::map<std::string, Vec3>& places, const std::vector<std::string>& known,
                  const std::string& where, const std::string& template_name) {
  for (const auto& [name, place] : places)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(fmt::format(
          "{}: {} has no joint '{}'.{}", where,
          template_name == "auto" ? std::string("no template") : fmt::format("the template '{}'", template_name), name,
          did_you_mean_word(name, known)));
}

}  // namespace

std::map<std::string, Vec3> read_hints(const std::vector<std::string>& words) {
  // An option's list may have been cut at the commas between the numbers: joined again it is what was written.
  const std::string text = fmt::format("{}", fmt::join(words, ","));
  std::map<std::string, Vec3> hints;
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) pieces.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  for (std::size_t i = 0; i < pieces.size(); i += 3) {
    const std::size_t sign = pieces[i].find('=');
    if (sign == std::string::npos || sign == 0 || i + 2 >= pieces.size()) bad_hint(text);
    const std::string name = pieces[i].substr(0, sign);
    const auto x = number_in(std::string_view(pieces[i]).substr(sign + 1)), y = number_in(pieces[i + 1]),
               z = number_in(pieces[i + 2]);
    if (!x || !y || !z) bad_hint(text);
    if (!hints.emplace(name, Vec3(*x, *y, *z)).second)
      throw Error(fmt::format("--hint names '{}' twice. Give one place for a joint.", name));
  }
  return hints;
}

std::map<std::string, Vec3> read_places(const std::string& file, std::vector<ReportFile>& files) {
  const Json json = read_json(file, files, "list of places");
  if (!json.is_object()) throw Error(fmt::format("{} is not a JSON object of joints: {{\"NAME\": [x, y, z]}}.", file));
  std::map<std::string, Vec3> places;
  for (const auto& entry : json.items()) {
    const Json& value = entry.value();
    const auto number = [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()); };
    if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), number))
      throw Error(fmt::format("{}: '{}' must have three numbers, [x, y, z].", file, entry.key()));
    places[entry.key()] = Vec3(value[0].get<double>(), value[1].get<double>(), value[2].get<double>());
  }
  return places;
}

rigging::Preset chosen_preset(const RigJobOptions& options, const fs::path& output, std::vector<ReportFile>& files) {
  const std::string word = !options.preset.empty()        ? options.preset
                           : output.extension() == ".vrm" ? std::string("vrm")
                                                          : std::string("plain");
  rigging::Preset preset = names_a_json_file(word) ? rigging::read_preset(read_json(word, files, "preset"), word)
                                                   : rigging::find_preset(word);
  if (!options.rest.empty()) preset.rest = options.rest;
  if (options.max_influences) preset.max_influences = *options.max_influences;
  if (!options.root.empty()) preset.root = options.root == "none" ? "" : options.root;
  if (options.ends) preset.ends = *options.ends;
  if (!options.bone_axis.empty()) {
    preset.bone_axis = options.bone_axis;
    if (preset.bone_axis.back() == preset.bend_axis.back())
      preset.bend_axis = preset.bone_axis.back() == 'z' ? "+x" : "+z";
    preset.world_axes = false;
  }
  if (!options.skeleton_unit.empty()) preset.unit = options.skeleton_unit;
  return preset;
}

rigging::RiggerRequest rigger_request(const RigJobOptions& options, std::vector<ReportFile>& files) {
  rigging::RiggerRequest request;
  const std::string& word = options.template_name;
  if (word == "auto") request.templates = rigging::templates();
  else if (names_a_json_file(word))
    request.templates = {rigging::read_template(read_json(word, files, "template"), word)};
  else if (word != "generic") request.templates = {rigging::find_template(word)};
  request.hints = read_hints(options.hint);
  if (!options.joints.empty()) request.given = read_places(options.joints, files);
  const std::vector<std::string> known = joint_names_of(request.templates);
  check_places(request.hints, known, "--hint", word);
  check_places(request.given, known, options.joints, word);
  return request;
}

void check_words(const RigJobOptions& options) {
  const auto check = [](const std::string& word, const std::vector<std::string>& known, const char* flag) {
    if (std::find(known.begin(), known.end(), word) != known.end()) return;
    throw Error(fmt::format("{} does not know '{}'; it takes {}.{}", flag, word, fmt::join(known, ", "),
                            did_you_mean_word(word, known)));
  };
  for (const std::string& word : options.rigger.without) check(word, parts_to_lack(), "--without");
  std::vector<std::string> clips = motion::all_builtin_clip_names();
  clips.emplace_back("auto");
  for (const std::string& word : options.demo_clip) check(word, clips, "--demo-clip");
  binding::binders().find(options.bind);
}

void check_holds_skeleton(const fs::path& output) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(fmt::format("{} cannot hold a skeleton. Write .glb, .gltf, .vrm or .rig.json.", output.string()));
}

}  // namespace sinew::jobs
