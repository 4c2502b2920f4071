// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_kernels.h"
#include "sinew/deform/pbd/pbd_material.h"

namespace sinew::deform {

struct PbdSettings {
  PbdMaterial material = PbdMaterial::kCorotated;
  int sweeps = 10;
  double stretch = 0.9;                    ///< Share of an edge's error that all sweeps together take away; 0: off.
  double bind = 0.7;                       ///< The same for distances from bones.
  double volume = 1;                       ///< The same for volumes of tetrahedra.
  double energy = 1;                       ///< Stiffness of the material, in the first half of the sweeps; 0: off.
  int smoothings = 0;                      ///< Rounds in which corrections go halfway to the mean of their neighbours'.
  std::vector<double> joint_stiffness;     ///< Per joint a factor on `energy`; empty: 1.
  std::vector<double> particle_stiffness;  ///< The same per particle.
};

/// The constraints of a body, in islands that do not touch and colours within which no particle is shared: ready to be
/// solved for any pose, from nothing but that pose. Eight constraints of a colour at a time; the same bytes for any
/// number of threads.
class PbdSystem {
 public:
  PbdSystem(const PbdBody& body, const PbdSettings& settings);

  /// What a frame works on. Memory is taken in the first frame.
  struct Scratch {
    std::vector<PbdParticle> particles;
    std::vector<float> lambda, turn, anchors;
    std::vector<std::array<float, 4>> joint_turns;
    std::vector<float> bent;         ///< Per joint: 0 while it does not bend, 1 from a small angle on.
    std::vector<Vec3f> steps, next;  ///< Per local particle.
  };

  /// What a frame came to.
  struct Outcome {
    Index islands_given_up = 0;  ///< Whose particles were left as predicted: not finite, or half the body's size away.
    Index inverted = 0;          ///< Tetrahedra of an island that have no positive volume afterwards.
  };

  /// From predicted particles (those of the body, in model space) and the joints' motions (binding to posed) to how far
  /// each has to go from there. Corrections of held particles are zero, and so are all in the areas of joints that do
  /// not move against those they bend against: exactly, and islands of nothing else cost nothing. From 0° to 20° they
  /// grow in smoothly. O(sweeps · constraints).
  Outcome solve(Scratch& scratch, std::span<const Vec3f> predicted, std::span<const Mat4> motions,
                std::span<Vec3f> corrections) const;

  std::size_t edges() const { return edge_count_; }
  std::size_t tets() const { return tet_count_; }
  std::size_t binds() const { return bind_count_; }
  /// Constraints projected in one sweep: edges, binds, energy and volume of each tetrahedron.
  std::size_t constraints() const { return edge_count_ + bind_count_ + 2 * tet_count_; }
  std::size_t islands() const { return islands_.size(); }
  std::size_t colours() const { return most_colours_; }

 private:
  static constexpr std::size_t kTurnJoints = 4;
  using Run = std::pair<std::size_t, std::size_t>;  ///< Begin and end.
  struct Island {
    std::size_t first_particle = 0, particle_count = 0;  ///< The last one is held, and of no body: for filling up.
    std::vector<Run> edge_colours;                       ///< Of constraints.
    std::vector<Run> tet_colours;                        ///< Of groups.
    Run binds;
    Run tets;                             ///< Groups of all its colours.
    std::vector<Index> joints;            ///< In whose areas it lies.
    std::vector<std::size_t> neighbours;  ///< Per particle where its list begins, in `neighbours_`; and the end.
  };

  class Builder;
  void predict_island(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted) const;
  bool solve_island(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted) const;
  Index inverted_tets(const Island& island, const Scratch& scratch) const;
  void measure_bends(Scratch& scratch, std::span<const Mat4> motions) const;
  void place_anchors(const Island& island, Scratch& scratch, std::span<const Mat4> motions, const Vec3f& origin) const;
  void start_turns(const Island& island, Scratch& scratch) const;
  void write_corrections(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted,
                         std::span<Vec3f> corrections) const;

  PbdSettings settings_;
  double unit_ = 1;  ///< Metres of a cell; particles are solved in cells.
  double size_ = 1;  ///< Of the body, in cells.
  std::vector<Island> islands_;
  std::vector<std::uint32_t> particle_of_;  ///< Per local particle: of the body; kNone for what fills up.
  std::vector<float> inverse_mass_;
  std::vector<std::uint32_t> edge_a_, edge_b_, tet_corners_, bind_particles_;
  std::vector<float> edge_length_, tet_volume_, tet_shares_, tet_distances_, tet_inverse_, tet_compliance_,
      bind_distance_;
  std::vector<std::array<Influence, kTurnJoints>> tet_joints_;  ///< Per lane: whose turns its rotation starts from.
  std::vector<Index> against_;                                  ///< Per joint, as the body has it.
  std::vector<Vec3> joint_places_;                              ///< Per joint, at binding.
  SkinWeights areas_;                                           ///< Per particle of the body.
  std::vector<float> farthest_;                                 ///< Per local particle: how far it may go, in cells.
  std::vector<std::uint32_t> neighbours_;                       ///< Local particles at the other ends of edges.
  std::vector<Index> bind_joint_;                               ///< Per lane.
  std::vector<Vec3> bind_point_;
  float longest_step_ = 0;
  std::size_t edge_count_ = 0, tet_count_ = 0, bind_count_ = 0, most_colours_ = 0;
};

/// Colours for constraints over particles such that no two of a colour share one: first fit, in order. Returns the
/// colour of each.
std::vector<Index> colour_constraints(std::span<const std::array<std::uint32_t, 4>> constraints, std::size_t particles);

}  // namespace sinew::deform
