// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/wire.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "sinew/core/error.h"

namespace sinew::studio {
namespace {

static_assert(std::endian::native == std::endian::little, "binary messages are little-endian");
static_assert(sizeof(BinaryHead) == 32);

int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      else if (c == '"') inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

const Json& value_of(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end()) throw Error(fmt::format("The message lacks '{}'.", key));
  return *found;
}

double finite(const Json& value, const char* key) {
  if (!value.is_number() || !std::isfinite(value.get<double>()) || std::abs(value.get<double>()) > 1e12)
    throw Error(fmt::format("'{}' of the message must be a number.", key));
  return value.get<double>();
}

}  // namespace

Message read_message(std::string_view text) {
  if (text.size() > (1U << 20)) throw Error("The message is too long.");
  if (depth_of(text) > kMaxMessageDepth) throw Error("The message is nested too deeply.");
  Message message;
  message.body = parse_json_text(text);
  if (message.body.is_discarded() || !message.body.is_object()) throw Error("The message is not a JSON object.");
  message.kind = text_of(message.body, "t");
  if (message.body.contains("id")) message.id = integer_of(message.body, "id", 0, 1LL << 53);
  return message;
}

double number_of(const Json& body, const char* key) { return finite(value_of(body, key), key); }

double number_of(const Json& body, const char* key, double otherwise) {
  return body.contains(key) ? number_of(body, key) : otherwise;
}

std::int64_t integer_of(const Json& body, const char* key, std::int64_t low, std::int64_t high) {
  const double value = number_of(body, key);
  if (value != std::floor(value) || value < static_cast<double>(low) || value > static_cast<double>(high))
    throw Error(fmt::format("'{}' of the message must be a whole number from {} to {}.", key, low, high));
  return static_cast<std::int64_t>(value);
}

std::string text_of(const Json& body, const char* key) {
  const Json& value = value_of(body, key);
  if (!value.is_string()) throw Error(fmt::format("'{}' of the message must be a text.", key));
  return value.get<std::string>();
}

bool flag_of(const Json& body, const char* key, bool otherwise) {
  const auto found = body.find(key);
  if (found == body.end()) return otherwise;
  if (!found->is_boolean()) throw Error(fmt::format("'{}' of the message must be true or false.", key));
  return found->get<bool>();
}

Vec3 vector_of(const Json& body, const char* key) {
  const Json& value = value_of(body, key);
  if (!value.is_array() || value.size() != 3)
    throw Error(fmt::format("'{}' of the message must have three numbers.", key));
  return {finite(value[0], key), finite(value[1], key), finite(value[2], key)};
}

io::Bytes begin_binary(const BinaryHead& head, std::size_t more) {
  io::Bytes bytes;
  bytes.reserve(sizeof head + more);
  append(bytes, std::span(&head, 1));
  return bytes;
}

BinaryHead read_head(std::span<const std::byte> bytes) {
  BinaryHead head;
  if (bytes.size() < sizeof head) throw Error("The message is too short.");
  std::memcpy(&head, bytes.data(), sizeof head);
  const auto kind = static_cast<std::uint16_t>(head.kind);
  if (kind < 1 || kind > 3) throw Error("The message has an unknown kind.");
  return head;
}

std::string compact_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace sinew::studio
