// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <system_error>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

// Set once by the program before it reads anything.
std::atomic<bool> outside_allowed = false;
fs::path texture_folder;

bool is_inside(const fs::path& folder, const fs::path& file) {
  std::error_code problem;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, problem);
  if (problem) return false;
  const fs::path real = fs::canonical(file, problem);
  if (problem) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

bool is_file_inside(const fs::path& folder, const fs::path& file) {
  std::error_code problem;
  return fs::is_regular_file(file, problem) && is_inside(folder, file);
}

template <std::size_t N>
bool ends_like(const fs::path& name, const std::array<std::string_view, N>& endings) {
  const std::string ending = lower_case(name.extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

void allow_outside_files(bool allowed) { outside_allowed = allowed; }

bool outside_files_allowed() { return outside_allowed; }

bool may_read_for(const fs::path& folder, const fs::path& file) {
  std::error_code problem;
  if (!fs::is_regular_file(file, problem)) return false;
  if (outside_allowed) return true;
  return is_inside(folder, file);
}

void set_texture_folder(const fs::path& folder) {
  std::error_code problem;
  if (!folder.empty() && !fs::is_directory(folder, problem))
    throw Error(
        fmt::format("{} is not a folder. The option 'textures' names the folder of textures.", folder.string()));
  texture_folder = folder;
}

std::optional<fs::path> find_given_texture(std::string_view name) {
  constexpr std::size_t kMostFiles = 100000;
  if (texture_folder.empty() || name.empty() || name.size() > 4096 || name.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::string slashed(name);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  if (fs::path same = texture_folder / fs::path(slashed).relative_path(); is_file_inside(texture_folder, same))
    return same;
  const std::string last = lower_case(slashed.substr(slashed.find_last_of("/:") + 1));
  std::vector<fs::path> found;
  std::error_code problem;
  std::size_t seen = 0;
  fs::recursive_directory_iterator file(texture_folder, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && file != fs::recursive_directory_iterator() && seen < kMostFiles; file.increment(problem), ++seen)
    if (lower_case(file->path().filename().string()) == last && is_file_inside(texture_folder, file->path()))
      found.push_back(file->path());
  // Folders list their files in no order.
  return found.empty() ? std::nullopt : std::optional(*std::min_element(found.begin(), found.end()));
}

bool is_safe_name(const fs::path& name) {
  if (name.empty() || name.is_absolute() || !name.has_filename()) return false;
  for (const fs::path& step : name) {
    const std::string text = step.string();
    if (text.empty() || text.front() == '.' || text.size() > 255) return false;
    const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '\\' || c == ':'; };
    if (std::any_of(text.begin(), text.end(), control)) return false;
  }
  return true;
}

bool is_picture_name(const fs::path& name) {
  constexpr std::array<std::string_view, 13> endings = {".png", ".jpg", ".jpeg", ".webp",  ".gif", ".bmp", ".tga",
                                                        ".dds", ".ktx", ".ktx2", ".basis", ".tif", ".tiff"};
  return ends_like(name, endings);
}

bool is_buffer_name(const fs::path& name) {
  constexpr std::array<std::string_view, 5> endings = {".bin", ".glbin", ".glbuf", ".dat", ".buf"};
  return ends_like(name, endings);
}

}  // namespace sinew::io
