// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Prepared data of methods as bytes, little-endian, and back. A writer and a reader have the same functions, so that
/// one template can name the members once for both.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sinew/core/weights.h"

namespace sinew::deform {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

class ByteWriter {
 public:
  /// A number, or a few without gaps between them.
  template <class T>
  void number(const T& value) {
    copy(&value, sizeof value);
  }
  template <class T>
  void list(const std::vector<T>& values) {
    number(std::uint64_t{values.size()});
    copy(values.data(), values.size() * sizeof(T));
  }
  template <class T, class Function>
  void each(const std::vector<T>& values, std::size_t, const Function& function) {
    number(std::uint64_t{values.size()});
    for (const T& value : values) function(value);
  }
  void rows(const SkinWeights& weights) {
    number(std::uint64_t{weights.row_count()});
    for (Index v = 0; v < weights.row_count(); ++v) {
      number(static_cast<std::uint32_t>(weights.row(v).size()));
      for (const Influence& influence : weights.row(v)) number(influence.joint), number(influence.weight);
    }
  }

  std::vector<std::byte> bytes;

 private:
  void copy(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};

/// Reads what is there; from the first thing that is not on, everything is empty or zero and `whole` false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  void number(T& value) {
    if (take(sizeof value)) std::memcpy(static_cast<void*>(&value), taken_.data(), sizeof value);
  }
  template <class T>
  void list(std::vector<T>& values) {
    const std::size_t count = counted(sizeof(T));
    if (!take(count * sizeof(T))) return;
    values.resize(count);
    if (count > 0) std::memcpy(static_cast<void*>(values.data()), taken_.data(), taken_.size());
  }
  template <class T, class Function>
  void each(std::vector<T>& values, std::size_t size, const Function& function) {
    values.resize(counted(size));
    for (T& value : values) function(value);
  }
  void rows(SkinWeights& weights) {
    const std::size_t count = counted(sizeof(std::uint32_t));
    std::vector<Influence> row;
    for (std::size_t v = 0; v < count && whole; ++v) {
      std::uint32_t length = 0;
      number(length);
      if (length > left_.size() / (sizeof(Index) + sizeof(float))) whole = false;
      row.assign(whole ? length : 0, {});
      for (Influence& influence : row) {
        number(influence.joint), number(influence.weight);
        whole = whole && influence.weight > 0 && std::isfinite(influence.weight);
      }
      weights.add_row(row);
      // What `add_row` had to sort was never written by us.
      const auto kept = weights.row(static_cast<Index>(v));
      whole = whole && std::equal(kept.begin(), kept.end(), row.begin(), row.end());
    }
  }
  bool at_end() const { return whole && left_.empty(); }

  bool whole = true;

 private:
  bool take(std::size_t size) {
    whole = whole && size <= left_.size();
    if (!whole) return false;
    taken_ = left_.first(size);
    left_ = left_.subspan(size);
    return true;
  }
  /// A count of things of at least that size, of which no more can follow than bytes are left.
  std::size_t counted(std::size_t size) {
    std::uint64_t count = 0;
    number(count);
    if (count > left_.size() / size) whole = false;
    return whole ? static_cast<std::size_t>(count) : 0;
  }

  std::span<const std::byte> left_, taken_;
};

}  // namespace sinew::deform
