// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <functional>

namespace sinew {

/// Called as a stage of a long computation begins, with its name: for callers that measure the time of stages.
/// Functions that take one accept an empty one.
using StageListener = std::function<void(const char* stage)>;

}  // namespace sinew
