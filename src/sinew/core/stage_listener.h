// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <functional>

namespace sinew {

/// Called with the name of each stage of a long computation when it begins, so that callers can time the stages.
/// Functions with such a parameter also accept an empty one.
using StageListener = std::function<void(const char* stage)>;

}  // namespace sinew
