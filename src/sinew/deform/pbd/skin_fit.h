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
/// surface is a sample. How far it is from its place on the nearest face of the skin goes to the corners of that face,
/// in the least-squares sense (steps of Jacobi with the lumped matrix). Where corrections are zero nothing changes, bit
/// for bit; a skin that is finer than the tetrahedra has few samples per vertex and changes little.
class SkinFit {
 public:
  /// `moved` gives for each welded vertex its number among those that may move, or kNone.
  SkinFit(const Rig& rig, const PbdBody& body, const geometry::Welding& welding, std::span<const Index> moved);

  /// What a frame works on.
  struct Scratch {
    std::vector<Vec3f> wanted, residuals;  ///< Per sample.
  };

  /// Where samples should be, relative to the faces of the skin as its base method moves it: their corrections, and how
  /// far predicted particles are from those faces already. The latter is faded in with the correction of the sample, up
  /// to a twentieth of a cell. `skin` has all vertices, without morphs, and `to_particles` takes them to the space of
  /// the particles.
  void aim(std::span<const Vec3f> skin, const Mat4& to_particles, std::span<const Vec3f> predicted,
           std::span<const Vec3f> corrections, Scratch& scratch) const;

  /// Changes `on_skin`, the corrections of moved vertices, by `rounds` steps towards what was aimed at. The same bytes
  /// for any number of threads.
  void fit(int rounds, Scratch& scratch, std::span<Vec3f> on_skin) const;

  std::size_t samples() const { return samples_.size(); }

 private:
  struct Sample {
    Index particle;
    std::array<Index, 3> vertices;
    std::array<Index, 3> corners;  ///< Among the moved vertices; kNone for what stays.
    std::array<float, 3> shares;
    float height;  ///< Above the face at binding.
  };
  struct Part {
    Index sample;
    float share;
  };
  float cell_ = 1;
  std::vector<Sample> samples_;
  std::vector<Index> offsets_;  ///< Per moved vertex: into parts.
  std::vector<Part> parts_;
};

}  // namespace sinew::deform
