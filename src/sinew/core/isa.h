// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The instruction set of the processor that kernels and ray queries use. Without a request it is the best one that the
/// processor has. Results have the same bytes for any number of threads on one instruction set; two sets may differ in
/// the last bits, because one has fused multiply-add and the other has not.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Weakest first. Each contains those before it.
enum class Isa {
  kBaseline,  ///< What every processor of the family has: SSE2 on x86-64.
  kSsse3,
  kSse4,
  kAvx2,  ///< With fused multiply-add.
  kAvx3,  ///< AVX-512 with F, BW, CD, DQ and VL.
};

inline constexpr std::size_t kIsaCount = 5;

/// "baseline", "ssse3", "sse4", "avx2", "avx3".
const char* isa_name(Isa isa);

/// What this processor and operating system support, weakest first. Never empty.
const std::vector<Isa>& supported_isas();

/// The instruction set in use.
Isa current_isa();

/// Whether `set_isa` named an instruction set; if not, `current_isa()` is the best one.
bool isa_is_pinned();

/// Pins the instruction set of all later work to the one named `word`; "best" or an empty word removes the pin. Call it
/// before any other work: Embree keeps the instruction set of its first query.
/// \throws Error if no instruction set has that name, or the processor does not support it.
void set_isa(std::string_view word);

}  // namespace sinew
