// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// SHA-256 of FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1 and 6.2. A library for this (OpenSSL) was rejected: its start
// took 2 ms of every command, made three quarters of the allocations of a small one, and ended with a signal if memory
// ran out in it.

#include "sinew/core/hash.h"

#include <algorithm>
#include <bit>

#include "sinew/core/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace sinew {
namespace {

constexpr std::size_t kBlock = 64;
using State = std::array<std::uint32_t, 8>;
using Blocks = std::span<const std::byte>;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(at[i]);
  return value;
}

void compress_portably(State& state, Blocks blocks) {
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBlock) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(&blocks[begin + 4 * t]);
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t early = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t late = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = late + w[t - 7] + early + w[t - 16];
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum_e = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t sum_a = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t first = h + sum_e + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
      const std::uint32_t second = sum_a + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first;
      d = c, c = b, b = a, a = first + second;
    }
    const State change = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += change[i];
  }
}

#if defined(__x86_64__)

// The SHA instructions make two rounds at once on the halves (a, b, e, f) and (c, d, g, h) of the state.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_with_sha_instructions(State& state, Blocks blocks) {
  const auto word = [&](std::size_t i) { return static_cast<int>(state[i]); };
  __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5));
  __m128i cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
  const __m128i swap_bytes = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  // Shuffles by variables: without optimisation, g++ 12 refuses intrinsics that take constants.
  const __m128i last_words = _mm_set_epi8(-1, -1, -1, -1, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4);
  const __m128i first_word = _mm_set_epi8(3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m128i upper_half = _mm_set_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBlock) {
    const __m128i old_abef = abef, old_cdgh = cdgh;
    __m128i w[16];  // Four words of the schedule in each.
    for (std::size_t i = 0; i < 16; ++i) {
      if (i < 4) {
        const auto* at = reinterpret_cast<const __m128i*>(&blocks[begin + 16 * i]);
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128(at), swap_bytes);
      } else {
        const __m128i seven_before =
            _mm_or_si128(_mm_shuffle_epi8(w[i - 2], last_words), _mm_shuffle_epi8(w[i - 1], first_word));
        w[i] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]), seven_before), w[i - 1]);
      }
      const __m128i sum = _mm_add_epi32(w[i], _mm_load_si128(reinterpret_cast<const __m128i*>(&kRound[4 * i])));
      // What was (a, b, e, f) before two rounds is (c, d, g, h) after them.
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi8(sum, upper_half));
    }
    abef = _mm_add_epi32(abef, old_abef);
    cdgh = _mm_add_epi32(cdgh, old_cdgh);
  }
  alignas(16) std::array<std::uint32_t, 4> high, low;
  _mm_store_si128(reinterpret_cast<__m128i*>(high.data()), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(low.data()), cdgh);
  state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}

bool has_sha_instructions() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 29)) != 0;
  }();
  return has && current_isa() >= Isa::kSse4;
}

void compress(State& state, Blocks blocks) {
  if (has_sha_instructions()) compress_with_sha_instructions(state, blocks);
  else compress_portably(state, blocks);
}

#else

void compress(State& state, Blocks blocks) { compress_portably(state, blocks); }

#endif

}  // namespace

void Sha256::update(std::span<const std::byte> bytes) {
  length_ += bytes.size();
  if (rest_size_ > 0) {
    const std::size_t taken = std::min(bytes.size(), kBlock - rest_size_);
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(rest_size_));
    rest_size_ += taken;
    bytes = bytes.subspan(taken);
    if (rest_size_ < kBlock) return;
    compress(state_, rest_);
  }
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  if (whole > 0) compress(state_, bytes.first(whole));
  rest_size_ = bytes.size() - whole;
  std::copy_n(bytes.end() - static_cast<std::ptrdiff_t>(rest_size_), rest_size_, rest_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  // One bit, zeros up to 8 bytes before the end of a block, and the length.
  std::array<std::byte, kBlock + 8> padding{std::byte{0x80}};
  const std::size_t zeros_end = 1 + (2 * kBlock - 9 - rest_size_) % kBlock;
  for (std::size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(std::span(padding).first(zeros_end + 8));
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t value : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += digits[value >> shift & 15];
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace sinew
