// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <span>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"
#include "sinew/deform/implicit/part_samples.h"
#include "sinew/deform/implicit/partition.h"
#include "sinew/deform/implicit/skin_surface.h"

namespace sinew::deform {

/// Cuts parts out of the skin.
class PartCutter {
 public:
  /// `bones` as of `bones_of_parts`, `bind` the frames of the joints at binding. All must outlive the cutter.
  PartCutter(const SkinSurface& surface, const Partition& partition, std::span<const PartBones> bones,
             std::span<const Mat4> bind);

  /// The triangles between the vertices of a part, of its largest piece that ends at a joint, and their borders. A
  /// border belongs to the neighbouring part, parent or child, that moves most of the skin beyond it, and to others
  /// that move a good share of it. Borders beyond which no neighbour moves skin are natural ones: the mesh ends there.
  ///
  /// A part that was cut beyond its joint, or right at it, has no room for a round end. There, rings of triangles are
  /// removed: as many as `peel` says for the other part, else up to two where needed. Linear in the part.
  ClosedPart cut(Index part, const std::map<Index, int>& peel = {}) const;

 private:
  struct Cut;
  void find_loops(Cut& cut) const;
  void assign(Index part, Cut& cut, std::vector<Index>& loop, PartHole& hole) const;
  void find_holes(Index part, Cut& cut) const;
  /// Removes a ring of triangles where a part ends beyond its joint, or somebody wants it; false if nowhere.
  bool peel_ring(Cut& cut, const std::map<Index, int>& peel, std::size_t whole) const;
  /// The largest piece that ends at a joint.
  ClosedPart largest_piece(Cut& cut) const;
  HoleBone bone_to(Index part, Index partner) const;
  Vec3 place(Index part) const { return bind_[partition_.parts[part].joint].topRightCorner<3, 1>(); }

  const SkinSurface& surface_;
  const Partition& partition_;
  std::span<const PartBones> bones_;
  std::span<const Mat4> bind_;
  std::vector<Index> owner_;
};

}  // namespace sinew::deform
