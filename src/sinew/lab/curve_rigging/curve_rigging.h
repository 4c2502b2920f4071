// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/mesh.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// Sections 3 to 5 and 7 of "Automatic Generation of Dynamic Skin Deformation for Animated Characters", Symmetry 2018,
/// 10, 89: curves around limbs, their middle lines, and the time it takes.
Reproduction curve_rigging_experiment(const ReproduceOptions& options, const Progress& progress);

/// Parts of it, each with its tables.
void curve_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void curve_bends(const Progress& progress, Reproduction& result);
void curve_hand(Reproduction& result);
void curve_ears(const Progress& progress, Reproduction& result);
void curve_data_size(Reproduction& result);
void curve_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void curve_sources(const Progress& progress, Reproduction& result);
void curve_contraction(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

/// A figure of cubes with about as many vertices; the bare mesh.
Mesh curve_figure(int vertices);

/// The vertices of a closed triangle mesh after contraction to a line. O. Au, C. Tai, H. Chu, D. Cohen-Or, T. Lee,
/// "Skeleton extraction by mesh contraction", 2008: |W_L·L·V'|² + |W_H·(V' − V)|² is minimised again and again, with
/// W_L doubled and W_H adapted to how far the faces around a vertex have shrunk, until the volume is a millionth.
struct Contraction {
  std::vector<Vec3> positions;
  int iterations = 0;
};
Contraction contract_mesh(const Mesh& mesh, const Progress& progress);

}  // namespace sinew::lab
