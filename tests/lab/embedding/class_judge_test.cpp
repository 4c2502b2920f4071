// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/class_judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>

#include "sinew/lab/embedding/embedding.h"
#include "sinew/lab/embedding/real_variants.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

/// A made character as if it came from a file.
RealSubject subject_of(const char* kind, const RealCharacter& character) {
  shapes::MakeOptions options;
  options.made_pose = "t";
  EmbeddingSubject made = made_embedding_subject(kind, options);
  RealSubject subject;
  subject.character = &character;
  subject.size = made.height;
  subject.mesh = std::move(made.mesh);
  for (const auto& [role, position] : made.truth) {
    const int side = role.starts_with("left_") ? 1 : role.starts_with("right_") ? -1 : 0;
    subject.joints.push_back({role, role, position, position, false, side});
  }
  return subject;
}

rigging::PlanResult plan_at_truth(const RealSubject& subject, const char* template_name) {
  rigging::PlanResult result;
  result.confidence = 1;
  result.plan.template_name = template_name;
  for (const TrueJoint& joint : subject.joints) {
    rigging::PlannedJoint planned;
    planned.name = planned.role = joint.role;
    planned.position = joint.position;
    result.plan.joints.push_back(planned);
  }
  return result;
}

Vec3& position_of(rigging::PlanResult& result, const char* role) {
  return result.plan.joints.at(result.plan.find_role(role)).position;
}

const RealCharacter kPerson{"person.glb", BodyClass::kUprightPeople, "human"};
const RealCharacter kHorse{"horse.glb", BodyClass::kQuadrupeds, "quadruped"};
const RealCharacter kCreature{"creature.glb", BodyClass::kCreatures, "spider"};

TEST(ClassJudge, TheTruthIsRight) {
  const RealSubject person = subject_of("human", kPerson), horse = subject_of("quadruped", kHorse);
  EXPECT_EQ(judge_real(person, plan_at_truth(person, "human")).verdict, Verdict::kRight);
  EXPECT_EQ(judge_real(person, plan_at_truth(person, "human")).compared.size(), 14U);
  EXPECT_EQ(judge_real(horse, plan_at_truth(horse, "quadruped")).verdict, Verdict::kRight);
}

TEST(ClassJudge, AnotherTemplateIsWrongForPeopleAndUsableForAnimalsWhoseLimbsAreCovered) {
  const RealSubject person = subject_of("human", kPerson), horse = subject_of("quadruped", kHorse);
  EXPECT_EQ(judge_real(person, plan_at_truth(person, "bird")).verdict, Verdict::kWrong);
  EXPECT_EQ(judge_real(horse, plan_at_truth(horse, "generic")).verdict, Verdict::kUsable);
}

TEST(ClassJudge, OneJointFarOffIsUsableThenWrong) {
  const RealSubject person = subject_of("human", kPerson);
  rigging::PlanResult result = plan_at_truth(person, "human");
  position_of(result, "head").y() -= 0.13 * person.size;
  EXPECT_EQ(judge_real(person, result).verdict, Verdict::kUsable);
  position_of(result, "head").y() -= 0.10 * person.size;
  const RealOutcome outcome = judge_real(person, result);
  EXPECT_EQ(outcome.verdict, Verdict::kWrong);
  EXPECT_EQ(outcome.largest_joint, "head");
}

TEST(ClassJudge, HipsAndCollarbonesOfPeopleAreNotCompared) {
  const RealSubject person = subject_of("human", kPerson);
  rigging::PlanResult result = plan_at_truth(person, "human");
  position_of(result, "hips").y() += 0.3 * person.size;
  position_of(result, "left_shoulder").y() += 0.3 * person.size;
  EXPECT_EQ(judge_real(person, result).verdict, Verdict::kRight);
}

