// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <string_view>

#include "sinew/core/report.h"
#include "sinew/deform/deformer.h"

namespace sinew::pipeline {

/// Binds a deformer with all that it needs beside the rig (a segmentation for `slbs`), which other modules make. What
/// had to be guessed or put up with is in `warnings`. What takes seconds to prepare, the tetrahedra of `pbd`, is kept
/// in the user's cache
/// (`io::Cache::of_user`) and taken from there the next time; the frames are the same with and without. \throws Error
/// as `deform::bind` and `binding::segment` do.
std::unique_ptr<deform::Deformer> bind_deformer(std::string_view method, const Rig& rig,
                                                const deform::DeformOptions& options, Findings& warnings,
                                                const Progress& progress = {});

}  // namespace sinew::pipeline
