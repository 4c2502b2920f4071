// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Files as bytes: the only place where the library opens one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/report.h"
#include "sinew/io/atomic_files.h"

namespace sinew::io {

using Bytes = std::vector<std::byte>;

/// Size of the largest file that is read, far above that of any real character.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

/// Reads the whole file. \throws Error if it is missing, is a folder or a device, cannot be read or is larger than
/// `kMaxFileBytes`.
Bytes read_file(const std::filesystem::path& path);

/// Size of the largest JSON file of options, poses, joints and the like.
inline constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{256} << 20;

/// Reads a file of options, a pose or the like. \throws Error as `read_file`, and if it is larger than `kMaxJsonBytes`.
Bytes read_json_bytes(const std::filesystem::path& path);

/// Parses bytes of the file `path`. Returns a discarded value if they are not JSON. \throws Error if it is nested too
/// deeply.
Json parse_json(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Path, size and SHA-256 of bytes, for a report.
ReportFile describe(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Bytes of a text.
inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Base64 (RFC 4648). Decoding ignores nothing: \throws Error for an invalid character.
std::string base64_encode(std::span<const std::byte> bytes);
Bytes base64_decode(std::string_view text);

/// "image/png", "image/jpeg", "image/webp", "image/ktx2", … by the signature; empty if unknown.
std::string sniff_image_type(std::span<const std::byte> bytes);

/// Pixels of a PNG or JPEG by its header; 0 if that does not tell.
std::uint64_t sniff_image_pixels(std::span<const std::byte> bytes);

}  // namespace sinew::io
