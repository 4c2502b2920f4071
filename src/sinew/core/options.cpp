// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

const char* type_words(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "true or false";
    case OptionType::kInteger:
      return "an integer";
    case OptionType::kNumber:
      return "a number";
    case OptionType::kText:
      return "a string";
    case OptionType::kTextList:
      return "a list of strings";
    case OptionType::kVector:
      return "three numbers";
    case OptionType::kTextMap:
      return "an object of names and strings";
    case OptionType::kNumberMap:
      return "an object of names and numbers";
    case OptionType::kVectorMap:
      return "an object of names and positions of three numbers";
  }
  return "";
}

bool is_number(const Json& value) { return value.is_number() && std::isfinite(value.get<double>()); }
bool is_string(const Json& value) { return value.is_string(); }

bool is_vector(const Json& value) {
  return value.is_array() && value.size() == 3 && std::all_of(value.begin(), value.end(), is_number);
}

bool all_are(const Json& values, bool (*test)(const Json&)) { return std::all_of(values.begin(), values.end(), test); }

bool has_type(OptionType type, const Json& value) {
  switch (type) {
    case OptionType::kFlag:
      return value.is_boolean();
    case OptionType::kInteger:
      return value.is_number_integer();
    case OptionType::kNumber:
      return is_number(value);
    case OptionType::kText:
      return value.is_string();
    case OptionType::kTextList:
      return value.is_array() && all_are(value, is_string);
    case OptionType::kVector:
      return is_vector(value);
    case OptionType::kTextMap:
      return value.is_object() && all_are(value, is_string);
    case OptionType::kNumberMap:
      return value.is_object() && all_are(value, is_number);
    case OptionType::kVectorMap:
      return value.is_object() && all_are(value, is_vector);
  }
  return false;
}

// "between 0 and 4", "at least 0", "at most 4".
std::string range_words(const Field& field) {
  if (std::isinf(field.maximum)) return fmt::format("at least {}", field.minimum);
  if (std::isinf(field.minimum)) return fmt::format("at most {}", field.maximum);
  return fmt::format("between {} and {}", field.minimum, field.maximum);
}

void check_choice(const Field& field, const std::string& word) {
  if (field.choices.empty() || std::find(field.choices.begin(), field.choices.end(), word) != field.choices.end())
    return;
  std::vector<std::string> words = field.choices;
  std::erase(words, "");  // The empty word only means that the option is not given.
  throw Error(fmt::format("'{}' is not a value of the option '{}', which takes {}.{}", word, field.name,
                          fmt::join(words, ", "), did_you_mean(word, field.choices)));
}

void check_range(const Field& field, const Json& value) {
  const double number = value.get<double>();
  if (number >= field.minimum && number <= field.maximum) return;
  throw Error(fmt::format("The option '{}' must be {}; {} is not.", field.name, range_words(field), value.dump()));
}

template <class Number>
bool parse_number(const std::string& word, Number& value) {
  const char* end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, value);
  return problem == std::errc() && stop == end;
}

[[noreturn]] void refuse(const Option& option, const std::string& form, const std::string& word) {
  throw Error(fmt::format("The option '{}' takes {}, not '{}'.", option.field.name, form, word));
}

double number_of(const Option& option, const std::string& word, const std::string& form, const std::string& whole) {
  double number = 0;
  if (!parse_number(word, number) || !std::isfinite(number)) refuse(option, form, whole);
  return number;
}

bool parse_flag(const Option& option, const std::string& word) {
  for (const char* yes : {"", "true", "on", "yes", "1"})
    if (word == yes) return true;
  for (const char* no : {"false", "off", "no", "0"})
    if (word == no) return false;
  refuse(option, "true or false", word);
}

