// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/never_worse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/limited.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/range_of_motion.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

Rig person(int vertices = 3000) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  return shapes::make("human", make).made.character.rig;
}

// Linear blending that throws some vertices of one arm away as soon as its elbow bends: a correction that tears.
class Tearing : public deform::Deformer {
 public:
  explicit Tearing(const Rig& rig)
      : linear_(deform::bind_lbs(rig)), elbow_(rig.skeleton.find("LeftForearm")), rows_(rig.weights.normalized()) {}

  std::unique_ptr<State> make_state() const override { return linear_->make_state(); }

  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    linear_->deform(state, input, output);
    const Mat3 turn = input.pose.joints[elbow_].topLeftCorner<3, 3>();
    const auto bent = static_cast<float>(std::clamp((3 - turn.trace()) / 4, 0.0, 1.0));
    for (Index v = 0; v < output.positions.size(); v += 7)
      for (const Influence& influence : rows_.row(v))
        if (influence.joint == elbow_) output.positions[v].z() += 0.3F * bent * influence.weight;
  }

 private:
  std::unique_ptr<Deformer> linear_;
  Index elbow_;
  SkinWeights rows_;
};

// As that, but only within 10° of one pose of the elbow.
class TearingNear : public Tearing {
 public:
  TearingNear(const Rig& rig, const ModelPose& pose)
      : Tearing(rig), elbow_(rig.skeleton.find("LeftForearm")), linear_(deform::bind_lbs(rig)) {
    near_ = pose.joints[elbow_].topLeftCorner<3, 3>();
  }

  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    Tearing::deform(state, input, output);
    const Mat3 turn = near_.transpose() * input.pose.joints[elbow_].topLeftCorner<3, 3>();
    const double angle = std::acos(std::clamp((turn.trace() - 1) / 2, -1.0, 1.0));
    const auto share = static_cast<float>(std::clamp(1 - angle / radians(10), 0.0, 1.0));
    std::vector<Vec3f> base(output.positions.size());
    linear_->deform(*linear_->make_state(), input, {base, {}, nullptr});
    for (std::size_t v = 0; v < base.size(); ++v)
      output.positions[v] = base[v] + share * (output.positions[v] - base[v]);
  }

 private:
  Index elbow_;
  Mat3 near_;
  std::unique_ptr<Deformer> linear_;
};

Index worse_poses(const Rig& rig, const deform::Deformer& base, const deform::Deformer& corrected) {
  return measure_range(rig, {{"base", base, ""}, {"corrected", corrected, ""}}).methods[1].worse();
}

TEST(NeverWorse, ReducesACorrectionThatTearsUntilItDoesNotAndNamesTheJoint) {
  const Rig rig = person();
  const auto base = deform::bind_lbs(rig);
  const Tearing tearing(rig);
  ASSERT_GT(worse_poses(rig, *base, tearing), 2U);
  const CorrectionLimits limits = limit_correction(rig, *base, *base, tearing);
  ASSERT_TRUE(limits.limits.any());
  ASSERT_FALSE(limits.reduced.empty());
  EXPECT_TRUE(std::any_of(limits.reduced.begin(), limits.reduced.end(), [&](const ReducedJoint& joint) {
    return joint.joint == rig.skeleton.find("LeftForearm") && joint.kept < 0.75;
  }));
  EXPECT_EQ(describe(limits.reduced, rig.skeleton, "tearing").size(), 1U);
  const auto limited =
      deform::bind_limited(std::make_unique<Tearing>(rig),
                           deform::bind_lbs(deform::rig_of_vertices(rig, limits.limits.vertices())), limits.limits);
  EXPECT_LE(worse_poses(rig, *base, *limited), 1U);
}

TEST(NeverWorse, NamesTheJointsThatKeepLeastAndCountsTheOthers) {
  const Rig rig = person(500);
  std::vector<ReducedJoint> reduced;
  for (Index j = 0; j < 20; ++j) reduced.push_back({j, 0.7 - 0.01 * j});
  const Findings findings = describe(reduced, rig.skeleton, "tearing");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].where, rig.skeleton.joints[19].name);
  EXPECT_NE(findings[0].text.find("20 joints"), std::string::npos);
  EXPECT_NE(findings[0].text.find(rig.skeleton.joints[19].name + " to 51 %"), std::string::npos);
  EXPECT_NE(findings[0].text.find("and 12 others less strongly."), std::string::npos) << findings[0].text;
}

