// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Morph targets that correct the skin of a part while a clip plays. The part stays skinned.

#include "sinew/io/gltf/editor.h"
#include "sinew/io/gltf/write_morphs.h"

namespace sinew::io::gltf {

/// Adds the targets behind the part's own, with weight 0 (or 1 for a pose), and the animation of all weights of the
/// part to `animation`. Other clips that move weights of the part get zeros for the new targets.
void write_corrections(DocumentEditor& editor, const Asset& asset, const PartSource& source,
                       const CorrectionPart& corrections, double quantum, Index played, Json& animation,
                       WrittenMorphs& written);

}  // namespace sinew::io::gltf
