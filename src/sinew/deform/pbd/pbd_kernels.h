// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The loops of position-based skinning: projections of constraints of one colour, eight at a time. No two constraints
/// of a run share a particle that can move, so any order gives the same bytes. Plain structs of pointers; nothing is
/// allocated.

#include <cstddef>
#include <cstdint>

namespace sinew::deform {

inline constexpr std::size_t kPbdWidth = 8;

/// Position and inverse mass; an inverse mass of 0 holds a particle where it is.
struct alignas(16) PbdParticle {
  float x, y, z, w;
};

/// Edges that keep their length. Counts are multiples of `kPbdWidth`; what fills up joins a held particle to itself.
struct PbdEdges {
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  const float* length = nullptr;
  const float* compliance = nullptr;  ///< Of soft edges only.
};

/// Tetrahedra. Per group of eight the corners stand together, all first ones, all second ones, …; so do the values of
/// each kind.
struct PbdTets {
  const std::uint32_t* corners = nullptr;  ///< 4 × 8 a group.
  const float* volume = nullptr;           ///< 8 a group, at rest; 0 for what fills up.
  const float* shares = nullptr;           ///< Four-spring: mass of each corner over that of all, 4 × 8.
  const float* distances = nullptr;        ///< Four-spring: of each corner from the middle at rest, 4 × 8.
  const float* inverse_rest = nullptr;     ///< Corotated: inverse of the rest edges, by rows, 9 × 8.
  const float* compliance = nullptr;       ///< 8 a group.
  float* lambda = nullptr;                 ///< 8 a group; 0 when a frame begins.
  float* turn = nullptr;                   ///< Corotated: quaternions x y z w, 4 × 8; a guess when a frame begins.
  float smallest = 0;                      ///< Errors of energy below it are left alone.
  float longest_step = 0;                  ///< No corner moves farther at once.
  float volume_share = 1;                  ///< Of its error in volume that a step takes away, after energy; 0: none.
  int turn_steps = 1;                      ///< Corotated: steps by which a turn follows.
  float volume_compliance = 0;             ///< Of volumes, against Σw|∇V|².
};

/// Edges [begin, end), in groups of eight: each correction times `stiffness`.
void project_edges(PbdParticle* particles, const PbdEdges& edges, std::size_t begin, std::size_t end, float stiffness);

/// The same as one step of extended position-based dynamics: each edge has a compliance, times `scale`.
void project_soft_edges(PbdParticle* particles, const PbdEdges& edges, std::size_t begin, std::size_t end, float scale);

/// Energy of the springs between corners and the middle, then volume, for groups [begin, end).
void project_springs(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end);

/// Corotated energy, then volume.
void project_corotated(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end);

/// Volume alone.
void project_volumes(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end);

/// The same as one step of extended position-based dynamics: each volume has the compliance of its tetrahedron, times
/// `scale`.
void project_soft_volumes(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end, float scale);

/// Particles [begin, end) of a list keep their distance from points, `stiffness` of the way. The lists are padded to
/// multiples of `kPbdWidth` with held particles.
struct PbdBinds {
  const std::uint32_t* particles = nullptr;
  const float* anchors = nullptr;   ///< Per group 3 × 8.
  const float* distance = nullptr;  ///< 0: left alone.
};
void project_binds(PbdParticle* particles, const PbdBinds& binds, std::size_t begin, std::size_t end, float stiffness);

}  // namespace sinew::deform
