// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/core/shell_word.h"
#include "sinew/studio/recipe_steps.h"

namespace sinew::studio {
namespace {

constexpr const char* kSample = "sample.glb";

std::string stem_of(const CommandSubject& subject) {
  return std::filesystem::path(subject.input.empty() ? kSample : subject.input).stem().string();
}

std::string plain_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// A value as the command line takes it; nothing if it cannot be written there.
std::optional<std::string> value_text(const Json& value) {
  const auto listed = [](const Json& item) { return plain_text(item).find(',') == std::string::npos; };
  if (value.is_array()) {
    std::string words;
    for (const Json& item : value) {
      if (!listed(item)) return {};
      words += (words.empty() ? "" : ",") + plain_text(item);
    }
    return words;
  }
  if (value.is_object()) {
    std::string words;
    for (const auto& [key, item] : value.items()) {
      const std::optional<std::string> text = value_text(item);
      if (!text || key.find_first_of(",=") != std::string::npos) return {};
      words += fmt::format("{}{}={}", words.empty() ? "" : ",", key, *text);
    }
    return words;
  }
  return plain_text(value);
}

/// Options as flags. The options of a method are nested under its id, which is the value of `method_key`.
std::optional<std::string> flags_of(const Json& options, const char* method_key) {
  std::string flags;
  const Json method = options.value(method_key, Json("auto"));
  for (const auto& [key, value] : options.items()) {
    if (value.is_null()) continue;
    if (value.is_object() && method == key) {
      const std::optional<std::string> nested = flags_of(value, "");
      if (!nested) return {};
      flags += *nested;
      continue;
    }
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (value.is_boolean()) {
      flags += fmt::format(" --{}{}", name, value.get<bool>() ? "" : "=false");
      continue;
    }
    const std::optional<std::string> text = value_text(value);
    if (!text) return {};
    if (!text->empty()) flags += fmt::format(" --{} {}", name, shell_word(*text));
  }
  return flags;
}

/// The command of a step and of the file that it writes; nothing if only a recipe can do it.
std::optional<std::string> step_line(const Json& step, const std::string& input, const std::string& output) {
  std::string words;
  std::optional<std::string> flags = flags_of(options_of(step), is_step(step, "rig") ? "bind" : "method");
  if (is_step(step, "rig")) words = "rig";
  else if (is_step(step, "bind")) words = "bind";
  else if (is_step(step, "weights")) words = "weights";
  // Weights are computed anew after joints are added, which `sinew skeleton` alone does not do.
  else if (is_step(step, "skeleton") && !options_of(step).contains("add")) words = "skeleton";
  else if (is_step(step, "clip") && !step.contains("file") && options_of(step).empty())
    return fmt::format("sinew animate {} {} -o {}", shell_word(input),
                       shell_word("builtin:" + step.at("name").get<std::string>()), shell_word(output));
  if (words.empty() || !flags) return {};
  return fmt::format("sinew {} {}{} -o {}", words, shell_word(input), *flags, shell_word(output));
}

struct Made {
  std::string command, file;
};

/// How the character is made, as a file with the extension. Without a command the file is the input.
Made made(const CommandSubject& subject, const std::string& extension = ".glb") {
  const std::string stem = stem_of(subject);
  if (subject.input.empty()) return {fmt::format("sinew make human -o {}", kSample), kSample};
  if (subject.steps.empty()) return {"", subject.input};
  const std::string output = stem + "_rigged" + extension;
  if (subject.steps.size() == 1)
    if (const auto line = step_line(subject.steps[0], subject.input, output)) return {*line, output};
  return {fmt::format("sinew rig {} --session {} -o {}", shell_word(subject.input), shell_word(stem + ".sinew.json"),
                      shell_word(output)),
          output};
}

std::string then(const Made& first, const std::string& use) {
  return first.command.empty() ? use : first.command + " && " + use;
}

std::string text_in(const Json& details, const char* key) {
  const auto found = details.find(key);
  return found != details.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string make_command(const CommandSubject& subject) { return made(subject).command; }

std::string pose_command(const CommandSubject& subject, const std::string& method) {
  const std::string stem = stem_of(subject);
  const Made character = made(subject);
  return then(character,
              fmt::format("sinew deform {} --pose {} --method {} -o {}", shell_word(character.file),
                          shell_word(stem + ".pose.json"), shell_word(method), shell_word(stem + "_posed.glb")));
}

std::string export_command(const CommandSubject& subject, const std::string& format) {
  const std::string stem = stem_of(subject);
  if (format == "recipe")
    return fmt::format("sinew rig {} --session {}", shell_word(subject.input), shell_word(stem + ".sinew.json"));
  if (format == "pose") return pose_command(subject, "lbs");
  const bool glb = format == "glb" || format == "vrm";
  const Made character = made(subject, glb ? "." + format : ".glb");
  if (format == "report")
    return then(character,
                fmt::format("sinew report {} -o {}", shell_word(character.file), shell_word(stem + ".html")));
  if (glb && !character.command.empty() && !subject.input.empty()) return character.command;
  return then(character, fmt::format("sinew convert {} -o {}", shell_word(character.file),
                                     shell_word(stem + "_exported." + format)));
}

std::string use_command(const CommandSubject& subject, const std::string& what, const Json& details) {
  const std::string stem = stem_of(subject), clip = text_in(details, "clip"), method = text_in(details, "method");
  const Made character = made(subject);
  const std::string file = shell_word(character.file);
  std::string played;
  if (!clip.empty()) played += " --clip " + shell_word(clip);
  if (!method.empty() && method != "lbs") played += " --method " + shell_word(method);
  const auto output = [&](const char* suffix) { return shell_word(stem + suffix); };
  if (what == "clip") return then(character, fmt::format("sinew render {}{} -o {}", file, played, output(".webp")));
  if (what == "picture") {
    const auto time = details.find("time");
    if (time != details.end() && time->is_number() && !clip.empty())
      played += fmt::format(" --time {:.3f}", time->get<double>());
    return then(character, fmt::format("sinew render {}{} -o {}", file, played, output(".png")));
  }
  if (what == "compare")
    return then(character, fmt::format("sinew render {}{} --compare {} -o {}", file, played,
                                       shell_word(text_in(details, "other")), output("_compared.png")));
  if (what == "plot") return then(character, fmt::format("sinew measure {}{} --csv {}", file, played, output(".csv")));
  if (what == "check") return then(character, "sinew check " + file);
  if (what == "colors")
    return then(character, fmt::format("sinew render {} --show {} -o {}", file, shell_word(text_in(details, "show")),
                                       output("_weights.png")));
  throw Error(fmt::format("The studio knows no use '{}' of a character.", what));
}

}  // namespace sinew::studio
