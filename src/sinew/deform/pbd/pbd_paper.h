// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_projections.h"
#include "sinew/geometry/mesh/weld.h"

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

/// The paper's last step (Eq. 16): every chosen vertex of a skin goes a share of the way to the middle of its
/// neighbours, all of them at once. It smooths positions, so it rounds off detail and does not hold the rest pose.
class PbdPaperSmoothing {
 public:
  static constexpr float kShare = 0.3F;  ///< κ, of which the paper does not tell the value.

  /// The welded vertices `chosen`, each once.
  PbdPaperSmoothing(const Mesh& mesh, const geometry::Welding& welding, std::span<const Index> chosen);

  /// `positions` of all vertices; copies of a chosen vertex go together.
  void smooth(std::span<Vec3f> positions, int rounds) const;

 private:
  std::vector<std::vector<Index>> copies_;      ///< Per chosen vertex; the first stands for all.
  std::vector<std::vector<Index>> neighbours_;  ///< The first copy of each.
};

}  // namespace sinew::deform
