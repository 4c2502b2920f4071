// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/page.h"

#include <cstddef>

#include "sinew/core/error.h"

#ifdef SINEW_HAS_PAGE
extern "C" const char sinew_studio_script_begin[];
extern "C" const char sinew_studio_script_end[];
extern "C" const char sinew_studio_style_begin[];
extern "C" const char sinew_studio_style_end[];
#endif

namespace sinew::studio {

std::string_view page_html() {
  return R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sinew studio</title><link rel="stylesheet" href="/studio.css"></head>
<body><div id="app"></div><script src="/studio.js"></script></body></html>
)";
}

std::string_view page_script() {
#ifdef SINEW_HAS_PAGE
  return {sinew_studio_script_begin, static_cast<std::size_t>(sinew_studio_script_end - sinew_studio_script_begin)};
#else
  throw Error("This build of sinew has no pages. Build it with SINEW_WEB=ON, which needs npm.");
#endif
}

std::string_view page_style() {
#ifdef SINEW_HAS_PAGE
  return {sinew_studio_style_begin, static_cast<std::size_t>(sinew_studio_style_end - sinew_studio_style_begin)};
#else
  throw Error("This build of sinew has no pages. Build it with SINEW_WEB=ON, which needs npm.");
#endif
}

}  // namespace sinew::studio
