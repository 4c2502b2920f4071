// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Other local axes for the joints of a character, which looks and moves as before.

#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::pipeline {

/// Per joint, the rotation from its axes to those of a preset, in the frame of the joint. Joints without a role keep
/// their axes (identity).
std::vector<Quat> turns_to_preset(const Skeleton& skeleton, const motion::Recognition& roles,
                                  const rigging::Preset& preset);

struct AxesResult {
  std::vector<Quat> turns;     ///< Per joint, as applied.
  std::vector<Index> changed;  ///< Joints with other axes.
  std::vector<Index> clips;    ///< Clips whose keys changed.
  Findings findings;
};

/// Rotates the axes of each joint by `turns`, in the frame of the joint. Positions, the shape of the mesh and the
/// motion of every clip stay the same: rest transforms, bind matrices, ends, keys and drivers are rotated along. A
/// joint keeps its axes if it has a shear, if it or a clip scales it unevenly, if a part of the mesh is attached to it
/// without a skin, or if a driver depends on them that cannot be rotated. A joint that copies a share of the rotation
/// of another is rotated as that one. Limits stay a box only if axes are mapped to axes; others are removed. Joints,
/// and keys of all clips. \pre one rotation per joint.
AxesResult rotate_axes(Character& character, std::vector<Quat> turns);

}  // namespace sinew::pipeline
