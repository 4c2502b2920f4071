// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The reference's skeleton inside a mesh that has none.

#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/pipeline/transfer_reference.h"
#include "sinew/transfer/joints/added_joints.h"
#include "sinew/transfer/match/joint_map.h"

namespace sinew::pipeline {

struct FittedSkeleton {
  Skeleton skeleton;         ///< The reference's nodes, but for those of rigid meshes, with its names, in its order.
  std::vector<Mat4> joints;  ///< Frames; the rest pose is the pose of the mesh.
  std::vector<Index>
      of_reference;        ///< Per joint of the reference: that of `skeleton`, or kNone for a node that stayed behind.
  transfer::JointMap map;  ///< Of the primary joints, to themselves.
  std::string how;         ///< "copied", "template", "own template", "box".
  std::string template_name;        ///< The built-in one, if any.
  double confidence = 1;            ///< 0 to 1.
  std::vector<std::string> origin;  ///< Per joint of `skeleton`: how its place was found.
  std::vector<double> joint_confidence;
  Findings warnings;
};

/// Fits the skeleton of a reference into a mesh.
///
/// If the mesh has the reference's surface, as levels of detail have, joints stay where they are. Else both bodies are
/// looked at through one template (`rigging::plan_skeleton`): the built-in one for the kind of body that the
/// reference's names tell, else one made of the reference's own joints. A joint lies from where the template has its
/// like in the target as it does in the reference, turned with the bone and scaled by its length, and inside. Joints
/// that the template does not have lie between or beyond those it has, in the same way. If no template fits, joints are
/// scaled with the boxes around both meshes, and a warning says so.
///
/// Axes turn with the bones, so that the reference's local rotations make the same poses. Helpers are placed as
/// `transfer::add_joints` does it; with `drivers` false they come along like other joints and nothing drives them.
FittedSkeleton fit_skeleton(TransferReference& reference, const Mesh& mesh, transfer::Placement placement, bool drivers,
                            const Progress& progress);

}  // namespace sinew::pipeline
