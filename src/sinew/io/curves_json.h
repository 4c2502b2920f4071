// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>

#include "sinew/core/curve_set.h"

namespace sinew::io {

/// Curves as JSON: their points on edges, their centres and radii, limbs and trunks. docs/commands/curves.md describes
/// the form. \pre positions of the mesh that the curves were found on.
std::string curves_json(const CurveSet& curves, std::span<const Vec3> positions);

}  // namespace sinew::io