std::vector<std::string> split_commas(const std::string& word) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= word.size()) {
    const std::size_t comma = std::min(word.find(',', begin), word.size());
    if (comma > begin) parts.push_back(word.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

Json parse_vector(const Option& option, const std::string& word) {
  const std::string form = "three numbers such as 0.7,1.4,0";
  const std::vector<std::string> parts = split_commas(word);
  if (parts.size() != 3) refuse(option, form, word);
  Json value = Json::array();
  for (const std::string& part : parts) value.push_back(number_of(option, part, form, word));
  return value;
}

// NAME=VALUE,… for strings and numbers. Names can hold '=' themselves: the last one separates.
Json parse_map(const Option& option, const std::string& word, bool numbers) {
  const std::string form = numbers ? "NAME=NUMBER pairs such as LeftArm=2" : "NAME=VALUE pairs such as sword=RightHand";
  Json value = Json::object();
  for (const std::string& part : split_commas(word)) {
    const std::size_t split = part.rfind('=');
    if (split == std::string::npos || split == 0 || split + 1 == part.size()) refuse(option, form, part);
    const std::string text = part.substr(split + 1);
    value[part.substr(0, split)] = numbers ? Json(number_of(option, text, form, part)) : Json(text);
  }
  return value;
}

// NAME=x,y,z,NAME=x,y,z,…: a part with '=' begins a new position.
Json parse_vector_map(const Option& option, const std::string& word) {
  const std::string form = "NAME=x,y,z positions such as left_hand=0.7,1.4,0";
  Json value = Json::object();
  std::string name;
  for (const std::string& part : split_commas(word)) {
    const std::size_t split = part.rfind('=');
    std::string number = part;
    if (split != std::string::npos) {
      if (!name.empty() && value[name].size() != 3) refuse(option, form, word);
      name = part.substr(0, split), number = part.substr(split + 1);
      if (name.empty()) refuse(option, form, word);
      value[name] = Json::array();
    }
    if (name.empty() || value[name].size() == 3) refuse(option, form, word);
    value[name].push_back(number_of(option, number, form, word));
  }
  if (name.empty() || value[name].size() != 3) refuse(option, form, word);
  return value;
}

Json parse_value(const Option& option, const std::string& word) {
  switch (option.type) {
    case OptionType::kFlag:
      return parse_flag(option, word);
    case OptionType::kInteger: {
      std::int64_t number = 0;
      if (!parse_number(word, number)) refuse(option, "an integer", word);
      return number;
    }
    case OptionType::kNumber:
      return number_of(option, word, "a number", word);
    case OptionType::kText:
      return word;
    case OptionType::kTextList:
      return split_commas(word);
    case OptionType::kVector:
      return parse_vector(option, word);
    case OptionType::kTextMap:
      return parse_map(option, word, false);
    case OptionType::kNumberMap:
      return parse_map(option, word, true);
    case OptionType::kVectorMap:
      return parse_vector_map(option, word);
  }
  return {};
}

}  // namespace

double detail::in_units(double member, double member_per_unit) {
  if (member_per_unit == 1) return member;
  constexpr double kDigits = 1e10;
  return std::round(member / member_per_unit * kDigits) / kDigits;
}

std::string Option::flag() const {
  std::string flag = "--" + field.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void check_option(const Field& field, OptionType type, bool optional, const Json& value) {
  if (optional && value.is_null()) return;
  if (!has_type(type, value))
    throw Error(fmt::format("The option '{}' takes {}, not {}.", field.name, type_words(type), value.dump()));
  if (type == OptionType::kInteger || type == OptionType::kNumber) check_range(field, value);
  if (type == OptionType::kNumberMap)
    for (const Json& number : value) check_range(field, number);
  if (type == OptionType::kText && !field.open_choices) check_choice(field, value.get<std::string>());
  if (type == OptionType::kTextList)
    for (const Json& word : value) check_choice(field, word.get<std::string>());
}

Json parse_option(const Option& option, const std::string& word) {
  Json value = parse_value(option, word);
  check_option(option.field, option.type, option.optional, value);
  return value;
}

OptionList::OptionList() = default;
OptionList::OptionList(const OptionList&) = default;
OptionList::OptionList(OptionList&&) noexcept = default;
OptionList& OptionList::operator=(const OptionList&) = default;
OptionList& OptionList::operator=(OptionList&&) noexcept = default;
OptionList::~OptionList() = default;

void OptionList::add_choice(Field field, MethodChoice& choice) {
  for (const MethodChoice::Candidate& candidate : choice.candidates_) field.choices.push_back(candidate.id);
  field.open_choices = true;  // `choose` checks the word, since plain names are accepted as well.
  Option option{std::move(field), OptionType::kText, false, true, Json(choice.id_), {}, {}};
  option.get = [&choice] { return Json(choice.id_); };
  option.set = [&choice, name = option.field.name](const Json& value) {
    if (!value.is_string()) throw Error(fmt::format("The option '{}' takes a string, not {}.", name, value.dump()));
    choice.choose(value.get<std::string>());
  };
  const std::string name = option.field.name;
  for (const MethodChoice::Candidate& candidate : choice.candidates_)
    option.methods.push_back({candidate.id, candidate.name, candidate.when});
  options_.push_back(std::move(option));
  for (MethodChoice::Candidate& candidate : choice.candidates_) {
    OptionGroup group{candidate.id, name, candidate.when, {}, candidate.options.list()};
    if (group.list.options().empty()) continue;
    group.chosen = [&choice, id = candidate.id] { return choice.id_ == id; };
    groups_.push_back(std::move(group));
  }
}

std::vector<const Option*> OptionList::active() const {
  std::vector<const Option*> all;
  for (const Option& option : options_) all.push_back(&option);
  for (const OptionGroup& group : groups_)
    if (group.chosen())
      for (const Option* option : group.list.active()) all.push_back(option);
  return all;
}

const Option* OptionList::find(std::string_view name) const {
  for (const Option* option : active())
    if (option->field.name == name) return option;
  return nullptr;
}

Json OptionList::to_json() const {
  Json values = Json::object();
  for (const Option& option : options_) values[option.field.name] = option.get();
  for (const OptionGroup& group : groups_)
    if (group.chosen()) values[group.id] = group.list.to_json();
  return values;
}

namespace {

const OptionGroup* group_of(const std::vector<OptionGroup>& groups, std::string_view id) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const OptionGroup& group) { return group.id == id; });
  return found == groups.end() ? nullptr : &*found;
}

const Option* own_option(const std::vector<Option>& options, std::string_view name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.field.name == name; });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace

void OptionList::check(const Json& values, const std::string& where) const {
  if (!values.is_object()) throw Error("Options must be a JSON object of names and values.");
  for (const auto& [name, value] : values.items()) {
    const Option* option = own_option(options_, name);
    const OptionGroup* group = group_of(groups_, name);
    if (group && value.is_object()) {
      group->list.check(value, name);
      continue;
    }
    if (!option) {
      std::vector<std::string> names;
      for (const Option& known : options_) names.push_back(known.field.name);
      for (const OptionGroup& known : groups_) names.push_back(known.id);
      throw Error(fmt::format("Unknown option '{}'{}.{}", name, where.empty() ? "" : " of '" + where + "'",
                              did_you_mean(name, names)));
    }
    check_option(option->field, option->type, option->optional, value);
  }
}

void OptionList::from_json(const Json& values) {
  check(values, "");
  for (const auto& [name, value] : values.items()) {
    const OptionGroup* group = group_of(groups_, name);
    if (group && value.is_object()) OptionList(group->list).from_json(value);
    else own_option(options_, name)->set(value);
  }
}

void OptionList::validate() const {
  for (const Option* option : active()) check_option(option->field, option->type, option->optional, option->get());
}

}  // namespace sinew
