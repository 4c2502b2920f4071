// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

namespace sinew::batch {

/// One command of a recipe, as words: {"rig", "{in}", "-o", "{out}.glb"}.
using Step = std::vector<std::string>;

/// Splits a line into words: at white space, except within quotes; a backslash takes the next character as it is. A
/// first word "sinew" is dropped. \throws Error for an open quote, no words, or a placeholder that there is not.
Step parse_step(const std::string& line);

/// What placeholders stand for.
struct Places {
  std::string in;    ///< {in}: the input.
  std::string out;   ///< {out}: the output without ending.
  std::string name;  ///< {name}: the name of the row.
};

Step expanded(const Step& step, const Places& places);

}  // namespace sinew::batch
