// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Joins further what `weld` kept apart only because morphs move the copies differently: the surface at rest. Where
/// this has fewer vertices, morphs tear the surface open. Free of cost for a mesh without morphs, else expected linear.
Welding weld_positions(const Mesh& mesh, Welding welding);

}  // namespace sinew::geometry
