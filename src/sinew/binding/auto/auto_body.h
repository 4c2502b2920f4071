// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/binding/auto/auto.h"
#include "sinew/binding/auto/layers_rows.h"

namespace sinew::binding {

/// Which method had most to say in the row of a vertex of a body.
enum class BodyWay : std::uint8_t { kHeat, kVoxel, kDistance };

/// Rows of bodies: of bound joints, sum 1, never empty; not yet capped.
struct BodyRows {
  std::vector<WeightRow> rows;
  std::vector<BodyWay> way;
  std::vector<float> confidence;
  std::vector<Fallback> fallbacks;
  Findings findings;  ///< Of the voxels: that their grid is coarser than usual.
  Json metrics = Json::object();
};

/// Rows for the vertices of bodies that are bound together: by heat. Where heat is weak, because a piece of the body
/// sees no bone, voxels take over, and over a few edges both count, so that no seam is left. Nothing is chosen by
/// thresholds on the mesh as a whole, so that a little damage changes little. Last, `guard_rows` takes out what
/// bleeds.
///
/// If heat fails, voxels do all, with a fallback that says why; if both do, distance. Tried and left out, see
/// docs/methods/auto.md: means of heat with voxels or segmentation everywhere, which agree with artists' weights no
/// better than heat does. \throws Error if no joint is bound; Cancelled.
BodyRows bind_bodies(const Subject& body, const AutoOptions& options, const BindOptions& common,
                     const Progress& progress);

}  // namespace sinew::binding
