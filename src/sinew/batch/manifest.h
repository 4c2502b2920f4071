// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a batch is to do: a row per character, and the recipe that each goes through. docs/commands/batch.md describes
/// the files.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/batch/recipe.h"
#include "sinew/core/json.h"

namespace sinew::batch {

struct Row {
  std::string name;   ///< Unique, safe as a name of a file.
  std::string input;  ///< As given.
};

struct Limits {
  double time_s = 600;                            ///< Of a row, all steps together.
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< Of a process: bytes of data.
};

struct Manifest {
  std::vector<Step> steps;
  std::vector<Row> rows;
  Limits limits;
  std::string program;  ///< The version: results of another one do not count.

  Json to_json() const;
  static Manifest from_json(const Json& json);  ///< \throws Error if it is none.
};

/// Rows for inputs. A pattern with *, ? or [ that is no file stands for the files that match it, sorted; a folder for
/// the files in it. \throws Error if nothing matches, or a file is not there.
std::vector<Row> make_rows(const std::vector<std::string>& inputs);

/// The paths in a list: one per line; empty lines and lines that begin with # do not count.
std::vector<std::string> listed_paths(std::string_view text);

/// What the result of a row depends on: the recipe, the program and the bytes of its input. \throws Error if the input
/// cannot be read.
std::string row_key(const Manifest& manifest, const std::string& input_sha256);

/// The folder of a batch with its results: `rows/NAME.json` for each row that is done, `claims/NAME` for each that
/// somebody works on, `work/NAME` for unfinished files.
struct BatchFolder {
  explicit BatchFolder(std::filesystem::path output);

  std::filesystem::path output;  ///< Of the finished files.
  std::filesystem::path own;     ///< `output/.sinew-batch`
  std::filesystem::path manifest() const { return own / "manifest.json"; }
  std::filesystem::path result(const std::string& name) const { return own / "rows" / (name + ".json"); }
  std::filesystem::path timing(const std::string& name) const { return own / "rows" / (name + ".time.json"); }
  std::filesystem::path claim(const std::string& name) const { return own / "claims" / name; }
  std::filesystem::path work(const std::string& name) const { return own / "work" / name; }
  std::filesystem::path thumbnail(const std::string& name) const { return own / "thumbnails" / (name + ".png"); }

  /// \throws Error if folders cannot be made.
  void create() const;
};

/// The JSON of a small file, or a discarded value if it is missing or damaged.
Json read_small_json(const std::filesystem::path& path);

}  // namespace sinew::batch
