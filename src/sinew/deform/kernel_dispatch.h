// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Chooses the version of a kernel for the instruction set in use. Highway compiles the versions; its own choice is
/// made in its shared library, which costs 3.5 ms whenever a program starts and cannot be pinned together with
/// Embree's.

#include <cstddef>

#include "sinew/core/isa.h"

namespace sinew::deform {

/// The versions of one function, weakest instruction set first; null where the build has none. The first one always
/// exists.
template <class Function>
struct KernelVersions {
  Function* of[kIsaCount];

  /// The best version that is not beyond the instruction set in use.
  Function& chosen() const {
    auto isa = static_cast<std::size_t>(current_isa());
    while (isa > 0 && !of[isa]) --isa;
    return *of[isa];
  }
};

}  // namespace sinew::deform

/// The function to call, for the part of a kernel's source that is compiled once (HWY_ONCE).
#define SINEW_CHOSEN_KERNEL(function)                                                        \
  (::sinew::deform::KernelVersions<decltype(HWY_STATIC_DISPATCH(function))>{                 \
      {HWY_CHOOSE_FALLBACK(function), HWY_CHOOSE_SSSE3(function), HWY_CHOOSE_SSE4(function), \
       HWY_CHOOSE_AVX2(function), HWY_CHOOSE_AVX3(function)}}                                \
       .chosen())
