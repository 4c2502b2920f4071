// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Reports what a character contains and which problems it has.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::pipeline {

struct InspectOptions {
  bool deep = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("deep", "Also look for triangles that intersect each other."), self.deep);
  }
};

/// The probable unit and orientation of the character, guessed from its shape alone.
struct SpaceGuess {
  enum class Confidence { kLow, kMedium, kHigh };

  std::string unit = "m";  ///< "m", "dm", "cm" or "mm".
  Confidence unit_confidence = Confidence::kLow;
  std::string up = "+y";
  Confidence up_confidence = Confidence::kLow;
  int side_axis = 0;                           ///< The axis along which left and right mirror each other.
  std::array<double, 3> symmetry = {0, 0, 0};  ///< Per axis the share of the shape that its mirror image covers.
  double height = 0;                           ///< Along the likely up axis, in the file's unit as read.
};

struct MeshHealth {
  Box bounds;
  geometry::Topology topology;
  std::vector<geometry::Volume> volumes;  ///< Per part.
  geometry::Volume volume;                ///< Of all.
  std::vector<Index> inside_out;          ///< Closed parts that face inwards.
  SpaceGuess space;
  std::optional<geometry::SelfIntersections> self_intersections;
};

struct JointFacts {
  Index depth = 0;
  std::uint64_t vertices = 0;  ///< Vertices that it moves, including rigid parts.
  bool outside = false;        ///< Whether a joint that moves vertices is located outside the skin at binding.
  double winding = 0;          ///< Winding number of the skin at the joint; 0 for joints that move nothing.
};

struct SkeletonHealth {
  std::vector<JointFacts> joints;
  std::uint64_t deforming = 0;      ///< Joints that a skin lists.
  std::uint64_t moving = 0;         ///< Joints that move at least one vertex.
  std::vector<Index> outside;       ///< Joints outside the skin.
  std::vector<Index> zero_length;   ///< Deforming joints at the position of their deforming parent.
  std::vector<Index> scaled;        ///< Rest scale other than 1.
  std::vector<Index> uneven_scale;  ///< Rest scale that differs between axes.
  std::vector<Index> mirrored;      ///< A negative scale.
  std::vector<Index> collapsed;     ///< A scale of zero.
  std::vector<Index> sheared;       ///< In model space, at rest.
  std::uint64_t bind_differs = 0;   ///< Joints of skins whose bind pose is not their rest pose.
  std::uint64_t bind_singular = 0;  ///< Bind matrices without inverse.
  double bind_joint_rel = 0;        ///< Largest distance between a joint bound and at rest, relative to the size.
  double bind_skin_rel = 0;         ///< Largest distance a vertex moves from bind to rest pose, relative to the size.
};

struct WeightHealth {
  std::uint64_t rows = 0;  ///< Vertices of skinned parts.
  std::uint64_t empty_rows = 0;
  std::uint64_t bad_sums = 0;            ///< Rows whose sum differs from 1 by more than 1e-3.
  std::uint64_t bad_values = 0;          ///< Rows with a negative or non-finite weight.
  double worst_sum = 1;                  ///< The sum furthest from 1.
  std::vector<std::uint64_t> histogram;  ///< Rows with 0, 1, 2, … influences.
  std::uint64_t split_differs = 0;       ///< Welded vertices whose copies have weights that differ by more than 1e-3.
  std::vector<Index> idle_joints;        ///< Deforming joints without vertices.
};

struct ClipFacts {
  std::string name;
  double duration_s = 0;
  std::uint64_t keys = 0;
  std::uint64_t rotated = 0, translated = 0, scaled = 0;  ///< Joints with such a track.
  std::uint64_t joints = 0;                               ///< Joints with any.
  std::uint64_t morphed_parts = 0;
};

/// Everything that `inspect` finds.
struct CharacterFacts {
  std::uint64_t morph_splits = 0;  ///< Vertices whose copies morphs move apart.
  MeshHealth mesh;
  SkeletonHealth skeleton;
  WeightHealth weights;
  std::vector<ClipFacts> clips;
  Findings
      findings;  ///< Only real harm: what looks or moves wrongly in any program. docs/commands/info.md lists the codes.
};

/// Inspects a character without changing it. The cost is linear in the mesh, or n log n with `deep`. \throws Cancelled.
CharacterFacts inspect(const Character& character, const InspectOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::pipeline
