// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/jobs/make.h"
#include "sinew/motion/pose_file.h"
#include "sinew/picture/browser.h"
#include "sinew/pipeline/segment_colors.h"
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

/// The bar as if it had been read from a file.
io::Asset bar_file(Character character = bending_bar()) {
  io::Asset asset;
  asset.character = std::move(character);
  asset.path = "bar.glb";
  return asset;
}

std::string refusal(const io::Asset& asset, const RenderOptions& options) {
  Report report;
  try {
    picture_scene(asset, options, report);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

picture::PictureScene made(const io::Asset& asset, const RenderOptions& options) {
  Report report;
  return picture_scene(asset, options, report);
}

TEST(Render, TheBarIsValid) { EXPECT_TRUE(validate(bending_bar()).empty()); }

TEST(Render, WithoutAClipItShowsTheRestPose) {
  const io::Asset bar = bar_file();
  const picture::PictureScene scene = made(bar, {});
  ASSERT_EQ(scene.frames.size(), 1U);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_LT((scene.frames[0].positions[i] - bar.character.rig.mesh.positions[i]).norm(), 1e-12);
  EXPECT_EQ(scene.width, 1024);
}

TEST(Render, AClipMovesTheSkinAndAllItsTimesHaveOneCamera) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.clip = "curl";
  options.time = 2.0;
  const picture::PictureScene end = made(bar, options);
  EXPECT_NEAR(end.frames[0].positions[8].x(), -1, 0.3) << "the top has turned to the side";
  options.time = 0.0;
  const picture::PictureScene start = made(bar, options);
  EXPECT_EQ(start.also_fit, end.also_fit);
  EXPECT_FALSE(start.also_fit.empty());
  options.clip = "0";
  EXPECT_EQ(made(bar, options).frames[0].positions, start.frames[0].positions) << "a clip also goes by its number";
}

TEST(Render, ATimeAfterTheEndIsAWarning) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.clip = "curl";
  options.time = 9.0;
  Report report;
  picture_scene(bar, options, report);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].code, "render.time");
}

TEST(Render, ASheetHasFourViewsAndFourTimes) {
  io::Asset bar = bar_file();
  RenderOptions options;
  options.sheet = true;
  const picture::PictureScene scene = made(bar, options);
  EXPECT_EQ(scene.cells.size(), 8U);
  EXPECT_EQ(scene.width, 1600);
  bar.character.clips.clear();
  EXPECT_EQ(made(bar, options).cells.size(), 4U);
}

TEST(Render, BuiltInClipsCanBeShownToo) {
  io::Asset bar = bar_file();
  bar.character.clips.clear();
  RenderOptions options;
  options.clip = "exercise";
  options.time = 0.2;
  const picture::PictureScene scene = made(bar, options);
  EXPECT_GT((scene.frames[0].positions[8] - bar.character.rig.mesh.positions[8]).norm(), 0.01);
}

TEST(Render, AMethodMovesTheSkinInItsOwnWay) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.clip = "curl";
  options.time = 2.0;
  const picture::PictureScene linear = made(bar, options);
  options.deformer.method.choose("dqs");
  const picture::PictureScene dual = made(bar, options);
  EXPECT_LT((linear.frames[0].positions[8] - dual.frames[0].positions[8]).norm(), 1e-5) << "one joint alone moves it";
  EXPECT_GT((linear.frames[0].positions[4] - dual.frames[0].positions[4]).norm(), 0.01) << "two joints share it";
  options.deformer.method.choose("lbs");
  options.deformer.delta_mush.enabled = true;
  EXPECT_GT((linear.frames[0].positions[4] - made(bar, options).frames[0].positions[4]).norm(), 1e-4);
  options = {};
  EXPECT_THROW(options.deformer.method.choose("dqz"), Error);
}

