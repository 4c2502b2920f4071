// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/reach.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <system_error>

#include "sinew/core/text.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

// Set once by the program before it reads anything.
std::atomic<bool> outside_allowed = false;

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
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, problem);
  if (problem) return false;
  const fs::path real = fs::canonical(file, problem);
  if (problem) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
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
