// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The processor's instruction set that kernels and ray queries use. The default is the best one that the processor
/// supports. On one instruction set, results are identical for any number of threads. Results of two instruction sets
/// may differ in the last bits, because only some have fused multiply-add.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Instruction sets, weakest first. Each includes all previous ones.
enum class Isa {
  kBaseline,  ///< Supported by every processor of the family: SSE2 on x86-64.
  kSsse3,
  kSse4,
  kAvx2,  ///< With fused multiply-add.
  kAvx3,  ///< AVX-512 with F, BW, CD, DQ and VL.
};

inline constexpr std::size_t kIsaCount = 5;

/// Returns "baseline", "ssse3", "sse4", "avx2" or "avx3".
const char* isa_name(Isa isa);

/// Returns the instruction sets that this processor and operating system support, weakest first. Never empty.
const std::vector<Isa>& supported_isas();

/// Returns the instruction set in use.
Isa current_isa();

/// Whether `set_isa` selected an instruction set. If not, `current_isa()` is the best one.
bool isa_is_pinned();

/// Pins the instruction set of all later work to the one named `word`; "best" or an empty word removes the pin. Call it
/// before any other work: Embree keeps the instruction set of its first query.
/// \throws Error if no instruction set has that name, or the processor does not support it.
void set_isa(std::string_view word);

}  // namespace sinew
