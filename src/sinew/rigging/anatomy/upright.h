// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/rigging/anatomy/anatomy.h"

namespace sinew::rigging {

/// Horizontal slices of a body that stands upright, about the vertical plane in its middle. All lengths are those of
/// the interior's frame; `turn` takes that frame to y up, z forward.
class UprightSlices {
 public:
  /// Linear in the solid voxels.
  UprightSlices(const Interior& interior, const Mat3& turn, double middle_x);

  double low() const { return low_; }
  double high() const { return low_ + cell_ * static_cast<double>(levels_); }
  double height() const { return high() - low_; }
  double cell() const { return cell_; }

  /// Solid depth (along z) in the middle of the slice, within `half_width` of it, over the largest depth of any column
  /// within `reach` of the middle: 0 where two legs are apart, less than 1 where they touch, about 1 in the trunk.
  double fill(double y, double half_width, double reach) const;
  /// Area of the columns that are connected with the middle, within `reach` of it.
  double area(double y, double reach) const;
  /// Half the width of the columns that are connected with the middle.
  double half_width(double y, double reach) const;
  /// Centroid of the part of a slice on one side (+1: x above the middle), between `from` and `to` of it; nothing
  /// solid: the same with y and the middle of the interval.
  Vec3 side_center(double y, int side, double from, double to) const;

 private:
  std::size_t level(double y) const;
  double columns(std::size_t level, long x) const;

  double low_ = 0, cell_ = 0, middle_ = 0;
  std::size_t levels_ = 0;
  long half_ = 0;              // Columns on each side of the middle.
  std::vector<float> depth_;   // Per level and column: solid depth.
  std::vector<float> center_;  // Per level and column: mean z.
};

/// Corrects the joints of a body that stands on two legs and has two arms and a head, from horizontal slices:
///
/// - thighs, where legs touch and paths through the body meet too low: they begin where the slices are no longer
/// waisted
///   in the middle, or, under a skirt, where bodies with such shoulders have them; knees follow;
/// - neck and head, where the narrowest slice of the limb is too far from the shoulders.
///
/// The rules use proportions of people, figures and toys. Joints of a body that does not stand are left alone, unless
/// it was read without a search (`searched` is false): then it is known to stand, and feet may touch.
void correct_upright(const Interior& interior, const Template& skeleton_template, const Mat3& turn, bool searched,
                     Anatomy& anatomy);

}  // namespace sinew::rigging
