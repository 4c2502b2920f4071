// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::measure {

/// How the space within a part is bounded.
struct PartClosure {
  bool measured = false;           ///< The part encloses enough to speak of its volume.
  std::uint64_t capped_edges = 0;  ///< Edges at which the surface does not close by itself.
  double cap_share = 0;            ///< Area of the caps relative to that of the surface, at rest.
  double rest_volume = 0;          ///< m³; negative for a part that faces inwards.
};

/// Volumes of one mesh in many shapes.
///
/// The volume is the sum of signed tetrahedra (what lies inside out counts negatively), each polygon taken as a fan
/// round the mean of its corners: for a quad that is the mean over both diagonals, which matters since a twisted quad
/// is not flat and diagonals that all run one way shift the loss of a twisted bar by some tenths of a percent. Where
/// the surface does not close, each connected rim is closed by a fan round the mean of its edges' ends; that also turns
/// a face which looks the wrong way. A part whose caps at rest are larger than a quarter of its surface, or that
/// encloses less than a thousandth of what a ball of its surface would (a sheet), has no volume to speak of.
class EnclosedVolume {
 public:
  /// Linear in the corners. \pre the mesh is valid and the welding is its own.
  EnclosedVolume(const Mesh& mesh, const geometry::Welding& welding);

  /// One per part of the mesh; one in all for a mesh without parts.
  const std::vector<PartClosure>& parts() const { return closures_; }

  /// The volume of each part in another shape, 0 for parts that are not measured. Linear; the same bits for any number
  /// of threads.
  std::vector<double> volumes(std::span<const Vec3> positions) const;

  /// Sum over the measured parts.
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
