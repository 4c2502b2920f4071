// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Converts what a deformer adds to linear skinning into shapes that engines add before they skin.

#include <string>
#include <vector>

#include "sinew/io/gltf/write_morphs.h"
#include "sinew/pipeline/key_shapes.h"
#include "sinew/pipeline/play.h"

namespace sinew::pipeline {

/// Plays to the end and fits corrections to every part that linear skinning does not show within a third of the
/// tolerance. The difference from linear skinning is carried back through the blended matrix of each vertex, so that
/// the corrected skin shows the deformer's surface. Where this matrix nearly collapses, as in the middle of a twist of
/// 180°, the difference cannot be expressed and is reduced. Samples are taken at the frames, half-way between them,
/// and at up to eighths of a frame where corrections do not change evenly; at the frames alone if the deformer has a
/// history. Memory does not grow with the number of frames.
/// \throws Error if a part needs more shapes than allowed; as `Playback::next`; Cancelled.
std::vector<io::CorrectionPart> fit_corrections(const Rig& rig, Playback& playback, const std::string& name,
                                                const KeyShapeOptions& options, const Progress& progress = {});

}  // namespace sinew::pipeline
