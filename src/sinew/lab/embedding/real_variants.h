// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Real characters tried again: with one hint, and remeshed like the output of a generative model.

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

/// Tries all that are not right with `one_hint`, and counts by class how many are right then.
void add_hinted_tables(const std::vector<Tried>& all, const Progress& progress, Reproduction& result);

/// A character as a generative model would emit it: fused, noisy, turned and scaled. The truth moves with it.
RealSubject remeshed_subject(const RealSubject& subject, int seed);

/// Remeshes some characters of each class whose joints are known, in their bind pose, and compares the verdicts.
void add_remeshed_tables(const std::vector<Tried>& all, const ReproduceOptions& options, const Progress& progress,
                         Reproduction& result);

}  // namespace sinew::lab
