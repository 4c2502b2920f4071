// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/segmentation/segmentation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/lab/blend_bar/blend_bar.h"
#include "sinew/shapes/surface/limbs.h"

namespace sinew::lab {
namespace {

Rig layered_bar(int layers) {
  BarSetup setup;
  setup.layers = layers;
  return bar_rig(setup);
}

TEST(SegmentationBar, TheClosedFormIsThatOfTheSwingsAlone) {
  const std::array<double, 6> column = {0, 0, 0, 1.5625, 2.3438, 3.6350};
  for (int row = 1; row <= 6; ++row)
    EXPECT_NEAR(100 * closed_form_twist_safe_loss(0.25, 4, bar_rotations(row)),
                column[static_cast<std::size_t>(row - 1)], 1e-4)
        << row;
  // (4c²/n)·½ sin²(β/2) for a swing by β, whatever twist comes before it.
  geometry::Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const double swing = 3 * random.uniform(), twist = 3 * random.uniform();
    const Quat q = rotation_exp(swing * Vec3::UnitX()) * rotation_exp(twist * Vec3::UnitY());
    EXPECT_NEAR(closed_form_twist_safe_loss(0.2, 5, {q}), 0.16 / 5 * 0.5 * std::pow(std::sin(swing / 2), 2), 1e-12);
  }
}

TEST(SegmentationBar, ThePoseSaysTurnsThatRotationsCannot) {
  const Rig rig = bar_rig({});
  const Pose pose = bar_pose(rig, 6);
  EXPECT_NEAR(pose.twist_rad[1], kPi, 1e-12);
  EXPECT_NEAR(pose.twist_rad[2], radians(200), 1e-12);
  EXPECT_NEAR(pose.twist_rad[3], radians(120), 1e-12);
}

TEST(SegmentationBar, TheReferenceMeshLosesWhatItShould) {
  const std::array<double, 6> reference = {0.103, 0.229, 0.275, 1.912, 2.732, 4.090};
  const std::array<double, 6> printed = {0.108, 0.242, 0.303, 1.974, 2.719, 3.934};
  const Rig rig = bar_rig({});
  for (int row = 1; row <= 6; ++row) {
    const auto i = static_cast<std::size_t>(row - 1);
    const double loss = 100 * twist_safe_loss(rig, bar_pose(rig, row));
    EXPECT_NEAR(loss, reference[i], 0.005) << row;
    EXPECT_NEAR(loss, printed[i], 0.25) << row;
  }
}

TEST(SegmentationBar, ComesNearTheClosedFormWithFineLayers) {
  const Rig rig = layered_bar(640);
  for (int row = 1; row <= 6; ++row)
    EXPECT_NEAR(100 * twist_safe_loss(rig, bar_pose(rig, row)),
                100 * closed_form_twist_safe_loss(0.25, 4, bar_rotations(row)), 0.02)
        << row;
}

TEST(SegmentationBar, TwistsOfAnySizeLoseWhatStraightEdgesCutOff) {
  const Rig rig = layered_bar(80);
  geometry::Random random(17);
  for (int trial = 0; trial < 6; ++trial) {
    const double angle = (trial < 3 ? 360.0 + 180 * trial : 900 * random.uniform()) * kPi / 180;
    Pose pose = rest_pose(rig);
    pose.twist_rad.assign(rig.skeleton.size(), 0);
    pose.twist_rad[2] = angle;
    pose.local[2].rotation = pose.local[2].rotation * rotation_exp(angle * Vec3::UnitY());
    EXPECT_NEAR(twist_safe_loss(rig, pose), (1 - std::cos(angle / 20)) / 12, 2e-5) << angle;
  }
}

Segmentation labels(std::vector<Segmentation::Segment> segments, std::vector<Index> owner) {
  Segmentation result;
  result.segments = std::move(segments);
  result.owner = std::move(owner);
  return result;
}

TEST(LabelAgreement, ComparesBonesByTheirJointsWhateverTheirOrder) {
  const Segmentation known = labels({{0, 1}, {0, 2}, {1, kNone}}, {0, 1, 2, 2});
  const Segmentation found = labels({{1, kNone}, {0, 2}, {0, 1}}, {2, 2, 0, 1});
  SkinWeights reference;
  reference.add_row({{0, 1.0F}});
  reference.add_row({{0, 1.0F}});
  reference.add_row({{1, 1.0F}});
  reference.add_row({{1, 0.75F}, {0, 0.25F}});
  const LabelAgreement agreement = label_agreement(known, reference, found);
  EXPECT_DOUBLE_EQ(agreement.bones, 0.5);    // The first and the third.
  EXPECT_DOUBLE_EQ(agreement.joints, 0.75);  // The second: another bone of the joint.
  EXPECT_DOUBLE_EQ(agreement.fits, 1);       // The last: joint 0 has a quarter of it.
  reference = {};
  for (int i = 0; i < 4; ++i) reference.add_row({{1, 0.9F}, {0, 0.1F}});
  EXPECT_DOUBLE_EQ(label_agreement(known, reference, found).fits, 0.75);
}

/// A round limb of two bones, the first of which is twisted.
struct Limb {
  shapes::Made made;
  Segmentation regions;

