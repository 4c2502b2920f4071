// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Real characters tried again: with one hint, and remeshed like the output of a generative model.

#include <map>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/lab/embedding/class_judge.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

struct Tried {
  RealSubject subject;
  RealOutcome outcome;
};

/// How many results are right by how sure the program is. Results in files without a skeleton count if they are
/// refuted.
void add_reliability_table(const std::vector<Tried>& all, Reproduction& result);

/// One hint that a user would give who sees the result: the true position of the joint that is missing or farthest
/// off. Where the template is wrong, the end of a limb. Empty if the names of the joints state no role.
std::map<std::string, Vec3> one_hint(const RealSubject& subject, const RealOutcome& outcome);

/// Tries all that are not right with `one_hint`, and counts by class how many are right then.
void add_hinted_tables(const std::vector<Tried>& all, const Progress& progress, Reproduction& result);

/// A character as a generative model would emit it: fused, noisy, turned and scaled. The truth moves with it.
RealSubject remeshed_subject(const RealSubject& subject, int seed);

/// Remeshes some characters of each class whose joints are known, in their bind pose, and compares the verdicts.
void add_remeshed_tables(const std::vector<Tried>& all, const ReproduceOptions& options, const Progress& progress,
                         Reproduction& result);

}  // namespace sinew::lab
