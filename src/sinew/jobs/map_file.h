// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <string>

#include "sinew/core/report.h"

namespace sinew::jobs {

/// Reads which joints correspond from a JSON object: {"joint of one": "joint of the other", …}. Null becomes an empty
/// name. An empty path gives an empty map. \throws Error if the file cannot be read or is something else.
std::map<std::string, std::string> read_map(const std::string& file, Report& report);

}  // namespace sinew::jobs
