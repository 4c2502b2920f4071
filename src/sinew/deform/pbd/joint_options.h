// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>

#include "sinew/core/skeleton.h"

namespace sinew::deform {

/// The joint of that name. \throws Error that names the option if the skeleton does not have it.
Index named_joint(const Skeleton& skeleton, const std::string& name, std::string_view option);

}  // namespace sinew::deform
