// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/rignet/rignet.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

constexpr const char* kRignetMesh = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4\n";
constexpr const char* kRignetRig =
    "joints hips 0.5 0 0\njoints chest 0.5 1 0\njoints head 0.5 1.5 0.25\nroot hips\nhier hips chest\n"
    "hier chest head\nskin 0 hips 1.0\nskin 1 hips 0.75 chest 0.25\nskin 2 head 1\nskin 3 chest 0.5 head 0.5\n";

class RignetFolder {
 public:
  RignetFolder(const std::string& rig, const char* mesh_name, const char* mesh = kRignetMesh) {
    test::write(folder_ / "hero.txt", as_bytes(rig));
    test::write(folder_ / "hero_rig.txt", as_bytes(rig));
    if (mesh_name != nullptr) test::write(folder_ / mesh_name, as_bytes(mesh));
  }
  Asset read(const char* name = "hero.txt") const { return load(folder_ / name); }
  std::string refusal() const {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
};

TEST(Rignet, JointsAndWeightsJoinTheMeshBesideIt) {
  for (const char* rig : {"hero.txt", "hero_rig.txt"}) {
    const Asset asset = RignetFolder(kRignetRig, "hero.obj").read(rig);
    const Rig& character = asset.character.rig;
    ASSERT_EQ(character.skeleton.size(), 3U);
    const Index head = character.skeleton.find("head");
    EXPECT_EQ(character.skeleton.joints[head].parent, character.skeleton.find("chest"));
    const std::vector<Mat4> rest = rest_matrices(character.skeleton);
    EXPECT_LT((rest[head].topRightCorner<3, 1>() - Vec3(0.5, 1.5, 0.25)).norm(), 1e-12);
    EXPECT_EQ(character.mesh.face(0).size(), 4U);
    ASSERT_EQ(character.weights.row(1).size(), 2U);
    EXPECT_EQ(character.weights.row(1)[1], (Influence{character.skeleton.find("chest"), 0.25F}));
    for (const Mat4& m : inverse_bind_of_part(character, 0)) EXPECT_TRUE(m.allFinite());
    EXPECT_LT((rest[head] * inverse_bind_of_part(character, 0)[head] - Mat4::Identity()).norm(), 1e-12);
    EXPECT_EQ(asset.files.size(), 2U);
    EXPECT_TRUE(asset.warnings.empty());
  }
}

TEST(Rignet, AChildMayComeBeforeItsParent) {
  const std::string rig = "joints tip 0 2 0\njoints base 0 0 0\nhier base tip\nroot base\n";
  const Asset asset = RignetFolder(rig, "hero.obj").read();
  EXPECT_EQ(asset.character.rig.skeleton.joints[0].name, "base");
  EXPECT_EQ(asset.character.rig.skeleton.joints[1].parent, 0U);
}

TEST(Rignet, WithoutAMeshTheSkeletonIsReadWithAWarning) {
  const Asset asset = RignetFolder(kRignetRig, nullptr).read();
  EXPECT_EQ(asset.character.rig.skeleton.size(), 3U);
  EXPECT_EQ(asset.character.rig.mesh.vertex_count(), 0U);
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "rignet.no_mesh");
}

TEST(Rignet, CountsThatDoNotFitAreToldInASentence) {
  EXPECT_NE(RignetFolder(std::string(kRignetRig) + "skin 4 hips 1\n", "hero.obj")
                .refusal()
                .find("has weights of vertex 4, but hero.obj has 4 vertices"),
            std::string::npos);
  const Asset asset =
      RignetFolder(kRignetRig, "hero.obj", "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 9 9 9\nf 1 2 3 4\n").read();
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "rignet.weights");
}

TEST(Rignet, WrongLinesAreRefusedByNumber) {
  const auto refusal = [](const std::string& rig) { return RignetFolder(rig, "hero.obj").refusal(); };
  EXPECT_NE(refusal("Dear reader,\n").find("Unknown file type"), std::string::npos);
  EXPECT_NE(refusal("").find("Unknown file type"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\nDear reader,\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\n").find("no line 'root NAME'"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0\nroot a\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\njoints a 0 0 0\nroot a\n").find("two joints 'a'"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\njoints b 0 0 0\nroot a\n").find("'b' is not connected"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\njoints b 0 0 0\nroot a\nhier a b\nhier b a\n").find("The root 'a' has a parent"),
            std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\nroot a\nskin 0 b 1\n").find("no joint 'b'"), std::string::npos);
  EXPECT_NE(refusal("joints a 0 0 0\nroot a\nskin 0 a\n").find("line 3"), std::string::npos);
}

TEST(Rignet, OtherTextsAreNotOfThisFormat) {
  const test::TemporaryFolder folder;
  test::write(folder / "LICENSE.txt", as_bytes("\nCC0: take it.\n"));
  test::write(folder / "rig.txt", as_bytes("\n joints a 0 0 0\nroot a\n"));
  EXPECT_THROW(format_of(folder / "LICENSE.txt"), Error);
  EXPECT_EQ(format_of(folder / "rig.txt").id, "rignet");
  EXPECT_EQ(format_of(folder / "not_there.txt").id, "rignet");
}

TEST(Rignet, DamagedTextGivesAValidCharacterOrASentence) {
  for (unsigned i = 0; i < 500; ++i) {
    std::mt19937 rng(i);
    std::string text = kRignetRig;
    for (unsigned edit = 0; edit <= rng() % 4; ++edit) {
      const std::size_t at = rng() % text.size();
      if (rng() % 3 == 0) text.erase(at, 1 + rng() % 8);
      else text[at] = static_cast<char>(rng());
      if (text.empty()) text = " ";
    }
    try {
      EXPECT_TRUE(validate(RignetFolder(text, "hero.obj").read().character).empty());
    } catch (const Error& error) {
      EXPECT_GT(std::string(error.what()).size(), 15U);
    }
  }
}

}  // namespace
}  // namespace sinew::io
