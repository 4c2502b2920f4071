// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "sinew/batch/child.h"
#include "sinew/batch/manifest.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/file.h"
#include "sinew/picture/browser.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCommands = {"info", "rig", "bind", "check", "weights", "transfer", "animate", "render"};
constexpr std::size_t kMostText = 20000;
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;

std::string text_in(const fs::path& path) {
  std::error_code problem;
  if (fs::file_size(path, problem) == 0 || problem) return "";
  const io::Bytes bytes = io::read_file(path);
  std::string text(io::as_text(bytes));
  if (text.size() > kMostText) text = text.substr(0, kMostText) + "\n…";
  return text;
}

const char* json_type(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "boolean";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kNumber:
      return "number";
    case OptionType::kText:
      return "string";
    case OptionType::kTextList:
    case OptionType::kVector:
      return "array";
    default:
      return "object";
  }
}

Json schema_of(const Command& command) {
  const auto bound = command.bind();
  Json fields = Json::object();
  const OptionList list = bound->options();
  for (const Option& option : list.options()) {
    Json field = {{"type", json_type(option.type)}, {"description", option.field.sentence}};
    if (!option.field.choices.empty() && option.type == OptionType::kText && !option.field.open_choices)
      field["enum"] = option.field.choices;
    fields[option.field.name] = std::move(field);
  }
  Json properties = {
      {"inputs", {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", "Files: " + command.arguments}}},
      {"options", {{"type", "object"}, {"properties", std::move(fields)}}}};
  if (command.has_output) {
    properties["output"] = {{"type", "string"}, {"description", "The file to write."}};
    properties["force"] = {{"type", "boolean"}, {"description", "Replace an existing file."}};
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", {"inputs"}},
          {"additionalProperties", false}};
}

// A mistyped argument must not be ignored: the tool would do something else than what was requested.
void require_known(const Json& arguments) {
  static const std::vector<std::string> names = {"inputs", "options", "output", "force"};
  for (const auto& [name, value] : arguments.items())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(fmt::format("There is no argument '{}'.{} Arguments are {}.", name, did_you_mean(name, names),
                              join_some(names)));
  if (arguments.contains("output") && !arguments["output"].is_string()) throw Error("'output' is the name of a file.");
  if (arguments.contains("force") && !arguments["force"].is_boolean()) throw Error("'force' is true or false.");
}

// One call of a tool.
class ToolCall {
 public:
  ToolCall(const McpFolders& folders, const McpOptions& options, std::string command)
      : folders_(folders), options_(options), command_(std::move(command)) {}

  mcp::ToolAnswer run(const Json& arguments, const Json& fixed) const {
    require_known(arguments);
    const picture::ScratchFolder scratch;
    std::vector<std::string> words = {command_};
    const Json inputs = arguments.value("inputs", Json::array());
    if (!inputs.is_array()) throw Error("'inputs' is a list of files.");
    for (const Json& input : inputs) {
      if (!input.is_string()) throw Error("'inputs' is a list of files.");
      words.push_back(folders_.inside(input.get<std::string>()).string());
    }
    Json config = arguments.value("options", Json::object());
    if (!config.is_object()) throw Error("'options' is an object.");
    folders_.require_inside(config);
    config.update(fixed);
    io::AtomicFiles files;
    files.add(scratch.path() / "config.json", json_text(config));
    files.commit();
    words.insert(words.end(), {"--config", (scratch.path() / "config.json").string()});
    fs::path output;
    if (arguments.contains("output")) output = folders_.inside(arguments["output"].get<std::string>());
    if (!output.empty()) words.insert(words.end(), {"-o", output.string()});
    if (arguments.value("force", Json(false)) == true) words.emplace_back("--force");
    const int code = spawn(words, scratch.path() / "out.txt", scratch.path() / "err.txt");
    mcp::ToolAnswer answer;
    answer.failed = code != 0 && code != 1;
    answer.content.push_back({text_in(scratch.path() / "out.txt") + text_in(scratch.path() / "err.txt"), ""});
    if (!answer.failed) add_picture(output, scratch.path(), answer);
    return answer;
  }

 private:
  int spawn(const std::vector<std::string>& words, const fs::path& out, const fs::path& err) const {
    std::error_code problem;
    const fs::path program = fs::read_symlink("/proc/self/exe", problem);
    batch::Child child(program, words, out, err, options_.tool_time, kMemory, folders_.first());
    for (;;) {
      if (const auto end = child.poll()) {
        if (end->too_long) throw Error(fmt::format("The tool took longer than {:.0f} s.", options_.tool_time));
        if (end->exit < 0) throw Error(fmt::format("The tool was ended by the signal {}.", end->signal));
        return end->exit;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // The picture that was drawn, or a quick one of the character that was written.
  void add_picture(const fs::path& output, const fs::path& scratch, mcp::ToolAnswer& answer) const {
    std::error_code problem;
    if (!options_.pictures || output.empty() || !fs::is_regular_file(output, problem)) return;
    fs::path picture = output;
    if (lower_case(output.extension().string()) != ".png") {
      if (lower_case(output.extension().string()) == ".json") return;
      picture = scratch / "picture.png";
      const int code = spawn({"render", output.string(), "-o", picture.string(), "--quick", "--size", "640x640"},
                             scratch / "picture.out", scratch / "picture.err");
      if (code != 0 && code != 1) return;
    }
    if (fs::is_regular_file(picture, problem))
      answer.content.push_back({"", io::base64_encode(io::read_file(picture))});
  }

  const McpFolders& folders_;
  const McpOptions& options_;
  std::string command_;
};

}  // namespace

McpFolders::McpFolders(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code problem;
    const fs::path real = fs::canonical(folder, problem);
    if (problem || !fs::is_directory(real, problem)) throw Error(fmt::format("{} is not a folder.", folder.string()));
    folders_.push_back(real);
  }
}

fs::path McpFolders::inside(const std::string& path) const {
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(first() / path, problem);
  for (const fs::path& folder : folders_) {
    const auto [a, b] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
    if (!problem && a == folder.end()) return real;
  }
  throw Error(fmt::format("{} is outside the folders that this server may use.", path));
}

void McpFolders::require_inside(const Json& json) const {
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items()) {
      if (json.is_object() && key.find('/') != std::string::npos) inside(key);
      require_inside(value);
    }
    return;
  }
  if (!json.is_string()) return;
  std::string text = json.get<std::string>();
  text = text.substr(0, text.find('#'));  // FILE#CLIP
  std::error_code ignored;
  if (text.find('/') != std::string::npos || text == ".." || fs::exists(fs::symlink_status(first() / text, ignored)))
    inside(text);
}

std::vector<mcp::Tool> mcp_tools(const McpFolders& folders, const McpOptions& options) {
  std::vector<mcp::Tool> tools;
  const auto add = [&](const std::string& name, const Registered<Command>& entry, const std::string& description,
                       const Json& fixed) {
    tools.push_back(
        {name, description, schema_of(entry.make), [&folders, &options, id = entry.id, fixed](const Json& arguments) {
           return ToolCall(folders, options, id).run(arguments, fixed);
         }});
  };
  for (const auto& entry : commands().entries()) {
    if (std::find(kCommands.begin(), kCommands.end(), entry.id) == kCommands.end()) continue;
    add(entry.id, entry, entry.when, Json::object());
    if (entry.id == "weights") add("repair", entry, "Find and repair faults of skin weights.", {{"repair", true}});
  }
  return tools;
}

}  // namespace sinew::jobs
