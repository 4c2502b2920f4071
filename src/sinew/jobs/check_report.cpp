// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/check_report.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "sinew/core/angles.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {
namespace {

using pipeline::CheckRow;
using pipeline::CheckUnit;
using pipeline::CheckVerdict;

constexpr std::size_t kMostVertices = 50;  // Listed in JSON.

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  if (const std::size_t at = text.find(word); at != std::string::npos) text.replace(at, word.size(), by);
  return text;
}

const char* unit_name(CheckUnit unit) {
  switch (unit) {
    case CheckUnit::kCount:
      return "count";
    case CheckUnit::kShare:
      return "share";
    case CheckUnit::kFactor:
      return "factor";
    case CheckUnit::kOfSize:
      return "of_size";
    case CheckUnit::kDegrees:
      return "degrees";
  }
  return "";
}

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json row_json(const CheckRow& row, const std::filesystem::path& file) {
  Json json = {{"id", row.kind->id},
               {"verdict", pipeline::verdict_name(row.verdict)},
               {"title", row.kind->title},
               {"value", row.value},
               {"unit", unit_name(row.kind->unit)},
               {"check_limit", number_or_null(row.limit.check)},
               {"fail_limit", number_or_null(row.limit.fail)},
               {"where", row.where},
               {"text", row.text},
               {"vertex_count", row.vertices.size()}};
  if (row.before) json["before"] = *row.before;
  if (!row.vertices.empty()) {
    json["vertices"] = std::vector<Index>(
        row.vertices.begin(),
        row.vertices.begin() + static_cast<std::ptrdiff_t>(std::min(kMostVertices, row.vertices.size())));
  }
  if (row.pose)
    json["pose"] = {{"part", row.pose->group},
                    {"move", row.pose->move},
                    {"degrees", sinew::degrees(row.pose->angle_rad)},
                    {"axis", {row.pose->axis.x(), row.pose->axis.y(), row.pose->axis.z()}}};
  if (row.verdict != CheckVerdict::kPass) {
    json["mend"] = mend_command(row, file);
    json["advice"] = row.kind->advice;
  }
  return json;
}

// A path as a URI reference (RFC 3986): bytes that mean something else there are escaped.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

}  // namespace

std::string limit_text(const CheckRow& row) {
  const bool fails = row.verdict == CheckVerdict::kFail;
  const auto& limit = fails && row.limit.fail ? row.limit.fail : row.limit.check ? row.limit.check : row.limit.fail;
  std::string text;
  if (limit) text = fmt::format("limit {}", pipeline::check_value_text(*limit, row.kind->unit));
  if (row.before)
    text +=
        fmt::format("{}before {}", text.empty() ? "" : ", ", pipeline::check_value_text(*row.before, row.kind->unit));
  return text;
}

std::string CheckedFile::verdict() const {
  return error.empty() ? std::string(pipeline::verdict_name(result.verdict)) : "UNREADABLE";
}

std::string mend_command(const CheckRow& row, const std::filesystem::path& file) {
  if (!*row.kind->mend) return "";
  std::filesystem::path out = file;
  out.replace_filename(file.stem().string() + "_mended.glb");
  return "sinew " + replaced(replaced(row.kind->mend, "{in}", shell_word(file)), "{out}", shell_word(out));
}

std::string check_text(const CheckedFile& file) {
  if (!file.error.empty()) return fmt::format("UNREADABLE  {}\n  {}\n", file.path.string(), file.error);
  const pipeline::CheckResult& result = file.result;
  std::string text = fmt::format("{}  {}: {} failed, {} to look at, {} passed (profile {})\n", file.verdict(),
                                 file.path.string(), result.count(CheckVerdict::kFail),
                                 result.count(CheckVerdict::kCheck), result.count(CheckVerdict::kPass), result.profile);
  for (const CheckRow& row : result.rows) {
    if (row.verdict == CheckVerdict::kPass) continue;
    const std::string limit = limit_text(row);
    text += fmt::format("  {:<5}  {:<22} {}{}\n", pipeline::verdict_name(row.verdict), row.kind->id,
                        pipeline::check_value_text(row.value, row.kind->unit),
                        limit.empty() ? "" : fmt::format(" ({})", limit));
    text += fmt::format("         {}: {}{}\n", row.kind->title, row.where.empty() ? "" : row.where + ": ", row.text);
    const std::string mend = mend_command(row, file.path);
    if (!mend.empty()) text += fmt::format("         mend: {}\n", mend);
    else if (*row.kind->advice) text += fmt::format("         {}\n", row.kind->advice);
  }
  return text;
}

Json check_json(const CheckedFile& file) {
  Json json = {{"file", file.path.string()}, {"verdict", file.verdict()}};
  if (!file.error.empty()) {
    json["error"] = file.error;
    return json;
  }
  json["profile"] = file.result.profile;
  json["failed"] = file.result.count(CheckVerdict::kFail);
  json["to_look_at"] = file.result.count(CheckVerdict::kCheck);
  json["passed"] = file.result.count(CheckVerdict::kPass);
  json["checks"] = Json::array();
  for (const CheckRow& row : file.result.rows) json["checks"].push_back(row_json(row, file.path));
  return json;
}

Json sarif_json(const std::vector<CheckedFile>& files) {
  Json rules = Json::array(), results = Json::array();
  for (const pipeline::CheckKind& kind : pipeline::check_kinds())
    rules.push_back({{"id", kind.id}, {"shortDescription", {{"text", kind.title}}}});
  rules.push_back({{"id", "file.unreadable"}, {"shortDescription", {{"text", "the file cannot be read"}}}});
  const auto add = [&](const CheckedFile& file, const std::string& rule, const char* level, const std::string& text) {
    results.push_back(
        {{"ruleId", rule},
         {"level", level},
         {"message", {{"text", text}}},
         {"locations", Json::array({{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file.path)}}}}}}})}});
  };
  for (const CheckedFile& file : files) {
    if (!file.error.empty()) add(file, "file.unreadable", "error", file.error);
    for (const CheckRow& row : file.result.rows) {
      if (row.verdict == CheckVerdict::kPass) continue;
      const std::string mend = mend_command(row, file.path);
      add(file, row.kind->id, row.verdict == CheckVerdict::kFail ? "error" : "warning",
          fmt::format("{}: {}. {}{}{}", row.kind->title, pipeline::check_value_text(row.value, row.kind->unit),
                      row.where.empty() ? row.text : row.where + ": " + row.text,
                      mend.empty() ? "" : " To mend it: ", mend));
    }
  }
  return {{"version", "2.1.0"},
          {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"runs", Json::array({{{"tool", {{"driver", {{"name", "sinew check"}, {"rules", std::move(rules)}}}}},
                                 {"results", std::move(results)}}})}};
}

}  // namespace sinew::jobs
