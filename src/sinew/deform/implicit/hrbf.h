// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/surface_sample.h"

namespace sinew::deform {

/// A smooth function whose zero set passes through samples of a surface: negative inside, with the normals as gradients
/// at the samples. Hermite radial basis functions: I. Macêdo, J. P. Gois, L. Velho, "Hermite interpolation of implicit
/// surfaces with radial basis functions", 2009, with the kernel r³ and without a polynomial:
///
///     d(x) = s Σ_j [ a_j r³ − 3 r (b_j · D) ],  D = (x − p_j) / s,  r = |D|
///
/// A linear term would let the function of an open cylinder close later, at 4.05 radii instead of 3.3. Away from the
/// samples the value is not a distance: on the axis of a unit cylinder it is about −0.53.
class Hrbf {
 public:
  struct Value {
    double value = 0;
    Vec3 gradient = Vec3::Zero();
  };

  Hrbf() = default;

  /// Solves for the coefficients, in double precision about the samples' centre and in units of their radius, so that
  /// the size of the character does not matter. Cubic in the samples: about 5 ms for 100. `ok` tells whether the
  /// function interpolates the samples; samples that coincide make it fail. \pre normals have unit length.
  static Hrbf fit(std::span<const SurfaceSample> samples);

  /// The same function from its stored coefficients.
  Hrbf(const Vec3& center, double scale, std::vector<Vec3> centers, std::vector<Vec4> coefficients);

  bool ok() const { return ok_; }
  /// The largest misfit at the samples: of the value in units of the radius, and of the gradient.
  double residual() const { return residual_; }
  bool empty() const { return centers_.empty(); }

  /// Linear in the samples.
  Value evaluate(const Vec3& x) const;

  const Vec3& center() const { return center_; }
  double scale() const { return scale_; }
  const std::vector<Vec3>& centers() const { return centers_; }            ///< Of the samples, normalised.
  const std::vector<Vec4>& coefficients() const { return coefficients_; }  ///< a, then b.

 private:
  Vec3 center_ = Vec3::Zero();
  double scale_ = 1;
  std::vector<Vec3> centers_;
  std::vector<Vec4> coefficients_;
  bool ok_ = false;
  double residual_ = 0;
};

}  // namespace sinew::deform
