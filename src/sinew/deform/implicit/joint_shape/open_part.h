// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <span>
#include <utility>
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
  /// `bones` as of `bones_of_parts`, `bind` the frames of the joints at binding, `owners` a joint per vertex of the
  /// surface if not weights but they decide what a part is. All must outlive the cutter.
  PartCutter(const SkinSurface& surface, const Partition& partition, std::span<const PartBones> bones,
             std::span<const Mat4> bind, std::span<const Index> owners = {});

  /// The skin that a part moves, of its largest piece that ends at most joints, and its borders. A border belongs to
  /// the neighbouring part, parent or child, that moves most of the skin beyond it, and to others that move a good
  /// share of it. Where the mesh ends, a border belongs to a neighbour whose joint is within it; others are natural
  /// ones.
  ///
  /// Triangles are cut where the part's weight exceeds that of every other part by a margin, at first that of the
  /// threshold of the part. Whole triangles have jagged borders, which touch themselves on coarse meshes. Where the
  /// margin leaves a part without a border of its own for each neighbour, such as a patch on the back of a hand, a
  /// smaller one is taken.
  ///
  /// A part that was cut beyond its joint, or right at it, has no room for a round end. There, rings of triangles are
  /// removed: as many as `peel` says for the other part, else up to two where needed. Linear in the skin.
  ClosedPart cut(Index part, const std::map<Index, int>& peel = {}) const;

 private:
  struct Cut;
  std::vector<double> margins_of(Index part) const;
  Cut clip(const std::vector<double>& margins, double least) const;
  void find_loops(Cut& cut) const;
  std::map<Index, double> votes_beyond(Index part, const Cut& cut, const std::vector<Index>& loop,
                                       double& reached) const;
  void assign(Index part, const Cut& cut, const std::vector<Index>& loop, PartHole& hole) const;
  void find_holes(Index part, Cut& cut) const;
  /// Removes a ring of triangles where a part ends beyond its joint, or somebody wants it; false if nowhere.
  bool peel_ring(Cut& cut, const std::map<Index, int>& peel, std::size_t whole) const;
  static ClosedPart best_piece(const Cut& cut);
  static int rings_peeled(const Cut& cut, Index partner);
  Index joint_within(Index part, const Cut& cut, const std::vector<Index>& loop) const;
  HoleBone bone_to(Index part, Index partner) const;
  Vec3 place(Index part) const { return bind_[partition_.parts[part].joint].topRightCorner<3, 1>(); }

  const SkinSurface& surface_;
  const Partition& partition_;
  std::span<const PartBones> bones_;
  std::span<const Mat4> bind_;
  std::vector<Index> owner_;                                   ///< The part of a vertex, by threshold.
  std::vector<std::vector<std::pair<Index, double>>> shares_;  ///< Per vertex: weights of parts.
  bool owned_ = false;
};

/// How many neighbours have a border of their own: at which they move the most skin, with enough vertices.
std::size_t own_borders(const ClosedPart& part);

}  // namespace sinew::deform
