// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <nlohmann/json.hpp>

namespace sinew {

/// JSON that keeps the order of its keys, so that files are written in the order in which they were read.
using Json = nlohmann::ordered_json;

}  // namespace sinew
