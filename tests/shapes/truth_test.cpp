// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/truth.h"

#include <gtest/gtest.h>

namespace sinew::shapes {
namespace {

TEST(Truth, TellsEveryVertexAndJoint) {
  MakeOptions options;
  options.joint_count = 4;
  const Finished finished = make("bar", options);
  const Json json = truth(finished, "bar", options);
  const Rig& rig = finished.made.character.rig;
  EXPECT_EQ(json["schema"], "sinew-truth");
  EXPECT_EQ(json["kind"], "bar");
  EXPECT_EQ(json["options"]["joint_count"], 4);
  EXPECT_EQ(json["joints"].size(), 4U);
  EXPECT_TRUE(json["joints"][0]["parent"].is_null());
  EXPECT_NEAR(json["joints"][3]["position"][1].get<double>(), 8, 1e-9);
  EXPECT_EQ(json["owner"].size(), rig.mesh.vertex_count());
  EXPECT_EQ(json["along"].size(), rig.mesh.vertex_count());
  ASSERT_EQ(json["weights"].size(), rig.mesh.vertex_count());
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    const auto row = rig.weights.row(i);
    ASSERT_EQ(json["weights"][i].size(), 2 * row.size());
    EXPECT_EQ(json["weights"][i][0], row[0].joint);
    EXPECT_EQ(json["weights"][i][1].get<float>(), row[0].weight);
    EXPECT_LT(json["owner"][i].get<Index>(), json["segments"].size());
  }
}

TEST(Truth, NamesTheEndsOfLeaves) {
  const Finished finished = make("arm", {});
  const Json json = truth(finished, "arm", {});
  EXPECT_EQ(json["joints"].size(), 9U);
  EXPECT_EQ(json["joints"][5]["role"], "helper");
  EXPECT_TRUE(json["joints"][2].contains("end"));
  EXPECT_FALSE(json["joints"][0].contains("end"));
  EXPECT_EQ(json["template_joints"].size(), 3U);
  EXPECT_TRUE(json["segments"][2]["child"].is_null());
}

}  // namespace
}  // namespace sinew::shapes
