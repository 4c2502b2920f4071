// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/template.h"

namespace sinew::rigging {

/// Reads and checks a template. docs/formats/templates.md has the schema. \throws Error with `where` (the name of a
/// file) and the position in it for anything that is missing, unknown, of the wrong type, or inconsistent: parents
/// after their children, duplicate names or roles, partners that do not point back or are not at mirrored positions,
/// bones of zero length, limbs whose joints do not follow each other, or fewer than two searched joints.
Template read_template(const Json& json, const std::string& where);

/// The same from the text of a file. \throws Error also for text that is not valid JSON.
Template read_template(const std::string& text, const std::string& where);

/// Writes a template; values that equal their defaults are left out. Reading the result gives the same template.
Json write_template(const Template& skeleton_template);

/// The built-in templates, in the order in which they are tried: "human", "quadruped", "bird", "hand".
const std::vector<Template>& templates();

/// These, and those that only the reading of body plans finds: "tailed_biped", "winged_quadruped", "insect", "spider",
/// "fish", "snake".
const std::vector<Template>& all_templates();

/// The built-in template of that name. \throws Error that lists the available names.
const Template& find_template(const std::string& name);

}  // namespace sinew::rigging
