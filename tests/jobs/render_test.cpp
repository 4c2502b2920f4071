// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sinew/core/error.h"
#include "sinew/io/browser.h"
#include "tests/support/png.h"

namespace sinew::jobs {
namespace {

/// A bar of two boxes on two joints, with a clip that bends it.
Character bending_bar() {
  Character c;
  c.name = "bar";
  Mesh& mesh = c.rig.mesh;
  for (int y = 0; y < 3; ++y)
    for (int k = 0; k < 4; ++k) mesh.positions.emplace_back(k == 0 || k == 3 ? -0.2 : 0.2, y, k < 2 ? 0.2 : -0.2);
  for (Index y = 0; y < 2; ++y)
    for (Index k = 0; k < 4; ++k) {
      const Index a = 4 * y + k, b = 4 * y + (k + 1) % 4;
      const std::array<Index, 4> face = {a, b, b + 4, a + 4};
      mesh.add_face(face);
    }
  mesh.parts.push_back({.name = "bar",
                        .first_vertex = 0,
                        .vertex_count = 12,
                        .first_face = 0,
                        .face_count = 8,
                        .skin = 0,
                        .morphs = {},
                        .morph_weights = {}});
  Joint root, tip;
  root.name = "root";
  tip.name = "bend";
  tip.parent = 0;
  tip.rest.translation = Vec3(0, 1, 0);
  root.deforming = tip.deforming = true;
  c.rig.skeleton.joints = {root, tip};
  Skin skin;
  skin.joints = {0, 1};
  skin.inverse_bind = {Mat4::Identity(), Mat4::Identity()};
  skin.inverse_bind[1](1, 3) = -1;
  c.rig.skins = {skin};
  for (int y = 0; y < 3; ++y)
    for (int k = 0; k < 4; ++k)
      if (y == 1) c.rig.weights.add_row({{0, 0.5F}, {1, 0.5F}});
      else c.rig.weights.add_row({{static_cast<Index>(y / 2), 1.0F}});
  Track track;
  track.path = Track::Path::kRotation;
  track.target = 1;
  track.times_s = {0, 2};
  track.values = {0, 0, 0, 1, 0, 0, 0.7071068F, 0.7071068F};
  Clip clip;
  clip.name = "curl";
  clip.tracks = {track};
  c.clips = {clip};
  return c;
}

std::string refusal(const Character& character, const RenderOptions& options) {
  Findings warnings;
  try {
    picture_scene(character, options, "bar.glb", warnings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

io::PictureScene made(const Character& character, const RenderOptions& options) {
  Findings warnings;
  return picture_scene(character, options, "bar.glb", warnings);
}

TEST(Render, TheBarIsValid) { EXPECT_TRUE(validate(bending_bar()).empty()); }

TEST(Render, WithoutAClipItShowsTheRestPose) {
  const Character bar = bending_bar();
  const io::PictureScene scene = made(bar, {});
  ASSERT_EQ(scene.frames.size(), 1U);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_LT((scene.frames[0].positions[i] - bar.rig.mesh.positions[i]).norm(), 1e-12);
  EXPECT_EQ(scene.width, 1024);
}

TEST(Render, AClipMovesTheSkinAndAllItsTimesHaveOneCamera) {
  const Character bar = bending_bar();
  RenderOptions options;
  options.clip = "curl";
  options.time = 2.0;
  const io::PictureScene end = made(bar, options);
  EXPECT_NEAR(end.frames[0].positions[8].x(), -1, 0.3) << "the top has turned to the side";
  options.time = 0.0;
  const io::PictureScene start = made(bar, options);
  EXPECT_EQ(start.also_fit, end.also_fit);
  EXPECT_FALSE(start.also_fit.empty());
  options.clip = "0";
  EXPECT_EQ(made(bar, options).frames[0].positions, start.frames[0].positions) << "a clip also goes by its number";
}

TEST(Render, ATimeAfterTheEndIsAWarning) {
  const Character bar = bending_bar();
  RenderOptions options;
  options.clip = "curl";
  options.time = 9.0;
  Findings warnings;
  picture_scene(bar, options, "bar.glb", warnings);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "render.time");
}

TEST(Render, ASheetHasFourViewsAndFourTimes) {
  Character bar = bending_bar();
  RenderOptions options;
  options.sheet = true;
  const io::PictureScene scene = made(bar, options);
  EXPECT_EQ(scene.cells.size(), 8U);
  EXPECT_EQ(scene.width, 1600);
  bar.clips.clear();
  EXPECT_EQ(made(bar, options).cells.size(), 4U);
}

TEST(Render, WeightsBecomeAField) {
  const Character bar = bending_bar();
  RenderOptions options;
  options.show = {"weights:bend"};
  const io::PictureScene scene = made(bar, options);
  ASSERT_EQ(scene.overlays.size(), 1U);
  const std::vector<float>& values = scene.overlays[0].fields.at(0).values;
  EXPECT_FLOAT_EQ(values[0], 0);
  EXPECT_FLOAT_EQ(values[5], 0.5F);
  EXPECT_FLOAT_EQ(values[11], 1);
}

TEST(Render, UnknownNamesGetTheNearestOnes) {
  const Character bar = bending_bar();
  RenderOptions options;
  options.show = {"weights:bemd"};
  EXPECT_NE(refusal(bar, options).find("'bend'"), std::string::npos) << refusal(bar, options);
  options.show = {"weights:OO"};
  EXPECT_NE(refusal(bar, options).find("'root'"), std::string::npos) << refusal(bar, options);
  options = {};
  options.clip = "curk";
  EXPECT_NE(refusal(bar, options).find("'curl'"), std::string::npos) << refusal(bar, options);
  options = {};
  options.show = {"skim"};
  EXPECT_NE(refusal(bar, options).find("skin, wire, skeleton"), std::string::npos);
  options = {};
  options.time = 1.0;
  EXPECT_NE(refusal(bar, options).find("--clip"), std::string::npos);
}

TEST(Render, SizesThatAreNoneAreRefused) {
  const Character bar = bending_bar();
  for (const char* size :
       {"10", "x", "100x", "x100", "100x100x", "-5x100", "15x100", "100x4097", "1e3x100", "99999999999x100"}) {
    RenderOptions options;
    options.size = size;
    EXPECT_FALSE(refusal(bar, options).empty()) << size;
  }
  RenderOptions options;
  options.size = "16x4096";
  EXPECT_EQ(made(bar, options).height, 4096);
}

TEST(Render, WireSkeletonAndWeightsEachChangeThePicture) {
  const Character bar = bending_bar();
  const auto draw = [&](std::vector<std::string> show) {
    RenderOptions options;
    options.show = std::move(show);
    options.size = "96x96";
    options.samples = 4;
    return io::draw_picture(made(bar, options)).png;
  };
  io::Bytes skin;
  try {
    io::find_browser();
    skin = draw({"skin"});
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.find("not installed") == std::string::npos && text.find("no renderer") == std::string::npos) throw;
    GTEST_SKIP() << text;
  }
  std::vector<io::Bytes> all = {skin, draw({"skin", "wire"}), draw({"skin", "skeleton"}), draw({"weights:bend"}),
                                draw({"wire"})};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(test::decode_png(all[i]).width, 96);
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(all[i], all[k]) << i << " and " << k;
  }
}

TEST(Render, OnlyPngIsWritten) {
  JobRequest request;
  request.inputs = {"bar.glb"};
  request.output = "bar.jpg";
  EXPECT_THROW(render(request, {}, {}), Error);
}

}  // namespace
}  // namespace sinew::jobs
