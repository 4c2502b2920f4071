// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Files as bytes: the only place where the library opens one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/report.h"

namespace sinew::io {

using Bytes = std::vector<std::byte>;

/// Size of the largest file that is read, far above that of any real character.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

/// Reads the whole file. \throws Error if it is missing, is a folder, cannot be read or is larger than `kMaxFileBytes`.
Bytes read_file(const std::filesystem::path& path);

/// Path, size and SHA-256 of bytes, for a report.
ReportFile describe(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Several files that are written together: each goes to a temporary file beside its target, and `commit` renames them
/// all. Without `commit` (an exception, a full disk, a cancelled job) no new file remains and every existing file is
/// unchanged.
class AtomicFiles {
 public:
  AtomicFiles() = default;
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;
  ~AtomicFiles();

  /// \throws Error if the bytes cannot be written (the folder is missing, the disk is full).
  void add(const std::filesystem::path& target, std::span<const std::byte> bytes);
  void add(const std::filesystem::path& target, std::string_view text);

  /// A file written piece by piece; valid until `commit`.
  class Stream {
   public:
    /// \throws Error if the bytes cannot be written.
    void write(std::span<const std::byte> bytes);

   private:
    friend class AtomicFiles;
    struct State;
    explicit Stream(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };
  /// \throws Error if the file cannot be created.
  Stream open(const std::filesystem::path& target);

  struct Written {
    std::filesystem::path target;
    std::string sha256;
    std::uint64_t bytes = 0;
  };
  /// The files added so far.
  const std::vector<Written>& written() const { return written_; }

  /// Moves every file to its target. \throws Error if one cannot be renamed.
  void commit();

 private:
  struct Pending {
    std::filesystem::path temporary;
    std::filesystem::path target;
  };
  int make_temporary(const std::filesystem::path& target);
  void close_streams();

  std::vector<Pending> pending_;
  std::vector<std::shared_ptr<Stream::State>> streams_;
  std::vector<Written> written_;
};

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

}  // namespace sinew::io