TEST(Render, APoseIsReadFromAFile) {
  const io::Asset bar = bar_file();
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sinew_render_pose.json";
  const Joint& joint = bar.character.rig.skeleton.joints[1];
  const Quat turn = Quat(Eigen::AngleAxisd(kPi / 2, Vec3::UnitZ()));
  const Json rotation = {turn.x(), turn.y(), turn.z(), turn.w()};
  std::ofstream(path) << Json{{"space", "local"}, {"joints", {{joint.name, {{"rotation", rotation}}}}}}.dump();
  RenderOptions options;
  options.pose = path.string();
  Report report;
  const picture::PictureScene scene = picture_scene(bar, options, report);
  EXPECT_NEAR(scene.frames[0].positions[8].x(), -1, 0.3);
  EXPECT_EQ(report.inputs.size(), 1U);
  options.clip = "curl";
  EXPECT_NE(refusal(bar, options).find("cannot be combined"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(Render, SegmentsOfNeighboursHaveDifferentColours) {
  Character bar = bending_bar();
  bar.materials.emplace_back();
  bar.rig.mesh.face_materials.assign(bar.rig.mesh.face_count(), 0);
  Findings warnings;
  pipeline::paint_segments(bar, warnings, {});
  ASSERT_EQ(bar.rig.mesh.colors.size(), 16U) << "the ring between the segments is there twice";
  ASSERT_EQ(bar.rig.weights.row_count(), 16U);
  const auto color_of_face = [&](Index f) {
    const Vec4f color = bar.rig.mesh.colors[bar.rig.mesh.face(f)[0]];
    for (const Index v : bar.rig.mesh.face(f)) EXPECT_EQ(bar.rig.mesh.colors[v], color) << f;
    return color;
  };
  EXPECT_EQ(color_of_face(0), color_of_face(3));
  EXPECT_GT((color_of_face(0) - color_of_face(7)).norm(), 0.2F);
  EXPECT_TRUE(bar.materials.empty());
  EXPECT_TRUE(validate(bar).empty());
  bar.rig = {};
  EXPECT_THROW(pipeline::paint_segments(bar, warnings, {}), Error);
}

TEST(Render, SegmentColoursDifferWhereSegmentsTouch) {
  // A hand of forty fingers on one joint: more segments than colours, each beside the next.
  Segmentation segmentation;
  geometry::Lists rings;
  for (Index s = 0; s < 40; ++s) {
    segmentation.segments.push_back({s, s + 1});
    segmentation.owner.push_back(s);
    if (s > 0) rings.items.push_back(s - 1);
    if (s < 39) rings.items.push_back(s + 1);
    rings.offsets.push_back(static_cast<Index>(rings.items.size()));
  }
  const std::vector<Vec3f> colors = pipeline::segment_colors(segmentation, rings);
  for (std::size_t s = 1; s < 40; ++s) EXPECT_GT((colors[s] - colors[s - 1]).norm(), 0.2F) << s;
  std::set<float> reds;
  for (const Vec3f& color : colors) reds.insert(color.x());
  EXPECT_GT(reds.size(), 8U) << "many colours are used";
}

TEST(Render, WeightsBecomeAField) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.show = {"weights:bend"};
  const picture::PictureScene scene = made(bar, options);
  ASSERT_EQ(scene.overlays.size(), 1U);
  const std::vector<float>& values = scene.overlays[0].fields.at(0).values;
  EXPECT_FLOAT_EQ(values[0], 0);
  EXPECT_FLOAT_EQ(values[5], 0.5F);
  EXPECT_FLOAT_EQ(values[11], 1);
}

/// A closed bar, so that it has an inside.
io::Asset closed_bar() {
  Character c = bending_bar();
  c.rig.mesh.add_face(std::array<Index, 4>{3, 2, 1, 0});
  c.rig.mesh.add_face(std::array<Index, 4>{8, 9, 10, 11});
  c.rig.mesh.parts[0].face_count = 10;
  return bar_file(std::move(c));
}

TEST(Render, WhatAMethodShowsOfItselfGoesByItsName) {
  const io::Asset bar = closed_bar();
  ASSERT_TRUE(validate(bar.character).empty());
  RenderOptions options;
  options.deformer.method.choose("pbd");
  options.deformer.method.options().as<deform::PbdOptions>().tets = 500;
  options.deformer.method.options().as<deform::PbdOptions>().sweeps = 3;
  options.show = {"tets", "areas", "inverted"};
  options.clip = "curl";
  options.time = 0.0;
  const picture::PictureScene straight = made(bar, options);
  ASSERT_EQ(straight.overlays.size(), 3U);
  EXPECT_EQ(straight.overlays[0].name, "tets");
  EXPECT_EQ(straight.overlays[1].name, "areas");
  EXPECT_GT(straight.overlays[0].lines.size(), 50U);
  EXPECT_GT(straight.overlays[1].triangles.size(), 10U);
  EXPECT_TRUE(straight.overlays[2].points.empty()) << "nothing is inside out at rest";
  EXPECT_FALSE(straight.skin) << "it was not asked for";
  const auto box_of = [](const picture::PictureScene& scene) {
    Box box;
    for (const auto& line : scene.overlays[0].lines)
      for (const Vec3& p : line) box.extend(p);
    return box;
  };
  EXPECT_NEAR(box_of(straight).upper.y(), 2, 0.1);
  EXPECT_NEAR(box_of(straight).lower.x(), -0.2, 0.1);
  options.time = 2.0;
  EXPECT_NEAR(box_of(made(bar, options)).lower.x(), -1, 0.15) << "they are shown in the pose of the picture";
  options.sheet = true;
  EXPECT_EQ(made(bar, options).cells.size(), 4U) << "other times would need other tetrahedra";
}

TEST(Render, AFieldOfAMethodColoursTheSkin) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.deformer.method.choose("slbs");
  options.show = {"twist"};
  const picture::PictureScene scene = made(bar, options);
  EXPECT_TRUE(scene.skin);
  ASSERT_EQ(scene.overlays.size(), 1U);
  EXPECT_EQ(scene.overlays[0].fields.at(0).values.size(), 12U);
}

TEST(Render, WhatAMethodDoesNotShowIsRefusedWithWhatThereIs) {
  const io::Asset bar = closed_bar();
  const auto holds = [&](const RenderOptions& options, const char* text) {
    const std::string said = refusal(bar, options);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  RenderOptions options;
  options.show = {"skin", "tets"};
  holds(options, "cannot draw 'tets' with the method lbs");
  holds(options, "Set the option 'method' to pbd");
  options.deformer.method.choose("pbd");
  options.deformer.method.options().as<deform::PbdOptions>().tets = 500;
  options.show = {"tots"};
  holds(options, "tets, inverted, areas");
  options.show = {"twist"};
  holds(options, "Set the option 'method' to slbs");
}

TEST(Render, UnknownNamesGetTheNearestOnes) {
  const io::Asset bar = bar_file();
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
  EXPECT_NE(refusal(bar, options).find("skin, wire, skeleton, segments"), std::string::npos);
  options = {};
  options.time = 1.0;
  EXPECT_NE(refusal(bar, options).find("'clip'"), std::string::npos);
}

TEST(Render, SizesThatAreNoneAreRefused) {
  const io::Asset bar = bar_file();
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

TEST(Render, FocusShowsEachJointFromNear) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.focus = {"bend", "root"};
  options.clip = "curl";
  options.time = 2.0;
  const picture::PictureScene scene = made(bar, options);
  ASSERT_EQ(scene.cells.size(), 2U);
  EXPECT_EQ(scene.cells[0].title, "bend");
  EXPECT_EQ(scene.cells[1].title, "root");
  EXPECT_EQ(scene.columns, 2);
  EXPECT_EQ(scene.width, 2 * scene.height) << "panels are square";
  ASSERT_TRUE(scene.cells[0].close_up.has_value());
  EXPECT_FALSE(scene.cells[0].close_up->points.empty());
  EXPECT_GT(std::abs(scene.cells[0].close_up->back.z()), 0.9) << "the bar is bent about z";
  options.view = "side";
  EXPECT_GT(made(bar, options).cells[0].close_up->back.x(), 0.9) << "a view that was asked for is kept";
}

TEST(Render, FocusOnAnUnknownJointIsRefusedWithTheNearest) {
  io::Asset bar = bar_file();
  RenderOptions options;
  options.focus = {"bned"};
  EXPECT_NE(refusal(bar, options).find("'bend'"), std::string::npos) << refusal(bar, options);
  options.focus = {"bend"};
  options.sheet = true;
  EXPECT_NE(refusal(bar, options).find("cannot be combined"), std::string::npos);
  options.sheet = false;
  bar.character.rig.skeleton = {};
  EXPECT_NE(refusal(bar, options).find("no skeleton"), std::string::npos) << refusal(bar, options);
}

/// The options of a picture of the bent bar.
RenderOptions bent() {
  RenderOptions options;
  options.clip = "curl";
  options.time = 2.0;
  options.deformer.method.choose("dqs");
  return options;
}

/// A file of a character that is removed with this.
class BarOnDisk {
 public:
  explicit BarOnDisk(const Character& character, const char* name)
      : path_(std::filesystem::path(testing::TempDir()) / name) {
    io::Asset asset;
    asset.character = character;
    Report report;
    io::save(asset, path_, {}, report);
  }
  ~BarOnDisk() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Render, ComparingWithAMethodDrawsBothAndTheDifference) {
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = "lbs";
  Report report;
  const picture::PictureScene scene = picture_scene(bar, options, report);
  ASSERT_EQ(scene.frames.size(), 3U);
  ASSERT_EQ(scene.cells.size(), 3U);
  EXPECT_EQ(scene.columns, 3);
  EXPECT_EQ(scene.cells[0].title, "dqs");
  EXPECT_EQ(scene.cells[1].title, "lbs");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(scene.cells[i].frame, i);
  EXPECT_EQ(scene.frames[2].positions, scene.frames[0].positions);
  const Overlay::VertexField& field = scene.frames[2].overlays.at(0).fields.at(0);
  const double size = bar.character.rig.mesh.size();
  double most = 0;
  for (std::size_t v = 0; v < 12; ++v) {
    const double percent = 100 * (scene.frames[0].positions[v] - scene.frames[1].positions[v]).norm() / size;
    EXPECT_NEAR(field.values[v], percent, 1e-4);
    most = std::max(most, percent);
  }
  EXPECT_GT(most, 1);
  EXPECT_NEAR(field.high, most, 1e-4) << "the scale ends at the largest difference";
  EXPECT_NEAR(report.metrics["difference"]["max_percent"].get<double>(), most, 1e-6);
  EXPECT_NE(scene.cells[2].title.find(fmt::format("{:.3g} %", most)), std::string::npos) << scene.cells[2].title;
  options.compare = "dqs";
  Report same;
  EXPECT_EQ(picture_scene(bar, options, same).frames.size(), 3U);
  EXPECT_EQ(same.metrics["difference"]["max_percent"], 0) << "a method does not differ from itself";
}

TEST(Render, TitlesOfAComparisonNameContact) {
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = "dqs";
  options.deformer.contact.use = deform::ContactUse::kOn;
  EXPECT_EQ(made(bar, options).cells[0].title, "dqs + contact");
  options.deformer.contact.use = deform::ContactUse::kLayers;
  const picture::PictureScene scene = made(bar, options);
  EXPECT_EQ(scene.cells[0].title, "dqs + contact layers");
  EXPECT_EQ(scene.cells[1].title, "dqs");
}

TEST(Render, AComparisonOfCloseUpsHasARowForEachJointWithOneCamera) {
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = "lbs";
  options.focus = {"bend", "root"};
  const picture::PictureScene scene = made(bar, options);
  ASSERT_EQ(scene.cells.size(), 6U);
  for (const std::size_t row : {0U, 3U})
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(scene.cells[row + i].frame, i);
      EXPECT_EQ(scene.cells[row + i].close_up->back, scene.cells[row].close_up->back);
      EXPECT_EQ(scene.cells[row + i].close_up->points, scene.cells[row].close_up->points);
    }
  EXPECT_EQ(scene.cells[4].title, "root · lbs");
  EXPECT_EQ(scene.width, 3 * scene.height / 2);
}

TEST(Render, AComparisonShowsEachItsOwnOverlays) {
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.deformer.method.choose("slbs");
  options.compare = "lbs";
  options.show = {"twist"};
  const picture::PictureScene scene = made(bar, options);
  EXPECT_TRUE(scene.overlays.empty());
  EXPECT_EQ(scene.frames[0].overlays.size(), 1U);
  EXPECT_TRUE(scene.frames[1].overlays.empty()) << "lbs has no twist to show";
  options.show = {"weights:bend"};
  EXPECT_EQ(made(bar, options).frames[1].overlays.size(), 1U) << "weights belong to both";
}

TEST(Render, ComparingWithAFileUsesItsOwnSkinInTheSamePose) {
  Character heavy = bending_bar();
  heavy.clips.clear();
  SkinWeights weights;
  for (int y = 0; y < 3; ++y)
    for (int k = 0; k < 4; ++k) weights.add_row({{static_cast<Index>(y > 0 ? 1 : 0), 1.0F}});
  heavy.rig.weights = weights;
  const BarOnDisk file(heavy, "sinew_render_heavy.glb");
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = file.path();
  Report report;
  const picture::PictureScene scene = picture_scene(bar, options, report);
  ASSERT_EQ(scene.frames.size(), 3U) << "the clip is that of the first file";
  ASSERT_NE(scene.frames[1].character, nullptr);
  EXPECT_EQ(scene.cells[1].title, "sinew_render_heavy.glb");
  EXPECT_NEAR((scene.frames[1].positions[8] - scene.frames[0].positions[8]).norm(), 0, 1e-5);
  EXPECT_GT((scene.frames[1].positions[4] - scene.frames[0].positions[4]).norm(), 0.05);
  EXPECT_EQ(report.inputs.size(), 1U);
}

TEST(Render, AFileWithOtherVerticesIsComparedWithoutColours) {
  Character fewer = bending_bar();
  fewer.rig.mesh.face_offsets = {0};
  fewer.rig.mesh.face_vertices.clear();
  fewer.rig.mesh.add_face(std::array<Index, 3>{0, 1, 2});
  fewer.rig.mesh.positions.resize(3);
  fewer.rig.mesh.parts[0].vertex_count = 3;
  fewer.rig.mesh.parts[0].face_count = 1;
  SkinWeights weights;
  for (int v = 0; v < 3; ++v) weights.add_row({{0, 1.0F}});
  fewer.rig.weights = weights;
  const BarOnDisk file(fewer, "sinew_render_fewer.glb");
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = file.path();
  Report report;
  const picture::PictureScene scene = picture_scene(bar, options, report);
  EXPECT_EQ(scene.cells.size(), 2U);
  EXPECT_EQ(scene.columns, 2);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].code, "render.other_vertices");
}

