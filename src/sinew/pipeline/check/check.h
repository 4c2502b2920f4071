// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Whether a rigged character can be published: a list of checks, each with a value, a limit, a place and the command
/// that mends it. docs/commands/check.md defines the values.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/progress.h"
#include "sinew/motion/range_of_motion.h"

namespace sinew::pipeline {

enum class CheckVerdict { kPass, kCheck, kFail };

/// "PASS", "CHECK" or "FAIL".
std::string_view verdict_name(CheckVerdict verdict);

/// A value above `fail` fails, one above `check` has to be looked at. Larger values are always worse.
struct CheckLimit {
  std::optional<double> check, fail;

  CheckVerdict judge(double value) const;
};

enum class CheckUnit { kCount, kShare, kFactor, kOfSize, kDegrees };

/// A value with its unit, as people write it: "12", "3.5 %", "2.1 ×", "4 % of the size", "85°".
std::string check_value_text(double value, CheckUnit unit);

/// What a check is, apart from any character.
struct CheckKind {
  const char* id;     ///< "weights.empty"
  const char* title;  ///< "vertices without weights"
  CheckUnit unit;
  double resolution;   ///< Values that differ by less count as equal when two characters are compared.
  CheckLimit game;     ///< The limits of the profile `game`, from which the others derive.
  const char* mend;    ///< Words of the command that mends it; {in} and {out} stand for files. Empty: only by hand.
  const char* advice;  ///< What else a person can do.
};

/// All kinds, by group: mesh, skeleton, weights, range of motion, clips.
const std::vector<CheckKind>& check_kinds();

/// The limits of all kinds.
struct CheckProfile {
  std::string name;
  std::map<std::string, CheckLimit> limits;
};

std::vector<std::string> check_profile_names();
/// \throws Error for an unknown name.
CheckProfile check_profile(const std::string& name);
/// A profile from JSON: `name`, `based_on` (default: game), and `limits`: for each id an object of `check` and `fail`,
/// numbers or null. \throws Error for anything else.
CheckProfile check_profile_from_json(const Json& json);

/// One check of one character.
struct CheckRow {
  const CheckKind* kind = nullptr;
  double value = 0;
  CheckLimit limit;
  CheckVerdict verdict = CheckVerdict::kPass;
  std::string where;            ///< The joint, part, pose or clip of the worst place; may be empty.
  std::string text;             ///< A sentence about what was found.
  std::vector<Index> vertices;  ///< Where it is on the mesh, in increasing order.
  Index joint = kNone;
  std::optional<motion::RangePose> pose;  ///< In which it is seen.
  std::optional<double> time_s;           ///< At which it is seen in the clip `where`.
  std::optional<double> before;           ///< The value of the baseline.
};

struct CheckResult {
  std::string profile;
  CheckVerdict verdict = CheckVerdict::kPass;
  std::vector<CheckRow> rows;  ///< Worst first.

  std::size_t count(CheckVerdict verdict) const;
  const CheckRow* find(std::string_view id) const;
};

/// Checks a character. Checks that do not apply, such as weights of a character without skin, are left out. n log n in
/// the mesh for each pose of the range of motion. The same for any number of threads. \throws Cancelled.
CheckResult check(const Character& character, const CheckProfile& profile, const Progress& progress = {});

/// Judges a result by an earlier one of the same profile: a check fails if it is worse than before. One that fails its
/// limit and is not worse than before has to be looked at only.
void judge_by_baseline(CheckResult& result, const CheckResult& baseline);

/// The character in the pose in which a fault is seen: that of the row, or the bind pose.
struct PosedFault {
  std::vector<Vec3> positions;
  std::vector<Mat4> joints;
};
PosedFault posed_fault(const Rig& rig, const CheckRow& row);

}  // namespace sinew::pipeline
