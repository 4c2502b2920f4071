// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sinew/core/parallel.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

EmbeddingSubject standing(const char* kind) {
  shapes::MakeOptions options;
  options.made_pose = "t";
  return made_embedding_subject(kind, options);
}

/// A plan whose joints are where they are.
rigging::PlanResult true_plan(const EmbeddingSubject& subject) {
  const Template& t = rigging::find_template(subject.kind);
  rigging::PlanResult rigged;
  rigged.confidence = 1;
  rigged.plan.template_name = t.name;
  for (const Template::Joint& joint : t.joints) {
    const auto place = subject.truth.find(joint.role);
    if (place == subject.truth.end()) continue;
    rigging::PlannedJoint planned;
    planned.name = joint.name;
    planned.role = joint.role;
    planned.position = place->second;
    rigged.plan.joints.push_back(planned);
  }
  return rigged;
}

Vec3& place_of(rigging::PlanResult& rigged, const char* role) {
  return rigged.plan.joints.at(rigged.plan.find_role(role)).position;
}

TEST(EmbeddingJudge, FindsNothingWrongWithTheTruth) {
  for (const char* kind : {"human", "quadruped", "bird", "hand"}) {
    const EmbeddingSubject subject = standing(kind);
    const EmbeddingOutcome outcome = judge_embedding(subject, true_plan(subject));
    EXPECT_TRUE(outcome.right_template) << kind;
    EXPECT_TRUE(outcome.right) << kind << " outside: " << outcome.outside_names;
    EXPECT_EQ(outcome.error, 0) << kind;
    EXPECT_GT(outcome.compared, 15U) << kind;
    EXPECT_EQ(outcome.details, outcome.details_found) << kind;
    EXPECT_FALSE(outcome.warned) << kind;
  }
}

TEST(EmbeddingJudge, MeasuresErrorsAsSharesOfTheHeight) {
  const EmbeddingSubject subject = standing("human");
  rigging::PlanResult rigged = true_plan(subject);
  place_of(rigged, "left_shin").y() += 0.02 * subject.height;
  place_of(rigged, "head").y() += 0.01 * subject.height;
  const EmbeddingOutcome outcome = judge_embedding(subject, rigged);
  EXPECT_EQ(outcome.bends, 4U);
  EXPECT_NEAR(outcome.bend_error, 0.02 / 4, 1e-12);
  EXPECT_NEAR(outcome.other_error, 0.01 / (outcome.compared - 4), 1e-12);
  EXPECT_NEAR(outcome.error, 0.03 / outcome.compared, 1e-12);
  EXPECT_EQ(outcome.worst_joint, "LeftShin");
  EXPECT_TRUE(outcome.right);
}

TEST(EmbeddingJudge, SeesJointsOutsideAndJointsThatAreMissing) {
  const EmbeddingSubject subject = standing("human");
  rigging::PlanResult rigged = true_plan(subject);
  place_of(rigged, "left_hand").y() += 0.2 * subject.height;
  EmbeddingOutcome outcome = judge_embedding(subject, rigged);
  EXPECT_EQ(outcome.outside, 1U);
  EXPECT_EQ(outcome.outside_names, "LeftHand");
  EXPECT_FALSE(outcome.right);
  EXPECT_TRUE(outcome.silent());
  rigged = true_plan(subject);
  rigged.plan.joints.pop_back();
  rigged.plan.joints.erase(rigged.plan.joints.begin() + rigged.plan.find_role("right_toes"));
  outcome = judge_embedding(subject, rigged);
  EXPECT_FALSE(outcome.right_template);
  rigged.warnings.push_back({"rig.without", "", "It seems to have no toes."});
  EXPECT_FALSE(judge_embedding(subject, rigged).silent());
}

TEST(EmbeddingJudge, SeesSwappedLimbs) {
  EmbeddingSubject subject = standing("human");
  rigging::PlanResult rigged = true_plan(subject);
  for (const char* part : {"upper_arm", "forearm", "hand"})
    std::swap(place_of(rigged, ("left_" + std::string(part)).c_str()),
              place_of(rigged, ("right_" + std::string(part)).c_str()));
  EXPECT_EQ(judge_embedding(subject, rigged).swapped, 2U);
  subject = standing("hand");
  rigged = true_plan(subject);
  for (const char* part : {"_1", "_2", "_3"})
    std::swap(place_of(rigged, ("index" + std::string(part)).c_str()),
              place_of(rigged, ("middle" + std::string(part)).c_str()));
  EXPECT_EQ(judge_embedding(subject, rigged).swapped, 2U);
  EXPECT_FALSE(judge_embedding(subject, rigged).right);
  subject = standing("quadruped");
  rigged = true_plan(subject);
  for (const char* side : {"left_", "right_"})
    for (const auto& [front, hind] : {std::pair("upper_arm", "thigh"), std::pair("forearm", "shin"),
                                      std::pair("hand", "foot"), std::pair("hand_2", "toes")})
      std::swap(place_of(rigged, (std::string(side) + front).c_str()),
                place_of(rigged, (std::string(side) + hind).c_str()));
  EXPECT_EQ(judge_embedding(subject, rigged).swapped, 4U);
}

