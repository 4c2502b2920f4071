// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Judges the skeleton found in a real character by what its class requires.
///
/// People, toys and hands are right with a wanted template, every compared joint inside the mesh, no limb on the wrong
/// side, a mean error below 6 % of the size and no error of 12 % or more. Quadrupeds and birds have 8 % and 15 %. Other
/// creatures are right with a wanted template, the coverage below, and a mean distance below 6 %.
/// People are usable with a wanted template, no limb on the wrong side, a mean below 9 % and no error of 20 % or more.
/// All others are usable, with any template or none, if the artist's limbs are covered: each tip and nine tenths of all
/// joints that carry skin have a found joint or end within 10 % of the size, no joint is on the wrong side, and the
/// head is at the head.
/// Without a skeleton in the file a result can only be refuted: by another template, by missing joints, joints outside,
/// or limbs of different lengths. A result that passes is unverified and not right: of five such results that were
/// looked at, two had limbs at wrong places.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/lab/embedding/real_characters.h"
#include "sinew/rigging/rigger.h"

namespace sinew::lab {

enum class Verdict { kRight, kUsable, kWrong, kUnverified };
const char* verdict_name(Verdict verdict);

/// A role that both skeletons should have.
struct ComparedJoint {
  std::string role;
  Vec3 truth = Vec3::Zero();
  std::optional<Vec3> found;
  double error = 0;  ///< Share of the size.
};

/// How the found skeleton lies in a real character. Errors are shares of the size.
struct RealOutcome {
  rigging::PlanResult result;
  bool wanted = false;  ///< The template is one of those wanted.
  bool warned = false;  ///< The user is told that the result may be wrong, or nothing fits.
  std::vector<ComparedJoint> compared;
  std::string missing;  ///< Roles that the file has and the result lacks.
  double error = 0;     ///< Mean of the compared joints; of a creature, of the distances to the nearest found joint.
  double largest = 0;
  std::string largest_joint;
  int swapped = 0;  ///< Joints on the wrong side, or at another limb.
  std::string outside;
  std::string uncovered;  ///< Joints of the artist without a found one nearby.
  bool covered = false;
  double seconds = 0;
  Verdict verdict = Verdict::kWrong;
  std::string reason;  ///< Why it is not right, in a few words.

  bool has_error() const { return largest > 0; }
};

RealOutcome judge_real(const RealSubject& subject, rigging::PlanResult result);

/// Plans a skeleton as `sinew rig` does, with all templates to choose from, and judges it. A mesh that is refused
/// counts as one that nothing fits.
RealOutcome try_real(const RealSubject& subject, const std::map<std::string, Vec3>& hints = {});

/// All figures of one character, with every joint found and true.
Json real_outcome_json(const RealSubject& subject, const RealOutcome& outcome);

}  // namespace sinew::lab
