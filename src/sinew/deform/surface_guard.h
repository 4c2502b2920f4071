// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {

/// Takes back so much of a correction, in any pose, that it neither folds the skin where the shape that it starts from
/// does not, nor stretches edges much further. What it keeps at a vertex changes continuously with both shapes, fades
/// out along the skin, and depends on nothing else.
///
/// Folds: the cosine between the normals of two faces may not fall below 0.05 if it is larger than 0.15 at the start.
/// From there on the limit falls, down to none for faces that are folded already: their neighbours may fold, too.
/// Edges: as `measure::SurfaceCase`, with the stretch of the edges next to them.
class SurfaceGuard {
 public:
  /// n log n.
  explicit SurfaceGuard(const Mesh& mesh);

  struct Scratch {
    std::vector<Vec3f> from, now, step, from_normals, normals;  ///< Per welded vertex, or per triangle.
    std::vector<float> stretch, kept;                           ///< Per welded vertex.
    std::vector<char> moved;
  };

  /// `positions` come nearer to `from`, both with one entry per vertex of the mesh. `kept` gets the share of each
  /// vertex that was kept, if it is not empty. Linear, and little where nothing is harmed.
  void apply(std::span<const Vec3f> from, std::span<Vec3f> positions, Scratch& scratch, std::span<float> kept) const;

 private:
  struct Hinge {
    Index left = 0, right = 0;
    float side = 1;
  };
  bool lower(Scratch& scratch, float most_stretch) const;
  void spread(Scratch& scratch, std::vector<Index>& harmed, float slope) const;

  geometry::Welding welding_;
  float size_ = 0;
  geometry::Lists rings_;
  std::vector<float> ring_lengths_;
  std::vector<std::array<Index, 2>> edges_;
  std::vector<float> lengths_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Hinge> hinges_;
};

}  // namespace sinew::deform
