// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_paper.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/lab/pbd/cylinder.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

using namespace sinew::lab;

// All constraints hard, in the paper's order.
TEST(PbdPaper, KeepsTheVolumeOfTheCylinderAsTheCheckRun) {
  const PbdBody body = pbd_cylinder();
  const PbdPaper paper(body);
  struct Case {
    Vec3 axis;
    double degrees, volume, inverted;
  };
  for (const Case& c : {Case{Vec3::UnitX(), 120, 0.964, 7}, Case{Vec3::UnitZ(), 90, 0.949, 333}}) {
    const double angle = radians(c.degrees);
    std::vector<Vec3f> positions = blended_cylinder(body, c.axis, angle);
    const std::vector<Vec3f> moves = paper.corrections(positions, cylinder_motions(c.axis, angle), 10, 1, true);
    for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += moves[p];
    const CylinderState state = cylinder_state(body, positions);
    EXPECT_NEAR(state.volume, c.volume, 0.015);
    EXPECT_LE(state.inverted, 2 * c.inverted + 20);
  }
}

TEST(PbdPaper, DoesNotDependOnStiffness) {
  const PbdBody body = pbd_cylinder();
  const PbdPaper paper(body);
  const std::vector<Vec3f> positions = blended_cylinder(body, Vec3::UnitX(), 2);
  const std::vector<Mat4> motions = cylinder_motions(Vec3::UnitX(), 2);
  const std::vector<Vec3f> soft = paper.corrections(positions, motions, 1, 1, true),
                           stiff = paper.corrections(positions, motions, 1, 128, true);
  for (std::size_t p = 0; p < soft.size(); ++p) EXPECT_LT((soft[p] - stiff[p]).norm(), 1e-6);
}

/// A made cylinder with few tetrahedra, its middle joint bent.
class PbdPaperMode : public ::testing::Test {
 protected:
  void SetUp() override {
    shapes::MakeOptions make;
    make.vertices = 600;
    rig_ = shapes::make("cylinder", make).made.character.rig;
    body_ = make_pbd_body(rig_, {2000, false});
    prepared_ = write_pbd_body(body_);
    Pose pose = rest_pose(rig_);
    pose.local[1].rotation = pose.local[1].rotation * Quat(Eigen::AngleAxisd(radians(70), Vec3::UnitX()));
    pose_ = {model_matrices(rig_.skeleton, pose.local), {}, {}};
  }

  static PbdOptions paper(int sweeps = 3) {
    PbdOptions options;
    options.mode = PbdMode::kPaper;
    options.sweeps = sweeps;
    return options;
  }

  /// Without a segmentation, so on a base that needs none.
  std::vector<Vec3f> run(const PbdOptions& options) const {
    return posed(*bind("pbd", rig_, options, {}, {.prepared = prepared_}));
  }
  std::vector<Vec3f> posed(const Deformer& deformer) const {
    const auto state = deformer.make_state();
    std::vector<Vec3f> positions(rig_.mesh.positions.size());
    deformer.deform(*state, {pose_}, {positions, {}, nullptr});
    return positions;
  }

  Rig rig_;
  PbdBody body_;
  std::vector<std::byte> prepared_;
  ModelPose pose_;
};

