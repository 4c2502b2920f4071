// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/lab/joint_shape/edited.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/lab/joint_shape/trial.h"
#include "sinew/measure/contacts.h"
#include "sinew/measure/enclosed_volume.h"
#include "sinew/measure/joint_contour.h"
#include "sinew/pipeline/bent_joints.h"
#include "sinew/pipeline/joint_ranges.h"

namespace sinew::lab {
namespace {

/// The elbow protrudes a little more than by default at small bends, for which the check would keep its old shape.
pipeline::FitJointsOptions unchecked() {
  pipeline::FitJointsOptions options;
  options.check_bends = false;
  return options;
}

/// At how many of four large bends samples of parts protrude less than parts that close by themselves. Below 105° they
/// protrude more, by up to 0.026 radii: raw closures leave the outside of the bend flatter.
int bends_below_raw(const Rig& rig, const PartSamples& samples, const deform::PartFunctions& functions) {
  PartSamples raw;
  for (const deform::ImplicitPart& part : deform::make_implicit_body(rig).parts)
    raw[rig.skeleton.joints[part.joint].name] = {part.samples.begin(), part.samples.end() - part.end_samples};
  const auto before = deform::bind_implicit(rig, deform::make_implicit_body(rig, {}, {}, raw));
  const auto after = deform::bind_implicit(rig, deform::make_implicit_body(rig, {}, {}, samples, {}, functions));
  const auto before_state = before->make_state(), after_state = after->make_state();
  const measure::JointContour contour(rig, deform::bind_frames(rig), 1, 0, 0.8);
  std::vector<Vec3f> old(rig.mesh.positions.size()), now = old;
  int below = 0;
  for (const int angle : {105, 115, 125, 135}) {
    const ModelPose pose = limb_pose(rig, Vec3::UnitZ(), radians(angle));
    before->deform(*before_state, {pose}, {old, {}, nullptr});
    after->deform(*after_state, {pose}, {now, {}, nullptr});
    below += contour.measure(pose, now).largest < contour.measure(pose, old).largest ? 1 : 0;
  }
  return below;
}

TEST(AdjustedElbow, ProtrudesLessThanRawClosuresAtLargeBendsAndASwollenOneDoesNot) {
  const Character character = elbow_character();
  const Rig& rig = character.rig;
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(character, unchecked());
  ASSERT_EQ(fitted.adjusted, 1u);
  EXPECT_EQ(bends_below_raw(rig, fitted.samples, fitted.shapes.functions), 4);
  PartSamples swollen = fitted.samples;
  for (auto& [name, samples] : swollen)
    for (SurfaceSample& sample : samples)
      if (std::abs(sample.point.x()) < 0.8) sample.point.y() *= 1.5, sample.point.z() *= 1.5;
  EXPECT_LT(bends_below_raw(rig, swollen, {}), 4);
}

TEST(AdjustedElbow, HasNoContactsKeepsItsVolumeAndProtrudesHardlyMoreThanByDefault) {
  const Character character = elbow_character();
  const Rig& rig = character.rig;
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(character, unchecked());
  ASSERT_EQ(fitted.adjusted, 1u);
  const auto before = deform::bind("implicit", rig, {});
  const auto after = deform::bind("implicit", rig, {}, {}, deform::MethodInputs{.samples = &fitted.samples});
  const auto before_state = before->make_state(), after_state = after->make_state();
  const measure::JointContour contour(rig, deform::bind_frames(rig), 1, 0, 0.8);
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const measure::EnclosedVolume volume(rig.mesh, welding);
  std::vector<Vec3f> old(rig.mesh.positions.size()), now = old;
  for (int angle = 30; angle <= 130; angle += 10) {
    const ModelPose pose = limb_pose(rig, Vec3::UnitZ(), radians(angle));
    before->deform(*before_state, {pose}, {old, {}, nullptr});
    after->deform(*after_state, {pose}, {now, {}, nullptr});
    const auto is = contour.measure(pose, now), was = contour.measure(pose, old);
    // The two are nearly the same, since fields are joined by a soft maximum: 3.3 % more at 40°, less from 130° on.
    EXPECT_LT(is.mean, (angle < 130 ? 1.04 : 1.0) * was.mean) << angle;
    EXPECT_LT(is.largest, was.largest + (angle < 110 ? 0.03 : 0.0)) << angle;
    if (angle != 90) continue;
    const Mesh bent = with_positions(rig.mesh, now);
    const std::vector<double> radius(rig.mesh.positions.size(), 0.8);
    EXPECT_EQ(measure::contacts(bent, welding, radius).shrunk, 0u);
    const double whole = volume.parts().front().rest_volume;
    EXPECT_NEAR(volume.total(bent.positions), whole, 0.03 * whole);
  }
}

TEST(BentJoints, NameJointsWhoseSkinSticksOutAndNoneThatIsTheSame) {
  const Character character = elbow_character();
  const Rig& rig = character.rig;
  const auto ranges = pipeline::joint_ranges(character);
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(character, unchecked());
  const Progress progress;
  pipeline::BentJoints bends(rig, ranges, progress);
  deform::JointShapes same = fitted.shapes;
  same.samples.clear();
  EXPECT_TRUE(bends.worse(same).empty());
  deform::JointShapes swollen = fitted.shapes;
  swollen.functions.clear();
  for (auto& [name, samples] : swollen.samples)
    for (SurfaceSample& sample : samples)
      if (std::abs(sample.point.x()) < 0.8) sample.point.y() *= 1.3, sample.point.z() *= 1.3;
  const auto verdicts = bends.worse(swollen);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].joint, 1u);
  EXPECT_NE(verdicts[0].reason.find("stick out"), std::string::npos);
}

