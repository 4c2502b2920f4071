// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What `info` finds out, before it is put into words or JSON.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::jobs {

/// How the character probably lies in space, guessed from its shape alone.
struct SpaceGuess {
  enum class Confidence { kLow, kMedium, kHigh };

  std::string unit = "m";  ///< "m", "dm", "cm" or "mm".
  Confidence unit_confidence = Confidence::kLow;
  std::string up = "+y";
  Confidence up_confidence = Confidence::kLow;
  int side_axis = 0;                           ///< Left and right mirror each other along it.
  std::array<double, 3> symmetry = {0, 0, 0};  ///< Per axis the share of the shape that its mirror image covers.
  double height = 0;                           ///< Along the likely up axis, in the file's unit as read.
};
const char* word(SpaceGuess::Confidence confidence);

/// A bounding box and a coarse grid of the vertices decide: the side axis is the most symmetric one; of the other two
/// the one that stands on zero, or the longer one, points up; a person is 1.4 to 2.1 m tall. Linear.
SpaceGuess guess_space(const Mesh& mesh);

struct MeshHealth {
  Box bounds;
  geometry::Topology topology;
  std::vector<geometry::Volume> volumes;  ///< Per part.
  geometry::Volume volume;                ///< Of all.
  std::vector<Index> inside_out;          ///< Closed parts that face inwards.
  SpaceGuess space;
  std::optional<geometry::SelfIntersections> self_intersections;
};
MeshHealth mesh_health(const Mesh& mesh, const geometry::Welding& welding, bool deep, const Progress& progress);

struct JointFacts {
  Index depth = 0;
  std::uint64_t vertices = 0;  ///< That it moves, rigid parts included.
  bool outside = false;        ///< A joint that moves vertices and lies outside the skin where it was bound.
  double winding = 0;          ///< Winding number of the skin at the joint; 0 for joints that were not looked at.
};

struct SkeletonHealth {
  std::vector<JointFacts> joints;
  std::uint64_t deforming = 0;      ///< Joints that a skin lists.
  std::uint64_t moving = 0;         ///< Joints that move at least one vertex.
  std::vector<Index> outside;       ///< Joints outside the skin.
  std::vector<Index> zero_length;   ///< Deforming joints at the place of their deforming parent.
  std::vector<Index> scaled;        ///< Rest scale other than 1.
  std::vector<Index> uneven_scale;  ///< Not the same along all axes.
  std::vector<Index> mirrored;      ///< A negative scale.
  std::vector<Index> collapsed;     ///< A scale of zero.
  std::vector<Index> sheared;       ///< In model space, at rest.
  std::uint64_t bind_differs = 0;   ///< Joints of skins whose bind pose is not their rest pose.
  std::uint64_t bind_singular = 0;  ///< Bind matrices without inverse.
  double bind_joint_rel = 0;        ///< Largest distance between a joint bound and at rest, relative to the size.
  double bind_skin_rel = 0;         ///< Largest distance a vertex moves from bind to rest pose, relative to the size.
};
SkeletonHealth skeleton_health(const Rig& rig, const geometry::Welding& welding, const geometry::Topology& topology,
                               double size);

struct WeightHealth {
  std::uint64_t rows = 0;  ///< Vertices of skinned parts.
  std::uint64_t empty_rows = 0;
  std::uint64_t bad_sums = 0;            ///< Further than 1e-3 from 1.
  std::uint64_t bad_values = 0;          ///< Rows with a negative or non-finite weight.
  double worst_sum = 1;                  ///< The sum furthest from 1.
  std::vector<std::uint64_t> histogram;  ///< Rows with 0, 1, 2, … influences.
  std::uint64_t split_differs = 0;       ///< Welded vertices whose copies have weights that differ by more than 1e-3.
  std::vector<Index> idle_joints;        ///< Deforming joints without vertices.
};
WeightHealth weight_health(const Rig& rig, const geometry::Welding& welding, const SkeletonHealth& skeleton);

struct ClipFacts {
  std::string name;
  double duration_s = 0;
  std::uint64_t keys = 0;
  std::uint64_t rotated = 0, translated = 0, scaled = 0;  ///< Joints with such a track.
  std::uint64_t joints = 0;                               ///< Joints with any.
  std::uint64_t morphed_parts = 0;
};
ClipFacts clip_facts(const Clip& clip);

struct InfoFacts {
  std::uint64_t morph_splits = 0;  ///< Vertices whose copies morphs move apart.
  MeshHealth mesh;
  SkeletonHealth skeleton;
  WeightHealth weights;
  std::vector<ClipFacts> clips;
};

}  // namespace sinew::jobs
