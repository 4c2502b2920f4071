// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/report_page.h"

#include <string_view>

#include "sinew/core/error.h"

#ifdef SINEW_HAS_PAGE
extern "C" const char sinew_report_page_begin[];
extern "C" const char sinew_report_page_end[];
#endif

namespace sinew::picture {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report</title><style>
:root{color-scheme:light dark}
body{font:15px/1.45 system-ui,sans-serif;margin:1em auto;max-width:1500px;padding:0 1em;background:#fff;color:#1b1f24}
h1{font-size:1.3em}h2{font-size:1.1em}
.stage{display:flex;position:relative;height:62vh;min-height:300px;touch-action:none;background:#eef0f2}.stage>canvas{position:absolute;inset:0}
.cell{flex:1;position:relative;overflow:hidden;pointer-events:none}.cell+.cell{border-left:1px solid #8886}.wiping .cell+.cell{border:0;text-align:right}
.wiping .cell+.cell .name{left:auto;right:.6em}.split{position:absolute;top:0;bottom:0;width:2px;margin-left:-1px;background:currentColor;pointer-events:none}
.wipe{position:absolute;bottom:.6em;left:0;width:100%;margin:0}.name{position:absolute;left:.6em;top:.4em;font-weight:600;z-index:1}
.bar{display:flex;flex-wrap:wrap;gap:.8em;align-items:center;padding:.6em 0}.bar input[type=range]{flex:1;min-width:160px}.time{min-width:4em}
.panel{display:flex;flex-wrap:wrap;gap:2em}section{flex:1;min-width:320px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}dt{opacity:.7}dd{margin:0}
ul{list-style:none;padding:0}li{border-left:4px solid #2c8a4b;padding:.2em .7em;margin:.4em 0}li.CHECK{border-color:#c98500}li.FAIL{border-color:#c1121f}
li p{margin:.15em 0}li.PASS p{display:none}button{font:inherit}.check{background:none;border:0;padding:0;text-align:left;cursor:pointer;color:inherit}
code{display:block;overflow-x:auto;padding:.3em .5em;background:#eef0f2}.verdict{font-size:.85em;border:1px solid;border-radius:3px;padding:0 .4em}
.measures{border-spacing:1em .1em;margin:0 -1em}.measures caption{text-align:left;padding:0 1em;opacity:.7}.measures th{font-weight:400;text-align:left}.number{text-align:right}
.plot{padding:.3em 0 1em}.plot select{margin-right:1em;max-width:16em}.plot span span{margin-right:1em;font-size:.85em}.chart{position:relative;cursor:pointer}
.hand{position:absolute;top:4px;bottom:22px;width:1px;background:currentColor;pointer-events:none;z-index:2}
.run{margin:1em 0}.run pre{max-height:60vh;overflow:auto;padding:.6em;background:#eef0f2;font-size:.85em}
@media(prefers-color-scheme:dark){body{background:#16191d;color:#e4e7ea}code,.stage,.run pre{background:#23272c}}
</style></head><body>
<script type="application/json" id="data">)";

/// The script built from web/, part of the program.
std::string_view report_script() {
#ifdef SINEW_HAS_PAGE
  return {sinew_report_page_begin, static_cast<std::size_t>(sinew_report_page_end - sinew_report_page_begin)};
#else
  throw Error("This build of sinew has no pages. Build it with SINEW_WEB=ON, which needs npm.");
#endif
}

}  // namespace

std::string report_page(const Json& data) {
  std::string page(kHead);
  // No text of a file can end the element that holds it.
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<') page += "\\u003c";
    else page += c;
  page += "</script>\n<script>";
  page += report_script();
  page += "</script>\n</body></html>\n";
  return page;
}

}  // namespace sinew::picture
