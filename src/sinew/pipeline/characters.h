// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/character.h"

namespace sinew::pipeline {

/// Returns whether a character has skins, joints that move skin, or clips of joints, all of which a new rig would
/// replace.
bool has_rig(const Character& character);

/// Removes skeleton, skins and weights from a character. Its parts are no longer attached to joints afterwards, and its
/// clips keep only tracks of morphs.
void remove_rig(Character& character);

/// Merges several characters into one. The meshes of the others follow those of the first: parts with vertices, faces,
/// UVs, normals, colours, morphs, materials, images, and clips of morphs. Colours and normals that only one of two has
/// are filled in for the other: white, and the normals of the surface. The first keeps its rig; the others lose theirs.
/// \pre all parts of a character are in one pose (`gather_parts`).
Character merge_characters(Character first, const std::vector<Character>& others);

}  // namespace sinew::pipeline
