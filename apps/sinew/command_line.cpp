// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::app {
namespace {

using Entry = Registered<jobs::Command>;
using Words = std::vector<std::string>;

void add_common(CLI::App& app, CommonFlags& common) {
  app.add_flag("--json", common.json);
  app.add_flag("--quiet", common.quiet);
  app.add_flag("--strict", common.strict);
  app.add_flag("--allow-outside", common.allow_outside);
  app.add_option("--threads", common.threads);
  app.add_option("--config", common.config);
  app.add_option("--textures", common.textures);
}

// Flags that had another name before 0.2.
struct Renamed {
  const char *command, *before, *now;
};
constexpr std::array kRenamed = {
    Renamed{"rig", "--joints", "--joint-positions"},
    Renamed{"make", "--joints", "--joint-count"},
    Renamed{"make", "--pose", "--made-pose"},
    Renamed{"transfer", "--frames", "--directions"},
    Renamed{"transfer", "--layers", "--surfaces"},
    Renamed{"transfer", "--smoothing", "--smooth"},
    Renamed{"bind", "--smoothing", "--smooth"},
    Renamed{"bind", "--weights", "--formula"},
    Renamed{"", "--smooth-iterations", "--delta-mush-rounds"},
    Renamed{"", "--smooth-strength", "--delta-mush-strength"},
    Renamed{"deform", "--smooth", "--delta-mush"},
    Renamed{"measure", "--smooth", "--delta-mush"},
    Renamed{"render", "--smooth", "--delta-mush"},
    Renamed{"deform", "--twist", "--twist-share"},
    Renamed{"measure", "--twist", "--twist-share"},
    Renamed{"render", "--twist", "--twist-share"},
};

std::string flag_part(const std::string& word) { return word.substr(0, word.find('=')); }

bool is_flag(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

// The value of the last `--name VALUE` or `--name=VALUE`.
std::optional<std::string> value_of(const Words& words, const std::string& flag) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(flag + "=")) value = words[i].substr(flag.size() + 1);
  }
  return value;
}

// Position of the command among the words: the first that is neither a flag nor the value of a common option.
std::size_t command_position(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--threads" || words[i] == "--config" || words[i] == "--textures") ++i;
    else if (!is_flag(words[i])) return i;
  }
  return words.size();
}

std::string sentence(const CLI::ParseError& problem) {
  std::string text = problem.what();
  // CLI11 says "--output: 1 required TEXT missing".
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem)) text = text.substr(0, text.find(':')) + " needs a value";
  if (!text.empty() && text.back() != '.') text += '.';
  return text + " See sinew --help.";
}

Words flags_of(const CLI::App& app) {
  Words flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (name != "help-markdown") flags.push_back("--" + name);
  return flags;
}

// Why a command does not take a flag: its name has changed, it belongs to a method that is not chosen, or it is
// unknown.
[[noreturn]] void refuse_flag(const CLI::App& app, const Entry& entry, const OptionList& list,
                              const std::string& word) {
  for (const Renamed& renamed : kRenamed)
    if ((entry.id == renamed.command || !*renamed.command) && word == renamed.before &&
        app.get_option_no_throw(renamed.now) != nullptr)
      throw Error(fmt::format("'{}' has no option '{}'; its name is now '{}'.", entry.id, word, renamed.now));
  Words owners;
  std::string choice;
  for (const OptionGroup& group : list.groups())
    for (const Option& option : group.list.options())
      if (option.flag() == word || "--no" + option.flag().substr(1) == word)
        owners.push_back(group.id), choice = group.choice;
  if (!owners.empty())
    throw Error(fmt::format("'{}' is an option of {}, and another method is chosen. Add --{} {}.", word,
                            join_some(owners), choice, owners.front()));
  throw Error(fmt::format("'{}' has no option '{}'.{} See sinew {} --help.", entry.id, word,
                          did_you_mean(word, flags_of(app)), entry.id));
}

