// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Selects the parts of a character that are bound, and writes their new weights back into its rig.

#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// How a part of the mesh is treated.
enum class PartTreatment {
  kBind,  ///< The chosen method computes its weights.
  kKeep,  ///< It does not change.
};

struct PartPlan {
  PartTreatment treatment = PartTreatment::kBind;
  std::string reason;  ///< Why it is kept: a short phrase.
};

/// Returns one plan per part. A part is kept if it is attached rigidly to a joint that is bound or that a skin lists,
/// or to a descendant of such a joint. All other parts are bound.
std::vector<PartPlan> plan_parts(const Rig& rig, const std::vector<char>& bound);

/// The bound parts of a mesh as a separate mesh with positions, faces and morphs. Vertices that are left out, and faces
/// with such a vertex, are missing from it.
struct ChosenParts {
  Mesh mesh;
  std::vector<Index> vertices;  ///< Per vertex of `mesh`: its number in the whole mesh.
};
ChosenParts chosen_parts(const Mesh& mesh, const std::vector<PartPlan>& plan, const std::vector<char>& left_out = {});

/// What `put_weights` did to the skins.
struct SkinChanges {
  Index new_skins = 0;
  Index newly_skinned_parts = 0;
  Index added_joints = 0;  ///< Joints added to existing skins.

  bool any() const { return new_skins + newly_skinned_parts + added_joints > 0; }
};

/// Puts new rows into a rig; rows of kept parts stay. Skins keep their joints and bind matrices; joints that now have
/// weight in a skin that does not list them are added to it with the inverse of their `frames`, the matrices at
/// binding. Parts without a skin get the skin with the most vertices, or a new skin of all `bound` joints if there is
/// none. \pre one row per vertex of `chosen`. \throws Error if a frame that is needed cannot be inverted.
SkinChanges put_weights(Rig& rig, const std::vector<PartPlan>& plan, const std::vector<Index>& chosen,
                        const SkinWeights& rows, const std::vector<Mat4>& frames, const std::vector<char>& bound);

}  // namespace sinew::pipeline
