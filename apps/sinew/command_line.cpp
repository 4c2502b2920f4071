// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "sinew/core/error.h"

namespace sinew::app {
namespace {

using Entry = Registered<jobs::Command>;

void add_common(CLI::App& app, CommonFlags& common) {
  app.add_flag("--json", common.json);
  app.add_flag("--quiet", common.quiet);
  app.add_flag("--strict", common.strict);
  app.add_option("--threads", common.threads);
  app.add_option("--config", common.config);
}

// One command's part of the parser. CLI11 only splits the words; values are read by core's `parse_option`, so that a
// flag and a JSON key obey the same rules and give the same sentences.
struct Parser {
  CLI::App* app = nullptr;
  std::vector<std::string> inputs;
  std::string output;
  bool force = false;
  std::vector<std::pair<std::string, CLI::Option*>> options;
};

void add_command(CLI::App& program, const Entry& entry, CommonFlags& common, Parser& parser) {
  parser.app = program.add_subcommand(entry.id, entry.when);
  parser.app->allow_extras();
  add_common(*parser.app, common);
  if (entry.make.most_inputs > 0) parser.app->add_option("inputs", parser.inputs);
  if (entry.make.has_output) {
    parser.app->add_option("-o,--output", parser.output);
    parser.app->add_flag("--force", parser.force);
  }
  const std::unique_ptr<jobs::BoundCommand> bound = entry.make.bind();
  const OptionList list = bound->options();
  for (const Option& option : list.options()) {
    CLI::Option* added = nullptr;
    if (option.type == OptionType::kFlag)
      added = parser.app->add_flag(option.flag() + ",!--no" + option.flag().substr(1));
    else added = parser.app->add_option(option.flag());
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser.options.emplace_back(option.field.name, added);
  }
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Entry& entry : jobs::commands().entries()) names.push_back(entry.id);
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest_word(word, known);
  return near.empty() ? "" : fmt::format(" Did you mean '{}'?", near);
}

std::string flag_part(const std::string& word) { return word.substr(0, word.find('=')); }

// Words that no option took: an unknown flag, or one file too many.
void refuse_extras(const CLI::App& app, const std::string& command) {
  const std::vector<std::string> left = app.remaining();
  if (left.empty()) return;
  const auto flag =
      std::find_if(left.begin(), left.end(), [](const std::string& w) { return w.starts_with("-") && w != "-"; });
  const std::string help = command.empty() ? "sinew --help" : fmt::format("sinew {} --help", command);
  if (flag == left.end()) {
    if (!command.empty()) throw Error(fmt::format("'{}' takes no file '{}'. See {}.", command, left.front(), help));
    throw Error(fmt::format("There is no command '{}'.{} See {}.", left.front(),
                            did_you_mean(left.front(), command_names()), help));
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string word = flag_part(*flag);
  throw Error(fmt::format("{} has no option '{}'.{} See {}.", command.empty() ? "sinew" : "'" + command + "'", word,
                          did_you_mean(word, known), help));
}

void check_input_count(const Entry& entry, std::size_t count) {
  const auto& [least, most] = std::pair(entry.make.least_inputs, entry.make.most_inputs);
  if (static_cast<int>(count) >= least && static_cast<int>(count) <= most) return;
  const std::string wanted = least == most ? fmt::format("{} input{}", least, least == 1 ? "" : "s")
                                           : fmt::format("{} to {} inputs", least, most);
  throw Error(fmt::format("'{}' takes {}, and there {} {}: sinew {} {}", entry.id, wanted, count == 1 ? "is" : "are",
                          count, entry.id, entry.make.arguments));
}

CommandLine collect(const Entry& entry, const Parser& parser) {
  CommandLine line;
  line.command = entry.id;
  refuse_extras(*parser.app, entry.id);
  check_input_count(entry, parser.inputs.size());
  line.request.inputs.assign(parser.inputs.begin(), parser.inputs.end());
  if (!parser.output.empty()) line.request.output = parser.output;
  line.request.force = parser.force;
  // As written; of an option given twice the last one holds.
  for (const CLI::Option* option : parser.app->parse_order()) {
    const auto own = std::find_if(parser.options.begin(), parser.options.end(),
                                  [&](const auto& pair) { return pair.second == option; });
    if (own == parser.options.end()) continue;
    std::erase_if(line.options, [&](const auto& given) { return given.first == own->first; });
    line.options.emplace_back(own->first, option->results().back());
  }
  return line;
}

CommandLine ask_for(CommandLine::Ask ask, const std::string& command) {
  CommandLine line;
  line.ask = ask;
  line.command = command;
  return line;
}

std::string sentence(const CLI::ParseError& problem) {
  std::string text = problem.what();
  // CLI11 says "--output: 1 required TEXT missing".
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem)) text = text.substr(0, text.find(':')) + " needs a value";
  if (!text.empty() && text.back() != '.') text += '.';
  return text + " See sinew --help.";
}

// A command whose options are steps has an option `order`, a list that may hold their names: unless it was given
// itself, it gets those of the command line as they were written, behind those of the configuration.
void set_order(const CommandLine& line, OptionList& list) {
  const Option* order = list.find("order");
  if (!order || order->type != OptionType::kTextList) return;
  auto steps = order->get().get<std::vector<std::string>>();
  for (const auto& [name, word] : line.options) {
    if (name == "order") return;
    const auto& choices = order->field.choices;
    if (std::find(choices.begin(), choices.end(), name) == choices.end()) continue;
    std::erase(steps, name);
    const Option* step = list.find(name);
    if (step->get() != step->initial) steps.push_back(name);
  }
  order->set(steps);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, CommonFlags& common) {
  CLI::App program;
  program.allow_extras();
  program.set_version_flag("--version", "");
  program.require_subcommand(0, 1);
  add_common(program, common);
  std::map<std::string, Parser> parsers;
  for (const Entry& entry : jobs::commands().entries()) add_command(program, entry, common, parsers[entry.id]);
  const auto chosen = [&]() -> std::string {
    return program.get_subcommands().empty() ? "" : program.get_subcommands().front()->get_name();
  };
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return ask_for(CommandLine::Ask::kHelp, chosen());
  } catch (const CLI::CallForVersion&) {
    return ask_for(CommandLine::Ask::kVersion, "");
  } catch (const CLI::ParseError& problem) {
    throw Error(sentence(problem));
  }
  if (common.threads < 0) throw Error("--threads takes a number of threads, or 0 for one per core.");
  const std::string command = chosen();
  refuse_extras(program, command);
  if (command.empty()) return ask_for(CommandLine::Ask::kHelp, "");
  CommandLine line = collect(jobs::commands().find(command), parsers[command]);
  line.common = common;
  return line;
}

void apply_options(const CommandLine& line, jobs::BoundCommand& command) {
  OptionList list = command.options();
  if (!line.common.config.empty()) {
    try {
      list.from_json(jobs::read_config(line.common.config, line.command));
    } catch (const Error& problem) {
      const std::string text = problem.what();
      if (text.find(line.common.config) != std::string::npos) throw;
      throw Error(fmt::format("{}: {}", line.common.config, text));
    }
  }
  for (const auto& [name, word] : line.options) {
    const Option* option = list.find(name);
    option->set(parse_option(*option, word));
  }
  set_order(line, list);
}

}  // namespace sinew::app
