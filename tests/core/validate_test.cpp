// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sinew/core/segmentation.h"
#include "sinew/core/template.h"
#include "sinew/core/volume.h"
#include "tests/core/harm.h"

namespace sinew {
namespace {

using test::kNan;

std::string first_code(const Findings& found) { return found.empty() ? "" : found.front().code; }

TEST(Validate, Segmentation) {
  Segmentation good;
  good.segments = {{0, 1}, {1, kNone}};
  good.owner = {0, 1, 1};
  good.along = {0, 0.5F, 1};
  EXPECT_EQ(first_code(validate(good, 3, 2)), "");
  EXPECT_EQ(first_code(validate(good, 4, 2)), "segmentation.length");
  EXPECT_EQ(first_code(validate(good, 3, 1)), "segmentation.joint");
  Segmentation bad = good;
  bad.owner[2] = 2;
  EXPECT_EQ(first_code(validate(bad, 3, 2)), "segmentation.owner");
}

TEST(Validate, TetMesh) {
  TetMesh good;
  good.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  good.tets = {{0, 1, 2, 3}};
  EXPECT_EQ(first_code(validate(good)), "");
  TetMesh bad = good;
  bad.tets = {{0, 2, 1, 3}};
  EXPECT_EQ(first_code(validate(bad)), "tets.volume");
  bad.tets = {{0, 1, 2, 4}};
  EXPECT_EQ(first_code(validate(bad)), "tets.index");
  bad = good;
  bad.positions[3].z() = kNan;
  EXPECT_EQ(first_code(validate(bad)), "tets.volume");
}

TEST(Validate, DistanceField) {
  DistanceField good;
  good.cell = 0.1, good.samples = {2, 2, 1}, good.values.assign(4, 1.0F);
  EXPECT_EQ(first_code(validate(good)), "");
  DistanceField bad = good;
  bad.samples[2] = 2;
  EXPECT_EQ(first_code(validate(bad)), "field.grid");
  bad = good;
  bad.cell = 0;
  EXPECT_EQ(first_code(validate(bad)), "field.grid");
  bad = good;
  bad.values[1] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_code(validate(bad)), "field.value");
}

TEST(Validate, Template) {
  Template good;
  good.joints.resize(3);
  good.joints[0].name = "hips";
  good.joints[1].name = "left", good.joints[1].parent = 0, good.joints[1].partner = 2;
  good.joints[2].name = "right", good.joints[2].parent = 0, good.joints[2].partner = 1;
  EXPECT_EQ(first_code(validate(good)), "");
  const auto with = [&](auto damage) {
    Template bad = good;
    damage(bad);
    return first_code(validate(bad));
  };
  EXPECT_EQ(with([](Template& t) { t.joints[1].parent = 1; }), "template.order");
  EXPECT_EQ(with([](Template& t) { t.joints[2].name = "left"; }), "template.name");
  EXPECT_EQ(with([](Template& t) { t.joints[2].partner = 2; }), "template.partner");
  EXPECT_EQ(with([](Template& t) { t.joints[2].partner = 7; }), "template.partner");
  EXPECT_EQ(with([](Template& t) { t.joints[1].fraction = kNan; }), "template.fraction");
  EXPECT_EQ(with([](Template& t) { t.joints[1].position.y() = kNan; }), "template.position");
}

TEST(Validate, LimbsOfATemplate) {
  using Placement = Template::Placement;
  Template good;
  for (const char* name : {"shoulder", "elbow", "wrist", "other"}) {
    good.joints.emplace_back();
    good.joints.back().name = name;
  }
  for (Index j = 1; j < 4; ++j) good.joints[j].parent = j - 1;
  good.joints[1].placement = Placement::kRatio, good.joints[1].fraction = 0.5;
  good.limbs = {{"arm", "arm", {0, 1, 2}, 0.4, 0.3, Vec3(1, 0, 0)}, {"hand", "hand", {2, 3}, 0, 0, {}}};
  EXPECT_EQ(first_code(validate(good)), "");
  const auto with = [&](auto damage) {
    Template bad = good;
    damage(bad);
    return first_code(validate(bad));
  };
  EXPECT_EQ(with([](Template& t) { t.limbs[0].joints = {}; }), "template.limb_joints");
  EXPECT_EQ(with([](Template& t) { t.limbs[0].joints[2] = 4; }), "template.limb_joints");
  EXPECT_EQ(with([](Template& t) { t.limbs[0].joints = {0, 2}; }), "template.limb_chain");
  EXPECT_EQ(with([](Template& t) { t.limbs[0].joints = {2, 1, 0}; }), "template.limb_chain");
  EXPECT_EQ(with([](Template& t) { t.limbs[1].name = "arm"; }), "template.limb_name");
  EXPECT_EQ(with([](Template& t) { t.limbs[0].inset = kNan; }), "template.limb_reach");
  EXPECT_EQ(with([](Template& t) { t.limbs[1].beyond = std::numeric_limits<double>::infinity(); }),
            "template.limb_reach");
  EXPECT_EQ(with([](Template& t) { t.limbs[1].beyond = -1; }), "template.limb_reach");
  EXPECT_EQ(with([](Template& t) { t.limbs[0].tip->x() = kNan; }), "template.limb_tip");
  // Between the first joint, at 0, and the last, at 1.
  EXPECT_EQ(with([](Template& t) { t.joints[1].fraction = 0; }), "template.limb_fraction");
  EXPECT_EQ(with([](Template& t) { t.joints[1].fraction = 1; }), "template.limb_fraction");
  const auto last_at = [&](double fraction) {
    return with([&](Template& t) { t.joints[2].placement = Placement::kRatio, t.joints[2].fraction = fraction; });
  };
  EXPECT_EQ(last_at(0.9), "");
  EXPECT_EQ(last_at(0.5), "template.limb_fraction");
  EXPECT_EQ(last_at(0.4), "template.limb_fraction");
}

}  // namespace
}  // namespace sinew
