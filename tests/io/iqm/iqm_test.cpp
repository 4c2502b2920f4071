// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/iqm/iqm.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"
#include "tests/support/iqm_fixture.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

using test::IqmFixture;

TEST(Iqm, ReadsMeshSkeletonWeightsAndClip) {
  const Asset asset = load_bytes("made.iqm", IqmFixture().bytes());
  const Rig& rig = asset.character.rig;
  EXPECT_EQ(rig.mesh.vertex_count(), 3U);
  EXPECT_EQ(rig.mesh.parts.at(0).name, "body");
  // Clockwise in the file, counter-clockwise here.
  EXPECT_EQ(rig.mesh.face_vertices, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(rig.mesh.uvs.values[rig.mesh.uvs.corners[2]], Vec2f(0, 0.25F));
  ASSERT_EQ(rig.skeleton.size(), 2U);
  EXPECT_EQ(rig.skeleton.joints[1].name, "tip");
  EXPECT_EQ(rig.skeleton.joints[1].rest.translation, Vec3(0, 1, 0));
  ASSERT_EQ(rig.weights.row(2).size(), 2U);
  EXPECT_EQ(rig.weights.row(2)[0].joint, 1U);
  EXPECT_NEAR(rig.weights.row(2)[0].weight, 128.0 / 255, 1e-6);
  ASSERT_EQ(asset.character.clips.size(), 1U);
  const Clip& clip = asset.character.clips[0];
  EXPECT_EQ(clip.name, "wave");
  EXPECT_NEAR(clip.duration_s(), 0.1, 1e-6);
  bool found = false;
  for (const Track& track : clip.tracks) {
    if (track.target != 1 || track.path != Track::Path::kTranslation) continue;
    found = true;
    EXPECT_EQ(track.values, (std::vector<float>{0, 1, 0, 0, 2, 0}));
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(asset.warnings.at(0).code, "assimp.missing_texture");
}

TEST(Iqm, RefusesNumbersThatPointOutside) {
  for (std::size_t field = 0; field < 22; ++field)
    for (const std::uint32_t value : {0x7FFFFFFFU, 0xFFFFFFFFU, 4000U}) {
      // Sizes and flags that nobody needs to read the file.
      if (field == 1 || field == 2 || field == 12) continue;
      IqmFixture file;
      file.header(field, value);
      try {
        EXPECT_TRUE(validate(load_bytes("made.iqm", file.bytes()).character).empty());
        // A list of names may be longer than it is used, as long as it stays in the file.
        EXPECT_TRUE(field == 4) << field << ' ' << value;
      } catch (const Error& error) {
        EXPECT_GT(std::string(error.what()).size(), 15U);
      }
    }
}

TEST(Iqm, ReadsTheOrcOfTheTestModels) {
  const fs::path path = "/usr/share/assimp/models/IQM/mrfixit.iqm";
  if (!fs::exists(path)) GTEST_SKIP() << "The package assimp-testmodels is not installed.";
  const Asset asset = load(path);
  const Rig& rig = asset.character.rig;
  EXPECT_EQ(rig.mesh.vertex_count(), 1861U);
  EXPECT_EQ(rig.mesh.face_count(), 2988U);
  EXPECT_EQ(rig.skeleton.size(), 75U);
  ASSERT_EQ(asset.character.clips.size(), 1U);
  EXPECT_NEAR(asset.character.clips[0].duration_s(), 100.0 / 24, 1e-4);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (Index part = 0; part < rig.mesh.parts.size(); ++part) {
    const std::vector<Mat4> bind = inverse_bind_of_part(rig, part);
    for (std::size_t j = 0; j < rest.size(); ++j)
      EXPECT_LT((rest[j] * bind[j] - Mat4::Identity()).cwiseAbs().maxCoeff(), 1e-4);
  }
}

}  // namespace
}  // namespace sinew::io
