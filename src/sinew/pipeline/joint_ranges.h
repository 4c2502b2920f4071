// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>

#include "sinew/core/character.h"
#include "sinew/deform/implicit/joint_shape/joint_shape.h"

namespace sinew::pipeline {

/// How far each joint with a parent turns: as its limits in the file say, else as the clips of the character turn it,
/// if they do by 30° at least, else by a table of parts of the body (docs/methods/joint-shape.md). A joint that nothing
/// is known about turns by 60° to all sides. Axes are in model space at binding. Linear in joints and keys.
std::map<Index, deform::JointRange> joint_ranges(const Character& character);

}  // namespace sinew::pipeline
