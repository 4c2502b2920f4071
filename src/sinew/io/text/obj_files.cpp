// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/obj_files.h"

#include <algorithm>
#include <system_error>

#include "sinew/io/file.h"
#include "sinew/io/reach.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && !error;
}

std::string forward_slashes(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '\\', '/');
  return result;
}

bool is_absolute(std::string_view name) { return name.starts_with('/') || (name.size() >= 2 && name[1] == ':'); }

bool same_content(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  if (fs::file_size(path, error) != bytes.size() || error) return false;
  const Bytes there = read_file(path);
  return std::equal(there.begin(), there.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::optional<fs::path> find_beside(const fs::path& folder, std::string_view name) {
  return find_beside(folder, name, folder);
}

std::optional<fs::path> find_beside(const fs::path& folder, std::string_view name, const fs::path& root) {
  if (name.empty() || name.size() > 4096 || name.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string slashed = forward_slashes(name);
  if (!is_absolute(slashed)) {
    if (fs::path as_written = folder / fs::path(std::string(name)); may_read_for(root, as_written)) return as_written;
    if (fs::path relative = folder / slashed; may_read_for(root, relative)) return relative;
  }
  const std::string last = slashed.substr(slashed.find_last_of("/:") + 1);
  if (last.empty()) return std::nullopt;
  if (fs::path beside = folder / last; may_read_for(root, beside)) return beside;
  return std::nullopt;
}

std::string lost_file_advice(const fs::path& folder, std::string_view name) {
  const std::string slashed = forward_slashes(name);
  const fs::path named = is_absolute(slashed) ? fs::path(slashed) : folder / slashed;
  if (is_file(named) && !may_read_for(folder, named))
    return "lies outside the folder of the file and is not read; allow it with the option 'allow-outside'";
  return "is missing; put it next to the file, or name its folder with the option 'textures'";
}

std::string name_inside(std::string_view name) {
  const std::string slashed = forward_slashes(name);
  const std::string normal = fs::path(slashed).lexically_normal().generic_string();
  if (!is_absolute(slashed) && !normal.starts_with("..")) return slashed;
  return slashed.substr(slashed.find_last_of("/:") + 1);
}

TargetNames::Target TargetNames::pick(const std::string& wanted, std::span<const std::byte> bytes) {
  const fs::path path(wanted);
  const std::string stem = (path.parent_path() / path.stem()).generic_string();
  for (int number = 1;; ++number) {
    const std::string name = number == 1 ? wanted : stem + "_" + std::to_string(number) + path.extension().string();
    if (taken_.contains(name)) continue;
    std::error_code error;
    const bool there = fs::symlink_status(folder_ / name, error).type() != fs::file_type::not_found;
    const bool same = there && is_file(folder_ / name) && same_content(folder_ / name, bytes);
    if (there && !same) continue;
    taken_.insert(name);
    return {name, !same};
  }
}

}  // namespace sinew::io
