// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

namespace sinew::rigging {

/// A file of the repository's data folder, as the library carries it (cmake/SinewEmbed.cmake).
struct EmbeddedFile {
  std::string name;  ///< Without folder and ending.
  std::string text;
};

std::vector<EmbeddedFile> embedded_templates();  ///< data/templates, by name.
std::vector<EmbeddedFile> embedded_presets();    ///< data/presets, by name.

}  // namespace sinew::rigging
