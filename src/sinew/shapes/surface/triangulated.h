// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// The same character with every face cut into triangles, as `triangulate` cuts them. Vertices, owners and weights
/// stay; a mesh of triangles comes out as it is.
Made triangulated(Made made);

}  // namespace sinew::shapes