void refuse_extras(const CLI::App& app, const Entry& entry, const OptionList& list) {
  const Words left = app.remaining();
  if (left.empty()) return;
  const auto flag = std::find_if(left.begin(), left.end(), is_flag);
  if (flag != left.end()) refuse_flag(app, entry, list, flag_part(*flag));
  throw Error(fmt::format("'{}' does not take a file '{}'. See sinew {} --help.", entry.id, left.front(), entry.id));
}

void check_input_count(const Entry& entry, std::size_t count) {
  const auto& [least, most] = std::pair(entry.make.least_inputs, entry.make.most_inputs);
  if (static_cast<int>(count) >= least && static_cast<int>(count) <= most) return;
  const std::string wanted = least == most ? count_of(static_cast<std::uint64_t>(least), "input")
                                           : fmt::format("{} to {} inputs", least, most);
  throw Error(fmt::format("'{}' takes {}, but {} given: sinew {} {}", entry.id, wanted,
                          count == 1 ? "1 is" : fmt::format("{} are", count), entry.id, entry.make.arguments));
}

// A command whose options are steps has an option `order`, a list that may hold their names. Unless it is given itself,
// it gets those of the command line as they are written, behind those of the configuration.
void set_order(const std::vector<std::pair<std::string, std::string>>& given, const OptionList& list) {
  const Option* order = list.find("order");
  if (!order || order->type != OptionType::kTextList) return;
  auto steps = order->get().get<Words>();
  for (const auto& [name, word] : given) {
    if (name == "order") return;
    const auto& choices = order->field.choices;
    if (std::find(choices.begin(), choices.end(), name) == choices.end()) continue;
    std::erase(steps, name);
    const Option* step = list.find(name);
    if (step->get() != step->initial) steps.push_back(name);
  }
  order->set(steps);
}

// Methods come first, since they bring options: from the words, else from the configuration.
void choose_methods(const Words& words, const Json& config, const OptionList& list) {
  for (const Option& option : list.options()) {
    if (!option.chooses_method) continue;
    if (const auto word = value_of(words, option.flag())) option.set(*word);
    else if (config.is_object() && config.contains(option.field.name)) option.set(config[option.field.name]);
  }
}

void apply_config(const Json& config, const std::string& path, OptionList& list) {
  try {
    list.from_json(config);
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", path, problem.what()));
  }
}

// One command's parser. CLI11 only splits the words; values are read by core's `parse_option`, so that a flag and a
// JSON key obey the same rules and give the same sentences.
class Parser {
 public:
  Parser(const Entry& entry, const OptionList& list, CommonFlags& common) : entry_(entry) {
    app_.allow_extras();
    app_.set_help_flag("-h,--help");
    add_common(app_, common);
    markdown_ = app_.add_flag("--help-markdown");
    if (entry.make.most_inputs > 0) app_.add_option("inputs", inputs_);
    if (entry.make.has_output) {
      app_.add_option("-o,--output", output_);
      app_.add_flag("--force", force_);
    }
    for (const Option* option : list.active()) {
      CLI::Option* added = option->type == OptionType::kFlag
                               ? app_.add_flag(option->flag() + ",!--no" + option->flag().substr(1))
                               : app_.add_option(option->flag());
      added->multi_option_policy(option->field.repeats ? CLI::MultiOptionPolicy::TakeAll
                                                       : CLI::MultiOptionPolicy::TakeLast);
      if (option->field.repeats) added->expected(1)->allow_extra_args(false)->take_all();
      options_.emplace_back(option->field.name, added);
    }
  }

  CommandLine::Ask parse(Words words) {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back.
    try {
      app_.parse(words);
    } catch (const CLI::CallForHelp&) {
      return CommandLine::Ask::kHelp;
    } catch (const CLI::ParseError& problem) {
      throw Error(sentence(problem));
    }
    return markdown_->count() > 0 ? CommandLine::Ask::kHelpMarkdown : CommandLine::Ask::kRun;
  }

  jobs::JobRequest request(const OptionList& list) const {
    refuse_extras(app_, entry_, list);
    check_input_count(entry_, inputs_.size());
    jobs::JobRequest request;
    request.inputs.assign(inputs_.begin(), inputs_.end());
    if (!output_.empty()) request.output = output_;
    request.force = force_;
    return request;
  }

