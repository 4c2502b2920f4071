// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::transfer {

/// Directions that fill cones evenly, in a spiral: the s-th of S has height 1 − (1 − cos θ)(s + ½)/S above the base of
/// the cap and is s golden angles around. The same for every cone, so that nothing is random.
class ConeSpiral {
 public:
  explicit ConeSpiral(int count);

  std::size_t count() const { return share_.size(); }

  /// Directions within `cone_rad` of an axis, of unit length. `beside` says where azimuth 0 lies: the cone turns with
  /// the body if it does. If it is zero or along the axis, any side is taken. \pre axis has unit length; room for
  /// `count()`.
  void directions(const Vec3& axis, const Vec3& beside, double cone_rad, std::span<Vec3f> out) const;

 private:
  std::vector<float> share_;  // Of the cap's height.
  std::vector<float> cosine_, sine_;
};

}  // namespace sinew::transfer
