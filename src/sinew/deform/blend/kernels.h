// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The loops that run per vertex and frame, compiled for every instruction set of the machine's family and chosen at
/// run time. Plain structs of pointers; nothing is allocated. Square roots and divisions are exact ones, not the
/// processor's estimates, which differ between makers.

#include <cstddef>
#include <cstdint>

namespace sinew::deform {

inline constexpr std::size_t kBlockWidth = 8;

/// One number for each vertex of a block.
struct alignas(32) Lanes {
  float at[kBlockWidth];
};

/// Up to eight vertices that the same joints move.
struct SkinBlock {
  std::uint32_t first_slot = 0;    ///< Into the slot lists.
  std::uint32_t first_weight = 0;  ///< Into the weights; one `Lanes` per slot.
  std::uint32_t first_vertex = 0;  ///< Of lane 0 if consecutive; if not, its entry in `BlendJob::scattered`.
  std::uint16_t slot_count = 0;
  std::uint8_t vertex_count = 0;
  bool consecutive = false;  ///< Full, and the vertices follow one another in the file.
};

/// The twist of one bone in one frame. Its vertices and normals at rest are given in a frame of their own, z along the
/// bone: they turn about z by their share of the bone's whole twist, and then go by `matrix` (rows of 3×4) to where
/// joints blend them.
struct TwistRun {
  float matrix[12];
  float turns;       ///< The whole twist in turns, and
  float turns_rest;  ///< what a float leaves out of that.
  float angle_rad;
};

/// What a blend kernel reads and writes.
struct BlendJob {
  const SkinBlock* blocks = nullptr;
  std::size_t block_count = 0;
  const std::uint32_t* slot_lists = nullptr;
  const Lanes* weights = nullptr;
  const Lanes* rest_positions = nullptr;
  const Lanes* rest_normals = nullptr;
  const std::uint32_t* scattered = nullptr;  ///< The vertices of blocks that are not consecutive, eight for each.
  float origin[3] = {0, 0, 0};
  float size = 1;

  const float* matrices = nullptr;          ///< Per slot twelve floats: the rows of a 3×4 matrix.
  const float* dual_quaternions = nullptr;  ///< Per slot eight floats: w x y z of the real, then of the dual part.
  const std::uint32_t* runs = nullptr;      ///< Per block its entry of `twists`.
  const TwistRun* twists = nullptr;
  const Lanes* twist_shares = nullptr;   ///< One per block.
  const Lanes* twist_normals = nullptr;  ///< Six per block: normals at rest, and the gradients of the shares.
  bool cofactor_normals = false;         ///< Normals by the cofactors of the matrix, not by the matrix.

  float* positions = nullptr;  ///< Three floats per vertex of the mesh.
  float* normals = nullptr;    ///< The same; null when not asked for.
};

/// v' = (Σ w M) v for blocks [begin, end).
void blend_linear(const BlendJob& job, std::size_t begin, std::size_t end);

/// Dual quaternions, after v has gone through the blend of `matrices`, if there are any. Signs are chosen as `dqs.h`
/// states.
void blend_dual_quaternions(const BlendJob& job, std::size_t begin, std::size_t end);

/// The same, after v has gone through the twist of its run.
void blend_twisted(const BlendJob& job, std::size_t begin, std::size_t end);

/// Pairs of 3×3 matrices side by side: number e = 3·row + column of pair i is at [e · stride + i]. The stride is a
/// multiple of eight; what is beyond the last pair is computed too, but does not matter.
struct TurnPairs {
  std::size_t stride = 0;
  const double* from = nullptr;
  const double* to = nullptr;
  double* turn = nullptr;   ///< The rotation that is nearest to from⁻¹ · to.
  double* found = nullptr;  ///< Per pair 1; 0 where a matrix mirrors, or is flat or nearly so, and there is no turn.
};

/// The polar rotations of pairs: N. J. Higham, "Computing the polar decomposition, with applications", 1986.
void nearest_turns(const TurnPairs& pairs);

/// A point and a fourth number that does not matter.
struct alignas(16) Point4 {
  float at[4];
};

/// The fixed neighbourhoods of delta mush.
struct MushRings {
  const std::uint32_t* offsets = nullptr;  ///< Ring of point i: neighbours[offsets[i]] … neighbours[offsets[i+1]−1].
  const std::uint32_t* neighbours = nullptr;
  const float* keep = nullptr;      ///< Per point: what it keeps of itself in one round.
  const float* share = nullptr;     ///< Per point: what it takes of each neighbour.
  const float* tangents = nullptr;  ///< Per neighbour two factors: the tangents are these sums of ring edges.
};

/// One round of smoothing for points [begin, end).
void smooth_points(const MushRings& rings, const Point4* from, Point4* to, std::size_t begin, std::size_t end);

/// Three orthonormal axes, each x y z; they are the columns of a rotation. All zero where the ring has collapsed.
struct MushFrame {
  float at[9];
};

/// The frames of points [begin, end) of a surface.
void mush_frames(const MushRings& rings, const Point4* points, MushFrame* frames, std::size_t begin, std::size_t end);

}  // namespace sinew::deform
