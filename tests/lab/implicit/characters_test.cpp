// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/implicit/characters.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <memory>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/family_field.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/deform/implicit/implicit_skin.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

/// The lower joint of a limb turns by 90° within a second.
Clip bending_clip() {
  const Quat end = rotation_exp(radians(90) * Vec3::UnitZ());
  Track track;
  track.path = Track::Path::kRotation;
  track.target = 1;
  track.times_s = {0, 1};
  track.values = {0, 0, 0, 1};
  for (const double value : {end.x(), end.y(), end.z(), end.w()}) track.values.push_back(static_cast<float>(value));
  return {"bend", {track}};
}

/// Linear blending that jumps at half a right angle.
class JumpingDeformer final : public deform::Deformer {
 public:
  explicit JumpingDeformer(const Rig& rig) : base_(deform::bind("lbs", rig)) {}
  std::unique_ptr<State> make_state() const override { return base_->make_state(); }
  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    base_->deform(state, input, output);
    if (input.pose.joints[1](0, 0) < 0.7) output.positions[0] += Vec3f(0.01F, 0, 0);
  }

 private:
  std::unique_ptr<deform::Deformer> base_;
};

TEST(CorrectionSteps, SeesAJump) {
  const Rig limb = two_bone_limb();
  const auto base = deform::bind("lbs", limb);
  const CorrectionSteps steps = correction_steps(limb, bending_clip(), *base, JumpingDeformer(limb), 0, 1);
  EXPECT_NEAR(steps.at_480, 0.01, 1e-6);
  EXPECT_NEAR(steps.ratio(), 1, 1e-6);
  EXPECT_NEAR(steps.sharpest, 1, 1e-3);
}

TEST(CorrectionSteps, OfADifferenceWithoutJumpsAreAQuarter) {
  const Rig limb = two_bone_limb();
  const auto base = deform::bind("lbs", limb), other = deform::bind("dqs", limb);
  const CorrectionSteps steps = correction_steps(limb, bending_clip(), *base, *other, 0, 1);
  EXPECT_GT(steps.largest, 0.05);
  EXPECT_GE(steps.ratio(), 0.249);
  EXPECT_LT(steps.ratio(), 0.26);
  EXPECT_NEAR(steps.sharpest, 1.0 / 16, 0.01);
}

TEST(CorrectionSteps, OfABendingLimbAreSmall) {
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const auto base = deform::bind("dqs", limb), implicit = deform::bind("implicit", limb);
  const CorrectionSteps steps = correction_steps(limb, bending_clip(), *base, *implicit, 0, 1);
  EXPECT_GT(steps.largest, 0.1 * shape.radius);
  EXPECT_LT(steps.at_480, 0.01 * shape.radius);
  EXPECT_LT(steps.sharpest, 0.25);
}

/// The two parts of a limb that is bent by a right angle.
class FamilyField : public testing::Test {
 protected:
  FamilyField() : limb_(two_bone_limb()), body_(deform::make_implicit_body(limb_)) {
    const ModelPose bound = limb_pose(limb_, Vec3::UnitZ(), 0), bent = limb_pose(limb_, Vec3::UnitZ(), kPi / 2);
    std::vector<Mat4> motions;
    for (std::size_t j = 0; j < bent.joints.size(); ++j) motions.push_back(bent.joints[j] * bound.joints[j].inverse());
    deform::pose_parts(body_, motions, Vec3::Zero(), parts_);
    operators_.assign(body_.parts.size(),
                      deform::FieldOperator(deform::JointOperator::kBlend, deform::fold_opening(), 0));
    family_.count = 2;
    family_.parts = {0, 1};
    family_.above = {-1, 0, -1, -1};
  }
  deform::PosedFields fields() const { return {parts_, operators_}; }

  Rig limb_;
  deform::ImplicitBody body_;
  std::vector<deform::PosedPart> parts_;
  std::vector<deform::FieldOperator> operators_;
  deform::Family family_;
};

TEST_F(FamilyField, HasAGradientWithoutJumpsInAFold) {
  ASSERT_EQ(parts_.size(), 2U);
  // Across the surface on which both parts are equally deep.
  Vec3f before = Vec3f::Zero();
  for (int i = 0; i <= 4000; ++i) {
    const float t = static_cast<float>(i - 2000) * 1e-4F;
    const Vec3f gradient = fields().evaluate(family_, Vec3f(-0.5F + t, 0.5F + t, 0)).gradient;
    ASSERT_GT(gradient.norm(), 0);
    if (i > 0) {
      EXPECT_LT((gradient - before).norm(), 0.03F * gradient.norm()) << "at " << t;
    }
    before = gradient;
  }
}

TEST_F(FamilyField, RisesAlongItsGradientWithOperatorsHeld) {
  const auto radius = static_cast<float>(body_.parts[0].radius);
  int tried = 0;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) {
      const Vec3f x(-1 + 0.05F * static_cast<float>(i), -1 + 0.05F * static_cast<float>(j), 0.1F);
      const deform::FamilyValue at = fields().evaluate(family_, x);
      const float steepness = at.gradient.norm();
      if (!(steepness * radius > 0.2F)) continue;
      ++tried;
      const float step = 2e-3F * radius;
      const float next = fields().evaluate(family_, x + step / steepness * at.gradient, &at).field;
      EXPECT_GT(next - at.field, 0.5F * step * steepness) << x.transpose();
    }
  EXPECT_GT(tried, 500);
}

TEST(ImplicitCharacters, AMadeHumanWalksWithAStatusForEveryVertex) {
  shapes::MakeOptions options;
  options.vertices = 3000;
  const Character human = shapes::make("human", options).made.character;
  const auto implicit = deform::bind("implicit", human.rig);
  const StatusCounts near_rest = statuses_near_rest(human.rig, *implicit, 3, 0.1, 1);
  EXPECT_EQ(near_rest.frames, 3);
  EXPECT_GE(near_rest.fitted_or_frozen(), 0.97);
  const StatusCounts walk = clip_statuses(human.rig, motion::builtin_clip(human.rig.skeleton, "walk"), *implicit, 10);
  EXPECT_EQ(walk.frames, 11);
  EXPECT_EQ(walk.not_finite, 0);
  EXPECT_EQ(walk.incomplete, 0);
  // Linear blending has no statuses at all.
  EXPECT_EQ(statuses_near_rest(human.rig, *deform::bind("lbs", human.rig), 2, 0.1, 1).incomplete, 2);
}

}  // namespace
}  // namespace sinew::lab
