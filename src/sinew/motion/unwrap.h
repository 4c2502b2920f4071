// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"

namespace sinew::motion {

/// The twist of one joint over a clip, without jumps: angles at times between which the twist changes by at most 90°.
struct TwistCurve {
  std::vector<double> times_s;
  std::vector<double> twist_rad;  ///< The first is in (−π, π].

  bool empty() const { return times_s.empty(); }
  /// Returns the angle nearest to the curve that differs from `bounded_rad` by full turns.
  double unwrap(double time_s, double bounded_rad) const;
};

/// Follows the twist of every joint about its bone (`bone_axis`), relative to rest, over the whole clip: at the keys,
/// and between them often enough that no step exceeds 90°. Joints without a rotation track get an empty curve. Where
/// keys are 180° or more apart, the interpolation takes the shortest path, and so does the curve. Where a joint swings
/// by 180° its twist is undefined; there the curve continues with the smallest change. The cost is linear in the keys.
/// \pre `clip` is valid for `rig`.
std::vector<TwistCurve> unwrap_twists(const Rig& rig, const Clip& clip);

}  // namespace sinew::motion
