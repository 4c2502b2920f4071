// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Any bytes: a valid character or a sentence.

#include <cstdlib>

#include "sinew/io/asset.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  try {
    const sinew::io::Asset asset = sinew::io::load_bytes(SINEW_FUZZ_NAME, sinew::io::Bytes(begin, begin + size));
    if (!validate(asset.character).empty()) std::abort();
  } catch (const sinew::Error&) {
  }
  return 0;
}