TEST_F(PbdPaperMode, IsLinearBlendingThenThePrintedConstraintsThenEquation16) {
  // Linear blending of particles, as plainly as can be.
  std::vector<Mat4> motions;
  for (std::size_t j = 0; j < pose_.joints.size(); ++j) motions.push_back(pose_.joints[j] * body_.bind[j].inverse());
  std::vector<Vec3f> predicted;
  for (Index p = 0; p < body_.tets.positions.size(); ++p) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : body_.weights.row(p))
      sum += static_cast<double>(influence.weight) * transform_point(motions[influence.joint], body_.tets.positions[p]);
    predicted.push_back(sum.cast<float>());
  }
  const std::vector<Vec3f> corrections = PbdPaper(body_).corrections(predicted, motions, 3);
  std::vector<Vec3f> skin = posed(*bind("lbs", rig_));
  const geometry::Welding welding = geometry::weld(rig_.mesh);
  const geometry::Lists rings = geometry::one_rings(rig_.mesh, &welding);
  // Per welded vertex.
  std::vector<Vec3> places(welding.count());
  std::vector<char> near_joints(welding.count(), 0);
  for (Index w = 0; w < welding.count(); ++w) places[w] = skin[welding.first[w]].cast<double>();
  for (const PbdBody::Rider& rider : body_.riders) {
    const Index w = welding.welded[rider.vertex];
    if (near_joints[w] != 0) continue;
    near_joints[w] = 1;
    for (std::size_t k = 0; k < 4; ++k)
      places[w] += static_cast<double>(rider.shares[k]) * corrections[rider.corners[k]].cast<double>();
  }
  const std::vector<Vec3> unsmoothed = places;
  for (int round = 0; round < 2; ++round) {
    const std::vector<Vec3> before = places;
    for (Index w = 0; w < welding.count(); ++w) {
      if (near_joints[w] == 0) continue;
      Vec3 middle = Vec3::Zero();
      for (const Index other : rings[w]) middle += before[other] / static_cast<double>(rings[w].size());
      places[w] = 0.7 * before[w] + 0.3 * middle;
    }
  }
  const auto farthest = [&](const std::vector<Vec3f>& positions, const std::vector<Vec3>& expected) {
    double worst = 0;
    for (std::size_t v = 0; v < positions.size(); ++v)
      worst = std::max(worst, (positions[v].cast<double>() - expected[welding.welded[v]]).norm());
    return worst / rig_.mesh.size();
  };
  EXPECT_LT(farthest(run(paper()), places), 1e-5);
  PbdOptions without = paper();
  without.even_out = 0;
  EXPECT_LT(farthest(run(without), unsmoothed), 1e-5);
  EXPECT_GT(farthest(run(without), places), 1e-3);
}

TEST_F(PbdPaperMode, DoesNotDependOnTheStiffness) {
  PbdOptions soft = paper(), stiff = paper();
  soft.energy = 0.25, stiff.energy = 64;  // Powers of two, so that not even rounding differs.
  EXPECT_EQ(run(soft), run(stiff));
  PbdOptions improved;
  improved.base = PbdBase::kLbs;
  improved.energy = 0.25;
  const std::vector<Vec3f> a = run(improved);
  improved.energy = 64;
  EXPECT_NE(a, run(improved));
}

TEST_F(PbdPaperMode, HasNoLastStepForTheVolumeOfTheSkin) {
  PbdOptions without = paper();
  without.skin_volume = 0;
  without.skin_fit = 0;
  EXPECT_EQ(run(paper()), run(without));
}

TEST_F(PbdPaperMode, SmoothsPositionsSoThatTheRestPoseIsNotHeld) {
  pose_ = {rest_matrices(rig_.skeleton), {}, {}};
  double worst = 0;
  const std::vector<Vec3f> positions = run(paper());
  for (std::size_t v = 0; v < positions.size(); ++v)
    worst = std::max(worst, (positions[v].cast<double>() - rig_.mesh.positions[v]).norm());
  EXPECT_GT(worst, 1e-4 * rig_.mesh.size());
}

TEST_F(PbdPaperMode, RefusesWhatThePaperDoesNotHave) {
  PbdOptions options = paper();
  options.stretch = 0.5;
  EXPECT_THROW(run(options), Error);
  options = paper();
  options.material = PbdMaterial::kSprings;
  EXPECT_THROW(run(options), Error);
  options = paper();
  options.skin_volume = 0.5;
  EXPECT_THROW(run(options), Error);
  options = paper();
  options.stiffness = {{rig_.skeleton.joints[1].name, 2.0}};
  EXPECT_THROW(run(options), Error);
}

}  // namespace
}  // namespace sinew::deform
