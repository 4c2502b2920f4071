// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/templates/json_fields.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sinew/core/options.h"
#include "sinew/core/text.h"

namespace sinew::rigging {
namespace {

std::string shown(const Json& json) {
  constexpr std::size_t kMost = 60;
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

}  // namespace

Json parse_json(const std::string& text, const std::string& where) {
  try {
    check_json_depth(text);
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", where, problem.what()));
  }
  // The parser keeps the last of equal keys: a joint's second "parent" would be taken without a word.
  std::vector<std::set<std::string>> open;
  const auto check = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw Error(fmt::format("{}: the key '{}' appears twice in one object. Keep one of them.", where,
                              parsed.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw Error(
        fmt::format("{}: line {} is not valid JSON. Look for a missing comma, quote or bracket there or just "
                    "before.",
                    where, line));
  }
}

JsonFields::JsonFields(const Json& json, std::string where, const std::vector<std::string>& known)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object())
    throw Error(fmt::format("{}: this should be an object in braces, not {}.", where_, shown(json)));
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error(fmt::format("{}: the key '{}' is not known here.{}", where_, key, did_you_mean(key, known)));
}

const Json* JsonFields::find(const char* key) const {
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

const Json& JsonFields::need(const char* key) const {
  const Json* found = find(key);
  if (!found) throw Error(fmt::format("{}: '{}' is missing.", where_, key));
  return *found;
}

void JsonFields::fail(const char* key, const std::string& should) const {
  const Json* found = find(key);
  throw Error(fmt::format("{}: '{}' {}, not {}.", where_, key, should, found ? shown(*found) : "missing"));
}

void JsonFields::read(const char* key, std::string& value) const {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_string()) fail(key, "should be a string in quotes");
  value = found->get<std::string>();
}

void JsonFields::read(const char* key, bool& value) const {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_boolean()) fail(key, "should be true or false");
  value = found->get<bool>();
}

void JsonFields::read(const char* key, int& value) const {
  const Json* found = find(key);
  if (!found) return;
  const double number = found->is_number_integer() ? found->get<double>() : std::numeric_limits<double>::infinity();
  if (!(std::abs(number) <= 1e9)) fail(key, "should be a whole number");
  value = static_cast<int>(number);
}

void JsonFields::read(const char* key, double& value) const {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_number() || !std::isfinite(found->get<double>())) fail(key, "should be a number");
  value = found->get<double>();
}

void JsonFields::read(const char* key, Vec3& value) const {
  const Json* found = find(key);
  if (!found) return;
  const auto is_number = [](const Json& n) { return n.is_number() && std::isfinite(n.get<double>()); };
  if (!found->is_array() || found->size() != 3 || !std::all_of(found->begin(), found->end(), is_number))
    fail(key, "should be a list of three numbers");
  for (std::size_t i = 0; i < 3; ++i) value[static_cast<Eigen::Index>(i)] = (*found)[i].get<double>();
}

void JsonFields::read(const char* key, std::vector<std::string>& value) const {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), [](const Json& n) { return n.is_string(); }))
    fail(key, "should be a list of strings in quotes");
  value = found->get<std::vector<std::string>>();
}

void JsonFields::read(const char* key, std::map<std::string, std::string>& value) const {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_object() || !std::all_of(found->begin(), found->end(), [](const Json& n) { return n.is_string(); }))
    fail(key, "should be an object whose values are strings in quotes");
  value.clear();
  for (const auto& [name, text] : found->items()) value[name] = text.get<std::string>();
}

void JsonFields::read_choice(const char* key, const std::vector<std::string>& choices, std::size_t& value) const {
  const Json* found = find(key);
  if (!found) return;
  const auto chosen =
      found->is_string() ? std::find(choices.begin(), choices.end(), found->get<std::string>()) : choices.end();
  if (chosen == choices.end()) fail(key, fmt::format("should be \"{}\"", fmt::join(choices, "\", \"")));
  value = static_cast<std::size_t>(chosen - choices.begin());
}

}  // namespace sinew::rigging
