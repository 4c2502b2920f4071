// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string_view>

#include "sinew/core/error.h"

namespace sinew {

/// What a finding means for the user, in rising order.
enum class FindingLevel {
  kNote,     ///< For information: the result is what was requested.
  kWarning,  ///< Something was lost, changed or left out that the user may care about.
  kDoubt,    ///< The result may be wrong as a whole and should be looked at.
};

/// The level of all findings with this code. One table holds the codes of notes and doubts, so that what `--strict`
/// counts is decided in one place; every other code is a warning.
FindingLevel finding_level(std::string_view code);

/// "note", "warning" or "doubt".
std::string_view level_name(FindingLevel level);

/// Whether there is a finding of this level or a higher one.
bool has_level(const Findings& findings, FindingLevel least);

}  // namespace sinew
