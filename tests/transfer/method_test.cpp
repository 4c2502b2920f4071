// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/method.h"

#include <gtest/gtest.h>

#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/transfer/arms.h"

namespace sinew::transfer {
namespace {

TEST(TransferMethods, AreRegisteredByName) {
  for (const char* id :
       {"auto", "skeleton", "garment", "update", "detail", "biharmonic", "closest", "inpaint", "guides"})
    EXPECT_NE(methods().find(id).transfer, nullptr) << id;
}

TEST(TransferMethods, OwnTheirOptions) {
  EXPECT_TRUE(methods().find("skeleton").options.is<SkeletonAwareOptions>());
  EXPECT_TRUE(methods().find("guides").options.is<GuideOptions>());
  EXPECT_TRUE(methods().find("closest").options.is<NoOptions>());
  MethodChoice choice(methods(), "skeleton-aware");
  const Json values = choice.options().list().to_json();
  EXPECT_DOUBLE_EQ(values["cone"].get<double>(), 15);  // Degrees for people.
  EXPECT_EQ(values["directions"], "positions");
  EXPECT_EQ(values["surfaces"], "nearest");
}

TEST(TransferMethods, OptionsAreValidated) {
  const Rig rig = test::arm("reference");
  const Reference from = test::reference_of(rig);
  const TransferBody to = test::side_of(rig);
  const Correspondence pairs = test::arm_pairs(rig, rig);
  const auto refused = [&](const MethodChoice& choice, const TransferOptions& common) -> std::string {
    try {
      transfer(choice, {from, to, pairs}, common);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  TransferOptions common;
  common.max_influences = 65;
  EXPECT_NE(refused({methods(), "closest"}, common).find("'max_influences'"), std::string::npos);
  SkeletonAwareOptions own;
  own.rays = 0;
  EXPECT_NE(refused({methods(), "skeleton", own}, {}).find("'rays'"), std::string::npos);
}

TEST(TransferMethods, AbsentMeansFourInfluencesAndZeroNoLimit) {
  TransferOptions options;
  EXPECT_EQ(options.influence_limit(), 4);
  options.max_influences = 0;
  EXPECT_EQ(options.influence_limit(), 0);
}

}  // namespace
}  // namespace sinew::transfer
