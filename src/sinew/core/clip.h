// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// The values over time of one property of a joint, or of the morph weights of a part.
struct Track {
  enum class Path { kTranslation, kRotation, kScale, kMorphWeights };
  enum class Interpolation { kStep, kLinear, kCubic };

  Path path = Path::kTranslation;
  Index target = kNone;  ///< Index of a joint, or of a part of the mesh for kMorphWeights.
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times_s;  ///< In increasing order.
  /// `width()` numbers per key: xyz, xyzw, or one per morph. kCubic has in-tangent, value, out-tangent for each key.
  std::vector<float> values;

  /// The count of numbers per value: 3, 4, or the number of morphs.
  std::size_t width() const {
    const std::size_t keys = times_s.size() * (interpolation == Interpolation::kCubic ? 3 : 1);
    return keys == 0 ? 0 : values.size() / keys;
  }
};

/// An animation. Joints and parts without a track stay at rest.
struct Clip {
  std::string name;
  std::vector<Track> tracks;

  /// Returns the time of the last key. Clips begin at 0.
  double duration_s() const;
};

/// Returns the problems of a clip: targets out of range, times that decrease or are not finite, counts that do not
/// match.
Findings validate(const Clip& clip, Index joint_count, Index part_count);

}  // namespace sinew
