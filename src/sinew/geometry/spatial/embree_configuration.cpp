// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/embree_configuration.h"

#include <embree3/rtcore.h>

#include <new>

#include "sinew/core/isa.h"

namespace sinew::geometry {
namespace {

const char* configuration() {
#if defined(SINEW_STD_THREADS)
  // The thread sanitizer does not see how Embree's threads wait for each other.
  return "threads=1";
#endif
  if (!isa_is_pinned()) return nullptr;
  // Embree has no code of its own for SSSE3.
  switch (current_isa()) {
    case Isa::kBaseline:
    case Isa::kSsse3:
      return "isa=sse2";
    case Isa::kSse4:
      return "isa=sse4.2";
    case Isa::kAvx2:
      return "isa=avx2";
    case Isa::kAvx3:
      return "isa=avx512";
  }
  return nullptr;
}

}  // namespace

RTCDeviceTy* new_embree_device() {
  const RTCDevice device = rtcNewDevice(configuration());
  if (device == nullptr) throw std::bad_alloc();
  return device;
}

}  // namespace sinew::geometry
