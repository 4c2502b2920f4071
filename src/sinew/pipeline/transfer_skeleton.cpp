// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_skeleton.h"

#include <Eigen/LU>

#include <algorithm>

#include "sinew/core/rotation.h"
#include "sinew/pipeline/transfer_places.h"

namespace sinew::pipeline {
namespace {

using transfer::JointBody;

// Nodes that are not there for a rigid mesh alone, unless that mesh is part of the reference.
std::vector<char> kept_nodes(const Rig& rig, const std::vector<char>& moves_skin) {
  std::vector<char> keep(rig.skeleton.joints.size(), 1), carries(rig.skeleton.joints.size(), 0);
  std::vector<char> of_mesh(rig.skeleton.joints.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin == kNone && part.joint != kNone) of_mesh[part.joint] = 1;
  for (Index j = rig.skeleton.size(); j-- > 0;) {
    const Joint& joint = rig.skeleton.joints[j];
    keep[j] = joint.deforming || moves_skin[j] != 0 || carries[j] != 0 || of_mesh[j] == 0 ? 1 : 0;
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
std::vector<Mat3> turns(const transfer::Side& reference, const transfer::Side& target, const Selection& selection,
                        const transfer::Correspondence& correspondence, const JointBody& body) {
  const auto bones = transfer::paired_bones(reference, target, correspondence);
  std::vector<Mat3> of_reference(reference.skeleton.joints.size(), correspondence.turn);
  std::vector<char> paired(of_reference.size(), 0);
  for (Index p = 0; p < correspondence.pairs.size(); ++p) {
    Mat3 sum = Mat3::Zero();
    for (const transfer::PairedBone& bone : bones[p])
      sum += (bone.is_point() ? 1.0 : bone.reference_length()) * bone.turn;
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

/// One skeleton on its way into a mesh.
class Fitter {
 public:
  Fitter(TransferReference& reference, const Mesh& mesh, bool drivers)
      : reference_(reference),
        side_(reference.side()),
        mesh_(mesh),
        drivers_(drivers),
        body_(side_, reference.primary()),
        keep_(kept_nodes(reference.asset().character.rig, reference.moves_skin())),
        first_(keep_) {
    // Helpers are placed by what they help, once that is there.
    for (Index j = 0; j < first_.size(); ++j)
      if (drivers && reference.helpers()[j] != 0) first_[j] = 0;
  }

  FittedSkeleton run(transfer::Placement placement, const Progress& progress) {
    places_ = first_places(reference_, body_, mesh_, progress);
    fill_places(body_, mesh_, places_);
    place_base();
    std::vector<char> wanted(keep_.size(), 0);
    for (Index j = 0; j < keep_.size(); ++j) wanted[j] = keep_[j] != 0 && first_[j] == 0 ? 1 : 0;
    gather(
        transfer::add_joints(side_, {mesh_, base_.skeleton, frames_}, fitted_.map.correspondence, wanted, placement));
    fitted_.how = places_.how;
    fitted_.template_name = places_.template_name;
    fitted_.confidence = places_.overall;
    fitted_.warnings.insert(fitted_.warnings.begin(), places_.warnings.begin(), places_.warnings.end());
    return std::move(fitted_);
  }

 private:
  bool copied() const { return places_.how == "copied"; }
  void pair_with_themselves();
  void place_base();
  void gather(transfer::AddedJoints added);

  TransferReference& reference_;
  const transfer::Reference& side_;
  const Mesh& mesh_;
  bool drivers_;
  JointBody body_;
  std::vector<char> keep_, first_;  // Per joint of the reference: comes along; and is no helper.
  FittedPlaces places_;
  Selection base_;
  std::vector<Mat4> frames_;  // Of the base.
  FittedSkeleton fitted_;
};

void Fitter::pair_with_themselves() {
  transfer::Correspondence& pairs = fitted_.map.correspondence;
  pairs.turn = places_.turn;
  std::vector<Index> number(body_.count(), kNone), order = body_.tops;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<Index>& below = body_.below[order[i]];
    order.insert(order.end(), below.begin(), below.end());
  }
  for (const Index j : order) {
    const Index above = body_.counting_above(j);
    number[j] = static_cast<Index>(pairs.pairs.size());
    pairs.pairs.push_back({j, base_.of_reference[j], above == kNone ? kNone : number[above]});
  }
}

// All but helpers, with axes turned as their bones are.
void Fitter::place_base() {
  base_ = selected(side_.skeleton, first_);
  for (const Index j : base_.origin) {
    Mat4 frame = side_.joints[j];
    if (!copied()) {
      frame.topLeftCorner<3, 3>() = places_.turn.transpose() * side_.joints[j].topLeftCorner<3, 3>();
      frame.topRightCorner<3, 1>() = *places_.place[j];
    }
    frames_.push_back(frame);
  }
  pair_with_themselves();
  if (!copied()) {
    const std::vector<Mat3> turn =
        turns(side_, {mesh_, base_.skeleton, frames_}, base_, fitted_.map.correspondence, body_);
    for (std::size_t i = 0; i < frames_.size(); ++i)
      frames_[i].topLeftCorner<3, 3>() = turn[i].transpose() * side_.joints[base_.origin[i]].topLeftCorner<3, 3>();
  }
  set_rest(base_.skeleton, frames_);
}

// Base and helpers in the reference's order, with its parents.
void Fitter::gather(transfer::AddedJoints added) {
  Selection whole = selected(side_.skeleton, keep_);
  std::vector<Index> from, final_of(added.skeleton.joints.size(), kNone);
  for (Index i = 0; i < whole.origin.size(); ++i) {
    const Index j = whole.origin[i];
    from.push_back(first_[j] != 0 ? base_.of_reference[j] : added.of_reference[j]);
    final_of[from.back()] = i;
  }
  for (Index i = 0; i < whole.origin.size(); ++i) {
    const Index j = whole.origin[i];
    Joint& joint = whole.skeleton.joints[i];
    fitted_.joints.push_back(added.joints[from[i]]);
    joint.driver = drivers_ ? added.skeleton.joints[from[i]].driver : std::nullopt;
    if (joint.driver && joint.driver->source != kNone) joint.driver->source = final_of[joint.driver->source];
    // Where a leaf ends in another body is for that body to tell.
    if (!copied()) joint.end_local.reset();
    fitted_.origin.push_back(first_[j] != 0 ? places_.origin[j] : "helper");
    fitted_.joint_confidence.push_back(places_.confidence[j]);
  }
  set_rest(whole.skeleton, fitted_.joints);
  fitted_.skeleton = std::move(whole.skeleton);
  fitted_.of_reference = std::move(whole.of_reference);
  for (transfer::JointPair& pair : fitted_.map.correspondence.pairs) pair.target = fitted_.of_reference[pair.reference];
  for (Index j = 0; j < body_.count(); ++j)
    if (body_.counts[j] != 0) fitted_.map.joints.push_back({j, fitted_.of_reference[j], "copied"});
  fitted_.warnings = std::move(added.warnings);
}

}  // namespace

FittedSkeleton fit_skeleton(TransferReference& reference, const Mesh& mesh, transfer::Placement placement, bool drivers,
                            const Progress& progress) {
  return Fitter(reference, mesh, drivers).run(placement, progress);
}

}  // namespace sinew::pipeline
