// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::measure {

/// Describes how the surface of a part encloses its volume.
struct PartClosure {
  bool measured = false;           ///< Whether the part encloses enough space to measure its volume.
  std::uint64_t capped_edges = 0;  ///< Edges at which the surface is open and is closed by caps.
  double cap_share = 0;            ///< Area of the caps relative to that of the surface, at rest.
  double rest_volume = 0;          ///< m³; negative for a part that faces inwards.
};

/// Measures the volume of one mesh in many shapes.
///
/// The volume is the sum of signed tetrahedra (inverted regions count negatively). Each polygon is treated as a fan
/// around the mean of its corners. For a quad that is the mean over both diagonals; this matters because a twisted quad
/// is not flat, and diagonals that all run one way shift the loss of a twisted bar by some tenths of a percent. Where
/// the surface is open, each connected rim is closed by a fan around the mean of its edges' ends; this also corrects
/// faces with the wrong orientation. The volume is not measured for a part whose caps at rest are larger than a quarter
/// of its surface, or that encloses less than a thousandth of the volume of a ball with the same surface (a sheet).
class EnclosedVolume {
 public:
  /// Linear in the corners. \pre the mesh is valid and the welding is its own.
  EnclosedVolume(const Mesh& mesh, const geometry::Welding& welding);

  /// One entry per part of the mesh; a single entry for a mesh without parts.
  const std::vector<PartClosure>& parts() const { return closures_; }

  /// Returns the volume of each part in another shape; 0 for parts that are not measured. The cost is linear. The
  /// result has the same bits for any number of threads.
  std::vector<double> volumes(std::span<const Vec3> positions) const;

  /// Returns the sum over the measured parts.
  double total(std::span<const Vec3> positions) const;

 private:
  struct Rim {
    std::vector<Index> from, to;  ///< Edges of the cap, each as often as it is missing.
  };
  struct Part {
    Index first_vertex = 0, vertex_count = 0, first_face = 0, face_count = 0;
    std::vector<Rim> rims;
  };
  struct Sums {
    double volume = 0, area = 0, cap_area = 0;
  };
  Sums sums(const Part& part, std::span<const Vec3> positions) const;

  std::vector<Index> face_offsets_, face_vertices_;
  std::vector<Part> parts_;
  std::vector<PartClosure> closures_;
};

}  // namespace sinew::measure
