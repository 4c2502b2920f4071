// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The reference's skeleton inside a mesh that has none.

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/transfer/fit/joint_positions.h"
#include "sinew/transfer/joints/added_joints.h"
#include "sinew/transfer/match/joint_map.h"

namespace sinew::transfer {

/// The function of each joint of a reference in a transfer; all per joint.
struct ReferenceJoints {
  std::vector<char> moves_skin;  ///< Has weight.
  std::vector<char> helper;      ///< See `helper_joints`.
  std::vector<char> primary;     ///< See `primary_joints`.
  std::vector<char> rigid_mesh;  ///< A mesh without a skin belongs to it.
};

struct FitOptions {
  Placement placement = Placement::kScaled;  ///< Of helpers.
  bool drivers = true;                       ///< False: helpers are fitted like other joints, and nothing drives them.
  const Relation* relation = nullptr;        ///< What the mesh is to the reference, if it is known already.
};

/// How a skeleton was fitted, and how far that can be trusted.
struct FitSummary {
  FitMethod method = FitMethod::kCopied;
  std::string template_name;        ///< The built-in one, if any.
  double confidence = 1;            ///< 0 to 1.
  std::vector<std::string> origin;  ///< Per joint of the fitted skeleton: how its position was found.
  std::vector<double> joint_confidence;
};

struct SkeletonFit {
  Skeleton skeleton;         ///< The reference's nodes, but for those of rigid meshes, with its names, in its order.
  std::vector<Mat4> joints;  ///< Frames; the rest pose is the pose of the mesh.
  std::vector<Index> of_reference;  ///< Per joint of the reference: that of `skeleton`, or kNone for a node left out.
  JointMap map;                     ///< Of the primary joints, to themselves.
  FitSummary summary;
  Findings findings;
  Findings notes;  ///< Why better methods were not used.
};

/// Fits the skeleton of a reference into a mesh.
///
/// If the mesh has the reference's surface, such as a level of detail, or lies on it, such as clothes made on the body
/// (`relate`), joints stay where they are. Else both bodies are
/// compared through one template (`rigging::plan_skeleton`): the built-in one for the kind of body that the reference's
/// names suggest, else one made of the reference's own joints. The offset of a joint from its counterpart in the
/// template is the same in the target as in the reference, rotated with the bone and scaled by its length, and stays
/// inside. Joints that the template lacks are placed between or beyond those it has, in the same way. If no template
/// fits, joints are scaled with the boxes around both meshes, with a warning. Each method that fails leaves its reason
/// in `notes`.
///
/// Axes rotate with the bones, so that the reference's local rotations make the same poses. Helpers are placed as
/// `add_joints` does. `reference_plans` keeps what is known of the reference for the next target. \throws Cancelled.
SkeletonFit fit_skeleton(const TransferBody& reference, const ReferenceJoints& joints, const Mesh& mesh,
                         const FitOptions& options, TemplatePlans& reference_plans, const Progress& progress = {});

}  // namespace sinew::transfer
