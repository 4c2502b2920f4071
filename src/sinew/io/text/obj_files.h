// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The files beside an OBJ file: how its names find them, and how new ones get names that hurt nobody.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace sinew::io {

/// The ordinary file that a name in an OBJ or MTL file means, or nothing. The name is taken relative to `folder`, with
/// either kind of slash; of an absolute one, and of one that is not there, only the last part is tried, in `folder`.
/// Files outside `root` (`folder` unless given) are not found, unless the user allows it.
std::optional<std::filesystem::path> find_beside(const std::filesystem::path& folder, std::string_view name);
std::optional<std::filesystem::path> find_beside(const std::filesystem::path& folder, std::string_view name,
                                                 const std::filesystem::path& root);

/// The end of a sentence that says why `find_beside` found nothing, and what helps.
std::string lost_file_advice(const std::filesystem::path& folder, std::string_view name);

/// The name with forward slashes, or only its last part where it leads out of its folder: where a copy may go.
std::string name_inside(std::string_view name);

/// Chooses the targets of files that are written beside another, so that no existing file with other content is
/// replaced and no two of this run are the same.
class TargetNames {
 public:
  explicit TargetNames(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// True for a name that this run gave.
  bool taken(const std::string& name) const { return taken_.contains(name); }

  struct Target {
    std::string name;   ///< Relative to the folder, with forward slashes.
    bool write = true;  ///< False: the same content is there already.
  };
  /// `wanted`, or `wanted` with _2, _3, … before its ending.
  Target pick(const std::string& wanted, std::span<const std::byte> bytes);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::set<std::string> taken_;
};

}  // namespace sinew::io
