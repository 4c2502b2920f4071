// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/rigging/build/rest_pose.h"
#include "sinew/transfer/match/joint_map.h"

namespace sinew::pipeline {
namespace {

/// The parts that tell how skin moves: skinned ones, or all if those are the smaller share.
std::vector<PartPlan> telling_parts(const Rig& rig) {
  std::vector<PartPlan> plan(rig.mesh.parts.size());
  Index skinned = 0;
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) skinned += part.vertex_count;
  if (2 * skinned < rig.mesh.vertex_count()) return plan;
  for (std::size_t p = 0; p < plan.size(); ++p)
    if (rig.mesh.parts[p].skin == kNone) plan[p] = {PartTreatment::kKeep, "hangs rigidly on a joint"};
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

}  // namespace

TransferReference::TransferReference(const std::filesystem::path& path, Report& report, const Progress& progress) {
  asset_ = io::load(path, {}, progress);
  report.inputs.insert(report.inputs.end(), asset_.files.begin(), asset_.files.end());
  report.warn(asset_.warnings);
  Rig& rig = asset_.character.rig;
  if (rig.mesh.face_count() == 0)
    throw Error(fmt::format("{} has no mesh, so there are no weights to transfer. Name a rigged character first.",
                            path.string()));
  const auto skinned = [](const MeshPart& part) { return part.skin != kNone; };
  if (rig.weights.empty() || std::none_of(rig.mesh.parts.begin(), rig.mesh.parts.end(), skinned))
    throw Error(fmt::format(
        "{} has no skin, so there are no weights to transfer. The first file is the reference, which has the "
        "rig; those after it get it.",
        path.string()));
  std::vector<Mat4> frames = binding_matrices(rig, report.warnings);
  rigging::gather_in_bind_pose(rig, frames);
  ChosenParts chosen = chosen_parts(rig.mesh, telling_parts(rig));
  mesh_ = std::move(chosen.mesh);
  const SkinWeights all = rig.weights.normalized();
  SkinWeights weights;
  moves_skin_.assign(rig.skeleton.joints.size(), 0);
  for (const Index v : chosen.vertices) {
    weights.add_row(all.row(v));
    for (const Influence& influence : all.row(v)) moves_skin_[influence.joint] = 1;
  }
  if (weights.influence_count() == 0)
    throw Error(fmt::format("{}: no vertex of its skin has weights, so there is nothing to transfer.", path.string()));
  side_.emplace(transfer::Reference{{mesh_, rig.skeleton, std::move(frames)}, std::move(weights)});
  helpers_ = transfer::helper_joints(rig.skeleton);
  primary_ = transfer::primary_joints(rig.skeleton, moves_skin_, helpers_);
  skin_order_ = joints_of_skins(rig);
}

transfer::Guides TransferReference::guides(const transfer::Side& target, const transfer::Correspondence& correspondence,
                                           const transfer::GuideOptions& options, const Progress& progress) {
  // Ends that only one of them knows are found by the bodies, for both.
  Skeleton own = skeleton(), other = target.skeleton;
  GuideKey key;
  for (const transfer::JointPair& pair : correspondence.pairs) {
    std::optional<Vec3>&a = own.joints[pair.reference].end_local, &b = other.joints[pair.target].end_local;
    const bool both = a.has_value() && b.has_value();
    if (!both) a.reset(), b.reset();
    key.push_back({pair.reference, pair.parent, both ? 1U : 0U});
  }
  transfer::Guides guides;
  const auto kept = guides_.find(key);
  if (kept != guides_.end()) guides.reference = kept->second;
  else {
    const transfer::Side reference{mesh_, own, side_->joints};
    guides.reference = transfer::make_guide(reference, correspondence, true, options, progress);
    guides_.emplace(std::move(key), guides.reference);
  }
  guides.target = transfer::make_guide({target.mesh, other, target.joints}, correspondence, false, options, progress);
  return guides;
}

const std::optional<rigging::PlanResult>& TransferReference::plan(const Template& skeleton_template,
                                                                  const Progress& progress) {
  const auto kept = plans_.find(skeleton_template.name);
  if (kept != plans_.end()) return kept->second;
  std::optional<rigging::PlanResult> made;
  try {
    rigging::RiggerRequest request;
    request.templates = {skeleton_template};
    made = rigging::plan_skeleton(mesh_, request, {}, progress);
    if (!made->fits) made.reset();
  } catch (const Error&) {
    // A mesh that encloses nothing; what the plan would have told is then not known.
  }
  return plans_.emplace(skeleton_template.name, std::move(made)).first->second;
}

}  // namespace sinew::pipeline
