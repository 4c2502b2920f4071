// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_parts.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>

#include "sinew/core/error.h"

namespace sinew::pipeline {
namespace {

bool hangs_on_bound(const Skeleton& skeleton, Index joint, const std::vector<char>& bound) {
  for (; joint != kNone; joint = skeleton.joints[joint].parent)
    if (bound[joint] != 0 || skeleton.joints[joint].deforming) return true;
  return false;
}

Mat4 inverse_frame(const Rig& rig, const std::vector<Mat4>& frames, Index joint) {
  const Mat4 inverse = frames[joint].inverse();
  if (!inverse.allFinite())
    throw Error(
        fmt::format("The joint '{}' is scaled to nothing where the skin is bound. Choose other joints with "
                    "the option 'joints'.",
                    rig.skeleton.joints[joint].name));
  return inverse;
}

void add_joint(Rig& rig, Skin& skin, Index joint, const std::vector<Mat4>& frames) {
  skin.joints.push_back(joint);
  skin.inverse_bind.push_back(inverse_frame(rig, frames, joint));
  rig.skeleton.joints[joint].deforming = true;
}

// The skin for parts that have none.
Index skin_for_new_parts(Rig& rig, const std::vector<Mat4>& frames, const std::vector<char>& bound,
                         SkinChanges& changes) {
  if (rig.skins.empty()) {
    Skin skin;
    skin.name = "skin";
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      if (bound[j] != 0) add_joint(rig, skin, j, frames);
    rig.skins.push_back(std::move(skin));
    ++changes.new_skins;
    return 0;
  }
  std::vector<Index> vertices(rig.skins.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  return static_cast<Index>(std::max_element(vertices.begin(), vertices.end()) - vertices.begin());
}

void give_skins(Rig& rig, const std::vector<PartPlan>& plan, const std::vector<Mat4>& frames,
                const std::vector<char>& bound, SkinChanges& changes) {
  Index skin = kNone;
  for (std::size_t p = 0; p < plan.size(); ++p) {
    MeshPart& part = rig.mesh.parts[p];
    if (plan[p].treatment != PartTreatment::kBind || part.skin != kNone) continue;
    if (skin == kNone) skin = skin_for_new_parts(rig, frames, bound, changes);
    part.skin = skin;
    part.joint = kNone;
    ++changes.newly_skinned_parts;
  }
}

void list_new_joints(Rig& rig, const std::vector<Mat4>& frames, SkinChanges& changes) {
  for (Index s = 0; s < rig.skins.size(); ++s) {
    std::vector<char> needed(rig.skeleton.joints.size(), 0);
    for (const MeshPart& part : rig.mesh.parts)
      if (part.skin == s)
        for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
          for (const Influence& influence : rig.weights.row(v)) needed[influence.joint] = 1;
    for (const Index joint : rig.skins[s].joints) needed[joint] = 0;
    for (Index j = 0; j < needed.size(); ++j) {
      if (needed[j] == 0) continue;
      add_joint(rig, rig.skins[s], j, frames);
      ++changes.added_joints;
    }
  }
}

}  // namespace

std::vector<PartPlan> plan_parts(const Rig& rig, const std::vector<char>& bound) {
  std::vector<PartPlan> plan(rig.mesh.parts.size());
  for (std::size_t p = 0; p < plan.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    if (part.skin == kNone && hangs_on_bound(rig.skeleton, part.joint, bound))
      plan[p] = {PartTreatment::kKeep, "is attached rigidly to a joint"};
  }
  return plan;
}

ChosenParts chosen_parts(const Mesh& mesh, const std::vector<PartPlan>& plan, const std::vector<char>& left_out) {
  ChosenParts chosen;
  std::vector<Index> number(mesh.positions.size(), kNone);
  for (std::size_t p = 0; p < plan.size(); ++p) {
    if (plan[p].treatment != PartTreatment::kBind) continue;
    MeshPart part = mesh.parts[p];
    const MeshPart& whole = mesh.parts[p];
    const Index first_vertex = whole.first_vertex, first_face = whole.first_face;
    part.first_vertex = chosen.mesh.vertex_count();
    part.first_face = chosen.mesh.face_count();
    for (Morph& morph : part.morphs) morph.deltas.clear();
    for (Index v = first_vertex; v < first_vertex + whole.vertex_count; ++v) {
      if (!left_out.empty() && left_out[v] != 0) continue;
      number[v] = chosen.mesh.vertex_count();
      for (std::size_t m = 0; m < part.morphs.size(); ++m)
        part.morphs[m].deltas.push_back(whole.morphs[m].deltas[v - first_vertex]);
      chosen.mesh.positions.push_back(mesh.positions[v]);
      chosen.vertices.push_back(v);
    }
    std::vector<Index> corners;
    for (Index f = first_face; f < first_face + whole.face_count; ++f) {
      corners.clear();
      for (const Index v : mesh.face(f)) corners.push_back(number[v]);
      if (std::find(corners.begin(), corners.end(), kNone) != corners.end()) continue;
      chosen.mesh.add_face(corners);
      if (!mesh.face_materials.empty()) chosen.mesh.face_materials.push_back(mesh.face_materials[f]);
    }
    part.vertex_count = chosen.mesh.vertex_count() - part.first_vertex;
    part.face_count = chosen.mesh.face_count() - part.first_face;
    chosen.mesh.parts.push_back(std::move(part));
  }
  return chosen;
}

SkinChanges put_weights(Rig& rig, const std::vector<PartPlan>& plan, const std::vector<Index>& chosen,
                        const SkinWeights& rows, const std::vector<Mat4>& frames, const std::vector<char>& bound) {
  std::vector<Index> row_of(rig.mesh.positions.size(), kNone);
  for (Index i = 0; i < chosen.size(); ++i) row_of[chosen[i]] = i;
  SkinWeights weights;
  weights.reserve(row_of.size(), rows.influence_count());
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (row_of[v] != kNone) weights.add_row(rows.row(row_of[v]));
      else if (!rig.weights.empty()) weights.add_row(rig.weights.row(v));
      else if (part.joint != kNone) weights.add_row({Influence{part.joint, 1.0F}});
      else weights.add_row({});
    }
  rig.weights = std::move(weights);
  SkinChanges changes;
  give_skins(rig, plan, frames, bound, changes);
  list_new_joints(rig, frames, changes);
  return changes;
}

}  // namespace sinew::pipeline