  // All words of an option that may be given several times.
  Words all_words(const std::string& name) const {
    for (const auto& [own, option] : options_)
      if (own == name) return option->results();
    return {};
  }

  // Names and words of the options, in the order in which they are written; of one given twice the last.
  std::vector<std::pair<std::string, std::string>> given() const {
    std::vector<std::pair<std::string, std::string>> given;
    for (const CLI::Option* option : app_.parse_order()) {
      const auto own =
          std::find_if(options_.begin(), options_.end(), [&](const auto& pair) { return pair.second == option; });
      if (own == options_.end()) continue;
      std::erase_if(given, [&](const auto& pair) { return pair.first == own->first; });
      given.emplace_back(own->first, option->results().back());
    }
    return given;
  }

 private:
  const Entry& entry_;
  CLI::App app_;
  CLI::Option* markdown_ = nullptr;
  Words inputs_;
  std::string output_;
  bool force_ = false;
  std::vector<std::pair<std::string, CLI::Option*>> options_;
};

CommandLine ask_for(CommandLine::Ask ask, const std::string& command = "") {
  CommandLine line;
  line.ask = ask;
  line.command = command;
  return line;
}

// Words without a command.
CommandLine parse_program(const Words& words, CommonFlags& common) {
  CLI::App app;
  app.allow_extras();
  app.set_help_flag("-h,--help");
  app.set_version_flag("--version", "");
  add_common(app, common);
  Words reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return ask_for(CommandLine::Ask::kHelp);
  } catch (const CLI::CallForVersion&) {
    return ask_for(CommandLine::Ask::kVersion);
  } catch (const CLI::ParseError& problem) {
    throw Error(sentence(problem));
  }
  if (const Words left = app.remaining(); !left.empty()) {
    const std::string word = flag_part(left.front());
    throw Error(fmt::format("sinew has no option '{}'.{} See sinew --help.", word, did_you_mean(word, flags_of(app))));
  }
  return ask_for(CommandLine::Ask::kHelp);
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, CommonFlags& common) {
  Words words(argv + 1, argv + argc);
  std::size_t at = command_position(words);
  if (at == words.size()) return parse_program(words, common);
  // `sinew help rig` is `sinew rig --help`.
  if (words[at] == "help") {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    words.push_back("--help");
    at = command_position(words);
    if (at == words.size()) return ask_for(CommandLine::Ask::kHelp);
  }
  common.json = std::find(words.begin(), words.end(), "--json") != words.end();
  CommandLine line;
  const Entry& entry = jobs::commands().find(words[at]);
  line.command = entry.id;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  line.bound = entry.make.bind();
  OptionList list = line.bound->options();
  const std::string config_path = value_of(words, "--config").value_or("");
  const Json config = config_path.empty() ? Json() : jobs::read_config(config_path, line.command);
  choose_methods(words, config, list);
  for (const Option& option : list.options())
    line.names_method |= option.chooses_method && value_of(words, option.flag()).has_value();
  Parser parser(entry, list, common);
  line.ask = parser.parse(words);
  if (common.threads < 0) throw Error("The option 'threads' takes a number of threads, or 0 for one per core.");
  line.common = common;
  if (line.ask != CommandLine::Ask::kRun) return line;
  line.request = parser.request(list);
  if (!config_path.empty()) {
    apply_config(config, config_path, list);
    choose_methods(words, Json(), list);  // The words override the configuration.
  }
  const auto given = parser.given();
  for (const auto& [name, word] : given) {
    const Option* option = list.find(name);
    option->set(option->field.repeats ? Json(parser.all_words(name)) : parse_option(*option, word));
  }
  set_order(given, list);
  return line;
}

std::string with_flags(std::string text) {
  const std::string before = "option '";
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find('\'', at);
    if (end == std::string::npos || end == at || text[at] == '-') continue;
    const auto name_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
                     name_letter))
      continue;
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end), '_',
                 '-');
    text.insert(at, "--");
  }
  return text;
}

}  // namespace sinew::app
