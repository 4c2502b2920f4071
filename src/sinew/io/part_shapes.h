// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/surface_sample.h"
#include "sinew/io/asset.h"

namespace sinew::io {

/// Stores the samples of parts in the file that the asset was read from, so that they are written with it: in
/// `extras.sinew.part_samples` of a glTF file (docs/commands/fit-joints.md). No samples remove them. \throws Error if
/// the asset does not come from a glTF file.
void store_part_samples(Asset& asset, const PartSamples& samples);

/// The samples of parts that a file holds, in model space. Samples for another mesh, or of joints that the skeleton
/// does not have, are left out, with a finding.
PartSamples stored_part_samples(const Asset& asset, Findings& findings);

}  // namespace sinew::io
