// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// A rule that moves a helper joint, stored as data. The module `motion` evaluates it; docs/formats/drivers.md
/// describes each kind.
struct Driver {
  enum class Kind {
    kTwistShare,     ///< A share of the source's twist about `axis`.
    kAim,            ///< Rotates `axis` towards the source.
    kPolynomial,     ///< Each output is a polynomial in the source's rotation vector.
    kDrivenKeys,     ///< Piecewise linear in the source's angle about `axis`.
    kRotationShare,  ///< A share of the source's rotation, along the shortest path, in the driven joint's own frame.
    kOpaque,         ///< An unknown kind that is only preserved, in `opaque`. The joint stays at rest.
  };

  Kind kind = Kind::kTwistShare;
  Index source = kNone;       ///< The driving joint.
  Vec3 axis = Vec3::UnitY();  ///< Unit vector in the source's frame; for kAim in the driven joint's own frame.
  double share = 0.5;         ///< Share of the twist or rotation, for kTwistShare and kRotationShare.
  double weight = 1;          ///< For kAim: how far it rotates to the source, 0 to 1, on the shortest path.
  /// kPolynomial: for each output (three of the translation, three of the rotation vector, three of the logarithm of
  /// the scale) the coefficients of all monomials of the rotation vector up to a degree, in graded lexical order.
  std::vector<std::vector<double>> coefficients;
  std::vector<std::pair<double, double>> keys;  ///< kDrivenKeys: angle in, value out.
  /// kPolynomial and kDrivenKeys, for a driver that was made in another rest pose: the input is before·Δ instead of the
  /// source's rotation Δ from rest, and the output at Δ = 1 is subtracted, so that the rest pose is preserved.
  Quat before = Quat::Identity();
  std::string opaque;  ///< kOpaque: the JSON from which the driver was read.
};

}  // namespace sinew
