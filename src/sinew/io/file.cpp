// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/core/hash.h"
#include "sinew/io/descriptor.h"

namespace sinew::io {
namespace {

// A pipe has no size: it is read until it ends, or until it is too long.
Bytes read_at_most(const std::filesystem::path& path, std::uint64_t most, const char* limit) {
  const auto too_large = [&] { return Error(fmt::format("{} is larger than {}.", path.string(), limit)); };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(fmt::format("Cannot open {}: {}.", path.string(), system_reason()));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw Error(fmt::format("Cannot read {}: {}.", path.string(), system_reason()));
  if (S_ISDIR(info.st_mode)) throw Error(fmt::format("{} is a folder, not a file.", path.string()));
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
    throw Error(fmt::format("{} is a device, not a file.", path.string()));
  if (static_cast<std::uint64_t>(info.st_size) > most) throw too_large();
  const bool regular = S_ISREG(info.st_mode);
  Bytes bytes(regular ? static_cast<std::size_t>(info.st_size) : 0);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) {
      if (regular) break;
      if (bytes.size() > most) throw too_large();
      bytes.resize(bytes.size() + std::max(bytes.size() / 2, std::size_t{1} << 20));
    }
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("Cannot read {}: {}.", path.string(), system_reason()));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::uint8_t, 256> make_base64_table() {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = 255;
  for (std::size_t i = 0; i < kBase64.size(); ++i)
    table[static_cast<unsigned char>(kBase64[i])] = static_cast<std::uint8_t>(i);
  return table;
}
constexpr std::array<std::uint8_t, 256> kBase64Value = make_base64_table();

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
  return read_at_most(path, kMaxFileBytes, "4 GiB, more than a character file can be");
}

Bytes read_json_bytes(const std::filesystem::path& path) {
  return read_at_most(path, kMaxJsonBytes, "256 MiB, more than a JSON file should be");
}

Json parse_json(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  try {
    return parse_json_text(as_text(bytes));
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", path.string(), problem.what()));
  }
}

ReportFile describe(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return {path.string(), sha256_hex(bytes), bytes.size()};
}

std::string base64_encode(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = (word << 8) | (k < have ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= have ? kBase64[(word >> (18 - 6 * k)) & 63] : '=';
  }
  return text;
}

Bytes base64_decode(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  Bytes bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kBase64Value[static_cast<unsigned char>(c)];
    if (value == 255) throw Error("The base64 data contains an invalid character.");
    word = (word << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::byte>(word >> bits));
    }
  }
  return bytes;
}

std::uint64_t sniff_image_pixels(std::span<const std::byte> bytes) {
  const auto big_endian = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
  };
  const std::string type = sniff_image_type(bytes);
  if (type == "image/png" && bytes.size() >= 24) return big_endian(16, 4) * big_endian(20, 4);
  if (type != "image/jpeg") return 0;
  for (std::size_t at = 2; at + 9 < bytes.size() && bytes[at] == std::byte{0xFF};) {
    const auto marker = std::to_integer<unsigned>(bytes[at + 1]);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return big_endian(at + 5, 2) * big_endian(at + 7, 2);
    at += 2 + big_endian(at + 2, 2);
  }
  return 0;
}

std::string sniff_image_type(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (text.starts_with("GIF8")) return "image/gif";
  if (text.starts_with("BM")) return "image/bmp";
  if (text.starts_with("\xabKTX 20\xbb")) return "image/ktx2";
  if (text.size() >= 12 && text.starts_with("RIFF") && text.substr(8, 4) == "WEBP") return "image/webp";
  return "";
}

}  // namespace sinew::io
