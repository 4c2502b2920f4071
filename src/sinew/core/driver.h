// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// What moves a helper joint, as data; `motion` evaluates it. docs/formats/drivers.md describes each kind.
struct Driver {
  enum class Kind {
    kTwistShare,     ///< A share of the source's twist about `axis`.
    kAim,            ///< Turns `axis` towards the source.
    kPolynomial,     ///< Each output is a polynomial in the source's rotation vector.
    kDrivenKeys,     ///< Piecewise linear in the source's angle about `axis`.
    kRotationShare,  ///< A share of the source's rotation, the short way round, in the driven joint's own frame.
    kOpaque,         ///< Of a kind that is only carried along: the joint stays at rest. `opaque` is all that is known.
  };

  Kind kind = Kind::kTwistShare;
  Index source = kNone;       ///< The joint that drives.
  Vec3 axis = Vec3::UnitY();  ///< In the source's frame, for kAim in the driven joint's own; unit length.
  double share = 0.5;         ///< Of the twist or rotation, for kTwistShare and kRotationShare.
  double weight = 1;          ///< For kAim: how far it turns towards the source, 0 to 1, the short way round.
  /// kPolynomial: per output (three of translation, three of rotation vector, three of the logarithm of the scale) the
  /// coefficients of all monomials of the rotation vector up to a degree, in graded lexical order.
  std::vector<std::vector<double>> coefficients;
  std::vector<std::pair<double, double>> keys;  ///< kDrivenKeys: angle in, value out.
  /// kPolynomial and kDrivenKeys: what is taken for the source's rotation away from rest is before·Δ, and what comes
  /// out at Δ = 1 is taken away again, so that the rest pose stays. For a driver that was made in another rest pose.
  Quat before = Quat::Identity();
  std::string opaque;  ///< kOpaque: the JSON it was read from.
};

}  // namespace sinew
