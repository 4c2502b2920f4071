// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/jobs/job.h"

namespace sinew::app {
namespace {

constexpr std::size_t kIndent = 28;
constexpr std::size_t kWidth = 100;

// Two columns; a long left one pushes the right one to the next line.
std::string columns(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  if (line.size() + 2 > kIndent) line += "\n" + std::string(kIndent, ' ');
  else line.resize(kIndent, ' ');
  std::size_t column = kIndent;
  std::size_t begin = 0;
  while (begin < right.size()) {
    const std::size_t end = std::min(right.find(' ', begin), right.size());
    const std::string word = right.substr(begin, end - begin);
    if (column > kIndent && column + 1 + word.size() > kWidth) {
      line += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      line += ' ';
      ++column;
    }
    line += word;
    column += word.size();
    begin = end + 1;
  }
  return line + "\n";
}

std::string value_name(const Option& option) {
  if (!option.field.metavar.empty()) return " " + option.field.metavar;
  switch (option.type) {
    case OptionType::kFlag:
      return "";
    case OptionType::kInteger:
      return " N";
    case OptionType::kNumber:
      return " X";
    case OptionType::kText:
      return " WORD";
    case OptionType::kTextList:
      return " WORD,…";
    case OptionType::kVector:
      return " X,Y,Z";
    case OptionType::kTextMap:
      return " NAME=WORD,…";
    case OptionType::kNumberMap:
      return " NAME=X,…";
    case OptionType::kVectorMap:
      return " NAME=X,Y,Z,…";
  }
  return "";
}

std::vector<std::string> words_without_empty(std::vector<std::string> words) {
  std::erase(words, "");
  return words;
}

// "[m; 0 to 3; default 1]"
std::string facts(const Option& option) {
  std::vector<std::string> parts;
  if (!option.field.unit.empty()) parts.push_back("in " + option.field.unit);
  if (!option.field.choices.empty())
    parts.push_back(fmt::format("one of {}", fmt::join(words_without_empty(option.field.choices), ", ")));
  // A bound that is only the end of the integers is no news.
  const bool low = option.field.minimum > -1e9, high = option.field.maximum < 1e9;
  if (low && high) parts.push_back(fmt::format("{} to {}", option.field.minimum, option.field.maximum));
  else if (low) parts.push_back(fmt::format("at least {}", option.field.minimum));
  else if (high) parts.push_back(fmt::format("at most {}", option.field.maximum));
  const Json& initial = option.initial;
  if (initial.is_string() && !initial.get<std::string>().empty())
    parts.push_back("default " + initial.get<std::string>());
  else if (initial.is_number()) parts.push_back(fmt::format("default {}", initial.get<double>()));
  else if (initial.is_array() && !initial.empty())
    parts.push_back(fmt::format("default {}", fmt::join(initial.get<std::vector<std::string>>(), ",")));
  else if (initial.is_boolean() && initial.get<bool>()) parts.push_back("on by default; --no-… turns it off");
  return parts.empty() ? "" : fmt::format(" [{}]", fmt::join(parts, "; "));
}

std::string common_help() {
  return columns("--json", "Print the report as JSON, and nothing else, on standard output.") +
         columns("--config FILE", "Take options from a JSON object, or from a report; the command line goes first.") +
         columns("--threads N", "Most threads; 0 for one per core. The result is the same for any number.") +
         columns("--quiet", "Print warnings and errors only.") +
         columns("--strict", "Any warning makes the exit code 1.") + columns("-h, --help", "This text.");
}

}  // namespace

std::string program_help() {
  std::string text = "sinew: rigs, skins and deforms characters\n\n  sinew COMMAND INPUT… [-o OUTPUT] [options]\n";
  std::vector<std::string> groups = {"Start", "Improve", "Move", "Deliver", "Lab"};
  for (const auto& entry : jobs::commands().entries())
    if (std::find(groups.begin(), groups.end(), entry.make.group) == groups.end()) groups.push_back(entry.make.group);
  for (const std::string& group : groups) {
    std::string lines;
    for (const auto& entry : jobs::commands().entries())
      if (entry.make.group == group) lines += columns(entry.id, entry.when);
    if (!lines.empty()) text += "\n" + group + "\n" + lines;
  }
  return text + "\nEverywhere\n" + common_help() + columns("--version", "The program's version.") +
         "\n`sinew COMMAND --help` tells a command's own options.\n";
}

std::string command_help(const std::string& command) {
  const auto& entry = jobs::commands().find(command);
  std::string text = fmt::format("{}\n\n  sinew {} {} [options]\n", entry.when, entry.id, entry.make.arguments);
  std::string lines;
  if (entry.make.has_output) {
    lines += columns("-o, --output FILE", "Where the result goes; its ending decides the format.");
    lines += columns("--force", "Replace a file that is there already.");
  }
  const auto bound = entry.make.bind();
  const OptionList list = bound->options();
  for (const Option& option : list.options())
    lines += columns(option.flag() + value_name(option), option.field.sentence + facts(option));
  if (!lines.empty()) text += "\nOptions\n" + lines;
  text += "\nEverywhere\n" + common_help();
  if (!entry.make.examples.empty()) {
    text += "\nExamples\n";
    for (const std::string& example : entry.make.examples) text += "  " + example + "\n";
  }
  return text;
}

}  // namespace sinew::app