TEST(ClassJudge, ExchangedSidesAndExchangedPairsOfLegsAreWrong) {
  const RealSubject person = subject_of("human", kPerson), horse = subject_of("quadruped", kHorse);
  rigging::PlanResult result = plan_at_truth(person, "human");
  std::swap(position_of(result, "left_hand"), position_of(result, "right_hand"));
  EXPECT_EQ(judge_real(person, result).swapped, 2);
  EXPECT_EQ(judge_real(person, result).verdict, Verdict::kWrong);
  result = plan_at_truth(horse, "quadruped");
  std::swap(position_of(result, "left_hand"), position_of(result, "left_foot"));
  EXPECT_EQ(judge_real(horse, result).swapped, 2);
}

TEST(ClassJudge, ACreatureNeedsAJointNearEveryTipOfItsLimbs) {
  RealSubject creature = subject_of("quadruped", kCreature);
  for (TrueJoint& joint : creature.joints) joint.tip = joint.role == "left_toes";
  rigging::PlanResult result = plan_at_truth(creature, "generic");
  EXPECT_EQ(judge_real(creature, result).verdict, Verdict::kUsable);
  std::erase_if(result.plan.joints, [](const rigging::PlannedJoint& joint) { return joint.role.starts_with("left_"); });
  const RealOutcome outcome = judge_real(creature, result);
  EXPECT_EQ(outcome.verdict, Verdict::kWrong);
  EXPECT_NE(outcome.uncovered.find("left_toes"), std::string::npos);
  EXPECT_EQ(judge_real(creature, plan_at_truth(creature, "spider")).verdict, Verdict::kRight);
}

TEST(ClassJudge, ACreatureWithExchangedSidesIsWrong) {
  const RealSubject creature = subject_of("quadruped", kCreature);
  rigging::PlanResult result = plan_at_truth(creature, "spider");
  for (rigging::PlannedJoint& joint : result.plan.joints)
    if (joint.role.starts_with("left_")) joint.role = "right_" + joint.role.substr(5);
    else if (joint.role.starts_with("right_")) joint.role = "left_" + joint.role.substr(6);
  EXPECT_EQ(judge_real(creature, result).verdict, Verdict::kWrong);
}

TEST(ClassJudge, TheEndOfATwoBoneLegIsComparedWithTheNearestOfTheLastJoints) {
  RealSubject horse = subject_of("quadruped", kHorse);
  const rigging::PlanResult result = plan_at_truth(horse, "quadruped");
  const Vec3 paw = horse.find_role("left_hand_2")->position;
  std::erase_if(horse.joints, [](const TrueJoint& joint) {
    return joint.role.ends_with("hand") || joint.role.ends_with("hand_2") || joint.role.ends_with("forearm");
  });
  horse.joints.push_back({"FrontFoot.L", "left_fore_end", paw, paw, true, 1});
  const RealOutcome outcome = judge_real(horse, result);
  EXPECT_EQ(outcome.verdict, Verdict::kRight);
  EXPECT_EQ(outcome.compared.back().role, "left_fore_end");
  EXPECT_EQ(outcome.compared.back().error, 0);
}

TEST(ClassJudge, WithoutASkeletonAResultIsUnverifiedOrWrong) {
  RealSubject person = subject_of("human", kPerson);
  rigging::PlanResult result = plan_at_truth(person, "human");
  person.joints.clear();
  std::erase_if(result.plan.joints, [](const rigging::PlannedJoint& joint) {
    const Template& t = rigging::find_template("human");
    return std::none_of(t.joints.begin(), t.joints.end(), [&](const auto& j) { return j.role == joint.role; });
  });
  EXPECT_EQ(judge_real(person, result).verdict, Verdict::kUnverified);
  result.plan.joints.pop_back();
  result.plan.joints.erase(result.plan.joints.begin() + result.plan.find_role("right_foot"));
  EXPECT_EQ(judge_real(person, result).verdict, Verdict::kWrong);
}

TEST(RealVariants, TheHintIsTheTruePlaceOfTheJointThatIsMissingOrFarthestOff) {
  const RealSubject person = subject_of("human", kPerson);
  rigging::PlanResult result = plan_at_truth(person, "human");
  position_of(result, "left_shin").y() -= 0.05 * person.size;
  position_of(result, "head").y() -= 0.13 * person.size;
  auto hint = one_hint(person, judge_real(person, result));
  ASSERT_EQ(hint.size(), 1U);
  EXPECT_EQ(hint.begin()->first, "head");
  EXPECT_EQ(hint.begin()->second, person.find_role("head")->position);
  result.plan.joints.erase(result.plan.joints.begin() + result.plan.find_role("right_foot"));
  EXPECT_EQ(one_hint(person, judge_real(person, result)).begin()->first, "right_foot");
  EXPECT_EQ(one_hint(person, judge_real(person, plan_at_truth(person, "bird"))).begin()->first, "left_hand");
}

