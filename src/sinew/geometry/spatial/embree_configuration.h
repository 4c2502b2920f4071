// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

struct RTCDeviceTy;  // Of Embree.

namespace sinew::geometry {

/// A new device of Embree, for the instruction set that `set_isa` pinned. \throws std::bad_alloc.
RTCDeviceTy* new_embree_device();

}  // namespace sinew::geometry
