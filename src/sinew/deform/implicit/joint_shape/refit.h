// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/surface_sample.h"
#include "sinew/deform/implicit/hrbf.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"

namespace sinew::deform {

/// About `count` samples of some triangles of a part, spread evenly, with normals of the closed surface. None is close
/// to those of `existing`. The same for the same seed.
std::vector<SurfaceSample> closed_samples(const ClosedPart& part, std::span<const Index> triangles, int count,
                                          std::span<const SurfaceSample> existing, std::uint64_t seed);

/// Samples of a part's skin where it has none: on triangles with a vertex that is not one of the skin, or not one that
/// was `sampled`, as dense as the existing ones. None if that is less than 3 % of the part's area.
std::vector<SurfaceSample> skin_samples(const ClosedPart& part, std::span<const char> sampled,
                                        std::span<const SurfaceSample> existing, std::uint64_t seed);

/// The triangles that close a hole.
std::vector<Index> closure_triangles(const ClosedPart& part, Index hole);

/// Where a function has its surface on the ray of a vertex of a closure: the distance from its foot. The distance of
/// the vertex itself if there is no surface up to three times as far.
double surface_distance(const Hrbf& function, const ClosureVertex& vertex);

/// Samples at the vertices of a closure where a function is off by more than the tolerance, the worst ones first, at
/// most so many, none close to another one or to those of `existing`.
std::vector<SurfaceSample> samples_where_off(const Hrbf& function, const ClosedPart& part, Index hole,
                                             std::span<const SurfaceSample> existing, double tolerance,
                                             std::size_t most);

/// The root mean square of the differences between a function's surface and the closure of a hole.
double refit_error(const Hrbf& function, const ClosedPart& part, Index hole);

}  // namespace sinew::deform