TEST(RealVariants, ReliabilityCountsVerdictsByConfidence) {
  const auto tried = [](double confidence, Verdict verdict) {
    Tried one;
    one.outcome.result.confidence = confidence;
    one.outcome.result.fits = true;
    one.outcome.verdict = verdict;
    return one;
  };
  Reproduction result;
  add_reliability_table({tried(1, Verdict::kRight), tried(0.95, Verdict::kUsable), tried(0.2, Verdict::kWrong),
                         tried(0.95, Verdict::kUnverified)},
                        result);
  ASSERT_EQ(result.tables.size(), 1U);
  const auto& rows = result.tables.front().rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"0.15 to 0.30", "1", "0.20", "0", "0", "1", "0"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"0.90 to 1.00", "2", "0.97", "1", "1", "0", "50"}));
}

TEST(RealVariants, TheTruthOfARemeshedCharacterMovesWithItsSurface) {
  const RealSubject person = subject_of("human", kPerson);
  const RealSubject again = remeshed_subject(person, 3);
  EXPECT_GT(again.mesh.face_count(), 90000U);
  const double scale = again.size / person.size;
  const TrueJoint *head = again.find_role("head"), *foot = again.find_role("left_foot");
  EXPECT_NEAR((head->position - foot->position).norm(),
              scale * (person.find_role("head")->position - person.find_role("left_foot")->position).norm(), 1e-9);
  // The joints are as deep inside the one surface as inside the other.
  EXPECT_EQ(judge_real(again, plan_at_truth(again, "human")).verdict, Verdict::kRight);
  RealSubject left_behind = again;
  left_behind.joints = person.joints;
  EXPECT_NE(judge_real(left_behind, plan_at_truth(left_behind, "human")).outside, "");
}

TEST(RealCharacters, EveryClassHasAtMostAThirdHeldOutAndNamesDiffer) {
  std::set<std::string> names;
  std::array<int, kBodyClasses> all{}, held{};
  for (const RealCharacter& character : real_characters()) {
    EXPECT_TRUE(names.insert(character.name()).second) << character.name();
    ++all[static_cast<std::size_t>(character.body)];
    held[static_cast<std::size_t>(character.body)] += character.held_out;
  }
  for (std::size_t c = 0; c < all.size(); ++c) {
    EXPECT_GT(all[c], 0) << c;
    EXPECT_LE(3 * held[c], all[c] + 1) << c;
  }
}

TEST(RealCharacters, JointsComeFromNamesStatedRolesAndPoses) {
  const char* data = std::getenv("SINEW_DATA");
  if (data == nullptr) GTEST_SKIP() << "SINEW_DATA does not name the folder of data.";
  for (const RealCharacter& character : real_characters()) {
    const std::string name = character.name();
    if (name != "CesiumMan" && name != "Cat" && name != "Male_Suit Man_Sitting 50 %") continue;
    const RealSubject subject = read_real_character(data, character);
    const TrueJoint* thigh = subject.find_role("left_thigh");
    ASSERT_NE(thigh, nullptr) << name;
    const Box box = subject.mesh.bounds();
    EXPECT_TRUE((thigh->position.array() > box.lower.array()).all()) << name;
    EXPECT_TRUE((thigh->position.array() < box.upper.array()).all()) << name;
    EXPECT_NE(subject.find_role("head"), nullptr) << name;
    if (name == "CesiumMan") {
      EXPECT_LT(try_real(subject).error, 0.06);
    }
    if (name.starts_with("Male_Suit")) {
      EXPECT_LT(thigh->position.y() - subject.find_role("left_shin")->position.y(), 0.1 * subject.size);
    }
  }
}

}  // namespace
}  // namespace sinew::lab
