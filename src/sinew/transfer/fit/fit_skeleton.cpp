// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/fit/fit_skeleton.h"

#include <Eigen/LU>

#include <algorithm>

#include "sinew/core/rotation.h"

namespace sinew::transfer {
namespace {

// Nodes that do more than carry a rigid mesh, unless that mesh is part of the reference.
std::vector<char> kept_nodes(const Skeleton& skeleton, const ReferenceJoints& joints) {
  std::vector<char> keep(skeleton.joints.size(), 1), carries(skeleton.joints.size(), 0);
  for (Index j = skeleton.size(); j-- > 0;) {
    const Joint& joint = skeleton.joints[j];
    keep[j] = joint.deforming || joints.moves_skin[j] != 0 || carries[j] != 0 || joints.rigid_mesh[j] == 0 ? 1 : 0;
    if (keep[j] != 0 && joint.parent != kNone) carries[joint.parent] = 1;
  }
  return keep;
}

// Nearest joint above that is kept.
Index kept_above(const Skeleton& skeleton, const std::vector<char>& keep, Index joint) {
  for (Index j = skeleton.joints[joint].parent; j != kNone; j = skeleton.joints[j].parent)
    if (keep[j] != 0) return j;
  return kNone;
}

// Local transforms from frames.
void set_rest(Skeleton& skeleton, const std::vector<Mat4>& frames) {
  for (Index j = 0; j < skeleton.size(); ++j) {
    Joint& joint = skeleton.joints[j];
    const Mat4 local = joint.parent == kNone ? frames[j] : Mat4(frames[joint.parent].inverse() * frames[j]);
    const Decomposed parts = decompose(local);
    joint.rest = parts.transform;
    if (joint.rest.scale.isApprox(Vec3::Ones(), 1e-9)) joint.rest.scale.setOnes();
    joint.shear = parts.shear;
    if (joint.shear.isApprox(Mat3::Identity(), 1e-9)) joint.shear.setIdentity();
  }
}

/// Some joints of the reference as a skeleton of their own.
struct Selection {
  Skeleton skeleton;
  std::vector<Index> of_reference;  // Per joint of the reference.
  std::vector<Index> origin;        // Per joint of the selection.
};

Selection selected(const Skeleton& reference, const std::vector<char>& keep) {
  Selection selection;
  selection.of_reference.assign(reference.joints.size(), kNone);
  for (Index j = 0; j < reference.size(); ++j) {
    if (keep[j] == 0) continue;
    Joint joint = reference.joints[j];
    const Index above = kept_above(reference, keep, j);
    joint.parent = above == kNone ? kNone : selection.of_reference[above];
    joint.source = kNone;
    selection.of_reference[j] = selection.skeleton.size();
    selection.origin.push_back(j);
    selection.skeleton.joints.push_back(std::move(joint));
  }
  for (Joint& joint : selection.skeleton.joints) {
    if (joint.mirror != kNone) joint.mirror = selection.of_reference[joint.mirror];
    if (!joint.driver) continue;
    if (joint.driver->source != kNone) joint.driver->source = selection.of_reference[joint.driver->source];
    if (joint.driver->source == kNone) joint.driver.reset();
  }
  return selection;
}

// How each joint of a selection turned: the mean of its bones' turns; what has no bones turns with what it hangs on.
std::vector<Mat3> turns(const TransferBody& reference, const TransferBody& target, const Selection& selection,
                        const Correspondence& correspondence, const JointBody& body) {
  const auto bones = paired_bones(reference, target, correspondence);
  std::vector<Mat3> of_reference(reference.skeleton.joints.size(), correspondence.turn);
  std::vector<char> paired(of_reference.size(), 0);
  for (Index p = 0; p < correspondence.pairs.size(); ++p) {
    Mat3 sum = Mat3::Zero();
    for (const PairedBone& bone : bones[p]) sum += (bone.is_point() ? 1.0 : bone.reference_length()) * bone.turn;
    const Index joint = correspondence.pairs[p].reference;
    of_reference[joint] = bones[p].size() == 1 ? bones[p].front().turn : polar(sum).rotation;
    paired[joint] = 1;
  }
  std::vector<Mat3> turn;
  for (const Index origin : selection.origin) {
    Index j = origin;
    while (j != kNone && paired[j] == 0) j = body.parent[j];
    turn.push_back(j == kNone ? correspondence.turn : of_reference[j]);
  }
  return turn;
}

// The primary joints of the reference, each paired with itself.
Correspondence self_pairs(const JointBody& body, const Selection& base, const Mat3& turn) {
  Correspondence result;
  result.turn = turn;
  std::vector<Index> number(body.count(), kNone), order = body.tops;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<Index>& below = body.below[order[i]];
    order.insert(order.end(), below.begin(), below.end());
  }
  for (const Index j : order) {
    const Index above = body.counting_above(j);
    number[j] = static_cast<Index>(result.pairs.size());
    result.pairs.push_back({j, base.of_reference[j], above == kNone ? kNone : number[above]});
  }
  return result;
}

/// All joints but helpers, in their positions.
struct BaseFit {
  Selection selection;
  std::vector<Mat4> frames;
  Correspondence pairs;
};

// Axes are rotated as the bones are.
BaseFit fit_base(const JointBody& body, const Mesh& mesh, const std::vector<char>& first,
                 const JointPositions& positions) {
  const TransferBody& reference = body.side;
  BaseFit base;
  base.selection = selected(reference.skeleton, first);
  base.pairs = self_pairs(body, base.selection, positions.turn);
  if (keeps_joints(positions.method)) {
    for (const Index j : base.selection.origin) base.frames.push_back(reference.joints[j]);
  } else {
    for (const Index j : base.selection.origin) {
      Mat4 frame = reference.joints[j];
      frame.topLeftCorner<3, 3>() = positions.turn.transpose() * reference.joints[j].topLeftCorner<3, 3>();
      frame.topRightCorner<3, 1>() = *positions.position[j];
      base.frames.push_back(frame);
    }
    const std::vector<Mat3> turn =
        turns(reference, {mesh, base.selection.skeleton, base.frames}, base.selection, base.pairs, body);
    for (std::size_t i = 0; i < base.frames.size(); ++i)
      base.frames[i].topLeftCorner<3, 3>() =
          turn[i].transpose() * reference.joints[base.selection.origin[i]].topLeftCorner<3, 3>();
  }
  set_rest(base.selection.skeleton, base.frames);
  return base;
}

// Base and helpers in the reference's order, with its parents.
SkeletonFit gathered(const JointBody& body, const std::vector<char>& keep, const std::vector<char>& first,
                     const BaseFit& base, AddedJoints added, const JointPositions& positions, bool drivers) {
  SkeletonFit fit;
  Selection whole = selected(body.side.skeleton, keep);
  std::vector<Index> from, final_of(added.skeleton.joints.size(), kNone);
  for (Index i = 0; i < whole.origin.size(); ++i) {
    const Index j = whole.origin[i];
    from.push_back(first[j] != 0 ? base.selection.of_reference[j] : added.of_reference[j]);
    final_of[from.back()] = i;
  }
  for (Index i = 0; i < whole.origin.size(); ++i) {
    const Index j = whole.origin[i];
    Joint& joint = whole.skeleton.joints[i];
    fit.joints.push_back(added.joints[from[i]]);
    joint.driver = drivers ? added.skeleton.joints[from[i]].driver : std::nullopt;
    if (joint.driver && joint.driver->source != kNone) joint.driver->source = final_of[joint.driver->source];
    // Where a leaf ends in another body depends on that body.
    if (!keeps_joints(positions.method)) joint.end_local.reset();
    fit.summary.origin.push_back(first[j] != 0 ? positions.origin[j] : "helper");
    fit.summary.joint_confidence.push_back(positions.confidence[j]);
  }
  set_rest(whole.skeleton, fit.joints);
  fit.skeleton = std::move(whole.skeleton);
  fit.of_reference = std::move(whole.of_reference);
  fit.map.correspondence = base.pairs;
  for (JointPair& pair : fit.map.correspondence.pairs) pair.target = fit.of_reference[pair.reference];
  for (Index j = 0; j < body.count(); ++j)
    if (body.counts[j] != 0) fit.map.joints.push_back({j, fit.of_reference[j], "copied"});
  fit.summary.method = positions.method;
  fit.summary.template_name = positions.template_name;
  fit.summary.confidence = positions.overall;
  fit.findings = positions.findings;
  fit.findings.insert(fit.findings.end(), added.warnings.begin(), added.warnings.end());
  fit.notes = positions.notes;
  return fit;
}

}  // namespace

SkeletonFit fit_skeleton(const TransferBody& reference, const ReferenceJoints& joints, const Mesh& mesh,
                         const FitOptions& options, TemplatePlans& reference_plans, const Progress& progress) {
  const JointBody body(reference, joints.primary);
  const std::vector<char> keep = kept_nodes(reference.skeleton, joints);
  // Helpers are placed by what they help, once that has its position.
  std::vector<char> first = keep, helpers(keep.size(), 0);
  for (Index j = 0; j < first.size(); ++j) {
    if (options.drivers && joints.helper[j] != 0) first[j] = 0;
    helpers[j] = keep[j] != 0 && first[j] == 0 ? 1 : 0;
  }
  const Relation relation = options.relation != nullptr ? *options.relation : relate(reference.mesh, mesh);
  const JointPositions positions =
      filled_positions(body, mesh, first_positions(body, mesh, relation, reference_plans, progress));
  const BaseFit base = fit_base(body, mesh, first, positions);
  AddedJoints added =
      add_joints(reference, {mesh, base.selection.skeleton, base.frames}, base.pairs, helpers, options.placement);
  return gathered(body, keep, first, base, std::move(added), positions, options.drivers);
}

}  // namespace sinew::transfer
