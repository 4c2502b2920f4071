// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Helper joints moved by other joints. docs/formats/drivers.md describes each kind of driver.

#include "sinew/core/pose.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// The drivers of a skeleton, sorted so that each comes after all drivers on which it depends. The object copies the
/// data that it needs.
class Drivers {
 public:
  /// \throws Error if drivers depend on each other in a cycle, or if one cannot be evaluated: no source, an axis of
  /// length zero, a weight outside 0 to 1, polynomials whose coefficients are not those of all monomials up to a
  /// degree, keys that do not increase. Drivers of an unknown kind (kOpaque) are always valid.
  explicit Drivers(const Skeleton& skeleton);

  bool empty() const { return order_.empty(); }
  /// The driven joints in order of evaluation.
  const std::vector<Index>& order() const { return order_; }

  /// Sets the local transform of every driven joint to its rest transform changed by the output of its driver. The
  /// transform that the pose has for a driven joint is ignored. A joint with a driver of an unknown kind stays at rest.
  /// \pre one transform per joint.
  void apply(Pose& pose) const;

 private:
  struct Prepared {
    Driver driver;
    Vec3 source_axis = Vec3::UnitY();  // Of the angle that is measured.
    Vec3 driven_axis = Vec3::UnitY();  // The same axis at rest, in the frame in which the driven joint turns.
    double near_bone = 0;              // 1 or −1 if the source's axis is within 60° of its bone, else 0.
    bool along_bone = false;           // It is the bone's own.
    bool rebased = false;              // `before` has to be taken into account.
  };

  Quat source_delta(const Prepared& prepared, const Pose& pose) const;
  double source_angle(const Prepared& prepared, const Pose& pose) const;
  double key_angle(const Prepared& prepared, const Pose& pose) const;
  Quat aim(Index joint, const Pose& pose) const;
  void drive(Index joint, Pose& pose) const;
  Mat4 model_matrix(Index joint, const Pose& pose) const;

  Skeleton skeleton_;
  std::vector<Vec3> axes_;
  std::vector<Prepared> prepared_;  // Per joint.
  std::vector<Index> order_;
};

/// Returns the values of all monomials of three variables up to a degree, in graded lexical order: 1, x, y, z, x², xy,
/// xz, y², …
std::vector<double> monomials(const Vec3& v, int degree);

/// Returns the number of monomials up to degree d: (d+1)(d+2)(d+3)/6.
std::size_t monomial_count(int degree);

}  // namespace sinew::motion
