// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/binding/edit/weight_edit.h"
#include "sinew/binding/subject.h"
#include "sinew/core/progress.h"

namespace sinew::binding {

/// How a missing row was filled.
enum class FilledBy : std::uint8_t {
  kNothing,  ///< It was not missing, or no joint may be used there.
  kSurface,  ///< Harmonic along the surface between the good rows around it: a part that grows out of a limb follows
             ///< it.
  kBones,    ///< The same with heat from bones whose whole surroundings are missing, such as an arm without weights.
  kSkin,     ///< A shell without good rows on a skin: it moves with the skin.
  kJoint,    ///< A shell that touches nothing: it follows the nearest joint.
};
inline constexpr std::size_t kFilledByCount = 5;

struct Filled {
  SkinWeights weights;
  std::vector<FilledBy> how;                        ///< Per vertex of the mesh.
  std::array<Index, kFilledByCount> vertices = {};  ///< How many, by `FilledBy`.
  Index left = 0;                                   ///< Missing rows that stay empty: no joint may be used there.
};

/// Solves the rows marked in `missing` (one mark per vertex of the mesh) and keeps all others. A small shell gets one
/// row as a whole, so that it stays rigid. New rows have no more joints than the existing rows have, or 4. They use no
/// locked joints, and only joints that the skin of the part lists. Cost: one factorisation of the missing vertices.
/// \pre `subject.bound` marks the joints that may be used; at least one row is good.
Filled filled(const SkinWeights& weights, const std::vector<char>& missing, const Subject& subject,
              const EditSurface& surface, const EditScope& scope, const Progress& progress = {});

}  // namespace sinew::binding
