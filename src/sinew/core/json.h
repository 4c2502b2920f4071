// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <nlohmann/json.hpp>

namespace sinew {

/// JSON that keeps the order of its keys, so that what is read is written in the same order.
using Json = nlohmann::ordered_json;

}  // namespace sinew
