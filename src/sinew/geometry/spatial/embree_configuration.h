// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::geometry {

/// What `rtcNewDevice` gets: null, or the instruction set if `set_isa` pinned one ("isa=avx2").
const char* embree_configuration();

}  // namespace sinew::geometry
