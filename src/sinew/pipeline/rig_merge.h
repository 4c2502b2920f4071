// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"

namespace sinew::pipeline {

/// Adds the meshes of another character behind those of this one: parts with vertices, faces, UVs, normals, colours,
/// morphs, materials, pictures, and clips of morphs. Colours and normals that only one of them has are filled in for
/// the other: white, and those of the surface. \pre neither has a skeleton (`take_out_rig`).
void add_meshes(Character& target, const Character& other);

/// Takes skeleton, skins and weights out of a character; parts hang on nothing afterwards. Clips keep only what moves
/// morphs.
void take_out_rig(Character& character);

}  // namespace sinew::pipeline