TEST(Render, WhatCannotBeComparedIsRefused) {
  const io::Asset bar = bar_file();
  RenderOptions options = bent();
  options.compare = "lbz";
  EXPECT_NE(refusal(bar, options).find("Did you mean 'lbs'?"), std::string::npos) << refusal(bar, options);
  options.compare = "/nowhere/bar.glb";
  EXPECT_NE(refusal(bar, options).find("/nowhere/bar.glb"), std::string::npos) << refusal(bar, options);
  options.compare = "lbs";
  options.sheet = true;
  EXPECT_NE(refusal(bar, options).find("cannot be combined"), std::string::npos);
}

TEST(Render, WireSkeletonAndWeightsEachChangeThePicture) {
  const io::Asset bar = bar_file();
  const auto draw = [&](std::vector<std::string> show) {
    RenderOptions options;
    options.show = std::move(show);
    options.size = "96x96";
    options.samples = 4;
    return picture::draw_picture(made(bar, options)).png;
  };
  io::Bytes skin;
  try {
    picture::find_browser();
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

TEST(Render, SeveralInputsGiveAPictureEach) {
  const picture::ScratchFolder scratch;
  const std::filesystem::path& folder = scratch.path();
  JobRequest request;
  for (const char* name : {"a.glb", "b.glb"}) {
    make({{"bar"}, folder / name, false}, {}, {});
    request.inputs.push_back(folder / name);
  }
  std::filesystem::create_directory(folder / "pictures");
  request.output = folder / "pictures";
  RenderOptions options;
  options.quick = true;
  options.size = "32x32";
  const Report report = render(request, options, {});
  EXPECT_EQ(report.outputs.size(), 2U);
  for (const char* name : {"a.png", "b.png"})
    EXPECT_EQ(test::decode_png(io::read_file(folder / "pictures" / name)).width, 32);
  EXPECT_THROW(render(request, options, {}), Error) << "they exist";
  request.output = folder / "one.png";
  EXPECT_THROW(render(request, options, {}), Error) << "a file, not a folder";
  request.output.reset();
  request.inputs = {folder / "a.glb", folder / "a.glb"};
  EXPECT_THROW(render(request, options, {}), Error) << "twice the same picture";
}

TEST(Render, AGridCannotBeCombinedWithSheetsAndCloseUps) {
  const io::Asset bar = bar_file();
  RenderOptions sheet, focus;
  sheet.grid = focus.grid = true;
  sheet.sheet = true;
  focus.focus = {"bend"};
  for (const RenderOptions& options : {sheet, focus})
    EXPECT_NE(refusal(bar, options).find("'grid' cannot be combined"), std::string::npos) << refusal(bar, options);
}

TEST(Render, WhatCameBeforeCountsForMethodsWithInertia) {
  const io::Asset bar = bar_file();
  RenderOptions options;
  options.clip = "curl";
  options.time = 0.5;
  const picture::PictureScene plain = made(bar, options);
  options.deformer.method.choose("ode");
  const picture::PictureScene moving = made(bar, options);
  options.time = 0;
  const picture::PictureScene start = made(bar, options);
  const auto farthest = [](const picture::PictureScene& a, const picture::PictureScene& b) {
    double worst = 0;
    for (std::size_t v = 0; v < a.frames[0].positions.size(); ++v)
      worst = std::max(worst, (a.frames[0].positions[v] - b.frames[0].positions[v]).norm());
    return worst;
  };
  options.deformer.method.choose("dqs");
  EXPECT_LT(farthest(start, made(bar, options)), 1e-6);
  options.time = 0.5;
  EXPECT_GT(farthest(moving, made(bar, options)), 1e-6);
  EXPECT_GT(farthest(moving, plain), 1e-6);
}

}  // namespace
}  // namespace sinew::jobs
