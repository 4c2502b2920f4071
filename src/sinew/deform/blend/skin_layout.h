// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/blend/kernels.h"

namespace sinew::deform {

/// One matrix of the palette: a joint as one skin, or one rigid part, sees it.
struct SkinSlot {
  Index joint = kNone;                   ///< kNone: what no joint moves.
  Mat4 inverse_bind = Mat4::Identity();  ///< Model space to the joint's frame at binding.
  Vec3 bind_origin = Vec3::Zero();       ///< Where the joint was at binding, in model space.
  Index skin = kNone;                    ///< kNone: of a rigid part.
  bool grouped = false;                  ///< It moves vertices of groups; all others have slots of their own.
};

/// Where a morph of a part moves what, in the layout's own units; vertices that stay are not listed.
struct SkinMorph {
  Index part = 0;
  Index morph = 0;
  std::string name;
  std::vector<Index> places;  ///< Block times width plus lane.
  std::vector<Vec3f> deltas;
};

/// A rig's rest data as the kernels read it: single precision about the middle of the bounding box in units of its
/// diagonal, in blocks of eight vertices. Vertices that follow one another in the file make a block where few joints
/// move all of them; the others are brought together by equal influence sets inside windows of the file's order, so
/// that scattered output stays in the cache. A block whose vertices differ lists all their joints and has zero weights.
/// Joints of a block are in increasing order, so that copies of a vertex with equal weights come out
/// bit for bit the same wherever they lie. Rows are scaled to the sum 1 and weights that are not positive numbers are
/// left out; a vertex without any hangs on the joint of its rigid part, or stays.
struct SkinLayout {
  Index vertex_count = 0;
  Vec3 center = Vec3::Zero();
  double size = 1;
  Vec3f origin = Vec3f::Zero();  ///< The centre as a float: where output is counted from.
  std::vector<SkinSlot> slots;
  std::vector<SkinBlock> blocks;
  std::vector<std::uint32_t> slot_lists;
  std::vector<Lanes> weights;
  std::vector<Lanes> positions;          ///< Three per block: x, y, z.
  std::vector<Lanes> normals;            ///< Three per block; see `vertex_normals_of`.
  std::vector<std::uint32_t> vertices;   ///< The vertex of each lane; lanes beyond a block's count repeat its last one.
  std::vector<std::uint32_t> scattered;  ///< The same, only of blocks that are not consecutive.
  std::vector<Index> groups;             ///< Per block, of its vertices; empty if there are no groups.
  std::vector<SkinMorph> morphs;
  std::vector<std::string> part_names;
  std::vector<std::string> joint_names;
};

/// Sorts once: n log n in the vertices of a window. `groups`, one per vertex or none at all, are kept apart: a block
/// has vertices of one group; kNone is for those that are in none. \throws Error if the rig is not valid, Cancelled.
SkinLayout make_skin_layout(const Rig& rig, const Progress& progress = {}, std::span<const Index> groups = {});

/// One normal per vertex: the mesh's own where all corners of the vertex have the same one, else that of the faces
/// around it. A deformer gives one normal per vertex; what breaks at a crease within a vertex is smoothed there.
std::vector<Vec3f> vertex_normals_of(const Mesh& mesh);

/// Rest positions with morphs, kept from frame to frame.
struct MorphedRest {
  std::vector<double> weights;  ///< Those `positions` was made with, one per morph of the layout.
  std::vector<Lanes> positions;
};

/// The rest positions for these morph weights: the layout's own when all are zero; made anew only when they change.
/// \throws Error naming the morph when a weight is not finite.
const Lanes* morphed_rest(const SkinLayout& layout, const std::vector<std::vector<double>>& morph_weights,
                          MorphedRest& cache);

/// Per slot rest to posed model space, in double. \throws Error naming the joint when a matrix is not finite, or when
/// the pose is of another skeleton.
void skinning_matrices(const SkinLayout& layout, const ModelPose& pose, std::vector<Mat4>& matrices);

/// A slot's matrix between the layout's units: rest about its centre to output about its origin.
Mat4 in_layout_units(const SkinLayout& layout, const Mat4& matrix);

/// Whether a matrix is a rotation, or mirror, times one factor, as near as a normal can tell.
bool keeps_angles(const Mat4& matrix);

/// Rows of a matrix between the layout's units, as a palette holds them.
void store_rows(const Mat4& matrix, float* rows);

/// The name of a slot's joint, for messages.
std::string joint_name(const SkinLayout& layout, const SkinSlot& slot);

/// Runs a kernel over all blocks, on several threads above a size.
void run_blocks(const SkinLayout& layout, const BlendJob& job,
                void (*kernel)(const BlendJob&, std::size_t, std::size_t));

/// A job with all that comes from the layout filled in.
BlendJob blend_job(const SkinLayout& layout);

}  // namespace sinew::deform
