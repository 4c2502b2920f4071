// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Another deformer whose skin moves together where it would pass through skin that is close to it at binding: a button
/// and the shirt below it, lips, skin of one joint that folds over itself.
///
/// In the bind pose such skin does not intersect, nor does it if all of it moves rigidly. So where triangles that are
/// close to each other at binding intersect in a frame, the vertices around them go towards the positions that the mean
/// rigid motion of their neighbourhood gives them. A neighbourhood is a ball in the bind pose and contains skin of all
/// shells. This is repeated a fixed number of times, in balls that grow, where triangles still intersect.
///
/// How far vertices go grows from nothing with the length of the intersections, and fades out with the distance from
/// them. What intersects at binding does not count, nor does skin that is far apart there: that is left to
/// `bind_contact`. A frame depends only on its pose, and nothing jumps with it; in the bind pose, and where nothing
/// intersects, the result is that of the inner deformer, bit for bit. n log n for n triangles, and linear in the
/// vertices near intersections.
std::unique_ptr<Deformer> bind_shared_motion(std::unique_ptr<Deformer> inner, const Rig& rig,
                                             const Progress& progress = {});

}  // namespace sinew::deform
