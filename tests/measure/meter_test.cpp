// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/meter.h"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "tests/geometry/named_meshes.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

TEST(Meter, FindsNothingInTheBoundShapeOrARigidMotionOfIt) {
  const Rig rig = test::cylinder_rig(4, 40, 24);
  const Meter meter(rig);
  EXPECT_TRUE(meter.findings().empty());
  Shape moved = meter.bound();
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.rotate(test::turn(Vec3(3, 1, 2).normalized(), 1.9));
  motion.translation() = Vec3(1, 2, 3);
  for (Vec3& p : moved.positions) p = motion * p;
  for (Mat4& m : moved.joints) m = motion.matrix() * m;
  for (const Shape* shape : {&meter.bound(), static_cast<const Shape*>(&moved)}) {
    const FrameFigures figures = meter.measure(*shape);
    EXPECT_NEAR(figures.loss, 0, 1e-12);
    ASSERT_NE(figures.thinnest(), nullptr);
    EXPECT_NEAR(figures.thinnest()->thinnest, 1, 1e-9);
    EXPECT_NEAR(figures.largest_bulge()->bulge, 0, 1e-9);
    EXPECT_NEAR(figures.stretch.smallest(), 1, 1e-12);
    EXPECT_NEAR(figures.stretch.largest(), 1, 1e-12);
    EXPECT_NEAR(figures.roughness, 0, 1e-12);
    EXPECT_EQ(figures.contacts->pairs, 0U);
  }
}

TEST(Meter, SeesTheElbowOfALinearBend) {
  const Rig rig = test::cylinder_rig(3, 80, 48);
  const Meter meter(rig);
  const FrameFigures figures =
      meter.measure(test::linear_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitX(), 2.2)}})));
  EXPECT_GT(figures.loss, 0.01);
  EXPECT_EQ(figures.thinnest()->joint, 1U);
  EXPECT_LT(figures.thinnest()->thinnest, 0.5);
  EXPECT_GT(figures.contacts->pairs, 0U);
  EXPECT_GT(figures.stretch.largest(), 1.3);
}

TEST(Meter, NamesPartsWithoutAVolume) {
  Rig rig;
  rig.mesh = test::as_parts(test::mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 1, 2}}), test::open_box());
  const Meter meter(rig);
  ASSERT_EQ(meter.findings().size(), 2U);
  EXPECT_EQ(meter.findings()[0].code, "measure.no_volume");
  EXPECT_EQ(meter.findings()[1].code, "measure.capped");
  EXPECT_NEAR(meter.measure(meter.bound()).volume, 1, 1e-12);
}

TEST(Meter, RefusesPlacesThatAreNotFinite) {
  const Rig rig = test::cylinder_rig(3, 8, 8);
  const Meter meter(rig);
  Shape broken = meter.bound();
  broken.positions[5].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(meter.measure(broken), Error);
}

TEST(Meter, GivesTheSameForAnyNumberOfThreads) {
  const Rig rig = test::cylinder_rig(4, 60, 48);
  const Shape posed = test::linear_shape(rig, test::turned(rig, {{1, test::turn(Vec3::UnitX(), 2.4)}}));
  const auto figures = [&](int threads) {
    set_thread_count(threads);
    const FrameFigures f = Meter(rig).measure(posed);
    set_thread_count(0);
    std::vector<double> list = {f.volume, f.roughness, f.contacts->depth, static_cast<double>(f.contacts->shrunk)};
    list.insert(list.end(), f.stretch.percentiles.begin(), f.stretch.percentiles.end());
    for (const JointSection& s : f.sections) list.push_back(s.thinnest);
    for (const JointBulge& b : f.bulges) list.push_back(b.bulge);
    return list;
  };
  EXPECT_EQ(figures(1), figures(2));
}

}  // namespace
}  // namespace sinew::measure