TEST(NeverWorse, HoldsHalfWayBetweenTheMeasuredPoses) {
  const Rig rig = person(1500);
  const auto base = deform::bind_lbs(rig);
  const RangePoses range(rig);
  const auto bend = std::find_if(range.poses().begin(), range.poses().end(), [&](const motion::RangePose& pose) {
    return pose.joint == rig.skeleton.find("LeftForearm") && !pose.twist;
  });
  ASSERT_NE(bend, range.poses().end());
  motion::RangePose between = *bend;
  between.angle_rad = radians(75);
  const ModelPose pose = range.at(between);
  const TearingNear tearing(rig, pose);
  const measure::SurfaceAtRest rest(rig.mesh);
  const auto figures = [&](const deform::Deformer& deformer) {
    std::vector<Vec3f> positions(rig.mesh.vertex_count());
    deformer.deform(*deformer.make_state(), {pose}, {positions, {}, nullptr});
    return rest.figures(positions, false);
  };
  const auto limited = [&](bool thorough) {
    const CorrectionLimits limits = limit_correction(rig, *base, *base, tearing, {}, {}, true, thorough);
    return deform::bind_limited(std::make_unique<TearingNear>(rig, pose), deform::bind_lbs(rig), limits.limits, true);
  };
  // Interpolation leaves about two hundredths of the correction at a sample.
  const double base_stretch = figures(*base).stretch;
  ASSERT_GT(figures(*limited(false)).stretch, 2 * base_stretch);
  EXPECT_LT(figures(*limited(true)).stretch, 1.2 * base_stretch);
}

TEST(NeverWorse, LeavesADeformerAloneThatIsItsBase) {
  const Rig rig = person();
  const auto base = deform::bind_lbs(rig), same = deform::bind_lbs(rig);
  const CorrectionLimits limits = limit_correction(rig, *base, *base, *same);
  EXPECT_FALSE(limits.limits.any());
  EXPECT_TRUE(limits.reduced.empty());
}

TEST(NeverWorse, HoldsForEveryCorrectedMethodAndDeltaMushOnAPerson) {
  const Rig rig = person();
  Findings findings;
  const auto base = bind_deformer(rig, deformer("lbs"), findings);
  DeformerOptions mush = deformer("lbs");
  mush.delta_mush.enabled = true;
  for (const DeformerOptions& options : {deformer("slbs"), deformer("pbd"), mush}) {
    const auto corrected = bind_deformer(rig, options, findings);
    const RangeResult result = measure_range(rig, {{"base", *base, ""}, {"corrected", *corrected, ""}});
    const RangeMethod& method = result.methods[1];
    EXPECT_EQ(method.tears(), 0U);
    EXPECT_LE(20 * method.worse(), method.cases.size()) << options.method.id();
    EXPECT_LT(method.largest_stretch_ratio(result.methods[0]), 1.3) << options.method.id();
  }
}

TEST(NeverWorse, IsTheSameForAnyNumberOfThreads) {
  const Rig rig = person(1500);
  const auto base = deform::bind_lbs(rig);
  const Tearing tearing(rig);
  const int before = thread_count();
  set_thread_count(1);
  const auto one = limit_correction(rig, *base, *base, tearing).limits.bytes();
  set_thread_count(4);
  const auto four = limit_correction(rig, *base, *base, tearing).limits.bytes();
  set_thread_count(before);
  EXPECT_EQ(one, four);
}

TEST(RangeOfMotion, OfAPersonCoversTheMainJointsOnBothSides) {
  const Rig rig = person(1500);
  const RangePoses range(rig);
  std::map<std::string, int> groups;
  for (const motion::RangePose& pose : range.poses()) ++groups[pose.group];
  for (const char* group : {"elbow", "knee", "hip", "shoulder", "neck", "forearm"})
    EXPECT_GE(groups[group], 4) << group;
}

}  // namespace
}  // namespace sinew::pipeline
