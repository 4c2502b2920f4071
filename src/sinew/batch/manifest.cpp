// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/manifest.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/hash.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/io/file.h"

namespace sinew::batch {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return paths;
}

std::vector<std::string> characters_in(const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    try {
      io::format_of(entry.path());
      if (lower_case(entry.path().extension().string()) != ".json") paths.push_back(entry.path().string());
    } catch (const Error&) {
      continue;  // No format of characters.
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> files_of(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) return characters_in(input);
  if (fs::exists(input, ignored)) return {input};
  if (is_pattern(input)) return matches(input);
  throw Error(fmt::format("{} is not there.", input));
}

// A name for files: letters, digits, points, hyphens and whatever is not ASCII stay.
std::string safe_name(const std::string& stem) {
  std::string name;
  for (const char c : stem) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                      c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
    name += good ? c : '_';
  }
  if (name.empty() || name.front() == '.') name = "_" + name;
  return name.substr(0, 120);
}

}  // namespace

std::vector<Row> make_rows(const std::vector<std::string>& inputs) {
  std::vector<Row> rows;
  std::set<std::string> taken, seen;
  for (const std::string& input : inputs) {
    const std::vector<std::string> files = files_of(input);
    if (files.empty()) throw Error(fmt::format("No character matches {}.", input));
    for (const std::string& file : files) {
      if (!seen.insert(file).second) continue;
      const std::string stem = safe_name(fs::path(file).stem().string());
      std::string name = stem;
      for (int k = 2; !taken.insert(lower_case(name)).second; ++k) name = fmt::format("{}_{}", stem, k);
      rows.push_back({name, file});
    }
  }
  return rows;
}

std::vector<std::string> listed_paths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    if (!line.empty() && line.front() != '#') paths.emplace_back(line);
  }
  return paths;
}

Json Manifest::to_json() const {
  Json json = {{"format", "sinew-batch"},
               {"version", 1},
               {"program", program},
               {"steps", steps},
               {"limits", {{"time_s", limits.time_s}, {"memory", limits.memory}}},
               {"rows", Json::array()}};
  for (const Row& row : rows) json["rows"].push_back({{"name", row.name}, {"input", row.input}});
  return json;
}

Manifest Manifest::from_json(const Json& json) {
  try {
    if (json.at("format") != "sinew-batch" || json.at("version") != 1) throw Error("");
    Manifest manifest;
    manifest.program = json.at("program").get<std::string>();
    manifest.steps = json.at("steps").get<std::vector<Step>>();
    manifest.limits.time_s = json.at("limits").at("time_s").get<double>();
    manifest.limits.memory = json.at("limits").at("memory").get<std::uint64_t>();
    for (const Json& row : json.at("rows")) {
      manifest.rows.push_back({row.at("name").get<std::string>(), row.at("input").get<std::string>()});
      if (manifest.rows.back().name != safe_name(manifest.rows.back().name)) throw Error("");
    }
    return manifest;
  } catch (const std::exception&) {
    throw Error("This is not a manifest of a batch.");
  }
}

std::string row_key(const Manifest& manifest, const std::string& input_sha256) {
  const std::string text = Json({manifest.program, manifest.steps, input_sha256}).dump();
  return sha256_hex(io::as_bytes(text));
}

BatchFolder::BatchFolder(fs::path folder) : output(std::move(folder)), own(output / ".sinew-batch") {}

void BatchFolder::create() const {
  std::error_code problem;
  for (const char* name : {"rows", "claims", "work", "thumbnails"}) {
    fs::create_directories(own / name, problem);
    if (problem)
      throw Error(fmt::format("The folder {} cannot be created: {}.", (own / name).string(), problem.message()));
  }
}

Json read_small_json(const fs::path& path) {
  try {
    return io::parse_json(io::read_json_bytes(path), path);
  } catch (const Error&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace sinew::batch
