// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::pipeline {

/// Which bone owns each vertex of a rig as it was bound: the segmentation that deformers need. Parts that hang rigidly
/// on one joint stay with that joint. Bones end where `with_leaf_ends` puts them. Findings report what had to be
/// guessed. \throws Error as `binding::segment`, Cancelled.
Segmentation segment_rig(const Rig& rig, Findings& findings, const Progress& progress = {});

}  // namespace sinew::pipeline
