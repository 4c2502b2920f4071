// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/parts_json.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

Skeleton two_joints() {
  Skeleton skeleton;
  skeleton.joints.resize(2);
  skeleton.joints[0].name = "upper";
  skeleton.joints[1].name = "lower";
  skeleton.joints[1].parent = 0;
  return skeleton;
}

std::span<const std::byte> bytes_of_text(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(PartsJson, OwnersAreReadBackAsJoints) {
  Segmentation segmentation;
  segmentation.segments = {{0, 1}, {1, kNone}};
  segmentation.owner = {1, 0, kNone};
  segmentation.along = {0.5F, 0.25F, 0};
  const std::string text = owners_json(segmentation, two_joints());
  EXPECT_EQ(read_owners_json(bytes_of_text(text), "o.json", two_joints(), 3), (std::vector<Index>{1, 0, kNone}));
  EXPECT_THROW(read_owners_json(bytes_of_text(text), "o.json", two_joints(), 4), Error);
  Skeleton other = two_joints();
  other.joints[1].name = "forearm";
  EXPECT_THROW(read_owners_json(bytes_of_text(text), "o.json", other, 3), Error);
}

TEST(PartsJson, SamplesAreReadBack) {
  PartSamples samples;
  samples["lower"] = {{Vec3(1, 2, 3), Vec3::UnitY()}, {Vec3(0.1, 0.2, 0.3), Vec3::UnitX()}};
  const std::string text = samples_json(samples);
  const PartSamples again = read_samples_json(bytes_of_text(text), "s.json");
  ASSERT_EQ(again.size(), 1);
  ASSERT_EQ(again.at("lower").size(), 2);
  EXPECT_EQ(again.at("lower")[1].point, samples["lower"][1].point);
  EXPECT_EQ(again.at("lower")[1].normal, samples["lower"][1].normal);
}

TEST(PartsJson, MaterialsAreNamesOrNumbers) {
  const std::string text =
      R"({"format":"sinew-materials","materials":["fat",{"stiffness":20,"rigid":0.5}],"vertices":[null,1,0]})";
  const auto painted = read_materials_json(bytes_of_text(text), "m.json", 3);
  ASSERT_EQ(painted.size(), 3U);
  EXPECT_FALSE(painted[0]);
  EXPECT_EQ(painted[1], (Tissue{20, Tissue{}.damping, 0.5}));
  EXPECT_EQ(painted[2], tissue("fat"));
  EXPECT_THROW(read_materials_json(bytes_of_text(text), "m.json", 4), Error);
}

TEST(PartsJson, MaterialsThatMakeNoSenseAreRefused) {
  for (const char* rest :
       {R"("materials":["stone"],"vertices":[0]})", R"("materials":["fat"],"vertices":[1]})",
        R"("materials":["fat"],"vertices":[-1]})", R"("materials":[7],"vertices":[0]})",
        R"("materials":[{"stiffness":0}],"vertices":[0]})", R"("materials":[{"rigid":"x"}],"vertices":[0]})",
        R"("vertices":[0]})", R"("materials":["fat"]})"}) {
    const std::string file = std::string(R"({"format":"sinew-materials",)") + rest;
    EXPECT_THROW(read_materials_json(bytes_of_text(file), "m.json", 1), Error) << rest;
  }
}

TEST(PartsJson, OtherFilesAreRefused) {
  for (const char* text :
       {"", "[]", "{}", "{\"format\":\"sinew-samples\"}", "{\"format\":\"sinew-owners\"}",
        "{\"format\":\"sinew-owners\",\"bones\":[{\"joint\":\"upper\"}],\"owners\":[7]}",
        "{\"format\":\"sinew-samples\",\"parts\":{\"a\":{\"points\":[[0,0,0]],\"normals\":[]}}}",
        "{\"format\":\"sinew-samples\",\"parts\":{\"a\":{\"points\":[[0,0,0]],\"normals\":[[0,0,0]]}}}"}) {
    const std::string file = text;
    EXPECT_THROW(read_owners_json(bytes_of_text(file), "x.json", two_joints(), 1), Error) << text;
    EXPECT_THROW(read_samples_json(bytes_of_text(file), "x.json"), Error) << text;
    EXPECT_THROW(read_materials_json(bytes_of_text(file), "x.json", 1), Error) << text;
  }
}

}  // namespace
}  // namespace sinew::io
