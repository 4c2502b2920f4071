// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/plans/legs.h"

namespace sinew::rigging {

/// Heights of a body in its mirror plane, by how far forward.
class MidlineProfile {
 public:
  explicit MidlineProfile(const BodyVoxels& body);
  double top(double z) const;
  double bottom(double z) const;

 private:
  std::size_t bin(double z) const;
  double low_ = 0, step_ = 1;
  std::vector<double> top_, bottom_;
};

/// A line along which something leaves the body: a neck with a head, a tail.
struct CenterLine {
  std::vector<Vec3> points;    ///< In the body's axes.
  std::vector<double> widths;  ///< Radius of the circle as large as the section.
  double length = 0;

  Vec3 at(double s) const;
  double width(double s) const;
};

/// Sections of equal distance from `start`, measured through the body, of the voxels with a nonzero `taken`, as far as
/// `end`. In a section deep voxels count more than those of ears and horns.
CenterLine center_line(const BodyVoxels& body, const Vec3& start, const Vec3& end,
                       const std::vector<std::uint8_t>& taken);

}  // namespace sinew::rigging
