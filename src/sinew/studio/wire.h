// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Messages between the studio and its page. The page sends JSON objects; the studio sends JSON objects and arrays of
/// numbers as binary messages. docs/developers/studio-protocol.md lists them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/math.h"
#include "sinew/io/file.h"

namespace sinew::studio {

inline constexpr int kProtocol = 1;
inline constexpr int kMaxMessageDepth = 32;

/// A message of the page that has the form of one: an object with the kind `t`, a text, and the number `id`, which the
/// answer repeats.
struct Message {
  std::string kind;
  std::int64_t id = 0;
  Json body;
};

/// \throws Error that says what is wrong: not UTF-8, not JSON, nested too deeply, not an object, no kind.
Message read_message(std::string_view text);

/// A value of a message. \throws Error that names the key if it is missing or of another type; numbers must be finite.
double number_of(const Json& body, const char* key);
double number_of(const Json& body, const char* key, double otherwise);
std::int64_t integer_of(const Json& body, const char* key, std::int64_t low, std::int64_t high);
std::string text_of(const Json& body, const char* key);
bool flag_of(const Json& body, const char* key, bool otherwise);
Vec3 vector_of(const Json& body, const char* key);

/// The kinds of binary messages.
enum class BinaryKind : std::uint16_t { kSurface = 1, kFrame = 2, kField = 3 };

/// The head of a binary message: 32 bytes, little-endian. The arrays follow it; what they are depends on the kind.
struct BinaryHead {
  BinaryKind kind = BinaryKind::kFrame;
  std::uint16_t slot = 0;        ///< Which of the views.
  std::uint32_t generation = 0;  ///< Of the mesh that it belongs to.
  std::uint32_t sequence = 0;    ///< Of the request that it answers.
  float time_s = 0;
  std::uint32_t vertices = 0;
  std::uint32_t joints = 0;
  std::uint32_t flags = 0;
  std::uint32_t micros = 0;  ///< What it took to compute.
};

/// Starts a binary message and reserves room for `more` bytes.
io::Bytes begin_binary(const BinaryHead& head, std::size_t more);
/// \throws Error if there are fewer than 32 bytes or the kind is unknown.
BinaryHead read_head(std::span<const std::byte> bytes);

template <class T>
void append(io::Bytes& bytes, std::span<const T> values) {
  const auto raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// JSON as one line, for messages. What is not UTF-8 is replaced.
std::string compact_text(const Json& json);

}  // namespace sinew::studio
