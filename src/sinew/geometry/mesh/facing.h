// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/geometry/mesh/triangle_soup.h"

namespace sinew::geometry {

/// The triangles that must be flipped so that winding numbers identify solid space.
struct Facing {
  std::vector<std::int8_t> signs;  ///< Per triangle: +1 unchanged, −1 flipped.
  Index shells = 0;                ///< Pieces connected through edges that two triangles share.
  Index turned_shells = 0;         ///< Shells that faced inwards as a whole and are not cavities of others.
  Index cavities = 0;              ///< Shells that face inwards inside shells that face outwards: unchanged.
  Index mended_shells = 0;         ///< Shells in which some triangles faced the opposite way.
};

/// The rules, for input whose facing cannot be trusted:
/// 1. Triangles that share an edge with exactly one other (corners at exactly the same positions) form a shell and face
///    one way: those that disagree with the larger area of their shell are flipped. Where that is impossible, as on a
///    Möbius strip, the neighbour visited first decides.
/// 2. A shell whose signed volume about its own centre of area is negative faces inwards. Shells that enclose next to
///    nothing (sheets, single triangles) are unchanged.
/// 3. An inward shell is a cavity, and is unchanged, if nearly all of it is inside shells that already face outwards.
///    Otherwise it is an inverted solid, and is flipped. Thus an inverted part beside others becomes solid, as does a
///    whole character that is inside out, and a hollow ball stays hollow. An inverted solid entirely inside a valid one
///    cannot be distinguished from a cavity, and counts as one.
/// The cost is about n log n. The result is the same for any number of threads. \throws Error for positions that are
/// not finite.
Facing solid_facing(const TriangleSoup& soup);

}  // namespace sinew::geometry
