// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/operators.h"

#include <algorithm>
#include <cmath>

namespace sinew::deform {
namespace {

constexpr double kClosed = 0.7;    ///< The field at which arcs close.
constexpr double kNoBulge = 0.55;  ///< Both fields above it: union.
constexpr int kBisections = 20;

/// The border line of the zone in which fields blend: min(f1, f2) = k(max(f1, f2)).
template <class T>
struct Border {
  T slope, offset;  ///< Of the zone that C lies in.
  T at(T C) const { return slope * C + offset; }
};

template <class T>
Border<T> lower_border(T h) {
  return {h, T(0)};
}
template <class T>
Border<T> upper_border(T h) {
  return {(T(7) - T(5) * h) / T(2), T(7) / T(4) * (h - T(1))};
}
template <class T>
T border_at(T C, T h) {
  if (C <= T(0.5)) return h * C;
  return C <= T(kClosed) ? upper_border(h).at(C) : C;
}

/// Rises from 0 at x ≤ 0 to 1 at x ≥ 1; all derivatives vanish at both ends.
double step(double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return 1 - std::exp(1 - 1 / (1 - std::exp(1 - 1 / x)));
}

/// The largest value of e^{1 − 1/ξ} (1 − ξ), at ξ = (√5 − 1) / 2.
constexpr double kBulgePeak = 0.2058809;

/// The bulge's profile: the large coordinate over the small one, both from the border on.
template <class T>
T bulge_profile(T xi, T strength) {
  if (xi <= T(0)) return T(1);
  if (xi >= T(1)) return T(1);
  return T(1) - strength / T(kBulgePeak) * std::exp(T(1) - T(1) / xi) * (T(1) - xi);
}

/// Positive where C is above the bulge's level through (large, small).
template <class T>
T bulge_excess(T C, T large, T small, T h, T strength) {
  const T k = border_at(C, h), width = C - k;
  if (!(width > T(0))) return C - large;
  return width * bulge_profile((small - k) / width, strength) - (large - k);
}

}  // namespace

template <class T>
Combined<T> blend(T f1, T f2, T h) {
  const T large = std::max(f1, f2), small = std::min(f1, f2);
  if (h >= T(1) || small <= border_at(large, h)) return unite(f1, f2);
  const T half = h / T(2), rim = T(0.5) - half;
  const T u1 = f1 - half, u2 = f2 - half;
  const bool lower = u1 * u1 + u2 * u2 <= rim * rim || large <= half;
  const Border<T> border = lower ? lower_border(h) : upper_border(h);
  const T s = border.slope, m = border.offset;
  // (f1 − sC − m)² + (f2 − sC − m)² = (C − sC − m)² is u C² + v C + w = 0; the smaller root, in the form that does not
  // divide by u, which vanishes at s = √2 − 1.
  const T a1 = f1 - m, a2 = f2 - m;
  const T u = s * s + T(2) * s - T(1), v = T(-2) * s * (a1 + a2) + T(2) * m * (T(1) - s);
  const T w = a1 * a1 + a2 * a2 - m * m;
  const T root = std::sqrt(std::max(T(0), v * v - T(4) * u * w));
  T C = v < T(0) ? T(2) * w / (root - v) : (-v - root) / (T(2) * u);
  C = std::max(C, large);
  const T k = border.at(C);
  const T below = s * (f1 + f2 - T(2) * k) + (T(1) - s) * (C - k);
  if (!(below > T(1e-12))) return unite(f1, f2);
  return {C, (f1 - k) / below, (f2 - k) / below};
}

template <class T>
Combined<T> bulge(T f1, T f2, T h, T strength) {
  const T large = std::max(f1, f2), small = std::min(f1, f2);
  if (h >= T(1) || !(strength > T(0)) || small >= T(kNoBulge) || small <= border_at(large, h)) return unite(f1, f2);
  T low = large, high = std::min(T(kClosed), large + strength);
  if (!(high > low) || bulge_excess(high, large, small, h, strength) < T(0)) return unite(f1, f2);
  for (int i = 0; i < kBisections; ++i) {
    const T middle = (low + high) / T(2);
    (bulge_excess(middle, large, small, h, strength) < T(0) ? low : high) = middle;
  }
  const T C = (low + high) / T(2);
  // Derivatives of the implicit function by differences; the profile has no short ones.
  const T e = sizeof(T) == 4 ? T(1e-3) : T(1e-6);
  const T by_C = bulge_excess(C + e, large, small, h, strength) - bulge_excess(C - e, large, small, h, strength);
  const T by_large = T(-2) * e;
  const T by_small = bulge_excess(C, large, small + e, h, strength) - bulge_excess(C, large, small - e, h, strength);
  if (!(by_C > T(0))) return unite(f1, f2);
  const T gl = -by_large / by_C, gs = -by_small / by_C;
  return f1 >= f2 ? Combined<T>{C, gl, gs} : Combined<T>{C, gs, gl};
}

template Combined<float> blend(float, float, float);
template Combined<double> blend(double, double, double);
template Combined<float> bulge(float, float, float, float);
template Combined<double> bulge(double, double, double, double);

double OpeningCurve::at_cosine(double c) const {
  if (c <= cosines[0]) return openings[0];
  if (c >= cosines[2]) return openings[2];
  const std::size_t far = c < cosines[1] ? 0 : 2;
  const double x = (c - cosines[1]) / (cosines[far] - cosines[1]);
  return openings[1] + (openings[far] - openings[1]) * step(x);
}

double OpeningCurve::at_angle(double angle_rad) const { return at_cosine(std::cos(angle_rad)); }

OpeningCurve fold_opening() { return {{0.6, 0.95, 1.3}, {1, 0.2, 1}}; }
OpeningCurve elbow_opening() { return {{0.2, 0.7, 1.2}, {1, 0.43, 1}}; }
OpeningCurve finger_opening() { return {{-1, 0.2, 0.75}, {1, 0.3, 1}}; }
OpeningCurve bulge_opening() { return {{-1.05, 0.1, 0.7}, {0, 0, 1}}; }

FieldOperator::FieldOperator(JointOperator kind, const OpeningCurve& curve, double strength)
    : kind_(kind), strength_(static_cast<float>(strength)) {
  for (std::size_t i = 0; i <= kSteps; ++i)
    openings_[i] = static_cast<float>(curve.at_cosine(-1 + 2.0 * static_cast<double>(i) / kSteps));
}

Combined<float> FieldOperator::operator()(float f1, float f2, float cosine) const {
  if (kind_ == JointOperator::kUnion || f1 <= 0 || f2 <= 0) return unite(f1, f2);
  const float place = std::clamp((cosine + 1) * (kSteps / 2.0F), 0.0F, static_cast<float>(kSteps) - 1e-3F);
  const auto i = static_cast<std::size_t>(place);
  const float t = place - static_cast<float>(i), h = openings_[i] + t * (openings_[i + 1] - openings_[i]);
  return kind_ == JointOperator::kBulge ? bulge(f1, f2, h, strength_) : blend(f1, f2, h);
}

}  // namespace sinew::deform
