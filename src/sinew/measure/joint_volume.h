// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/measure/shape.h"

namespace sinew::measure {

/// The volume that the skin encloses near a joint. The region consists of the faces that the joint bends: those where
/// 4W(1−W) is above 0.05, W being the weight of the joint and all joints below it. For a twist it also has the faces of
/// the bone that ends in the joint, along which a deformer may spread the twist. The rims of the region are closed by
/// fans around their means. They are located where the skin is nearly rigid, so a joint that keeps its volume keeps
/// that of the region.
class JointVolumes {
 public:
  /// n log n. \pre the mesh is the rig's, in the bound shape; the welding and the limbs are its own.
  JointVolumes(const Rig& rig, const geometry::Welding& welding, const Limbs& limbs);

  /// One region. It measures any shape of the mesh.
  struct Region {
    std::vector<std::array<Index, 3>> faces;  ///< Of the mesh, facing outwards; the first copy of welded vertices.
    std::vector<std::vector<std::array<Index, 2>>> rims;  ///< Edges of each rim, in the direction of its cap.
    double rest_volume = 0;                               ///< m³; 0 if the region encloses next to nothing.

    double volume(std::span<const Vec3> positions) const;
  };

  /// The region of a joint. Its `rest_volume` is 0 if no face bends, or if the region is a sheet.
  Region region(Index joint, bool twist) const;

 private:
  const Rig& rig_;
  const Limbs& limbs_;
  SkinWeights rows_;
  std::vector<std::array<Index, 3>> faces_;
};

}  // namespace sinew::measure
