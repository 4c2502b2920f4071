// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Prepared data kept from one run to the next. A cache only saves time: if anything is wrong with it, the data are
/// computed again.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "sinew/core/hash.h"
#include "sinew/io/file.h"

namespace sinew::io {

/// The key of prepared data: a hash of all that it was made from, the name of the method and the version of its data
/// among it; a method that makes other data gets another version. Every piece counts with its length, so that two lists
/// of pieces never look alike because their bytes in a row do.
class KeyHasher {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(as_bytes(text)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(T number) { add(std::as_bytes(std::span(&number, 1))); }
  /// 64 hexadecimal digits. Nothing may be added afterwards.
  std::string key() { return hash_.hex(); }

 private:
  Sha256 hash_;
};

/// A folder of entries, each a file `KEY.sinew-cache`: magic number, version, key, length, checksum (SHA-256), data. It
/// is written next to its final path and renamed, so that any number of processes can use one folder. Other files in
/// the folder are left alone.
class Cache {
 public:
  static constexpr std::uint64_t kUsualLimit = std::uint64_t{1} << 30;

  /// The folder is created when something is stored. `limit` is the maximum total size of its entries, in bytes.
  explicit Cache(std::filesystem::path folder, std::uint64_t limit = kUsualLimit);

  /// The user's own: $SINEW_CACHE, else $XDG_CACHE_HOME/sinew, else $HOME/.cache/sinew. None if SINEW_CACHE is `off` or
  /// no variable names a folder.
  static std::optional<Cache> of_user();

  const std::filesystem::path& folder() const { return folder_; }

  /// What was stored under the key. An entry that cannot be read, or is not whole, is removed if that is possible and
  /// counts as missing. \pre the key is one of `KeyHasher`.
  std::optional<Bytes> load(std::string_view key) const;

  /// Stores the bytes. The least recently used entries are removed to make room. False if they are not kept: they are
  /// larger than the limit, or the folder cannot be written. Processes that store at the same moment can exceed the
  /// limit by what they store, until the next one does. \pre the key is one of `KeyHasher`.
  bool store(std::string_view key, std::span<const std::byte> bytes) const;

 private:
  std::filesystem::path place(std::string_view key) const;
  void make_room(std::uint64_t wanted) const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace sinew::io
