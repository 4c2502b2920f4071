// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"
#include "sinew/motion/unwrap.h"

namespace sinew::motion {

/// A clip prepared for a rig. Its twists are unwrapped once, so that every pose has an unbounded twist that changes
/// without jumps, regardless of the order in which times are requested. The object keeps the clip; the rig must outlive
/// it.
class Player {
 public:
  /// \throws Error if the clip does not fit the rig.
  Player(const Rig& rig, Clip clip);

  const Clip& clip() const { return clip_; }
  double duration_s() const { return clip_.duration_s(); }

  /// Returns the result of `sample` with `twist_rad` filled in.
  Pose at(double time_s) const;

 private:
  const Rig& rig_;
  Clip clip_;
  std::vector<Vec3> axes_;
  std::vector<TwistCurve> twists_;
};

}  // namespace sinew::motion
