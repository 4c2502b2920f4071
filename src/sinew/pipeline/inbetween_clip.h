// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/pipeline/inbetween.h"
#include "sinew/pipeline/key_shapes.h"

namespace sinew::pipeline {

/// Times of frames from the first pose to the last at a fixed rate, and the times of all poses. \throws Error if there
/// are more than 100,000.
std::vector<double> inbetween_frames(const std::vector<double>& key_times_s, double fps);

/// A character that plays shapes between poses in any engine: joints turn, and key shapes of the same skinned parts add
/// what linear skinning does not show.
struct InbetweenClip {
  Character character;
  Index key_shapes = 0;
  /// Largest distance from the shapes themselves, at the frames and half-way between them, relative to the size.
  double error = 0;
};

/// The rig of such a character: the shape at rest with the joints of `between`, without scale and drivers, and one skin
/// for everything. Without joints it has no skin.
Rig inbetween_rig(const Inbetween& between);

/// Builds it, with the clip `name` and keys at some times, and half-way between them where the motion is fast. Frames
/// are kept in memory. \throws Error if a part needs more key shapes than allowed; Cancelled.
InbetweenClip inbetween_clip(const Inbetween& between, std::span<const double> times_s, const std::string& name,
                             const KeyShapeOptions& options, const Progress& progress = {});

}  // namespace sinew::pipeline
