// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {

/// Fits a skin to the surface of its tetrahedra. A vertex that rides on one tetrahedron shows what happens at that
/// point only: on a coarse skin, what tetrahedra keep between its vertices is lost. Here every free particle of the
/// surface is a sample. Its correction, as far as the nearest face of the skin does not show it, goes to the corners of
/// that face, in the least-squares sense (steps of Jacobi with the lumped matrix). Where corrections are zero nothing
/// changes, bit for bit; a skin that is finer than the tetrahedra has few samples per vertex and changes little. Tried
/// and rejected: also to follow how far predicted particles are from their faces. More volume comes back, but the
/// normals of collapsed faces make the skin jump from frame to frame.
class SkinFit {
 public:
  /// `moved` gives for each welded vertex its number among those that may move, or kNone.
  SkinFit(const Rig& rig, const PbdBody& body, const geometry::Welding& welding, std::span<const Index> moved);

  /// What a frame works on.
  struct Scratch {
    std::vector<Vec3f> residuals;  ///< Per sample.
  };

  /// Changes `on_skin`, the corrections of moved vertices, by `rounds` steps towards those of the samples,
  /// `corrections`, one per particle. Linear in the corrections. The same bytes for any number of threads.
  void fit(int rounds, std::span<const Vec3f> corrections, Scratch& scratch, std::span<Vec3f> on_skin) const;

  std::size_t samples() const { return samples_.size(); }

 private:
  struct Sample {
    Index particle;
    std::array<Index, 3> corners;  ///< Among the moved vertices; kNone for what stays.
    std::array<float, 3> shares;
  };
  struct Part {
    Index sample;
    float share;
  };
  std::vector<Sample> samples_;
  std::vector<Index> offsets_;  ///< Per moved vertex: into parts.
  std::vector<Part> parts_;
};

}  // namespace sinew::deform
