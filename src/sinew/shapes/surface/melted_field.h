// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/volume.h"

namespace sinew::shapes {

struct MeltOptions {
  double cell = 0;  ///< About; a whole number of cells fits the mesh.
  double room = 0;  ///< Around the mesh, in metres.
  double gap = 0;   ///< Gaps that a ball of this radius does not fit through are filled.
  std::uint64_t seed = 0;
};

/// A mesh seen by a coarse eye: the signed distance to it on a grid, closed by a ball (grown by its radius, then shrunk
/// by it: what no ball of that radius outside can reach becomes inside) and with noise of a few cells' wavelength and a
/// fraction of a cell's height. Exact near the surface only; farther away just the sign is right. Grows with the
/// samples, and near the surface with the cube of gap over cell. \throws Error if the cell is smaller than a thousandth
/// of the mesh.
DistanceField melted_field(const Mesh& mesh, const MeltOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
