// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/core/surface_sample.h"

namespace sinew::pipeline {

using SegmentOptions = binding::SegmentationOptions;

struct SegmentResult {
  Segmentation segmentation;
  Findings findings;
};

/// Assigns every vertex of a character to the bone that owns it, in the bind pose. \throws Error if there is no mesh or
/// no skeleton, and as `binding::segment`; Cancelled.
SegmentResult segment(const Character& character, const SegmentOptions& options = {}, const Progress& progress = {});

/// The samples from which the method `implicit` makes the shapes of joints, for people to edit. `by_shape` divides the
/// skin by its shape instead of its weights. \throws Error for a character without weights; Cancelled.
PartSamples part_samples(const Character& character, bool by_shape = false, const Progress& progress = {});

}  // namespace sinew::pipeline
