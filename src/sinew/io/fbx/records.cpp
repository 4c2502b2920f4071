// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/records.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

#include "sinew/core/error.h"

namespace sinew::io::fbx {
namespace {

constexpr std::string_view kMagic("Kaydara FBX Binary  \0\x1A\0", 23);
constexpr std::size_t kHeaderBytes = 27;
constexpr std::uint32_t kWideVersion = 7500;  // Since then offsets have 64 bits.
constexpr int kMostLevels = 64;               // Real files have about ten.
constexpr std::size_t kMostRecords = std::size_t{1} << 24;
constexpr std::size_t kMostValues = std::size_t{1} << 26;
constexpr std::uint64_t kMostArrayBytes = std::uint64_t{2} << 30;
// Deflate cannot shrink anything further than this.
constexpr std::uint64_t kMostInflation = 1032;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::size_t element_bytes(char type) {
  switch (type) {
    case 'b':
    case 'c':
      return 1;
    case 'i':
    case 'f':
      return 4;
    case 'l':
    case 'd':
      return 8;
    default:
      return 0;
  }
}

std::size_t number_bytes(char type) {
  switch (type) {
    case 'C':
    case 'B':
      return 1;
    case 'Y':
      return 2;
    case 'I':
    case 'F':
      return 4;
    case 'L':
    case 'D':
      return 8;
    default:
      return 0;
  }
}

// A number of any type as the type that is wanted. What does not fit in a whole number becomes 0.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    constexpr double kLimit = 9.0e18;
    const auto wide = static_cast<double>(value);
    return wide > -kLimit && wide < kLimit ? static_cast<To>(wide) : To{0};
  } else {
    return static_cast<To>(value);
  }
}

template <class To>
To element(const std::byte* from, char type) {
  switch (type) {
    case 'b':
    case 'c':
    case 'C':
    case 'B':
      return converted<To>(load_as<std::uint8_t>(from));
    case 'Y':
      return converted<To>(load_as<std::int16_t>(from));
    case 'i':
    case 'I':
      return converted<To>(load_as<std::int32_t>(from));
    case 'l':
    case 'L':
      return converted<To>(load_as<std::int64_t>(from));
    case 'f':
    case 'F':
      return converted<To>(load_as<float>(from));
    default:
      return converted<To>(load_as<double>(from));
  }
}

class Parser {
 public:
  explicit Parser(std::span<const std::byte> bytes) : bytes_(bytes), wide_(*binary_version(bytes) >= kWideVersion) {}

  Record parse() {
    Record root;
    at_ = kHeaderBytes;
    while (at_ < bytes_.size() && add_child(root, bytes_.size(), 1)) {
    }
    return root;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw Error(fmt::format("It is damaged: {} at byte {}.", what, at_));
  }
  std::span<const std::byte> take(std::uint64_t count, std::size_t limit) {
    if (count > limit - at_) fail("a record is cut off");
    const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  template <class T>
  T number(std::size_t limit) {
    return load_as<T>(take(sizeof(T), limit).data());
  }
  std::uint64_t offset(std::size_t limit) {
    return wide_ ? number<std::uint64_t>(limit) : number<std::uint32_t>(limit);
  }

  bool add_child(Record& parent, std::size_t limit, int level);
  Value parse_value(std::size_t limit);

  std::span<const std::byte> bytes_;
  bool wide_;
  std::size_t at_ = 0;
  std::size_t records_ = 0, values_ = 0;
};

// Reads one record that ends before `limit`. False for the empty one that closes a list.
bool Parser::add_child(Record& parent, std::size_t limit, int level) {
  const std::uint64_t end = offset(limit), count = offset(limit), length = offset(limit);
  const auto name = take(number<std::uint8_t>(limit), limit);
  if (end == 0) return false;
  if (end < at_ || end > limit || length > end - at_) fail("a record has a wrong length");
  if (level > kMostLevels) fail("records are nested too deeply");
  if (++records_ > kMostRecords) fail("there are too many records");
  Record record;
  record.name = text_of(name);
  const std::size_t values_end = at_ + static_cast<std::size_t>(length);
  values_ += count;
  // A value has at least two bytes, so that a wrong count cannot ask for memory.
  if (count > length || values_ > kMostValues) fail("a record has too many values");
  record.values.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) record.values.push_back(parse_value(values_end));
  at_ = values_end;
  while (at_ < end && add_child(record, static_cast<std::size_t>(end), level + 1)) {
  }
  at_ = static_cast<std::size_t>(end);
  parent.children.push_back(std::move(record));
  return true;
}

