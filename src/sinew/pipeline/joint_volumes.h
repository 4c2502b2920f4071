// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::pipeline {

/// The volume of the skin around one joint in each frame, relative to the bound shape.
struct JointVolumeSeries {
  Index joint = kNone;
  std::vector<double> volumes;
};

/// Plays a clip and measures the volume around each joint that bends the skin (`measure::JointVolumes`), in the frames
/// that `measure` measures at that rate. Joints are in rising order; those around which the skin encloses next to
/// nothing are left out. Linear in faces times joints. \throws Error as `Playback`; Cancelled.
std::vector<JointVolumeSeries> joint_volumes(const Character& character, const Clip& clip, double fps,
                                             const DeformerOptions& deformer = {}, const Progress& progress = {});

}  // namespace sinew::pipeline
