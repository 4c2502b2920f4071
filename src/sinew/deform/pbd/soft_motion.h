// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/mesh.h"
#include "sinew/deform/pbd/pbd_kernels.h"

namespace sinew::deform {

/// Soft tissue as nodes that hang on targets, edges between them and tetrahedra. Masses have a mean of 1, and stiffness
/// is per unit of mass, so that all of them are squares of rates.
struct SoftBody {
  double unit = 1;           ///< Length of a typical edge; lengths are solved in units of it.
  double size = 1;           ///< Of the whole body.
  std::vector<double> mass;  ///< Per node.
  std::vector<double> hold;  ///< Per node: how fast it swings about its target on its own, rad/s. 0: it is held there.
  std::vector<double> damping;   ///< Per node: share of critical damping.
  std::vector<double> farthest;  ///< Per node: the displacement that is never shown to be exceeded.
  std::vector<std::array<Index, 2>> edges;
  std::vector<double> edge_stiffness;  ///< In 1/s².
  std::vector<std::array<Index, 4>> tets;
  std::vector<double> volume_stiffness;  ///< Of errors of volume in unit³; in 1/s².
};

/// The motion of soft tissue that is left behind by a body that accelerates, swings, and comes to rest.
///
/// Extended position-based dynamics with small substeps (M. Macklin et al., "XPBD", 2016; "Small steps in physics
/// simulation", 2019). Each node is drawn to its target, which the skeleton moves, by a compliant constraint. Edges
/// keep the lengths, and tetrahedra the volumes, that they have between the targets of the frame: the targets are
/// therefore where everything rests, and a body that does not accelerate is not changed. What is simulated is the
/// displacement from the target. In that frame of reference, which moves with each node, the body's acceleration is a
/// force.
///
/// Substeps are about 1/240 s long, whatever the frame rate. All constraints are implicit, so that longer ones, for
/// very long frames, are stable, too. The energy of a frame never exceeds that of the frame before, plus the work of
/// the targets' acceleration: what the solver would add by not converging is taken back. The same bytes for any number
/// of threads.
class SoftMotion {
 public:
  explicit SoftMotion(const SoftBody& body);

  struct State {
    std::vector<Vec3f> shown;  ///< Per node: its displacement from the target, bounded.
    double energy = 0;      ///< Of the last frame: motion, constraints and gravity. In unit²/s², times the mean mass.
    int substeps = 0;       ///< Of the last frame.
    double taken_back = 0;  ///< Of the last frame: the energy that the solver added, as a share of all; then removed.

    bool started = false, moving = false, pushed = false;
    double waiting_s = 0;                   ///< Time that passed in frames too short to be computed.
    std::vector<Vec3> targets, speeds;      ///< Of the last frame, and how fast targets moved then.
    std::vector<char> known;                ///< Per node: its speed is known.
    std::vector<Vec3f> offset, rate;        ///< Displacements and their speeds, in units.
    std::vector<Vec3f> push, gravity, old;  ///< Of the frame.
    std::vector<Vec3f> first_offset;
    std::vector<float> work;
    std::vector<PbdParticle> base, particles;
    std::vector<float> length, volume;
  };

  /// Starts again from rest.
  static void reset(State& state) { state.started = false; }

  /// One frame. `gravity` is per node, as an acceleration; empty: none. A `dt_s` of 0 resets; so does a target that
  /// jumps by half the size, for its node.
  void advance(State& state, std::span<const Vec3> targets, std::span<const Vec3> gravity, double dt_s) const;

  std::size_t nodes() const { return inverse_mass_.size(); }
  std::size_t moving_nodes() const { return moving_; }
  std::size_t constraints() const { return edge_count_ + tet_count_ + moving_; }

 private:
  using Run = std::pair<std::size_t, std::size_t>;  ///< Begin and end.

  void add_edges(const SoftBody& body);
  void add_tets(const SoftBody& body);
  bool follow_targets(State& state, std::span<const Vec3> targets, std::span<const Vec3> gravity, double dt_s) const;
  void measure_rest(State& state) const;
  void substep(State& state, float h) const;
  double potential(const State& state, std::span<const Vec3f> offset) const;
  double kinetic(const State& state) const;
  void keep_energy(State& state, double most) const;
  void show(State& state) const;

  double unit_ = 1, size_ = 1;
  std::vector<float> mass_, inverse_mass_, hold_, damping_, farthest_;
  std::vector<std::uint32_t> edge_a_, edge_b_, tet_corners_;
  std::vector<float> edge_compliance_, tet_compliance_;
  std::vector<Run> edge_colours_, tet_colours_;
  std::size_t edge_count_ = 0, tet_count_ = 0, moving_ = 0;
};

}  // namespace sinew::deform
