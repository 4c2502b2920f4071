// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which parts of a character are bound, and how their new weights go back into its rig.

#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// What becomes of a part of the mesh.
enum class PartTreatment {
  kBind,  ///< It gets weights by the chosen method.
  kKeep,  ///< It stays as it is.
};

struct PartPlan {
  PartTreatment treatment = PartTreatment::kBind;
  std::string reason;  ///< Why it is kept: a few words.
};

/// One plan per part: parts that hang rigidly on a joint that is bound or that a skin lists, or on something below one,
/// stay; all others are bound.
std::vector<PartPlan> plan_parts(const Rig& rig, const std::vector<char>& bound);

/// The parts of a mesh that are bound, as a mesh of their own: positions, faces and morphs, without the vertices that
/// are left out and the faces that have one of them.
struct ChosenParts {
  Mesh mesh;
  std::vector<Index> vertices;  ///< Per vertex of `mesh`: that of the whole.
};
ChosenParts chosen_parts(const Mesh& mesh, const std::vector<PartPlan>& plan, const std::vector<char>& left_out = {});

/// What `put_weights` did to the skins.
struct SkinChanges {
  Index new_skins = 0;
  Index newly_skinned_parts = 0;
  Index added_joints = 0;  ///< To skins that were there.

  bool any() const { return new_skins + newly_skinned_parts + added_joints > 0; }
};

/// Puts new rows into a rig; rows of kept parts stay. Skins keep their joints and bind matrices; joints that now have
/// weight in one and that it does not list are added with the inverse of their `frames`, the matrices at binding. Parts
/// without a skin get the one that has most vertices, or a new one of all `bound` joints if there is none. \pre one row
/// per vertex of `chosen`. \throws Error if a frame that is needed cannot be inverted.
SkinChanges put_weights(Rig& rig, const std::vector<PartPlan>& plan, const std::vector<Index>& chosen,
                        const SkinWeights& rows, const std::vector<Mat4>& frames, const std::vector<char>& bound);

}  // namespace sinew::pipeline