  explicit Limb(int layers) {
    shapes::MakeOptions options;
    options.layers = layers;
    made = shapes::cylinder(options);
    regions = binding::segment(binding::rest_subject(rig().mesh, rig().skeleton));
  }
  const Rig& rig() const { return made.character.rig; }
  TwistFigures twisted(const char* method, double degrees) const {
    const AnyOptions options =
        std::string_view(method) == "slbs"
            ? AnyOptions(deform::SlbsOptions{deform::TwistShare::kDelta, deform::SpreadTwists::kAll})
            : AnyOptions();
    const auto deformer = deform::bind(method, rig(), options, {}, {&regions, {}});
    return TwistedBone(rig(), made.owners, 0, 1).measure(*deformer, radians(degrees));
  }
};

TEST(TwistedBone, LinearBlendingLosesTheSectionAtTheJointByTheLaw) {
  const Limb limb(400);
  for (const double degrees : {60.0, 120.0, 180.0}) {
    // 1 − 4w(1−w) sin²(θ/2) with the weight w at the last section, ½ of 1/40 of the bone before the joint.
    const double w = 1 / (1 + std::exp(16 * 0.0125));
    const double expected = 1 - 4 * w * (1 - w) * std::pow(std::sin(degrees * kPi / 360), 2);
    EXPECT_NEAR(limb.twisted("lbs", degrees).least_area, expected, 1e-3) << degrees;
  }
}

TEST(TwistedBone, TwistSafeSkinningKeepsSectionsAndStretchesLikeASolidBar) {
  const Limb limb(800);
  const Rig& rig = limb.rig();
  constexpr double kRadius = 1;  // Of the kind cylinder.
  const double length = rig.skeleton.joints[1].rest.translation.norm();
  for (const double degrees : {180.0, 540.0, 720.0}) {
    const TwistFigures figures = limb.twisted("slbs", degrees);
    const double shear = radians(degrees) * kRadius / length;
    EXPECT_GE(figures.least_area, 0.999) << degrees;
    EXPECT_NEAR(figures.mean_area, 1, 1e-3) << degrees;
    EXPECT_NEAR(figures.closed_form, shear / 2 + std::sqrt(1 + shear * shear / 4), 1e-6) << degrees;
    // An edge along the bar; only one aslant has all of the closed form.
    EXPECT_NEAR(figures.stretch, std::sqrt(1 + shear * shear), 2e-3) << degrees;
    EXPECT_NEAR(figures.shown_rad, radians(degrees) * (1 - 1.0 / 48), 0.02 * radians(degrees)) << degrees;
  }
}

TEST(TwistedBone, BlendedMatricesDoNotSeeWholeTurns) {
  const Limb limb(100);
  for (const char* method : {"lbs", "dqs"}) {
    const TwistFigures figures = limb.twisted(method, 360);
    EXPECT_NEAR(figures.least_area, 1, 1e-4) << method;
    EXPECT_NEAR(figures.shown_rad, 0, 1e-3) << method;
    EXPECT_NEAR(figures.stretch, 1, 1e-4) << method;
  }
}

TEST(SegmentationExperiment, FindsEveryFigureWithinItsBounds) {
  Reproduction found;
  segmentation_bar({}, {}, found);
  segmentation_shells({}, {}, found);
  segmentation_labels(1, {}, {}, found);
  segmentation_twists({kTwistVertices}, {}, found);
  for (const Finding& miss : found.misses) ADD_FAILURE() << miss.where << ": " << miss.text;
  EXPECT_EQ(found.metrics["bar_losses_percent"]["slbs"].size(), 6U);
  for (const Json& one : found.metrics["shells"]) {
    EXPECT_EQ(one["shells_without_label"], 0) << one["character"];
    EXPECT_EQ(one["vertices_without_label"], 0) << one["character"];
  }
  EXPECT_TRUE(found.times.empty());
  EXPECT_EQ(experiments().find("segmentation").make, &segmentation_experiment);
}

TEST(SegmentationExperiment, TimesAreNoneOfTheFigures) {
  ReproduceOptions options;
  options.runs = 3;
  Reproduction found;
  segmentation_bar_times(options, {}, found);
  EXPECT_TRUE(found.tables.empty());
  EXPECT_TRUE(found.metrics.empty());
  ASSERT_EQ(found.times.size(), 1U);
  EXPECT_EQ(found.times.front().rows.size(), 6U);
  EXPECT_EQ(found.timing["slbs"].size(), 6U);
}

TEST(SegmentationExperiment, PrintsTheSameFiguresForAnyNumberOfThreads) {
  const auto figures = [](int threads) {
    set_thread_count(threads);
    Reproduction found;
    segmentation_twists({0}, {}, found);
    segmentation_shells({}, {}, found);
    set_thread_count(0);
    return found.metrics.dump() + tables_csv(found.tables);
  };
  EXPECT_EQ(figures(1), figures(2));
}

}  // namespace
}  // namespace sinew::lab
