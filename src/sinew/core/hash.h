// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sinew {

/// Incremental SHA-256 (FIPS 180-4). It uses OpenSSL, which uses the processor's SHA instructions, because every
/// command hashes all its inputs: 15 MB take 10 ms, where a portable loop took 60 ms.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();
  void update(std::span<const std::byte> bytes);
  /// Returns the digest as 64 hexadecimal digits. No data may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace sinew
