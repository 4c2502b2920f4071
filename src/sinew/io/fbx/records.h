// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Binary FBX as a tree of records, before any of them means something. Views into the file's bytes: these must live
/// as long as the tree.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::io::fbx {

/// One value of a record. An array keeps the bytes of the file until `Arrays` reads them.
struct Value {
  char type = 0;            ///< C B Y I L F D: numbers; S R: text and raw bytes; b c i l f d: arrays.
  bool deflated = false;    ///< Of an array.
  std::uint32_t count = 0;  ///< Elements of an array.
  std::span<const std::byte> bytes;

  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;
  std::string_view text() const;  ///< Empty for anything but S and R.
  bool is_array() const;
};

struct Record {
  std::string_view name;
  std::vector<Value> values;
  std::vector<Record> children;

  /// The first child of that name, or null.
  const Record* find(std::string_view child) const;
  /// The value at a position; null if there are fewer.
  const Value* value(std::size_t position) const;
  /// The first value of the first child of that name; null if there is none.
  const Value* child_value(std::string_view child) const;
  std::string_view text(std::size_t position) const;
};

/// The version (7400 for 7.4) of a binary FBX file; nothing for any other bytes.
std::optional<std::uint32_t> binary_version(std::span<const std::byte> bytes);

/// Parses the records of a binary file. Depth and counts are limited. \throws Error if a record does not fit in the
/// file or in the record around it.
Record parse_records(std::span<const std::byte> bytes);

/// Reads arrays, and limits how much all of them together may hold after inflation.
class Arrays {
 public:
  /// \throws Error if the array does not inflate to the size that it states, or if the limit is exceeded. A value
  /// that is no array gives none.
  std::vector<double> reals(const Value* value);
  std::vector<std::int64_t> integers(const Value* value);

 private:
  template <class T>
  std::vector<T> read(const Value* value);
  std::uint64_t used_ = 0;
};

}  // namespace sinew::io::fbx
