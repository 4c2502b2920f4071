// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_projections.h"

#include <cmath>

namespace sinew::deform {
namespace {

constexpr double kTiny = 1e-30;

/// Distances of corners from the middle against those at rest.
struct Springs {
  TetNumbers error{};
  std::array<Vec3, 4> direction;
  Vec3 pull = Vec3::Zero();  ///< Sum of error times direction.
  double squares = 0;
};

Springs springs_of(const TetCorners& x, const TetNumbers& shares, const TetNumbers& distances) {
  Springs s;
  Vec3 middle = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) middle += shares[i] * x[i];
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 r = x[i] - middle;
    const double length = r.norm();
    s.error[i] = length - distances[i];
    s.direction[i] = length > kTiny ? Vec3(r / length) : Vec3(Vec3::Zero());
    s.pull += s.error[i] * s.direction[i];
    s.squares += s.error[i] * s.error[i];
  }
  return s;
}

}  // namespace

PbdConstraint edge_constraint(const Vec3& a, const Vec3& b, double length) {
  PbdConstraint c;
  const Vec3 way = a - b;
  const double now = way.norm();
  c.value = now - length;
  if (now > kTiny) c.gradients[0] = way / now, c.gradients[1] = -way / now;
  return c;
}

PbdConstraint volume_constraint(const TetCorners& x, double volume) {
  PbdConstraint c;
  const Vec3 p = x[1] - x[0], q = x[2] - x[0], r = x[3] - x[0];
  c.gradients[1] = q.cross(r) / 6;
  c.gradients[2] = r.cross(p) / 6;
  c.gradients[3] = p.cross(q) / 6;
  c.gradients[0] = -(c.gradients[1] + c.gradients[2] + c.gradients[3]);
  c.value = p.dot(c.gradients[1]) - volume;
  return c;
}

PbdConstraint printed_spring_constraint(const TetCorners& x, const TetNumbers& shares, const TetNumbers& distances,
                                        double k, bool whole) {
  PbdConstraint c;
  const Springs s = springs_of(x, shares, distances);
  c.value = 0.5 * k * s.squares;
  for (std::size_t i = 0; i < 4; ++i) {
    c.gradients[i] = k * s.error[i] * s.direction[i];
    if (whole) c.gradients[i] -= k * shares[i] * s.pull;
  }
  return c;
}

std::array<Vec3, 4> projection(const PbdConstraint& constraint, const TetNumbers& inverse_masses) {
  std::array<Vec3, 4> moves = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += inverse_masses[i] * constraint.gradients[i].squaredNorm();
  if (!(sum > kTiny)) return moves;
  for (std::size_t i = 0; i < 4; ++i) moves[i] = -inverse_masses[i] * constraint.value / sum * constraint.gradients[i];
  return moves;
}

}  // namespace sinew::deform
