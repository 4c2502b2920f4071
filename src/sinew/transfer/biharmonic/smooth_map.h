// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/progress.h"
#include "sinew/transfer/biharmonic/shell.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// Where the vertices of a target's shell belong on the reference, as found vertex by vertex.
struct RoughMap {
  std::vector<std::vector<std::pair<Index, double>>> donors;  ///< Vertices of the reference's mesh with shares.
  std::vector<double> trust;                                  ///< 0 to 1.
};

/// Rows from the points of the reference that a smooth map gives.
struct SmoothMap {
  std::vector<std::vector<Influence>> row;  ///< Per vertex of the target's mesh.
  std::vector<char> found;                  ///< Whether the point is near the map's and faces the same way.
};

/// Makes a rough map smooth. The reference is deformed to the target's joints (`warped_mesh`), so that only small
/// displacements remain between a vertex and the point that it belongs to. These are averaged along the target's
/// surface by their trust, and each vertex moves to the nearest point of the deformed reference, three times, over
/// smaller distances each time. A vertex stays on the connected surface of the reference that most of the vertices
/// around it were matched with. Vertices of other shells start with the displacement of the nearest vertex of the
/// shell, and may find any surface of the reference, such as teeth inside a mouth. n log n. The same for any number of
/// threads. \throws Error if the reference has no faces with weights; Cancelled.
SmoothMap smooth_map(const Reference& reference, const TransferBody& target, const Correspondence& correspondence,
                     const MainShell& shell, const RoughMap& rough, const Progress& progress = {});

}  // namespace sinew::transfer
