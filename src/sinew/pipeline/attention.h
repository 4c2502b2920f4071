// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a person should look at in a rigged character, the most doubtful first.

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/motion/range_of_motion.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::pipeline {

/// How sure the position of a joint is.
struct JointDoubt {
  Index joint = kNone;
  double confidence = 1;
  std::string origin;  ///< How it was located.
};

/// What mends an item.
enum class AttentionTool { kNone, kFiles, kPlacement, kJoints, kPieces, kWeights, kDeformer };
/// "none", "files", "placement", "joints", "pieces", "weights" or "deformer".
std::string tool_name(AttentionTool tool);

struct AttentionItem {
  std::string id;    ///< The code of a finding, the id of a check, "joint" or "body".
  double score = 0;  ///< 0 to 100: the doubt times the share of the surface that it concerns.
  std::string title;
  std::string text;
  AttentionTool tool = AttentionTool::kNone;
  Index joint = kNone;
  std::optional<Vec3> place;  ///< In the bind pose, or in that of `pose`.
  double radius = 0;
  std::optional<motion::RangePose> pose;  ///< In which it is seen.
  std::string clip;                       ///< In which it is seen, at `time_s`; may be empty. Then there is no place.
  double time_s = 0;
};

/// Items from joints that are located with doubt, from findings of a run, and from checks that do not pass. The score
/// is 100 · doubt · harm. Doubt is 1 − confidence of a joint, or how far a check is beyond its limit. Harm is the root
/// of the share of the skin that it moves, at least 0.2. Causes come before effects: body, joints, pieces, weights,
/// deformation. Linear in the weights.
std::vector<AttentionItem> attention(const Character& character, const std::vector<JointDoubt>& joints,
                                     const Findings& findings, const CheckResult* checks);

}  // namespace sinew::pipeline
