// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/core/isa.h"

namespace sinew {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// Lengths on both sides of where the padding needs another block.
TEST(Sha256, GivesTheDigestOfAnyLength) {
  const std::pair<std::size_t, const char*> digests[] = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
      {1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& [length, digest] : digests)
    EXPECT_EQ(sha256_hex(bytes_of(std::string(length, 'a'))), digest) << length;
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37);
  for (const std::size_t piece : {1u, 7u, 63u, 64u, 65u, 999u}) {
    Sha256 hash;
    for (std::size_t begin = 0; begin < text.size(); begin += piece) hash.update(bytes_of(text.substr(begin, piece)));
    EXPECT_EQ(hash.hex(), sha256_hex(bytes_of(text))) << piece;
  }
}

// SHA instructions, where the processor has them, and plain code.
TEST(Sha256, GivesTheSameOnEveryInstructionSet) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i + i / 7);
  std::vector<std::string> best;
  for (std::size_t length = 0; length < 200; ++length) best.push_back(sha256_hex(bytes_of(text.substr(length))));
  set_isa("baseline");
  for (std::size_t length = 0; length < 200; ++length)
    EXPECT_EQ(sha256_hex(bytes_of(text.substr(length))), best[length]) << length;
  EXPECT_EQ(sha256_hex(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  set_isa("best");
}

}  // namespace
}  // namespace sinew
