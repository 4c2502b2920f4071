// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/templates/preset.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/rigging/build/role.h"
#include "sinew/rigging/templates/embedded.h"
#include "sinew/rigging/templates/json_fields.h"

namespace sinew::rigging {
namespace {

const std::vector<std::string>& axis_words() {
  static const std::vector<std::string> words = {"+x", "-x", "+y", "-y", "+z", "-z"};
  return words;
}

/// The fields that are texts, with what they may be; empty: anything.
struct TextField {
  const char* key;
  std::string Preset::*member;
  std::vector<std::string> choices;
};

const std::vector<TextField>& text_fields() {
  static const std::vector<TextField> fields = {{"left", &Preset::left, {}},
                                                {"right", &Preset::right, {}},
                                                {"pattern", &Preset::pattern, {}},
                                                {"letters", &Preset::letters, {"keep", "snake", "camel"}},
                                                {"prefix", &Preset::prefix, {}},
                                                {"root", &Preset::root, {}},
                                                {"bone_axis", &Preset::bone_axis, axis_words()},
                                                {"bend_axis", &Preset::bend_axis, axis_words()},
                                                {"rest", &Preset::rest, {"keep", "t", "a"}},
                                                {"unit", &Preset::unit, {"m", "cm"}},
                                                {"end_suffix", &Preset::end_suffix, {}}};
  return fields;
}

void replace_word(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

// Where there is no side, neither is what joined it to the name.
std::string formed(const Preset& preset, std::string text, BodySide side, const std::string& name) {
  const std::string word = side == BodySide::kLeft ? preset.left : side == BodySide::kRight ? preset.right : "";
  const auto joins = [](char c) { return c == '_' || c == '.' || c == '-' || c == ' '; };
  if (word.empty())
    for (std::size_t at = text.find("{side}"); at != std::string::npos; at = text.find("{side}")) {
      std::size_t end = at + 6;
      if (at > 0 && joins(text[at - 1])) --at;
      else if (end < text.size() && joins(text[end])) ++end;
      text.erase(at, end - at);
    }
  replace_word(text, "{side}", word);
  replace_word(text, "{name}", name);
  return text;
}

std::string in_snake(const std::string& name) {
  std::string result;
  char last = '_';
  const auto is = [](int (*test)(int), char c) { return test(static_cast<unsigned char>(c)) != 0; };
  for (const char c : name) {
    const bool begins =
        (is(std::isupper, c) && !is(std::isupper, last)) || (is(std::isdigit, c) && is(std::isalpha, last));
    if (begins && last != '_') result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    last = c;
  }
  return result;
}

void check_preset(const Preset& preset, const JsonFields& fields) {
  if (preset.version != 1) fields.fail("version", "should be 1, the only supported version");
  if (preset.name.empty()) fields.fail("name", "should be a word");
  if (preset.pattern.find("{name}") == std::string::npos) fields.fail("pattern", "should contain {name}");
  if (preset.pattern.find("{side}") == std::string::npos) fields.fail("pattern", "should contain {side}");
  if (preset.left.empty()) fields.fail("left", "should be a word");
  if (preset.right.empty() || preset.left == preset.right)
    fields.fail("right", fmt::format("should be a word other than that for the left, '{}'", preset.left));
  if (preset.bone_axis[1] == preset.bend_axis[1])
    fields.fail("bend_axis", fmt::format("should be at right angles to the bone's axis, {}", preset.bone_axis));
  if (preset.max_influences < 1 || preset.max_influences > 64) fields.fail("max_influences", "should be 1 to 64");
  if (preset.end_suffix.empty()) fields.fail("end_suffix", "should be a string that is not empty");
  std::set<std::string> used;
  for (const auto& [role, name] : preset.names) {
    if (role.empty() || name.empty())
      throw Error(fmt::format("{}: 'names' contains an empty role or name ('{}': '{}').", fields.where(), role, name));
    if (!used.insert(name).second)
      throw Error(fmt::format("{}: 'names' gives the name '{}' to two roles. Every joint needs a name of its own.",
                              fields.where(), name));
  }
  for (const std::string& name : preset.trunk)
    if (name.empty() || !used.insert(name).second)
      throw Error(fmt::format("{}: the name '{}' in 'trunk' is empty or used twice.", fields.where(), name));
}

std::vector<Preset> read_embedded_presets() {
  std::vector<Preset> result;
  for (const EmbeddedFile& file : embedded_presets())
    result.push_back(read_preset(file.text, "the built-in preset '" + file.name + "'"));
  constexpr std::array<const char*, 9> kOrder = {"plain", "blender", "rigify", "unity", "unreal",
                                                 "godot", "mixamo",  "vrm",    "maya"};
  std::stable_sort(result.begin(), result.end(), [&](const Preset& a, const Preset& b) {
    return std::find(kOrder.begin(), kOrder.end(), a.name) < std::find(kOrder.begin(), kOrder.end(), b.name);
  });
  return result;
}

Vec3 axis_vector(const std::string& axis) { return (axis[0] == '-' ? -1.0 : 1.0) * Vec3::Unit(axis[1] - 'x'); }

}  // namespace

Preset read_preset(const Json& json, const std::string& where) {
  std::vector<std::string> keys = {"version",    "name",           "title", "names",        "trunk",    "mirrored_axes",
                                   "world_axes", "max_influences", "ends",  "spine_joints", "all_bones"};
  for (const TextField& field : text_fields()) keys.emplace_back(field.key);
  const JsonFields fields(json, where, keys);
  Preset preset;
  fields.need("version");
  fields.read("version", preset.version);
  fields.need("name");
  fields.read("name", preset.name);
  preset.title = preset.name;
  fields.read("title", preset.title);
  fields.read("names", preset.names);
  fields.read("trunk", preset.trunk);
  fields.read("mirrored_axes", preset.mirrored_axes);
  fields.read("world_axes", preset.world_axes);
  fields.read("max_influences", preset.max_influences);
  fields.read("ends", preset.ends);
  fields.read("spine_joints", preset.spine_joints);
  fields.read("all_bones", preset.all_bones);
  for (const TextField& field : text_fields()) {
    std::size_t chosen = 0;
    if (!field.choices.empty()) fields.read_choice(field.key, field.choices, chosen);
    fields.read(field.key, preset.*field.member);
  }
  check_preset(preset, fields);
  return preset;
}

Preset read_preset(const std::string& text, const std::string& where) {
  return read_preset(parse_json(text, where), where);
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = read_embedded_presets();
  return all;
}

const Preset& find_preset(const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& candidate : presets()) {
    if (candidate.name == name) return candidate;
    known.push_back(candidate.name);
  }
  throw Error(fmt::format("There is no preset '{}'. Available presets: {}.{}", name, fmt::join(known, ", "),
                          did_you_mean(name, known)));
}

std::optional<std::string> named_joint(const Preset& preset, const std::string& role) {
  if (role.empty()) return std::nullopt;
  const BodySide side = parse_role(role).side;
  const std::size_t skipped = side == BodySide::kLeft ? 5 : side == BodySide::kRight ? 6 : 0;
  auto found = preset.names.find(role);
  if (found == preset.names.end()) found = preset.names.find(role.substr(skipped));
  if (found == preset.names.end()) return std::nullopt;
  return preset.prefix + formed(preset, found->second, side, "");
}

std::string joint_name(const Preset& preset, const std::string& role, const std::string& template_name) {
  if (const auto named = named_joint(preset, role)) return *named;
  BodySide side = parse_role(role).side;
  std::string name = template_name;
  const auto take = [&](const char* word, std::size_t length, BodySide named) {
    if (name.size() <= length || !name.starts_with(word)) return;
    if (side == BodySide::kMiddle) side = named;
    if (side == named) name.erase(0, length);
  };
  take("Left", 4, BodySide::kLeft);
  take("Right", 5, BodySide::kRight);
  if (preset.letters == "snake") name = in_snake(name);
  name = formed(preset, preset.pattern, side, name);
  if (preset.letters == "camel" && !name.empty())
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return preset.prefix + name;
}

Mat3 axes(const Preset& preset) {
  if (preset.world_axes) return Mat3::Identity();
  // Columns: where Sinew's x, y and z lie among the joint's own axes; its transpose says the same the other way.
  const Vec3 y = axis_vector(preset.bone_axis), z = axis_vector(preset.bend_axis);
  Mat3 own;
  own << y.cross(z), y, z;
  return own.transpose();
}

}  // namespace sinew::rigging
