// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/choice/blend.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sinew/core/parallel.h"
#include "tests/transfer/arms.h"

namespace sinew::transfer {
namespace {

/// An arm as its own target, and candidates with chosen rows.
struct ArmTrial {
  Rig arm = test::arm("reference");
  Reference reference = test::reference_of(arm);
  TransferBody target = test::side_of(arm);
  Correspondence pairs = test::arm_pairs(arm, arm);

  TransferInput input() const { return {reference, target, pairs}; }
  SkinWeights all_on(Index joint) const {
    SkinWeights rows;
    for (Index v = 0; v < arm.mesh.vertex_count(); ++v) rows.add_row({Influence{joint, 1}});
    return rows;
  }
  TransferCandidate candidate(const char* id, SkinWeights rows, double error) const {
    TransferCandidate made{id, {}, error};
    made.made.weights = std::move(rows);
    made.made.level.assign(arm.mesh.positions.size(), Level::kMatched);
    return made;
  }
};

double mean_confidence(const WeightTransfer& made) {
  return std::accumulate(made.confidence.begin(), made.confidence.end(), 0.0) /
         static_cast<double>(made.confidence.size());
}

TEST(Blend, EqualCandidatesGiveTheirRows) {
  const ArmTrial trial;
  const WeightTransfer made = blend_candidates(
      trial.input(),
      {trial.candidate(kBoundAnew, trial.all_on(1), 0.1), trial.candidate("skeleton", trial.all_on(1), 0.1)}, {}, {});
  EXPECT_EQ(made.weights, trial.all_on(1));
  EXPECT_GT(mean_confidence(made), 0.9);
}

TEST(Blend, ACandidateFarFromWhatTheReferenceExplainsIsOutvotedAndLowersTheConfidence) {
  const ArmTrial trial;
  const auto blend = [&](Index joint) {
    return blend_candidates(
        trial.input(),
        {trial.candidate(kBoundAnew, trial.all_on(1), 0.1), trial.candidate("skeleton", trial.all_on(joint), 0.05),
         trial.candidate("warp", trial.all_on(joint), 0.05)},
        {}, {});
  };
  const WeightTransfer wrong = blend(2), right = blend(1);
  EXPECT_LT(test::mean_tv(wrong.weights, trial.all_on(1)), 0.01);
  EXPECT_LT(mean_confidence(wrong), 0.5);
  EXPECT_GT(mean_confidence(right), 0.9);
}

TEST(Blend, WhereTheBinderIsKnownToBePoorTheTransferIsTrusted) {
  const ArmTrial trial;
  // On the reference, the binder differs from the artist as much as it differs here from the transfer.
  const WeightTransfer made = blend_candidates(
      trial.input(),
      {trial.candidate(kBoundAnew, trial.all_on(1), 1), trial.candidate("skeleton", trial.all_on(2), 0.05)}, {}, {});
  EXPECT_LT(test::mean_tv(made.weights, trial.all_on(2)), 0.01);
}

TEST(Blend, JointsOfTheTargetWithoutAPartnerGetTheBindersShare) {
  const ArmTrial trial;
  SkinWeights bound;
  for (Index v = 0; v < trial.arm.mesh.vertex_count(); ++v) bound.add_row({Influence{1, 0.75F}, Influence{3, 0.25F}});
  std::vector<Index> weight_to(trial.arm.skeleton.joints.size(), 1);
  weight_to[0] = 0, weight_to[2] = 2;  // Nothing goes to the joint 3 or to those after it.
  TransferInput input = trial.input();
  input.weight_to = &weight_to;
  const WeightTransfer made = blend_candidates(
      input, {trial.candidate(kBoundAnew, bound, 0.1), trial.candidate("skeleton", trial.all_on(1), 0.1)}, {}, {});
  ASSERT_EQ(made.target_rows.row_count(), trial.arm.mesh.vertex_count());
  for (Index v = 0; v < made.target_rows.row_count(); ++v) {
    ASSERT_EQ(made.target_rows.row(v).size(), 2U);
    EXPECT_EQ(made.target_rows.row(v)[1].joint, 3U);
    EXPECT_NEAR(made.target_rows.row(v)[1].weight, 0.25F, 0.05F);
  }
}

TEST(Candidates, EveryWayReturnsNearlyTheReferencesRowsFromItsOwnBody) {
  const ArmTrial trial;
  const std::vector<TransferCandidate> all = transfer_candidates(trial.input(), {}, {}, {});
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all.front().id, kBoundAnew);
  for (const TransferCandidate& candidate : all)
    if (candidate.id != kBoundAnew) {
      EXPECT_LT(candidate.reference_error, 0.05) << candidate.id;
    }
}

TEST(Blend, RowsAreTheSameForAnyNumberOfThreads) {
  const ArmTrial trial;
  const Rig slender = test::arm("slender");
  const TransferBody target = test::side_of(slender);
  const Correspondence pairs = test::arm_pairs(trial.arm, slender);
  const TransferInput input{trial.reference, target, pairs};
  const auto run = [&](int threads) {
    set_thread_count(threads);
    const SkinWeights rows = blend_candidates(input, transfer_candidates(input, {}, {}, {}), {}, {}).weights;
    set_thread_count(0);
    return rows;
  };
  const SkinWeights one = run(1);
  EXPECT_EQ(one, run(2));
  for (Index v = 0; v < one.row_count(); ++v) {
    double sum = 0;
    for (const Influence& influence : one.row(v)) sum += static_cast<double>(influence.weight);
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_LE(one.row(v).size(), 4U);
  }
}

}  // namespace
}  // namespace sinew::transfer
