// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/edit/weight_edit_surface.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// Per welded vertex: whether it belongs to a region that new rows make worse. Regions are connected vertices with
/// `changed` set. Each joint whose rotation the change can affect rotates by 45° about three axes, with the old and
/// with the new rows and linear blending. A region is worse if the edges in it and around it are then stretched or
/// compressed more than before: by 2 % in the root mean square of the relative change, or by 10 % in the largest.
///
/// Linear in edges of regions times joints concerned. The same for any number of threads. \pre rows are per welded
/// vertex and sum to 1, or are empty.
std::vector<char> regions_made_worse(const SkinWeights& before, const SkinWeights& after,
                                     const std::vector<char>& changed, const Subject& subject,
                                     const EditSurface& surface);

}  // namespace sinew::binding
