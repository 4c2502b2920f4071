// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/foreign_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sinew/core/text.h"

namespace sinew::io {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view begin;
  std::string_view kind;
};

constexpr std::array kSignatures = {
    Signature{"\x89PNG\r\n\x1A\n"sv, "a PNG picture"},
    Signature{"\xFF\xD8\xFF"sv, "a JPEG picture"},
    Signature{"GIF8"sv, "a GIF picture"},
    Signature{"%PDF-"sv, "a PDF document"},
    Signature{"PK\x03\x04"sv, "a ZIP archive; unpack it, and open the model in it"},
    Signature{"\x1F\x8B"sv, "a gzip archive; unpack it, and open the model in it"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, "a 7z archive; unpack it, and open the model in it"},
    Signature{"Rar!\x1A\x07"sv, "a RAR archive; unpack it, and open the model in it"},
    Signature{"version https://git-lfs"sv, "a pointer of Git LFS; fetch the file itself with 'git lfs pull'"},
};

}  // namespace

std::string foreign_kind(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (bytes.empty()) return "empty";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 256));
  const bool may_be_zip = lower_case(path.extension().string()) == ".zae";
  for (const Signature& signature : kSignatures)
    if (text.starts_with(signature.begin) && !(may_be_zip && signature.begin.starts_with("PK")))
      return std::string(signature.kind);
  if (text.starts_with("RIFF") && text.substr(8).starts_with("WEBP")) return "a WebP picture";
  // What servers send instead of a file that is missing.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::string head =
      first == std::string_view::npos ? std::string() : lower_case(std::string(text.substr(first)));
  if (head.starts_with("<!doctype html") || head.starts_with("<html")) return "a web page; download the file again";
  return {};
}

}  // namespace sinew::io
