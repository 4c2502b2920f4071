// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/choice.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

std::set<std::string> names_in(const Template& t) {
  std::set<std::string> names;
  for (const Template::Joint& joint : t.joints) names.insert(joint.name);
  return names;
}

bool all_different(const std::vector<Mat3>& turns) {
  for (std::size_t i = 0; i < turns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (turns[i] == turns[j]) return false;
  return true;
}

TEST(Orientations, AreEightForWhatHasFeetAndTwentyFourElse) {
  for (const Template& t : templates()) {
    const std::vector<Mat3> turns = orientations(t);
    const bool feet = t.name != "hand";
    EXPECT_EQ(turns.size(), feet ? 8U : 24U) << t.name;
    EXPECT_TRUE(all_different(turns)) << t.name;
    EXPECT_EQ(turns[0], Mat3::Identity());
    EXPECT_EQ(turns[1], Mat3(Vec3(-1, 1, -1).asDiagonal()));
    for (const Mat3& turn : turns) {
      EXPECT_EQ(turn.determinant(), 1) << t.name;
      EXPECT_EQ(turn * turn.transpose(), Mat3::Identity()) << t.name;
      if (!feet) continue;
      const Vec3 up = turn.transpose() * Vec3::UnitY();
      EXPECT_TRUE(up == Vec3::UnitY() || up == Vec3::UnitZ()) << t.name;
    }
  }
}

TEST(WithoutLimbs, ArmsTakeHandsFingersAndClaviclesAlong) {
  const Template& t = find_template("human");
  const Template rest = without_limbs(t, {"arms"});
  EXPECT_TRUE(validate(rest).empty());
  std::set<std::string> wanted;
  for (const std::string& name : names_in(t))
    if (!has_any(name, {"Shoulder", "Arm", "Forearm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little"}))
      wanted.insert(name);
  EXPECT_EQ(names_in(rest), wanted);
  EXPECT_EQ(wanted.size(), 16U);  // Trunk and head 5, legs 8, eyes and jaw 3.
}

TEST(WithoutLimbs, WhatIsLeftPointsAtWhatItDid) {
  for (const Template& t : templates()) {
    for (const char* word : {"arms", "legs", "head", "tail", "wings", "ears"}) {
      const Template rest = without_limbs(t, {word});
      EXPECT_TRUE(validate(rest).empty()) << t.name << " " << word;
      EXPECT_EQ(rest.name, t.name);
      const auto original = [&](const std::string& name) {
        for (const Template::Joint& joint : t.joints)
          if (joint.name == name) return joint;
        ADD_FAILURE() << name;
        return Template::Joint{};
      };
      const auto name_of = [](const Template& from, Index j) {
        return j == kNone ? std::string() : from.joints.at(j).name;
      };
      for (const Template::Joint& joint : rest.joints) {
        EXPECT_EQ(name_of(rest, joint.parent), name_of(t, original(joint.name).parent)) << joint.name;
        EXPECT_EQ(name_of(rest, joint.partner), name_of(t, original(joint.name).partner)) << joint.name;
      }
      for (const Template::Limb& limb : rest.limbs)
        for (const Template::Limb& old : t.limbs) {
          if (old.name != limb.name) continue;
          ASSERT_EQ(limb.joints.size(), old.joints.size());
          for (std::size_t k = 0; k < limb.joints.size(); ++k)
            EXPECT_EQ(name_of(rest, limb.joints[k]), name_of(t, old.joints[k])) << limb.name;
        }
    }
  }
}

TEST(WithoutLimbs, SeveralKindsGoTogetherAndNoneIsTheTemplate) {
  const Template& t = find_template("bird");
  const Template rest = without_limbs(t, {"wings", "tail"});
  EXPECT_EQ(rest.limbs.size(), 3U);
  EXPECT_EQ(names_in(rest).count("Tail"), 0U);
  EXPECT_EQ(names_in(rest).count("LeftHand"), 0U);
  EXPECT_EQ(names_in(rest).count("LeftFoot"), 1U);
  EXPECT_EQ(names_in(without_limbs(t, {})), names_in(t));
}

TEST(WithoutLimbs, RefusesAWordItDoesNotKnow) {
  try {
    without_limbs(find_template("human"), {"arms", "fins"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'fins'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("wings"), std::string::npos);
  }
}

TEST(Choose, FindsAPersonHoweverItStandsUpToFrontAndBack) {
  // Which of the two it is is for the feet to say: see the rigger.
  const Mesh mesh = bare(small_made("human"));
  const Mat3 about(Vec3(-1, 1, -1).asDiagonal());
  const std::vector<Mat3> turned = {rotation_exp(Vec3(0, kPi / 2, 0)).toRotationMatrix(), about,
                                    rotation_exp(Vec3(kPi / 2, 0, 0)).toRotationMatrix()};
  for (const Mat3& turn : turned) {
    const Body body = make_body(rotated(mesh, turn));
    const Choice choice = choose(body, {find_template("human")}, {{}});
    ASSERT_FALSE(choice.ranked.empty());
    const Candidate& best = choice.ranked.front();
    EXPECT_TRUE(best.without.empty());
    const Mat3 rest = best.fit.turn * turn;
    EXPECT_TRUE(rest.isApprox(Mat3::Identity(), 1e-9) || rest.isApprox(about, 1e-9)) << rest;
    EXPECT_TRUE(std::any_of(choice.ranked.begin(), choice.ranked.end(), [&](const Candidate& candidate) {
      return (candidate.fit.turn * turn).isApprox(Mat3::Identity(), 1e-9);
    }));
    for (std::size_t i = 1; i < choice.ranked.size(); ++i)
      EXPECT_LE(choice.ranked[i - 1].fit.found.penalty, choice.ranked[i].fit.found.penalty);
    EXPECT_GT(choice.searches, 0U);
  }
}

TEST(Choose, KeepsTheOrientationWhenAsked) {
  const Body body = make_body(bare(small_made("human")));
  ChoiceOptions options;
  options.keep_orientation = true;
  const Choice choice = choose(body, {find_template("human"), find_template("bird")}, {{}, {}}, options);
  ASSERT_FALSE(choice.ranked.empty());
  EXPECT_EQ(choice.ranked.front().skeleton_template.name, "human");
  for (const Candidate& candidate : choice.ranked) EXPECT_TRUE(candidate.fit.turn.isIdentity());
}

TEST(Choose, AHintForAJointForbidsVariantsThatLackIt) {
  Mesh bust = capsule_between(Vec3(0, 0.9, 0), Vec3(0, 1.4, 0), 0.13);
  bust = joined(bust, capsule_between(Vec3(-0.75, 1.4, 0), Vec3(0.75, 1.4, 0), 0.045));
  bust = joined(bust, capsule_between(Vec3(0, 1.4, 0), Vec3(0, 1.65, 0), 0.05));
  bust = joined(bust, capsule_between(Vec3(0, 1.68, 0), Vec3(0, 1.72, 0), 0.1));
  const Body body = make_body(bust);
  const Template& human = find_template("human");
  const auto offers = [&](const std::vector<Hint>& hints, const std::string& without) {
    const Choice choice = choose(body, {human}, {hints});
    return std::any_of(choice.ranked.begin(), choice.ranked.end(),
                       [&](const Candidate& candidate) { return candidate.without == without; });
  };
  const auto hint = [&](const char* name, const Vec3& place) {
    Index j = 0;
    while (human.joints[j].name != name) ++j;
    return std::vector<Hint>{{j, body.interior.to_unit(place)}};
  };
  ASSERT_TRUE(offers({}, "legs"));
  EXPECT_FALSE(offers(hint("LeftShin", Vec3(0.05, 0.9, 0)), "legs"));
  EXPECT_TRUE(offers(hint("LeftHand", Vec3(0.7, 1.4, 0)), "legs"));
}

}  // namespace
}  // namespace sinew::rigging
