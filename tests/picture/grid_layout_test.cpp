// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/grid_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/shapes/kinds.h"

namespace sinew::picture {
namespace {

/// A character at rest, as `render` has it before cells are laid out.
PictureScene grid_scene_of(const Character& character) {
  PictureScene scene(character);
  scene.frames.push_back({character.rig.mesh.positions, rest_matrices(character.rig.skeleton)});
  return scene;
}

const Character& grid_person() {
  static const Character character = [] {
    shapes::MakeOptions options;
    options.vertices = 2500;
    return shapes::make("human", options).made.character;
  }();
  return character;
}

std::vector<Overlay::Label> joint_labels(const PictureFrame& frame) {
  for (const Overlay& overlay : frame.overlays)
    if (overlay.name == "joints") return overlay.labels;
  return {};
}

TEST(GridLayout, ItsLinesAreAPowerOfTenApart) {
  EXPECT_NEAR(grid_step(1.75), 0.1, 1e-12);
  EXPECT_NEAR(grid_step(72), 10, 1e-9);
  EXPECT_NEAR(grid_step(0.017), 0.001, 1e-12);
  for (const double length : {0.4, 0.9, 1.0, 3.9, 4.0, 12.0}) {
    const double lines = length / grid_step(length);
    EXPECT_GE(lines, 3.99) << length;
    EXPECT_LE(lines, 40.01) << length;
  }
  EXPECT_EQ(grid_step(0), 0);
}

TEST(GridLayout, LabelsThatHaveRoomStayAndOthersAreSpreadAroundTheirMean) {
  const std::vector<double> wanted = {2.0, 1.02, 1.0, 0.98, 0.2};
  const std::vector<double> placed = spread_labels(wanted, 0.1);
  ASSERT_EQ(placed.size(), wanted.size());
  EXPECT_EQ(placed.front(), 2.0);
  EXPECT_EQ(placed.back(), 0.2);
  EXPECT_NEAR(placed[2], 1.0, 1e-12);
  for (std::size_t i = 1; i < placed.size(); ++i) EXPECT_GE(placed[i - 1] - placed[i], 0.1 - 1e-12);
  EXPECT_TRUE(spread_labels({}, 1).empty());
}

TEST(GridLayout, JointsHaveTheirNamesAndPositionsAndNoTwoLabelsOverlap) {
  PictureScene scene = grid_scene_of(grid_person());
  lay_out_grid(scene, {});
  ASSERT_EQ(scene.cells.size(), 2U);
  ASSERT_EQ(scene.frames.size(), 2U);
  EXPECT_TRUE(scene.skeleton);
  const std::vector<Overlay::Label> labels = joint_labels(scene.frames[0]);
  std::set<std::string> names;
  for (const Overlay::Label& label : labels) names.insert(label.text.substr(0, label.text.find('=')));
  for (const char* name : {"Hips", "Head", "LeftShin", "RightHand"}) EXPECT_EQ(names.count(name), 1U) << name;
  EXPECT_EQ(names.count("LeftIndex1"), 0U);
  for (const Overlay::Label& a : labels)
    for (const Overlay::Label& b : labels)
      if (&a != &b && std::abs(a.position.x() - b.position.x()) < 0.1) {
        EXPECT_GT(std::abs(a.position.y() - b.position.y()), 0.01) << a.text << " " << b.text;
      }
  // Joints of the far side would cover those of the near side.
  for (const Overlay::Label& label : joint_labels(scene.frames[1]))
    EXPECT_NE(label.text.substr(0, 5), "Right") << label.text;
}

TEST(GridLayout, ABareMeshShowsItsBounds) {
  Character bare;
  bare.rig.mesh = grid_person().rig.mesh;
  PictureScene scene = grid_scene_of(bare);
  lay_out_grid(scene, {});
  EXPECT_FALSE(scene.skeleton);
  for (const PictureFrame& frame : scene.frames) {
    EXPECT_TRUE(joint_labels(frame).empty());
    EXPECT_EQ(frame.overlays.back().name, "bounds");
    EXPECT_EQ(frame.overlays.back().labels.size(), 2U);
  }
}

TEST(GridLayout, OneViewCanBeChosenAndNoOtherThanFrontAndSide) {
  PictureScene scene = grid_scene_of(grid_person());
  EXPECT_THROW(lay_out_grid(scene, {"back"}), Error);
  lay_out_grid(scene, {"side"});
  EXPECT_EQ(scene.cells.size(), 1U);
}

}  // namespace
}  // namespace sinew::picture
