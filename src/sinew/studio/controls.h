// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/json.h"
#include "sinew/core/options.h"

namespace sinew::studio {

/// Options as the page makes controls of them: name, sentence, unit, type, range, choices, value.
Json options_json(const OptionList& list);

/// File extensions that characters are written with, without the dot: "glb", "vrm", ….
Json export_formats();

/// Everything that is registered: deformers, binders, formats, templates and presets, with their options.
Json controls_json();

}  // namespace sinew::studio
