// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The shortest rotation between two directions, compiled once: Eigen's own (FromTwoVectors) brings a singular value
/// decomposition into every source that calls it, which takes longer to compile than most sources.

#include "sinew/core/math.h"

namespace sinew {

/// Returns the shortest rotation that turns the direction of `from` into that of `to`. Opposite directions are turned
/// about an axis that is perpendicular to both, always the same for the same `from`. Where one has no length, nothing
/// is turned.
Quat rotation_between(const Vec3& from, const Vec3& to);
Eigen::Quaternionf rotation_between_f(const Vec3f& from, const Vec3f& to);

}  // namespace sinew
