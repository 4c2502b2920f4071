// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"

namespace sinew::motion {

/// The twist of one joint over a clip, without jumps: angles at times between which it changes by a quarter turn at
/// most.
struct TwistCurve {
  std::vector<double> times_s;
  std::vector<double> twist_rad;  ///< The first lies in (−π, π].

  bool empty() const { return times_s.empty(); }
  /// The angle that is equal to `bounded_rad` but for full turns, and nearest to the curve.
  double unwrap(double time_s, double bounded_rad) const;
};

/// The twist of every joint about its bone (`bone_axis`), away from rest, followed over the whole clip: at the keys,
/// and between them as often as it takes for no step to exceed a quarter turn. Joints that no track turns get an empty
/// curve. Where keys lie half a turn or more apart the interpolation takes the short way, and so does the curve. Where
/// a joint swings by half a turn its twist is not defined; there the curve goes on as near as it can.
/// \pre `clip` is valid for `rig`. Linear in the keys.
std::vector<TwistCurve> unwrap_twists(const Rig& rig, const Clip& clip);

}  // namespace sinew::motion
