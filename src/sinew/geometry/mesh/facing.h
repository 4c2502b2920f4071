// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/geometry/mesh/triangle_soup.h"

namespace sinew::geometry {

/// Which triangles must be turned round so that winding numbers say what is solid.
struct Facing {
  std::vector<std::int8_t> signs;  ///< Per triangle: +1 as it is, −1 turned.
  Index shells = 0;                ///< Pieces connected through edges that two triangles share.
  Index turned_shells = 0;         ///< Faced inwards as a whole, and not as a cavity of something else.
  Index cavities = 0;              ///< Face inwards and lie inside shells that face outwards: left as they are.
  Index mended_shells = 0;         ///< Some of their triangles faced the other way than the rest.
};

/// The rules, for input whose facing cannot be trusted:
/// 1. Triangles that share an edge with exactly one other (corners at the very same place) form a shell, and face one
///    way: those that disagree with the larger area of their shell are turned. Where that has no answer, as on a
///    Möbius strip, the neighbour seen first decides.
/// 2. A shell whose signed volume about its own centre of area is negative faces inwards. Shells that enclose next to
///    nothing (sheets, single triangles) are left as they are.
/// 3. An inward shell is a cavity, and stays, if nearly all of it lies inside shells that face outwards as they are;
///    else it is a flipped solid, and is turned. So a flipped part beside others is solid, as is a whole
///    character that is inside out, and a hollow ball stays hollow. A flipped solid wholly inside a good one cannot be
///    told from a cavity, and counts as one.
/// About n log n; the same for any number of threads. \throws Error for positions that are not finite.
Facing solid_facing(const TriangleSoup& soup);

}  // namespace sinew::geometry
