// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// How one property of one joint, or the morph weights of one part, change over time.
struct Track {
  enum class Path { kTranslation, kRotation, kScale, kMorphWeights };
  enum class Interpolation { kStep, kLinear, kCubic };

  Path path = Path::kTranslation;
  Index target = kNone;  ///< Joint, or part of the mesh for kMorphWeights.
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times_s;  ///< Rising.
  /// `width()` numbers per key: xyz, xyzw, or one per morph. kCubic has in-tangent, value, out-tangent for each key.
  std::vector<float> values;

  /// Numbers per value: 3, 4, or the number of morphs.
  std::size_t width() const {
    const std::size_t keys = times_s.size() * (interpolation == Interpolation::kCubic ? 3 : 1);
    return keys == 0 ? 0 : values.size() / keys;
  }
};

/// Poses over time. Joints and parts without a track keep their rest.
struct Clip {
  std::string name;
  std::vector<Track> tracks;

  /// The last key's time; clips begin at 0.
  double duration_s() const;
};

/// What is wrong with a clip: targets out of range, times that fall or are not finite, counts that do not fit.
Findings validate(const Clip& clip, Index joint_count, Index part_count);

}  // namespace sinew