Value Parser::parse_value(std::size_t limit) {
  Value value;
  value.type = static_cast<char>(number<std::uint8_t>(limit));
  if (const std::size_t size = number_bytes(value.type); size > 0) {
    value.bytes = take(size, limit);
  } else if (value.type == 'S' || value.type == 'R') {
    value.bytes = take(number<std::uint32_t>(limit), limit);
  } else if (const std::size_t element = element_bytes(value.type); element > 0) {
    value.count = number<std::uint32_t>(limit);
    const auto encoding = number<std::uint32_t>(limit);
    const auto stored = number<std::uint32_t>(limit);
    if (encoding > 1) fail("an array has an unknown encoding");
    value.deflated = encoding == 1;
    value.bytes = take(value.deflated ? stored : std::uint64_t{value.count} * element, limit);
  } else {
    fail("a value has an unknown type");
  }
  return value;
}

}  // namespace

std::optional<double> Value::number() const {
  return number_bytes(type) > 0 ? std::optional(element<double>(bytes.data(), type)) : std::nullopt;
}

std::optional<std::int64_t> Value::integer() const {
  return number_bytes(type) > 0 ? std::optional(element<std::int64_t>(bytes.data(), type)) : std::nullopt;
}

std::string_view Value::text() const { return type == 'S' || type == 'R' ? text_of(bytes) : std::string_view(); }

bool Value::is_array() const { return element_bytes(type) > 0; }

const Record* Record::find(std::string_view child) const {
  for (const Record& record : children)
    if (record.name == child) return &record;
  return nullptr;
}

const Value* Record::value(std::size_t position) const {
  return position < values.size() ? &values[position] : nullptr;
}

const Value* Record::child_value(std::string_view child) const {
  const Record* record = find(child);
  return record == nullptr ? nullptr : record->value(0);
}

std::string_view Record::text(std::size_t position) const {
  return position < values.size() ? values[position].text() : std::string_view();
}

std::optional<std::uint32_t> binary_version(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes || !text_of(bytes).starts_with(kMagic)) return std::nullopt;
  return load_as<std::uint32_t>(bytes.data() + kMagic.size());
}

Record parse_records(std::span<const std::byte> bytes) { return Parser(bytes).parse(); }

template <class T>
std::vector<T> Arrays::read(const Value* value) {
  if (value == nullptr || !value->is_array()) return {};
  const std::size_t size = element_bytes(value->type);
  const std::uint64_t bytes = std::uint64_t{value->count} * size;
  used_ += std::uint64_t{value->count} * sizeof(T);
  if (used_ > kMostArrayBytes) throw Error("Its arrays hold more than 2 GiB, far more than those of any character.");
  std::vector<std::byte> inflated;
  const std::byte* from = value->bytes.data();
  if (value->deflated) {
    auto room = static_cast<uLongf>(bytes);
    if (bytes > (value->bytes.size() + 1) * kMostInflation)
      throw Error("It is damaged: an array cannot have the size that it states.");
    inflated.resize(bytes);
    Bytef nothing = 0;
    const int verdict =
        uncompress(bytes == 0 ? &nothing : reinterpret_cast<Bytef*>(inflated.data()), &room,
                   reinterpret_cast<const Bytef*>(value->bytes.data()), static_cast<uLong>(value->bytes.size()));
    if (bytes > 0 && (verdict != Z_OK || room != bytes))
      throw Error("It is damaged: a compressed array cannot be inflated.");
    from = inflated.data();
  }
  std::vector<T> values(value->count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<T>(from + i * size, value->type);
  return values;
}

std::vector<double> Arrays::reals(const Value* value) { return read<double>(value); }

std::vector<std::int64_t> Arrays::integers(const Value* value) { return read<std::int64_t>(value); }

}  // namespace sinew::io::fbx
