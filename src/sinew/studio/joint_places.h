// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/json.h"

namespace sinew::studio {

/// Where the joints of a body plan belong: its joints with parents and positions, from which the page draws a small
/// figure, and a sentence for joints that are easily misplaced. An array with an object per joint, `{name, parent, at,
/// text}`; empty for a name that is no template.
Json joint_places(const std::string& template_name);

}  // namespace sinew::studio
