// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The positions of one body's joints in another body.

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/template.h"
#include "sinew/transfer/fit/template_plans.h"
#include "sinew/transfer/match/joint_body.h"
#include "sinew/transfer/relation/relation.h"

namespace sinew::transfer {

/// How the joints of a reference got into a mesh, from best to worst.
enum class FitMethod {
  kCopied,       ///< The surface is the same, so the joints stay where they are.
  kShared,       ///< The mesh lies on the reference's body, so the joints stay where they are.
  kTemplate,     ///< Through a built-in template that fits both bodies.
  kOwnTemplate,  ///< Through a template that is made of the reference's own joints.
  kBox,          ///< Scaled with the boxes around both meshes.
};
/// "copied", "shared", "template", "own template", "box".
const char* fit_name(FitMethod method);
/// Whether joints stay where they are.
inline bool keeps_joints(FitMethod method) { return method <= FitMethod::kShared; }

struct JointPositions {
  std::vector<std::optional<Vec3>> position;  ///< Per joint of the reference.
  std::vector<std::string> origin;            ///< Per joint: how its position was found.
  std::vector<double> confidence;
  Mat3 turn = Mat3::Identity();  ///< The target's directions to the reference's.
  double scale = 1;              ///< Of the target to the reference.
  FitMethod method = FitMethod::kCopied;
  std::string template_name;  ///< The built-in one, if any.
  double overall = 1;         ///< Confidence of the whole, 0 to 1.
  Findings findings;
  Findings notes;  ///< Why better methods were not used.
};

/// Positions for some joints, at least two, by the first method of `fit_skeleton` that works. \throws Cancelled.
JointPositions first_positions(const JointBody& body, const Mesh& mesh, const Relation& relation,
                               TemplatePlans& reference_plans, const Progress& progress);

/// Positions for all others, from those that are known.
JointPositions filled_positions(const JointBody& body, const Mesh& mesh, JointPositions known);

/// A template of the reference's own primary joints: those where chains begin, end or branch are searched, named "J"
/// and their number.
struct OwnTemplate {
  std::optional<Template> made;
  std::string problem;  ///< Why there is none, such as too few or too many of these joints: a sentence.
};
OwnTemplate own_template(const JointBody& body);

}  // namespace sinew::transfer
