// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::transfer {

/// Modes of the Laplacian of a surface, L φ = λ A φ, without the constant one.
struct Spectrum {
  Index vertex_count = 0;
  std::vector<double> values;  ///< λ_1 ≤ λ_2 ≤ …, all above 0, in 1/m².
  Eigen::MatrixXd modes;       ///< Vertices × modes; Φᵀ A Φ = I. The largest component of each is positive.
  std::vector<double> mass;    ///< The diagonal of A, in m².

  double area() const;
};

/// The lowest modes above the constant one, on the intrinsic Delaunay triangulation, by Lanczos iteration with inverted
/// shift (Spectra). About n^1.5 to factor and modes² · n to iterate; 5 s for 128 modes of 25,000 vertices on one core.
/// The same bytes for any number of threads. \throws Error if the surface is not connected, has a vertex without area,
/// or the iteration does not converge; Cancelled. \pre fewer modes than a third of the vertices.
Spectrum laplacian_spectrum(const geometry::TriangleSurface& surface, int modes, const Progress& progress = {});

/// Bytes to keep, in single precision for the modes, and back; none if they are not those of `vertex_count` vertices.
std::vector<std::byte> spectrum_bytes(const Spectrum& spectrum);
std::optional<Spectrum> spectrum_from_bytes(std::span<const std::byte> bytes, Index vertex_count, int modes);

}  // namespace sinew::transfer
