// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/collada_text.h"

#include <cstdint>
#include <optional>

namespace sinew::io::assimp {
namespace {

void append_utf8(Bytes& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<std::byte>(byte)); };
  const auto rest = [&](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80U) {
    put(code);
  } else if (code < 0x800U) {
    put(0xC0U | (code >> 6U));
    rest(0);
  } else if (code < 0x10000U) {
    put(0xE0U | (code >> 12U));
    rest(6), rest(0);
  } else {
    put(0xF0U | (code >> 18U));
    rest(12), rest(6), rest(0);
  }
}

// The text after a byte order mark of UTF-16, or nothing if there is none. Halves of pairs become U+FFFD.
std::optional<Bytes> from_utf16(const Bytes& bytes) {
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  if (bytes.size() < 2) return std::nullopt;
  const bool little = byte(0) == 0xFFU && byte(1) == 0xFEU, big = byte(0) == 0xFEU && byte(1) == 0xFFU;
  if (!little && !big) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    return little ? byte(i) | (byte(i + 1) << 8U) : (byte(i) << 8U) | byte(i + 1);
  };
  Bytes out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    const bool high = code >= 0xD800U && code < 0xDC00U;
    const std::uint32_t low = high && i + 3 < bytes.size() ? unit(i + 2) : 0;
    if (low >= 0xDC00U && low < 0xE000U) {
      code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
      i += 2;
    } else if (code >= 0xD800U && code < 0xE000U) {
      code = 0xFFFDU;
    }
    append_utf8(out, code);
  }
  return out;
}

bool is_space(std::byte b) {
  return b == std::byte{' '} || b == std::byte{'\t'} || b == std::byte{'\n'} || b == std::byte{'\r'};
}

}  // namespace

Bytes plain_collada(const Bytes& bytes) {
  const std::optional<Bytes> decoded = from_utf16(bytes);
  const Bytes& text = decoded ? *decoded : bytes;
  Bytes out;
  out.reserve(text.size());
  bool after_tag = false;
  for (const std::byte b : text) {
    if (after_tag && is_space(b)) continue;
    after_tag = b == std::byte{'>'};
    out.push_back(b);
  }
  return out;
}

}  // namespace sinew::io::assimp
