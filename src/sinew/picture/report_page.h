// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/json.h"

namespace sinew::picture {

/// A page that shows characters with their clips and checks, in one file that needs no other: `data` is what
/// web/src/report/data.ts describes. \throws Error if this build has no pages.
std::string report_page(const Json& data);

}  // namespace sinew::picture
