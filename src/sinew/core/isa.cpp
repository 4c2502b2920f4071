// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/isa.h"

#include <fmt/format.h>

#include <array>
#include <atomic>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sinew {
namespace {

constexpr std::array<const char*, kIsaCount> kNames = {"baseline", "ssse3", "sse4", "avx2", "avx3"};
constexpr int kNotPinned = -1;

std::atomic<int> pinned{kNotPinned};

#if defined(__x86_64__)

// Highway also uses these two with AVX2, and clang 14 has no names for them.
bool has_half_floats_and_leading_zeros() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & (1U << 5)) != 0;
}

// What Highway's targets of these names require. Its own test of the processor is in a shared library whose loading
// takes 3.5 ms, because it measures a clock. The operating system's part, that it keeps the wide registers, is
// in the compiler's answers for AVX2 and AVX-512.
bool processor_has(Isa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case Isa::kBaseline:
      return true;
    case Isa::kSsse3:
      return __builtin_cpu_supports("ssse3") != 0;
    case Isa::kSse4:
      return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") &&
             __builtin_cpu_supports("pclmul");
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_half_floats_and_leading_zeros();
    case Isa::kAvx3:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
}

#else

bool processor_has(Isa isa) { return isa == Isa::kBaseline; }

#endif

std::vector<Isa> detected() {
  std::vector<Isa> found;
  for (std::size_t i = 0; i < kIsaCount && processor_has(static_cast<Isa>(i)); ++i)
    found.push_back(static_cast<Isa>(i));
  return found;
}

}  // namespace

const char* isa_name(Isa isa) { return kNames[static_cast<std::size_t>(isa)]; }

const std::vector<Isa>& supported_isas() {
  static const std::vector<Isa> supported = detected();
  return supported;
}

Isa current_isa() {
  const int chosen = pinned.load(std::memory_order_relaxed);
  return chosen == kNotPinned ? supported_isas().back() : static_cast<Isa>(chosen);
}

bool isa_is_pinned() { return pinned.load(std::memory_order_relaxed) != kNotPinned; }

void set_isa(std::string_view word) {
  if (word.empty() || word == "best") {
    pinned = kNotPinned;
    return;
  }
  const std::vector<Isa>& supported = supported_isas();
  for (std::size_t i = 0; i < kIsaCount; ++i) {
    if (word != kNames[i]) continue;
    if (i >= supported.size())
      throw Error(fmt::format("This processor does not support the instruction set '{}'; the best one it has is '{}'.",
                              word, isa_name(supported.back())));
    pinned = static_cast<int>(i);
    return;
  }
  std::vector<std::string> known(kNames.begin(), kNames.end());
  known.emplace_back("best");
  throw Error(unknown_word("instruction set", word, known));
}

}  // namespace sinew
