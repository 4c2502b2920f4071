// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_response.h"

#include <algorithm>
#include <cmath>

namespace sinew::deform {
namespace {

double power(double t, int n) {
  double result = 1;
  for (int i = 0; i < n; ++i) result *= t;
  return result;
}

double factorial(int n) {
  double result = 1;
  for (int i = 2; i <= n; ++i) result *= i;
  return result;
}

// The power series, whose terms fall below rounding for x < 2 within 40 terms.
double series_response(int n, double x, double t) {
  double term = 1 / factorial(n + 2), sum = 0;
  for (int k = 0; k < 40; ++k) {
    sum += (k % 2 == 0 ? 1 : -1) * (k + 1) * term;
    term *= x / (n + 3 + k);
  }
  return power(t, n + 2) * sum;
}

struct DrivenForces {
  double step = 0, rate = 0;
};

DrivenForces driven_forces(double omega) {
  const double p0 = load_response(0, omega, 1), p1 = load_response(1, omega, 1), p2 = load_response(2, omega, 1),
               p3 = load_response(3, omega, 1);
  const double y = 6 * p2 - 12 * p3, rate = 6 * p1 - 12 * p2, second = 6 * p0 - 12 * p1;
  const double determinant = y * second - rate * rate;
  return {second / determinant, -rate / determinant};
}

double driven_with(const DrivenForces& force, double omega, double t) {
  const double p1 = load_response(1, omega, t), p2 = load_response(2, omega, t), p3 = load_response(3, omega, t);
  return force.step * (6 * p2 - 12 * p3) + force.rate * (6 * p1 - 12 * p2);
}

}  // namespace

double load_response(int n, double omega, double t) {
  const double x = omega * t;
  if (n == -2) return (1 - x) * std::exp(-x);
  if (n == -1) return t * std::exp(-x);
  if (x < 2) return series_response(n, x, t);
  // From the equation of motion itself: each response is the load minus what damping and stiffness take.
  double before = (1 - x) * std::exp(-x), last = t * std::exp(-x), load = 1;
  for (int i = 0; i <= n; ++i) {
    if (i > 0) load *= t / i;
    const double next = (load - 2 * omega * last - before) / (omega * omega);
    before = last;
    last = next;
  }
  return last;
}

double driven_response(double omega, double t) {
  // Beyond this the difference to the progress itself is below 1e-7, and forces lose digits.
  if (omega > 5000) return smooth_step(t);
  return driven_with(driven_forces(omega), omega, t);
}

double damped_response(double omega, double t) { return load_response(0, omega, t) / load_response(0, omega, 1); }

double undamped_response(double omega, double t) {
  if (omega < 1e-4) return t * t;
  const double moved = std::sin(omega * t / 2), whole = std::sin(omega / 2);
  return moved * moved / (whole * whole);
}

DrivenTable::DrivenTable(double largest, int count) : step_(largest / (count - 1)) {
  for (int i = 0; i < count; ++i) {
    const DrivenForces force = driven_forces(step_ * i);
    force_.push_back(force.step);
    rate_force_.push_back(force.rate);
  }
}

void DrivenTable::evaluate(double t, std::span<double> values) const {
  const double progress = smooth_step(t);
  for (std::size_t i = 0; i < force_.size(); ++i)
    values[i] = driven_with({force_[i], rate_force_[i]}, step_ * static_cast<double>(i), t) - progress;
}

double DrivenTable::look_up(std::span<const double> values, double omega) const {
  const double place = omega / step_;
  const auto last = static_cast<double>(values.size() - 1);
  if (!(place < last)) return values.back();
  const auto i = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(i);
  return (1 - share) * values[i] + share * values[i + 1];
}

FlowShares flow_response(double omega, double t) {
  const double p0 = load_response(0, omega, 1), p1 = load_response(1, omega, 1), impulse = load_response(-1, omega, 1),
               impulse_rate = load_response(-2, omega, 1);
  const double determinant = p0 * p0 - p1 * impulse;
  const double q0 = load_response(0, omega, t), q1 = load_response(1, omega, t), qi = load_response(-1, omega, t);
  // Forces a + b t for given position and rate at the end.
  const auto share = [&](double position, double rate) {
    const double a = (p0 * position - p1 * rate) / determinant, b = (p0 * rate - impulse * position) / determinant;
    return a * q0 + b * q1;
  };
  return {share(1, 0), qi + share(-impulse, -impulse_rate), share(0, 1)};
}

}  // namespace sinew::deform
