// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// What moves a helper joint, as data; `motion` evaluates it.
struct Driver {
  enum class Kind {
    kTwistShare,  ///< A share of the source's twist about `axis`.
    kAim,         ///< Turns `axis` towards the source.
    kPolynomial,  ///< Each output is a polynomial in the source's rotation vector.
    kDrivenKeys,  ///< Piecewise linear in the source's angle about `axis`.
  };

  Kind kind = Kind::kTwistShare;
  Index source = kNone;        ///< The joint that drives.
  Vec3 axis = Vec3::UnitY();   ///< In the source's frame, for kAim in the driven joint's own; unit length.
  double share = 0.5;          ///< Of the twist, for kTwistShare.
  /// kPolynomial: per output (three of translation, three of rotation vector) the coefficients of all monomials of the
  /// rotation vector up to a degree, in graded lexical order.
  std::vector<std::vector<double>> coefficients;
  std::vector<std::pair<double, double>> keys;  ///< kDrivenKeys: angle in, value out.
};

}  // namespace sinew
