// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/template.h"

namespace sinew::rigging {

/// A template from JSON, checked: docs/formats/templates.md has the schema. \throws Error with `where` (a file's name)
/// and the place in it for whatever is missing, unknown, of the wrong type, or does not fit: parents that do not come
/// first, names or roles twice, partners that do not point back or are not of mirrored places, bones of no length,
/// limbs whose joints do not follow each other, fewer than two searched joints.
Template read_template(const Json& json, const std::string& where);

/// The same from the text of a file. \throws Error also for what is no JSON.
Template read_template(const std::string& text, const std::string& where);

/// The other way: what has its usual value is left out. Reading it gives the same template.
Json write_template(const Template& skeleton_template);

/// The templates that come with the program, in the order in which they are tried: "human", "quadruped", "bird",
/// "hand".
const std::vector<Template>& templates();

/// \throws Error that lists the names there are.
const Template& find_template(const std::string& name);

}  // namespace sinew::rigging
