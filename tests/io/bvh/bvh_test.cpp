// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/bvh/bvh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

Asset parse_bvh(std::string_view text) {
  const auto bytes = as_bytes(text);
  return load_bytes("walk.bvh", Bytes(bytes.begin(), bytes.end()));
}

std::string bvh_error(std::string_view text) {
  try {
    parse_bvh(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kBvhTree =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    " JOINT Left Leg {\n  OFFSET 0.5 -1 0\n  CHANNELS 3 Yrotation Xrotation Zrotation\n  End Site\n  {\n   OFFSET 0 -2 "
    "0\n  }\n }\n JOINT Tail\n {\n  OFFSET 0 0 -1\n  CHANNELS 0\n  JOINT Tip\n  {\n   OFFSET 0 0 -1\n   CHANNELS 1 "
    "Xrotation\n   End Site\n   {\n    OFFSET 0 0 0\n   }\n  }\n }\n}\n";

std::string two_frames() {
  return std::string(kBvhTree) + "MOTION\nFrames: 2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0 0\n3 2 1 90 0 0 30 40 50 400\n";
}

Quat rotated(const Track& track, std::size_t key) {
  const float* v = track.values.data() + 4 * key;
  return Quat(static_cast<double>(v[3]), static_cast<double>(v[0]), static_cast<double>(v[1]),
              static_cast<double>(v[2]));
}

const Track& track_of(const Character& character, const std::string& joint, Track::Path path) {
  for (const Track& track : character.clips.at(0).tracks)
    if (track.path == path && character.rig.skeleton.joints[track.target].name == joint) return track;
  throw Error("no track of " + joint);
}

TEST(Bvh, ReadsJointsEndsAndFrames) {
  const Character character = parse_bvh(two_frames()).character;
  const Skeleton& skeleton = character.rig.skeleton;
  ASSERT_EQ(skeleton.size(), 4u);
  EXPECT_EQ(skeleton.joints[1].name, "Left Leg");
  EXPECT_EQ(skeleton.joints[3].parent, 2u);
  EXPECT_EQ(skeleton.joints[1].end_local.value(), Vec3(0, -2, 0));
  EXPECT_FALSE(skeleton.joints[3].end_local) << "an end of length zero says nothing";
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].name, "walk");
  EXPECT_DOUBLE_EQ(character.clips[0].duration_s(), 0.5);
  const Track& moved = track_of(character, "Hips", Track::Path::kTranslation);
  EXPECT_EQ(moved.values, (std::vector<float>{0, 1, 0, 3, 2, 1}));
}

TEST(Bvh, TheChannelListedFirstRotatesLast) {
  const Character character = parse_bvh(two_frames()).character;
  const auto turn = [](double angle_deg, int axis) { return rotation_exp(radians(angle_deg) * Vec3::Unit(axis)); };
  const Quat leg = rotated(track_of(character, "Left Leg", Track::Path::kRotation), 1);
  EXPECT_LT(leg.angularDistance(turn(30, 1) * turn(40, 0) * turn(50, 2)), 1e-6);
  EXPECT_LT(rotated(track_of(character, "Tip", Track::Path::kRotation), 1).angularDistance(turn(40, 0)), 1e-6);
}

TEST(Bvh, PositionsBelowARootReplaceTheOffsetUnlessAllAreZero) {
  const std::string tree =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 5 0\nCHANNELS 3 Xposition Yposition "
      "Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0\n";
  const Character replaced = parse_bvh(tree + "0 4 0\n").character;
  EXPECT_EQ(track_of(replaced, "b", Track::Path::kTranslation).values, (std::vector<float>{0, 4, 0}));
  EXPECT_TRUE(parse_bvh(tree + "0 0 0\n").character.clips.at(0).tracks.empty());
  // Nearly 0, as MakeHuman writes them.
  const Character nearly = parse_bvh(tree + "0.00002 -0.00001 0\n").character;
  EXPECT_NEAR(track_of(nearly, "b", Track::Path::kTranslation).values.at(1), 5, 1e-4);
}

TEST(Bvh, RefusesWhatIsNotBvhWithTheLine) {
  const std::string good = two_frames();
  EXPECT_NE(bvh_error("solid cube\n").find("HIERARCHY"), std::string::npos);
  EXPECT_NE(bvh_error(kBvhTree.substr(0, kBvhTree.find("JOINT Tip"))).find("cut short"), std::string::npos);
  EXPECT_NE(bvh_error(std::string(kBvhTree) + "MOTION\nFrames: 999999999999\nFrame Time: 1\n1 2 3\n").find("declares"),
            std::string::npos);
  EXPECT_NE(bvh_error(good.substr(0, good.size() - 8)).find("frame 1 of 2"), std::string::npos);
  std::string wrong = good;
  wrong.replace(wrong.find("Zrotation"), 9, "Wrotation");
  EXPECT_NE(bvh_error(wrong).find("line 5"), std::string::npos);
  wrong = good;
  wrong.replace(wrong.find("400"), 3, "nan");
  EXPECT_NE(bvh_error(wrong), "");
  EXPECT_NE(bvh_error("HIERARCHY\nMOTION\n").find("no joints"), std::string::npos);
}

TEST(Bvh, WrittenAndReadAgainMovesTheSame) {
  test::TemporaryFolder folder;
  const Asset asset = parse_bvh(two_frames());
  Report report;
  save(asset, folder / "out.bvh", {}, report);
  const Asset again = load(folder / "out.bvh");
  ASSERT_EQ(again.character.rig.skeleton.size(), 4u);
  EXPECT_EQ(again.character.rig.skeleton.joints[1].name, "Left_Leg");
  EXPECT_EQ(again.character.rig.skeleton.joints[1].end_local.value(), Vec3(0, -2, 0));
  for (const char* joint : {"Hips", "Tip"})
    EXPECT_LT(rotated(track_of(again.character, joint, Track::Path::kRotation), 1)
                  .angularDistance(rotated(track_of(asset.character, joint, Track::Path::kRotation), 1)),
              1e-6);
  EXPECT_EQ(track_of(again.character, "Hips", Track::Path::kTranslation).values,
            (std::vector<float>{0, 1, 0, 3, 2, 1}));
}

TEST(Bvh, IsPlacedByTheSizeOfItsSkeleton) {
  const std::string text = two_frames();
  const auto bytes = as_bytes(text);
  PlacementOptions placement;
  placement.height = 6;
  const Asset asset = load_bytes("walk.bvh", Bytes(bytes.begin(), bytes.end()), placement);
  // From the hips' height 1 to the end of the leg at −2.
  EXPECT_NEAR(asset.placement(0, 0), 2, 1e-9);
}

}  // namespace
}  // namespace sinew::io
