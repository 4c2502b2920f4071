// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sinew/core/error.h"

namespace sinew {
namespace {

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

const char* type_words(OptionType type) {
  switch (type) {
    case OptionType::kFlag: return "true or false";
    case OptionType::kInteger: return "a whole number";
    case OptionType::kNumber: return "a number";
    case OptionType::kText: return "a text";
    case OptionType::kTextList: return "a list of texts";
  }
  return "";
}

bool has_type(OptionType type, const Json& value) {
  switch (type) {
    case OptionType::kFlag: return value.is_boolean();
    case OptionType::kInteger: return value.is_number_integer();
    case OptionType::kNumber: return value.is_number() && std::isfinite(value.get<double>());
    case OptionType::kText: return value.is_string();
    case OptionType::kTextList:
      return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
  }
  return false;
}

// "between 0 and 4", "at least 0", "at most 4".
std::string range_words(const Field& field) {
  if (std::isinf(field.maximum)) return fmt::format("be at least {}", field.minimum);
  if (std::isinf(field.minimum)) return fmt::format("be at most {}", field.maximum);
  return fmt::format("lie between {} and {}", field.minimum, field.maximum);
}

void check_choice(const Field& field, const std::string& word) {
  if (field.choices.empty() || std::find(field.choices.begin(), field.choices.end(), word) != field.choices.end())
    return;
  const std::string near = closest_word(word, field.choices);
  std::vector<std::string> words = field.choices;
  std::erase(words, "");  // The empty word only stands for "not given".
  throw Error(fmt::format("{} does not know '{}'; it takes {}.{}", flag_of(field.name), word, fmt::join(words, ", "),
                          near.empty() ? "" : " Did you mean '" + near + "'?"));
}

template <class Number>
bool parse_number(const std::string& word, Number& value) {
  const char* end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, value);
  return problem == std::errc() && stop == end;
}

bool parse_flag(const Option& option, const std::string& word) {
  for (const char* yes : {"", "true", "on", "yes", "1"})
    if (word == yes) return true;
  for (const char* no : {"false", "off", "no", "0"})
    if (word == no) return false;
  throw Error(fmt::format("{} takes true or false, not '{}'.", option.flag(), word));
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

}  // namespace

std::string Option::flag() const { return flag_of(field.name); }

void check_option(const Field& field, OptionType type, bool optional, const Json& value) {
  if (optional && value.is_null()) return;
  if (!has_type(type, value))
    throw Error(fmt::format("{} takes {}, not {}.", flag_of(field.name), type_words(type), value.dump()));
  if (type == OptionType::kInteger || type == OptionType::kNumber) {
    const double number = value.get<double>();
    if (!(number >= field.minimum && number <= field.maximum))
      throw Error(fmt::format("{} must {}, and {} does not.", flag_of(field.name), range_words(field), value.dump()));
  }
  if (type == OptionType::kText) check_choice(field, value.get<std::string>());
  if (type == OptionType::kTextList)
    for (const Json& word : value) check_choice(field, word.get<std::string>());
}

Json parse_option(const Option& option, const std::string& word) {
  Json value;
  switch (option.type) {
    case OptionType::kFlag: value = parse_flag(option, word); break;
    case OptionType::kInteger: {
      std::int64_t number = 0;
      if (!parse_number(word, number))
        throw Error(fmt::format("{} takes a whole number, not '{}'.", option.flag(), word));
      value = number;
      break;
    }
    case OptionType::kNumber: {
      double number = 0;
      if (!parse_number(word, number) || !std::isfinite(number))
        throw Error(fmt::format("{} takes a number, not '{}'.", option.flag(), word));
      value = number;
      break;
    }
    case OptionType::kText: value = word; break;
    case OptionType::kTextList: value = split_commas(word); break;
  }
  check_option(option.field, option.type, option.optional, value);
  return value;
}

const Option* OptionList::find(std::string_view name) const {
  for (const Option& option : options_)
    if (option.field.name == name) return &option;
  return nullptr;
}

Json OptionList::to_json() const {
  Json values = Json::object();
  for (const Option& option : options_) values[option.field.name] = option.get();
  return values;
}

void OptionList::from_json(const Json& values) {
  if (!values.is_object()) throw Error("Options must be a JSON object of names and values.");
  for (const auto& [name, value] : values.items()) {
    const Option* option = find(name);
    if (!option) {
      std::vector<std::string> names;
      for (const Option& known : options_) names.push_back(known.field.name);
      const std::string near = closest_word(name, names);
      throw Error(fmt::format("There is no option '{}'.{}", name, near.empty() ? "" : " Did you mean '" + near + "'?"));
    }
    check_option(option->field, option->type, option->optional, value);
  }
  for (const auto& [name, value] : values.items()) find(name)->set(value);
}

std::string closest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0u : 1u)});
        diagonal = above;
      }
    }
    // A word with nothing in common is no suggestion, however short both are.
    if (row.back() < best_distance && row.back() < std::max(word.size(), candidate.size()))
      best = candidate, best_distance = row.back();
  }
  return best;
}

}  // namespace sinew
