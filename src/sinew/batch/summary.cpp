// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/batch/row_run.h"
#include "sinew/core/text.h"
#include "sinew/io/file.h"

namespace sinew::batch {
namespace {

constexpr const char* kPage = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Batch</title><style>
body{font:15px/1.4 system-ui,sans-serif;margin:1em;background:#fff;color:#1b1f24}
table{border-collapse:collapse;width:100%}td,th{padding:.35em .6em;border-bottom:1px solid #d5d9de;text-align:left;vertical-align:top}
img{width:96px;height:96px;object-fit:contain;background:#eef0f2}
.s{font-weight:600;white-space:nowrap}.died,.error,.fail,.missing{color:#a4161a}.check{color:#8a5a00}.pass{color:#1c6b32}
@media(prefers-color-scheme:dark){body{background:#16191d;color:#e4e7ea}td,th{border-color:#343a42}img{background:#2a2f36}
.died,.error,.fail,.missing{color:#ff8a8a}.check{color:#ffc857}.pass{color:#7bd88f}}
</style></head><body>
)";

// One line of the table of results.
struct Line {
  std::size_t row = 0;
  int severity = 0;
  std::size_t faults = 0;
};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string joined(const Json& list) {
  std::vector<std::string> words;
  for (const Json& word : list)
    if (word.is_string()) words.push_back(word.get<std::string>());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// What the steps of a row say, put together.
struct RowWords {
  std::string status, verdict, failed, to_look_at, findings, text, outputs;
  std::size_t faults = 0;

  explicit RowWords(const Json& result) {
    status = result.value("status", "missing");
    for (const Json& step : result.value("steps", Json::array())) {
      const Json found = step.value("result", Json::object());
      if (found.contains("verdict")) verdict = found["verdict"].get<std::string>();
      const auto add = [](std::string& to, const std::string& more) {
        if (!more.empty()) to += (to.empty() ? "" : " ") + more;
      };
      add(failed, joined(found.value("failed", Json::array())));
      add(to_look_at, joined(found.value("to_look_at", Json::array())));
      add(findings, joined(found.value("findings", Json::array())));
      if (step.contains("text"))
        add(text, fmt::format("{}: {}", step.value("command", ""), step["text"].get<std::string>()));
      faults += found.value("failed", Json::array()).size();
    }
    for (const Json& output : result.value("outputs", Json::array())) {
      if (!outputs.empty()) outputs += ' ';
      outputs += output.value("file", "");
    }
  }
};

Json result_of(const BatchFolder& folder, const Row& row) {
  const Json result = read_small_json(folder.result(row.name));
  return result.is_object() ? result : Json::object();
}

std::string html_row(const BatchFolder& folder, const Row& row, const RowWords& words) {
  std::string outputs;
  for (std::size_t at = 0; at < words.outputs.size();) {
    const std::size_t end = std::min(words.outputs.find(' ', at), words.outputs.size());
    const std::string file = html_text(words.outputs.substr(at, end - at));
    outputs += fmt::format("<a href=\"{0}\">{0}</a> ", file);
    at = end + 1;
  }
  std::error_code ignored;
  const std::string picture =
      std::filesystem::exists(folder.thumbnail(row.name), ignored)
          ? fmt::format("<img loading=\"lazy\" alt=\"\" src=\".sinew-batch/thumbnails/{}.png\">", html_text(row.name))
          : "";
  std::string faults = words.failed;
  if (!words.to_look_at.empty()) faults += (faults.empty() ? "" : " ") + fmt::format("({})", words.to_look_at);
  return fmt::format("<tr><td>{}</td><td>{}</td><td class=\"s {}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                     picture, html_text(row.name), words.status, html_text(words.status), html_text(faults),
                     html_text(words.text), outputs);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '&') safe += "&amp;";
    else if (c == '"') safe += "&quot;";
    else if (c == '\'') safe += "&#39;";
    else safe += c;
  }
  return safe;
}

Summary summarize(const Manifest& manifest, const BatchFolder& folder, const Progress& progress) {
  Summary summary;
  io::AtomicFiles files(io::AtomicFiles::Newcomer::kReplaced);
  const auto open = [&](const char* name) {
    summary.files.push_back((folder.output / name).string());
    return files.open(folder.output / name);
  };
  auto lines = open("results.jsonl");
  auto csv = open("summary.csv");
  auto timing = open("timing.csv");
  auto html = open("index.html");
  const auto write = [](io::AtomicFiles::Stream& to, const std::string& text) { to.write(io::as_bytes(text)); };
  write(csv, "name,input,status,verdict,failed,to_look_at,findings,outputs,text\n");
  write(timing, "name,wall_s,cpu_s,peak_bytes\n");
  std::vector<Line> order;
  for (std::size_t i = 0; i < manifest.rows.size(); ++i) {
    progress.check();
    const Row& row = manifest.rows[i];
    const Json result = result_of(folder, row);
    const RowWords words(result);
    const int severity = result.empty() ? 5 : std::min(severity_of(words.status), 4);
    if (result.empty()) ++summary.missing;
    else ++summary.by_severity[static_cast<std::size_t>(severity)];
    order.push_back({i, severity, words.faults});
    if (!result.empty()) write(lines, result.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    std::string line = csv_field(row.name);
    for (const std::string& field : {row.input, words.status, words.verdict, words.failed, words.to_look_at,
                                     words.findings, words.outputs, words.text})
      line += "," + csv_field(field);
    write(csv, line + "\n");
    if (const Json time = read_small_json(folder.timing(row.name)); time.is_object())
      write(timing, fmt::format("{},{:.3f},{:.3f},{}\n", csv_field(row.name), time.value("wall_s", 0.0),
                                time.value("cpu_s", 0.0), time.value("peak_bytes", std::uint64_t{0})));
  }
  std::stable_sort(order.begin(), order.end(), [](const Line& a, const Line& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.faults > b.faults;
  });
  const auto& n = summary.by_severity;
  write(html, kPage);
  write(html, fmt::format("<p>{}: {} passed, {} to look at, {} failed, {} with errors, {} died, {} missing</p>\n",
                          count_of(manifest.rows.size(), "character"), n[0], n[1], n[2], n[3], n[4], summary.missing));
  write(html,
        "<table><tr><th></th><th>name</th><th>status</th><th>failed (to look "
        "at)</th><th>message</th><th>files</th></tr>\n");
  for (const Line& line : order)
    write(html, html_row(folder, manifest.rows[line.row], RowWords(result_of(folder, manifest.rows[line.row]))));
  write(html, "</table></body></html>\n");
  files.commit();
  return summary;
}

}  // namespace sinew::batch
