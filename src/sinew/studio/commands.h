// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Command lines that do what was done in the studio. Each can be copied as it is; files that the page saves, such as
/// recipes and poses, have the names that the page gives them.

#include <string>

#include "sinew/core/json.h"

namespace sinew::studio {

/// What commands are about.
struct CommandSubject {
  std::string input;           ///< The file, as a user would type it; empty for the sample.
  Json steps = Json::array();  ///< What was done to it.
};

/// Makes the character: one command if a single step has one, else the one that repeats the recipe. Empty if nothing
/// was done to a file.
std::string make_command(const CommandSubject& subject);

/// Moves the character into the pose that the page saves, by a deformer.
std::string pose_command(const CommandSubject& subject, const std::string& method);

/// Writes what the page exports: "glb", "vrm", "rig.json", "obj", "report", "recipe" or "pose".
std::string export_command(const CommandSubject& subject, const std::string& format);

/// Another use of the character, by `what`: "clip" (plays `clip` by `method`), "compare" (draws it beside `other`, a
/// method or a file), "picture", "plot", "check", "colors" (draws the overlay `show`). `clip` is empty for the rest
/// pose. \throws Error for an unknown use.
std::string use_command(const CommandSubject& subject, const std::string& what, const Json& details);

}  // namespace sinew::studio
