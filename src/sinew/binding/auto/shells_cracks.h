// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/geometry/mesh/sanitize.h"

namespace sinew::binding {

/// Closes cracks: where borders of a clean mesh run so close to each other that they were one once (a seam whose
/// copies were moved apart), `mesh`, its source, gets equal positions, so that cleaning it again joins them. Two
/// border vertices that share no edge are one if they lie nearer than 0.35 of the shortest edge at either, and than
/// 0.005 of `size`. So vertices along one border are never joined. Returns how many clean vertices were joined to
/// another. Expected linear. Does not depend on the order of vertices but for the rounding of means.
Index close_cracks(const geometry::Sanitized& clean, double size, Mesh& mesh);

}  // namespace sinew::binding