TEST(JointShapes, OfJointsThatAJudgeRefusesAreTheOldOnes) {
  const Character character = elbow_character();
  const auto ranges = pipeline::joint_ranges(character);
  bool asked = false;
  const deform::JointJudge refuse = [&](const deform::JointShapes& so_far) -> std::vector<deform::JointVerdict> {
    EXPECT_TRUE(asked || !so_far.samples.empty());
    asked = true;
    return {{1, "it is ugly"}};
  };
  const deform::JointShapes shapes = deform::fit_joint_shapes(character.rig, ranges, {}, {}, {}, {}, refuse);
  EXPECT_TRUE(asked);
  ASSERT_EQ(shapes.reports.size(), 1u);
  EXPECT_EQ(shapes.reports[0].fit, deform::JointFit::kKept);
  EXPECT_EQ(shapes.reports[0].reason, "it is ugly");
  EXPECT_TRUE(shapes.samples.empty());
}

TEST(Likeness, IsZeroToItselfAndTellsWhichIsCloser) {
  const Character character = elbow_character();
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(character, unchecked());
  const PartSamples edited = edited_samples(character.rig, fitted);
  ASSERT_EQ(edited.size(), 2u);
  const Likeness own = likeness(character.rig, fitted, fitted.samples, edited, edited);
  EXPECT_EQ(own.joints, 1u);
  EXPECT_EQ(own.closer, 1u);
  EXPECT_EQ(own.second_mean, 0);
  EXPECT_GT(own.first_mean, 0);
  EXPECT_EQ(likeness(character.rig, fitted, edited, fitted.samples, edited).closer, 0u);
}

TEST(JointContour, ThicknessOfAStraightLimbIsThatOfRestAndFallsWhereItShrinks) {
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const measure::JointContour contour(limb, deform::bind_frames(limb), 1, 0, shape.radius);
  const ModelPose pose = limb_pose(limb, Vec3::UnitZ(), 0);
  std::vector<Vec3f> positions;
  for (const Vec3& p : limb.mesh.positions) positions.push_back(p.cast<float>());
  EXPECT_NEAR(contour.thickness(pose, positions), 1, 1e-5);
  for (Vec3f& p : positions) p.y() *= 0.5F, p.z() *= 0.5F;
  EXPECT_NEAR(contour.thickness(pose, positions), 0.5, 0.01);
}

}  // namespace
}  // namespace sinew::lab
