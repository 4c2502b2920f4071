// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

namespace sinew::deform {

/// A field of compact support and its derivative.
template <class T>
struct Support {
  T field;  ///< In [0, 1]: 1 deep inside, ½ on the surface, 0 from the radius on.
  T slope;  ///< Its derivative by d, not positive.
};

/// Turns a signed value d into a field that ends at ±R, with continuous second derivatives: the quintic of R. Vaillant
/// et al., "Implicit skinning: real-time skin deformation with contact modeling", 2013.
template <class T>
Support<T> compact_support(T d, T radius) {
  if (d <= -radius) return {T(1), T(0)};
  if (d >= radius) return {T(0), T(0)};
  const T q = d / radius, q2 = q * q, rest = T(1) - q2;
  return {T(0.5) + q * (T(-15.0 / 16) + q2 * (T(5.0 / 8) - T(3.0 / 16) * q2)), T(-15.0 / 16) * rest * rest / radius};
}

}  // namespace sinew::deform
