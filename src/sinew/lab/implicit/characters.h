// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Implicit skinning of whole characters through their clips: statuses of vertices, sudden steps, cost.

#include <array>
#include <cstdint>
#include <string>

#include "sinew/core/character.h"
#include "sinew/core/clip.h"
#include "sinew/core/progress.h"
#include "sinew/deform/deformer.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// The largest movement of a vertex from one frame to the next, by what a method adds to another one.
struct CorrectionSteps {
  double at_120 = 0, at_480 = 0;  ///< At 120 and 480 frames per second, in m.
  double largest = 0;             ///< The largest correction itself, in m.
  /// The largest step at 480 frames per second again, in 16 parts: the largest of them relative to the whole. A
  /// sixteenth if the vertex moves evenly, however fast; 1 if it jumps.
  double sharpest = 0;

  /// A quarter where the correction changes evenly, and 1 where it jumps. Never below a quarter, because a step at 120
  /// frames per second is the sum of four steps at 480.
  double ratio() const { return at_120 > 0 ? at_480 / at_120 : 0.25; }
};

/// Plays `seconds` of a clip from `begin_s` on by both deformers, at 30 frames per second, and then the six thirtieths
/// of a second in which the corrections change most at 480. \pre neither has a history. \throws Error as
/// `motion::Player`; Cancelled.
CorrectionSteps correction_steps(const Rig& rig, const Clip& clip, const deform::Deformer& base,
                                 const deform::Deformer& corrected, double begin_s, double seconds,
                                 const Progress& progress = {});

/// Numbers of vertices by status, summed over frames.
struct StatusCounts {
  std::array<std::uint64_t, 5> counts{};  ///< By `deform::VertexStatus`.
  std::uint64_t frames = 0;
  std::uint64_t not_finite = 0;  ///< Frames with a position that is not finite.
  std::uint64_t incomplete = 0;  ///< Frames with vertices without status.

  double share(deform::VertexStatus status) const;
  double fitted_or_frozen() const;
};

/// Plays a whole clip.
StatusCounts clip_statuses(const Rig& rig, const Clip& clip, const deform::Deformer& deformer, double fps,
                           const Progress& progress = {});

/// Poses near the bind pose: every joint turns by up to `most_rad` about each of its axes.
StatusCounts statuses_near_rest(const Rig& rig, const deform::Deformer& deformer, int poses, double most_rad,
                                std::uint64_t seed);

/// Implicit skinning of the characters of `options.data` (nothing without it), and of a made human.
void implicit_characters(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

}  // namespace sinew::lab
