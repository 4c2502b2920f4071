// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/math.h"

namespace sinew::geometry {

/// Signs of determinants, exact for all coordinates whose products neither overflow nor underflow (sizes between 1e-70
/// and 1e70 are safe). A floating-point filter decides nearly all cases; the rest are computed without rounding as sums
/// of non-overlapping doubles. After J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
/// geometric predicates", 1997; only the two ends of his chain, since the middle is rarely reached here.

/// +1 when a, b, c turn to the left (counter-clockwise), −1 to the right, 0 when they lie on a line.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

/// +1 when d lies on the side of the plane of a, b, c that their normal (b−a)×(c−a) points to, −1 on the other side, 0
/// when the four lie in a plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Whether three points lie on one line, exactly.
bool collinear(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew::geometry
