// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Any records: a valid character or a sentence. The header is put right, so that the bytes reach the reader.

#include <cstdlib>
#include <cstring>

#include "sinew/io/asset.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr std::size_t kMagicBytes = 23, kHeaderBytes = 27;
  if (size < kHeaderBytes) return 0;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  sinew::io::Bytes bytes(begin, begin + size);
  std::memcpy(bytes.data(), "Kaydara FBX Binary  \0\x1A\0", kMagicBytes);
  const std::uint32_t version = (data[kMagicBytes] & 1U) != 0 ? 7500 : 7400;
  std::memcpy(bytes.data() + kMagicBytes, &version, sizeof version);
  try {
    const sinew::io::Asset asset = sinew::io::load_bytes("fuzz.fbx", bytes);
    if (!validate(asset.character).empty()) std::abort();
  } catch (const sinew::Error&) {
  }
  return 0;
}
