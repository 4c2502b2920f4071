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

// Characters of a text in UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Words behind the start of a line, which is `column` wide; further lines begin at that column.
std::string wrapped(std::string_view words, std::string line, std::size_t indent) {
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < words.size()) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string word(words.substr(begin, end - begin));
    if (column > indent && column + 1 + width_of(word) > kWidth) {
      line += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      line += ' ';
      ++column;
    }
    line += word;
    column += width_of(word);
    begin = end + 1;
  }
  return line + "\n";
}

// Two columns; a long left one pushes the right one to the next line.
std::string columns(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  const std::size_t used = width_of(line);
  line += used + 2 > kIndent ? "\n" + std::string(kIndent, ' ') : std::string(kIndent - used, ' ');
  return wrapped(right, std::move(line), kIndent);
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
         columns("--config FILE", "Read options from a JSON object or a report; command-line options override it.") +
         columns("--threads N", "Maximum number of threads (0 = one per core). The result does not depend on it.") +
         columns("--quiet", "Print warnings, doubts and errors only.") +
         columns("--strict", "Exit with code 1 if there is a warning or a doubt.") +
         columns("--allow-outside", "Let a model read files outside its own folder, such as ../textures.") +
         columns("--textures DIR", "Also look for textures of FBX, OBJ and similar files in this folder and below.") +
         columns("-h, --help", "Print this text.");
}

std::string option_lines(const std::vector<Option>& options) {
  std::string lines;
  for (const Option& option : options)
    lines += columns(option.flag() + value_name(option), option.field.sentence + facts(option));
  return lines;
}

// The methods that an option chooses from, with what each is for.
std::string method_lines(const OptionList& list, const std::string& command) {
  std::string text;
  for (const Option& option : list.options()) {
    if (!option.chooses_method) continue;
    text += fmt::format("\nMethods ({})\n", option.flag());
    for (const Option::MethodLine& method : option.methods)
      text += columns(fmt::format("{} ({})", method.id, method.name), method.when);
    const auto group = std::find_if(list.groups().begin(), list.groups().end(),
                                    [&](const OptionGroup& g) { return g.choice == option.field.name && g.chosen(); });
    if (group != list.groups().end())
      text += fmt::format("\nOptions of {}\n", group->id) + option_lines(group->list.options());
    if (list.groups().size() > 1 || group == list.groups().end())
      text +=
          fmt::format("\n`sinew {} {} METHOD --help` shows the options of another method.\n", command, option.flag());
  }
  return text;
}

// "0 to 3 m", "one of lbs, dqs".
std::string values_text(const Option& option) {
  std::vector<std::string> parts;
  if (!option.field.choices.empty())
    parts.push_back(fmt::format("{}", fmt::join(words_without_empty(option.field.choices), ", ")));
  else if (option.type == OptionType::kFlag) parts.push_back("flag");
  else parts.push_back(value_name(option).substr(1));
  const bool low = option.field.minimum > -1e9, high = option.field.maximum < 1e9;
  if (low && high) parts.push_back(fmt::format("{} to {}", option.field.minimum, option.field.maximum));
  else if (low) parts.push_back(fmt::format("at least {}", option.field.minimum));
  else if (high) parts.push_back(fmt::format("at most {}", option.field.maximum));
  if (!option.field.unit.empty()) parts.push_back(option.field.unit);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string default_text(const Option& option) {
  const Json& initial = option.initial;
  if (initial.is_boolean()) return initial.get<bool>() ? "on" : "off";
  if (initial.is_string()) return initial.get<std::string>();
  if (initial.is_number()) return fmt::format("{}", initial.get<double>());
  if (initial.is_array() && !initial.empty() && initial.front().is_string())
    return fmt::format("{}", fmt::join(initial.get<std::vector<std::string>>(), ","));
  return "";
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown_table(const std::vector<Option>& options) {
  std::string text = "| option | values | default | meaning |\n|---|---|---|---|\n";
  for (const Option& option : options)
    text += fmt::format("| `{}` | {} | {} | {} |\n", option.flag(), markdown_cell(values_text(option)),
                        markdown_cell(default_text(option)), markdown_cell(option.field.sentence));
  return text;
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
  return text + "\nAll commands\n" + common_help() + columns("--version", "Print the version of the program.") +
         "\n`sinew COMMAND --help` shows the options of a command.\n";
}

std::string command_help(const std::string& command, const OptionList& options) {
  const auto& entry = jobs::commands().find(command);
  std::string text =
      wrapped(entry.when, "", 0) + fmt::format("\n  sinew {} {} [options]\n", entry.id, entry.make.arguments);
  std::string lines;
  if (entry.make.has_output) {
    lines += columns("-o, --output FILE", "The output file; its extension decides the format.");
    lines += columns("--force", "Overwrite the output file if it exists.");
  }
  lines += option_lines(options.options());
  if (!lines.empty()) text += "\nOptions\n" + lines;
  text += method_lines(options, entry.id);
  text += "\nAll commands\n" + common_help();
  if (!entry.make.examples.empty()) {
    text += "\nExamples\n";
    for (const std::string& example : entry.make.examples) text += "  " + example + "\n";
  }
  return text;
}

std::string options_markdown(const OptionList& options, bool of_method) {
  if (!of_method) return markdown_table(options.options());
  for (const OptionGroup& group : options.groups())
    if (group.chosen()) return markdown_table(group.list.options());
  return "The method has no options of its own.\n";
}

}  // namespace sinew::app
