// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

namespace sinew::deform {

/// How one mode of an elastic line moves over a segment of time, t from 0 to 1. `omega` is the angle in radians by
/// which the undamped mode would turn in that time. See docs/methods/ode.md.

/// The response at time t, from rest, to the load tⁿ/n! of a mode with critical damping; n from −2 to 3. n = −1 is the
/// response to an impulse, n = −2 its rate. Exact to about 1e-14 for any omega ≥ 0.
double load_response(int n, double omega, double t);

/// The progress of joints: 3t² − 2t³.
inline double smooth_step(double t) { return t * t * (3 - 2 * t); }

/// The force follows the progress and its rate, so that the mode starts at rest and ends at rest at 1. Monotone, from
/// 5t³ − 5t⁴ + t⁵ for soft modes to `smooth_step` for stiff ones.
double driven_response(double omega, double t);

/// A constant force with critical damping: monotone, but modes above about 10 jump to their end at once.
double damped_response(double omega, double t);

/// The published equation, solved exactly: a constant force without damping, (1 − cos ωt) / (1 − cos ω). Not finite for
/// omega = 2π, 4π, …, which no constant force brings to the end.
double undamped_response(double omega, double t);

/// The driven response for many frequencies at one time. Coefficients that depend on the frequency alone are computed
/// once.
class DrivenTable {
 public:
  /// Uniform frequencies from 0 to `largest`.
  explicit DrivenTable(double largest, int count = 512);

  /// Fills `values`, one per frequency, with `driven_response − smooth_step` at t.
  void evaluate(double t, std::span<double> values) const;
  /// Linear interpolation between the entries of `evaluate`.
  double look_up(std::span<const double> values, double omega) const;
  int size() const { return static_cast<int>(force_.size()); }

 private:
  double step_ = 0;
  std::vector<double> force_, rate_force_;
};

/// Shares of a step and of the rates at its ends in a motion that flows through its keys: position = step · Δ +
/// rate_in · m₀ + rate_out · m₁, with rates per segment. For omega = 0 it is the cubic Hermite curve.
struct FlowShares {
  double step = 0, rate_in = 0, rate_out = 0;
};
/// \pre omega ≤ 3: stiffer modes would snap.
FlowShares flow_response(double omega, double t);

}  // namespace sinew::deform
