// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_projections.h"

namespace sinew::deform {

/// The paper's constraints as it prints them, in its order: stretch, volume, bind, energy, each to the full, one after
/// the other by their numbers. In double, on one thread; slow, and there to be compared with. Its energy does not
/// depend on `stiffness` (see `printed_spring_constraint`); where nothing is off its step is 0/0, and is left out.
class PbdPaper {
 public:
  /// Keeps a reference to the body.
  explicit PbdPaper(const PbdBody& body);

  /// How far each particle goes from where it was predicted. `whole_gradient` has the middle of a tetrahedron move with
  /// its corners. Steps longer than a cell are cut: as printed a tetrahedron with three corners held may fling the
  /// fourth away.
  std::vector<Vec3f> corrections(std::span<const Vec3f> predicted, std::span<const Mat4> motions, int sweeps,
                                 double stiffness = 1, bool whole_gradient = false) const;

 private:
  const PbdBody& body_;
  struct Edge {
    Index a, b;
    double length;
  };
  std::vector<Edge> edges_;
  std::vector<Index> tets_;  ///< Those with a corner that may move.
};

}  // namespace sinew::deform
