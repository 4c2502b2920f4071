// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/transfer/biharmonic/spectrum.h"

namespace sinew::transfer {

/// Biharmonic distances from some vertices of a surface to all: Y. Lipman, R. Rustamov, T. Funkhouser, "Biharmonic
/// distance", 2010. d(x,y)² = Σ_k (φ_k(x) − φ_k(y))² / λ_k² over the modes above the constant one. Smooth and without a
/// cut locus; invariant to rigid motion and to bending; scales with the size.

/// By the modes of a spectrum. 128 modes give distances of far pairs within 1 %, but those of neighbours are too short
/// by a third. Column l has the distances from `sources[l]`. Linear in each source. \pre sources in range.
Eigen::MatrixXd spectral_distances(const Spectrum& spectrum, std::span<const Index> sources);

/// Exactly, by the pseudo-inverse of the Laplacian: d² = G_xx + G_yy − 2 G_xy with G = L⁺ A L⁺. One solve per vertex of
/// the surface, so about n² log n: for small meshes. The same bytes for any number of threads. \throws Error as
/// `laplacian_spectrum` does; Cancelled.
Eigen::MatrixXd exact_distances(const geometry::TriangleSurface& surface, std::span<const Index> sources,
                                const Progress& progress = {});

}  // namespace sinew::transfer