TEST(EmbeddingJudge, WhereNoTemplateIsRightAHumanNeedsAWarning) {
  EmbeddingSubject subject = standing("human");
  rigging::PlanResult rigged = true_plan(subject);
  subject.kind.clear();
  EXPECT_TRUE(judge_embedding(subject, rigged).silent());
  rigged.warnings.push_back({"rig.doubtful", "", "It may be wrong."});
  EXPECT_TRUE(judge_embedding(subject, rigged).right);
  rigged.warnings.clear();
  rigged.plan.template_name = "quadruped";
  EXPECT_TRUE(judge_embedding(subject, rigged).right);
}

TEST(EmbeddingAblation, LeavesOutEachPenaltyOnce) {
  const std::vector<EmbeddingTrial> trials = embedding_ablations();
  ASSERT_EQ(trials.size(), rigging::kPenalties + 2);
  const rigging::PenaltyWeights all;
  for (std::size_t k = 0; k < rigging::kPenalties; ++k) {
    ASSERT_TRUE(trials[k + 1].weights.has_value());
    for (std::size_t i = 0; i < rigging::kPenalties; ++i)
      EXPECT_EQ(trials[k + 1].weights->gamma[i], i == k ? 0 : all.gamma[i]);
  }
  EXPECT_TRUE(trials.back().options.compat);
}

TEST(EmbeddingAblation, ThePenaltyThatIsLeftOutCostsNothing) {
  const EmbeddingSubject subject = standing("quadruped");
  const EmbeddingTrial trial = embedding_ablations()[1 + static_cast<std::size_t>(rigging::Penalty::kLocalDirection)];
  rigging::RiggerRequest request;
  request.templates = {rigging::find_template("quadruped")};
  const auto cost = [&] {
    return rigging::plan_skeleton(subject.mesh, request, trial.options)
        .metrics["terms"][rigging::penalty_names()[6]]
        .get<double>();
  };
  request.weights = rigging::PenaltyWeights();  // Own weights: the body is searched, not read.
  EXPECT_GT(cost(), 0);
  request.weights = trial.weights;
  EXPECT_EQ(cost(), 0);
}

TEST(EmbeddingExperiment, FindsMadeCharactersOfEveryKind) {
  Reproduction found;
  ReproduceOptions options;
  options.runs = 0;
  embedding_made(2, options, {}, found);
  ASSERT_EQ(found.tables.size(), 1U);
  EXPECT_EQ(found.tables.front().rows.size(), rigging::templates().size());
  EXPECT_TRUE(found.times.empty());
  for (const auto& [kind, figures] : found.metrics["made"].items()) {
    EXPECT_EQ(figures["characters"], 2) << kind;
    EXPECT_EQ(figures["right_template"], 2) << kind;
    EXPECT_EQ(figures["joints_outside"], 0) << kind;
    EXPECT_EQ(figures["limbs_swapped"], 0) << kind;
    EXPECT_LT(figures["error_percent"].get<double>(), 6) << kind;
  }
  EXPECT_EQ(experiments().find("embedding").make, &embedding_experiment);
}

TEST(EmbeddingExperiment, IsTheSameForAnyNumberOfThreads) {
  ReproduceOptions options;
  options.runs = 0;
  const auto figures = [&](int threads) {
    set_thread_count(threads);
    const EmbeddingSubject subject = made_embedding_subject("quadruped", embedding_member(options, 2));
    EmbeddingSummary all;
    all.add(subject.name, try_embedding(subject));
    set_thread_count(0);
    return embedding_json(all).dump();
  };
  EXPECT_EQ(figures(1), figures(2));
}

TEST(EmbeddingExperiment, RefusesAFolderThatIsNotThere) {
  ReproduceOptions options;
  options.data = "no_such_folder";
  EXPECT_THROW(embedding_experiment(options, {}), Error);
}

}  // namespace
}  // namespace sinew::lab
