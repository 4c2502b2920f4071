// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What can be wrong with a mesh, done to it on purpose.

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"

namespace sinew::test {

/// A mesh and the joints to bind it to.
struct DamagedBody {
  Mesh mesh;                  ///< One part, without layers or morphs.
  std::vector<Mat4> joints;   ///< Per joint of the skeleton.
  std::vector<Index> source;  ///< Per vertex: the vertex of the undamaged mesh it is, or kNone for one that was added.
};

/// The mesh without layers, materials and morphs, in one part: nothing is damaged yet.
DamagedBody undamaged(const Mesh& mesh, const std::vector<Mat4>& joints);

/// The sixteen: "noise" (0.2 % of the size), "missing faces" (1 %), "open feet" (all faces below 3 % of the height),
/// "flipped", "some flipped" (5 %), "soup" (no face shares a vertex), "inner shell", "outer shell" (a copy 1 % of the
/// size within or around it), "fin" (a sheet that stands on the surface), "duplicate faces", "degenerate faces",
/// "isolated vertices", "small" (scale 1e-3), "large" (1e3), "shifted bones" (each joint by 5 % of the length of its
/// bone, in random directions), "cut" (in two parts along a plane; the borders coincide).
const std::vector<std::string>& damage_names();

/// \pre the name is one of `damage_names()`.
DamagedBody damaged(const DamagedBody& body, const Skeleton& skeleton, const std::string& name, std::uint64_t seed);

/// One to four of them after another, at random strengths, and worse: faces missing up to 60 %, pieces moved apart,
/// all at one place.
DamagedBody randomly_damaged(const DamagedBody& body, const Skeleton& skeleton, std::uint64_t seed);

}  // namespace sinew::test
