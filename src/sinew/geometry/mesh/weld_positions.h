// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Also joins vertices that `weld` kept separate only because morphs move the copies differently. The result describes
/// the surface at rest. Where it has fewer vertices, morphs tear the surface open. A mesh without morphs costs nothing;
/// otherwise the expected time is linear.
Welding weld_positions(const Mesh& mesh, Welding welding);

}  // namespace sinew::geometry
