// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_reference.h"

#include <algorithm>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/rigging/build/rest_pose.h"
#include "sinew/transfer/match/joint_map.h"

namespace sinew::pipeline {
namespace {

/// The parts that show how skin moves: skinned ones, or all if those are the smaller share.
std::vector<PartPlan> counting_parts(const Rig& rig) {
  std::vector<PartPlan> plan(rig.mesh.parts.size());
  Index skinned = 0;
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) skinned += part.vertex_count;
  if (2 * skinned < rig.mesh.vertex_count()) return plan;
  for (std::size_t p = 0; p < plan.size(); ++p)
    if (rig.mesh.parts[p].skin == kNone) plan[p] = {PartTreatment::kKeep, "is attached rigidly to a joint"};
  return plan;
}

std::vector<Index> joints_of_skins(const Rig& rig) {
  std::vector<Index> vertices(rig.skins.size(), 0), order(rig.skins.size());
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  for (Index s = 0; s < order.size(); ++s) order[s] = s;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return vertices[a] > vertices[b]; });
  std::vector<Index> joints;
  std::vector<char> listed(rig.skeleton.joints.size(), 0);
  for (const Index s : order)
    for (const Index j : rig.skins[s].joints)
      if (std::exchange(listed[j], 1) == 0) joints.push_back(j);
  return joints;
}

std::vector<char> joints_of_rigid_meshes(const Rig& rig) {
  std::vector<char> flags(rig.skeleton.joints.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin == kNone && part.joint != kNone) flags[part.joint] = 1;
  return flags;
}

Character checked(Character character) {
  const Rig& rig = character.rig;
  if (rig.mesh.face_count() == 0)
    throw Error("The reference has no mesh, so there are no weights to transfer. Use a rigged character.");
  const auto skinned = [](const MeshPart& part) { return part.skin != kNone; };
  if (rig.weights.empty() || std::none_of(rig.mesh.parts.begin(), rig.mesh.parts.end(), skinned))
    throw Error(
        "The reference has no skin, so there are no weights to transfer. The reference comes first and has the rig; "
        "the targets after it receive it.");
  return character;
}

}  // namespace

TransferReference::TransferReference(Character character)
    : character_(checked(std::move(character))), body_{{mesh_, character_.rig.skeleton, {}}, {}} {
  Rig& rig = character_.rig;
  body_.joints = binding_matrices(rig, findings_);
  rigging::gather_in_bind_pose(rig, body_.joints);
  ChosenParts chosen = chosen_parts(rig.mesh, counting_parts(rig));
  mesh_ = std::move(chosen.mesh);
  const SkinWeights all = rig.weights.normalized();
  joints_.moves_skin.assign(rig.skeleton.joints.size(), 0);
  for (const Index v : chosen.vertices) {
    body_.weights.add_row(all.row(v));
    body_.stored.add_row(rig.weights.row(v));
    for (const Influence& influence : all.row(v)) joints_.moves_skin[influence.joint] = 1;
  }
  if (body_.weights.influence_count() == 0)
    throw Error("No vertex of the reference's skin has weights, so there is nothing to transfer.");
  joints_.helper = transfer::helper_joints(rig.skeleton);
  joints_.primary = transfer::primary_joints(rig.skeleton, joints_.moves_skin, joints_.helper);
  joints_.rigid_mesh = joints_of_rigid_meshes(rig);
  skin_order_ = joints_of_skins(rig);
}

TransferReference prepare_reference(const Character& character) { return TransferReference(character); }

}  // namespace sinew::pipeline
