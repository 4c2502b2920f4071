// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string_view>

namespace sinew::studio {

/// The page of the studio, built from web/ and part of the program. \throws Error if this build has no pages.
std::string_view page_html();
std::string_view page_script();
std::string_view page_style();

}  // namespace sinew::studio
