// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/shapes/kinds.h"
#include "tests/deform/pbd/touching_legs.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

/// A made human, bound once for all tests.
class PbdHuman : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shapes::MakeOptions options;
    options.vertices = 4000;
    made_ = new shapes::Made(shapes::make("human", options).made);
    PbdOptions choose;
    choose.base = PbdBase::kLbs;
    prepared_ = new std::vector<std::byte>(write_pbd_body(make_pbd_body(made_->character.rig)));
    pbd_ = bound(choose).release();
    lbs_ = bind("lbs", made_->character.rig).release();
  }
  static void TearDownTestSuite() {
    delete pbd_;
    delete lbs_;
    delete prepared_;
    delete made_;
  }

  static const Rig& rig() { return made_->character.rig; }

  /// On tetrahedra that were made once.
  static std::unique_ptr<Deformer> bound(const PbdOptions& options) {
    return bind("pbd", made_->character.rig, options, {}, {.prepared = *prepared_});
  }
  /// Over linear blending, without the last step.
  static PbdOptions without_last_step() {
    PbdOptions options;
    options.base = PbdBase::kLbs;
    options.skin_volume = 0;
    return options;
  }
  static double recovered(const Deformer& deformer, const ModelPose& pose) {
    const double blended = volume(run(*lbs_, pose));
    return (volume(run(deformer, pose)) - blended) / (geometry::volume(rig().mesh).volume - blended);
  }

  static ModelPose posed(const Pose& pose) { return {model_matrices(rig().skeleton, pose.local), {}, {}}; }
  static ModelPose turned(const char* joint, const Vec3& axis, double degrees) {
    Pose pose = rest_pose(rig());
    const Index j = rig().skeleton.find(joint);
    pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(radians(degrees), axis));
    return posed(pose);
  }
  static ModelPose random_pose(geometry::Random& dice) {
    Pose pose = rest_pose(rig());
    for (Transform& local : pose.local) {
      const Vec3 axis = Vec3(dice.uniform() - 0.5, dice.uniform() - 0.5, dice.uniform() - 0.5).normalized();
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.6 * dice.uniform(), axis));
    }
    return posed(pose);
  }

  static std::vector<Vec3f> run(const Deformer& deformer, const ModelPose& pose, FrameReport* report = nullptr,
                                std::vector<Vec3f>* normals = nullptr) {
    const auto state = deformer.make_state();
    std::vector<Vec3f> positions(rig().mesh.positions.size());
    if (normals) normals->resize(positions.size());
    deformer.deform(*state, {pose}, {positions, normals ? std::span<Vec3f>(*normals) : std::span<Vec3f>(), report});
    return positions;
  }

  static double volume(const std::vector<Vec3f>& positions) {
    Mesh mesh = rig().mesh;
    for (std::size_t v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
    return geometry::volume(mesh).volume;
  }

  static shapes::Made* made_;
  static std::vector<std::byte>* prepared_;
  static Deformer* pbd_;
  static Deformer* lbs_;
};
shapes::Made* PbdHuman::made_ = nullptr;
std::vector<std::byte>* PbdHuman::prepared_ = nullptr;
Deformer* PbdHuman::pbd_ = nullptr;
Deformer* PbdHuman::lbs_ = nullptr;

TEST_F(PbdHuman, TheRestPoseGivesTheMesh) {
  const std::vector<Vec3f> positions = run(*pbd_, posed(rest_pose(rig())));
  for (std::size_t v = 0; v < positions.size(); ++v)
    EXPECT_LT((positions[v].cast<double>() - rig().mesh.positions[v]).norm(), 1e-6 * rig().mesh.size());
}

TEST_F(PbdHuman, RigidMotionsOfAllJointsMoveTheResultRigidly) {
  Mat4 motion = Mat4::Identity();
  motion.topLeftCorner<3, 3>() = Eigen::AngleAxisd(1.1, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  motion.topRightCorner<3, 1>() = Vec3(0.4, -0.7, 1.2);
  double worst = 0;
  for (const char* joint : {"LeftForearm", "RightShin", "LeftUpperArm"})
    for (const double degrees : {35.0, 80.0, 110.0}) {
      const ModelPose pose = turned(joint, Vec3::UnitZ(), degrees);
      ModelPose moved = pose;
      for (Mat4& frame : moved.joints) frame = motion * frame;
      const std::vector<Vec3f> a = run(*pbd_, pose), b = run(*pbd_, moved);
      for (std::size_t v = 0; v < a.size(); ++v)
        worst = std::max(worst, (transform_point(motion, a[v].cast<double>()) - b[v].cast<double>()).norm());
    }
  EXPECT_LT(worst, 1e-5 * rig().mesh.size());
}

TEST_F(PbdHuman, RecoversMostOfTheVolumeThatLinearBlendingLoses) {
  EXPECT_GT(recovered(*pbd_, turned("LeftHand", Vec3::UnitY(), 120)), 0.85);
  EXPECT_GT(recovered(*pbd_, turned("LeftForearm", Vec3::UnitZ(), 90)), 0.85);
  EXPECT_GT(recovered(*pbd_, turned("LeftShin", Vec3::UnitZ(), 90)), 0.85);
}

TEST_F(PbdHuman, TetrahedraBringMostOfTheVolumeBackBeforeTheLastStep) {
  PbdOptions without_volume = without_last_step();
  without_volume.volume = 0;
  PbdOptions one_sweep = without_last_step();
  one_sweep.sweeps = 1;
  one_sweep.stretch = one_sweep.bone_distance = one_sweep.energy = 0;
  const auto all = bound(without_last_step()), shapes = bound(without_volume), hardly = bound(one_sweep);
  const geometry::Lists rings = geometry::one_rings(rig().mesh);
  const auto strain = [&](const Deformer& deformer, const ModelPose& pose) {
    const std::vector<Vec3f> positions = run(deformer, pose);
    double sum = 0;
    for (Index v = 0; v < positions.size(); ++v)
      for (const Index u : rings[v]) {
        const double rest = (rig().mesh.positions[v] - rig().mesh.positions[u]).norm();
        sum += std::pow((positions[v] - positions[u]).norm() / rest - 1, 2);
      }
    return sum;
  };
  for (const auto& [joint, axis, degrees] : {std::tuple("LeftHand", Vec3(Vec3::UnitY()), 120.0),
                                             {"LeftForearm", Vec3(Vec3::UnitZ()), 90.0},
                                             {"LeftShin", Vec3(Vec3::UnitZ()), 90.0}}) {
    const ModelPose pose = turned(joint, axis, degrees);
    const double share = recovered(*all, pose);
    EXPECT_GT(share, 0.6) << joint;
    EXPECT_GT(share, recovered(*shapes, pose) + 0.1) << joint;
    EXPECT_GT(share, recovered(*hardly, pose) + 0.05) << joint;
    EXPECT_LT(strain(*all, pose), strain(*lbs_, pose)) << joint;
  }
}

TEST_F(PbdHuman, WithEverythingOffItIsTheBaseMethodBitForBit) {
  PbdOptions off = without_last_step();
  off.stretch = off.bone_distance = off.volume = off.energy = 0;
  geometry::Random dice(5);
  const ModelPose pose = random_pose(dice);
  EXPECT_EQ(run(*bound(off), pose), run(*lbs_, pose));
}

TEST_F(PbdHuman, AStifferJointChangesItsOwnAreaAndLeavesOthersBitEqual) {
  Pose both = rest_pose(rig());
  for (const char* joint : {"LeftForearm", "RightShin"}) {
    Quat& rotation = both.local[rig().skeleton.find(joint)].rotation;
    rotation = rotation * Quat(Eigen::AngleAxisd(radians(80), Vec3::UnitZ()));
  }
  PbdOptions stiff = without_last_step();
  stiff.stiffness = {{"LeftForearm", 50.0}};
  const std::vector<Vec3f> a = run(*bound(without_last_step()), posed(both)), b = run(*bound(stiff), posed(both));
  const std::vector<Mat4> frames = rest_matrices(rig().skeleton);
  const auto near = [&](Index v, const char* joint) {
    const Vec3 at = frames[rig().skeleton.find(joint)].topRightCorner<3, 1>();
    return (rig().mesh.positions[v] - at).norm() < 0.05 * rig().mesh.size();
  };
  std::size_t changed = 0, others = 0;
  for (Index v = 0; v < a.size(); ++v) {
    if (near(v, "LeftForearm")) changed += a[v] != b[v] ? 1 : 0;
    if (!near(v, "RightShin")) continue;
    ++others;
    EXPECT_EQ(a[v], b[v]) << v;
  }
  EXPECT_GT(changed, 20U);
  EXPECT_GT(others, 20U);
}

TEST_F(PbdHuman, TheAreaBodyFreesWhatLiesBetweenJoints) {
  PbdOptions body = without_last_step();
  body.area = PbdArea::kBody;
  body.tets = 15000;
  const auto whole = bind("pbd", rig(), body);
  PbdOptions near = without_last_step();
  near.tets = body.tets;
  const auto joints = bind("pbd", rig(), near);
  const ModelPose pose = turned("LeftShin", Vec3::UnitZ(), 90);
  const std::vector<Vec3f> base = run(*lbs_, pose), a = run(*joints, pose), b = run(*whole, pose);
  std::size_t by_joints = 0, by_whole = 0;
  for (std::size_t v = 0; v < base.size(); ++v) {
    by_joints += a[v] != base[v] ? 1 : 0;
    by_whole += b[v] != base[v] ? 1 : 0;
  }
  EXPECT_GT(by_whole, by_joints + base.size() / 20);
  EXPECT_GT(recovered(*whole, pose), 0.6);
  const std::vector<Vec3f> rest = run(*whole, posed(rest_pose(rig())));
  for (std::size_t v = 0; v < rest.size(); ++v)
    EXPECT_LT((rest[v].cast<double>() - rig().mesh.positions[v]).norm(), 1e-6 * rig().mesh.size());
}

TEST_F(PbdHuman, EveningOutSmoothsTheCorrection) {
  const ModelPose pose = turned("LeftForearm", Vec3::UnitZ(), 100);
  const std::vector<Vec3f> base = run(*lbs_, pose);
  const geometry::Lists rings = geometry::one_rings(rig().mesh);
  const auto roughness = [&](int rounds) {
    PbdOptions options = without_last_step();
    options.even_out = rounds;
    const std::vector<Vec3f> positions = run(*bound(options), pose);
    double sum = 0;
    for (Index v = 0; v < positions.size(); ++v)
      for (const Index u : rings[v])
        sum += ((positions[v] - base[v]) - (positions[u] - base[u])).cast<double>().squaredNorm();
    return sum;
  };
  const double none = roughness(0), two = roughness(2), ten = roughness(10);
  EXPECT_GT(two, 0);
  EXPECT_LT(two, 0.9 * none);
  EXPECT_LT(ten, 0.9 * two);
}

TEST_F(PbdHuman, AwayFromJointsItIsTheBaseMethodBitForBit) {
  const ModelPose pose = turned("LeftShin", Vec3::UnitZ(), 100);
  const std::vector<Vec3f> a = run(*pbd_, pose), b = run(*lbs_, pose);
  // Away from joints is what no tetrahedron with a particle that may move carries; copies of a vertex go together.
  const geometry::Welding welding = geometry::weld(rig().mesh);
  std::vector<char> near_joints(welding.count(), 0);
  for (const PbdBody::Rider& rider : make_pbd_body(rig()).riders) near_joints[welding.welded[rider.vertex]] = 1;
  std::size_t away = 0, differ = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (near_joints[welding.welded[v]] != 0) {
      differ += a[v] != b[v] ? 1 : 0;
      continue;
    }
    ++away;
    EXPECT_EQ(a[v], b[v]) << v;
  }
  EXPECT_GT(away, a.size() / 20);
  EXPECT_GT(differ, 0U);
}

TEST_F(PbdHuman, FramesDoNotRememberEachOther) {
  geometry::Random dice(3);
  std::vector<ModelPose> poses;
  for (int i = 0; i < 4; ++i) poses.push_back(random_pose(dice));
  const auto state = pbd_->make_state();
  std::vector<Vec3f> positions(rig().mesh.positions.size());
  for (const int i : {2, 0, 3, 1, 2}) {
    pbd_->deform(*state, {poses[static_cast<std::size_t>(i)]}, {positions, {}, nullptr});
    EXPECT_EQ(positions, run(*pbd_, poses[static_cast<std::size_t>(i)]));
  }
  EXPECT_FALSE(pbd_->needs_history());
}

TEST_F(PbdHuman, ThreadsDoNotMatter) {
  const ModelPose pose = turned("LeftUpperArm", Vec3::UnitX(), 50);
  const auto with_threads = [&](int count, std::vector<Vec3f>& normals) {
    const test::Threads threads(count);
    return run(*pbd_, pose, nullptr, &normals);
  };
  std::vector<Vec3f> normals_one, normals_two;
  EXPECT_EQ(with_threads(1, normals_one), with_threads(2, normals_two));
  EXPECT_EQ(normals_one, normals_two);
  for (const Vec3f& n : normals_one) EXPECT_NEAR(n.norm(), 1, 1e-3);
}

TEST_F(PbdHuman, RandomPosesStayFiniteAndAreNotGivenUp) {
  geometry::Random dice(8);
  for (int i = 0; i < 30; ++i) {
    FrameReport report;
    const std::vector<Vec3f> positions = run(*pbd_, random_pose(dice), &report);
    EXPECT_EQ(report.fallback_vertices, 0U);
    for (const Vec3f& p : positions) ASSERT_TRUE(p.allFinite());
  }
}

TEST_F(PbdHuman, ShowsItsTetrahedraAndJointAreas) {
  const auto state = pbd_->make_state();
  const ModelPose pose = turned("LeftForearm", Vec3::UnitZ(), 90);
  const std::vector<Overlay> overlays = pbd_->overlays(*state, {pose});
  ASSERT_EQ(overlays.size(), 3U);
  EXPECT_EQ(overlays[0].name, "tets");
  EXPECT_GT(overlays[0].lines.size(), 1000U);
  EXPECT_GT(overlays[2].triangles.size(), 100U);
}

TEST(Pbd, PosingOneLegLeavesTheOtherBitForBit) {
  for (const double overlap : {0.002, 0.03}) {
    const Rig rig = testing::touching_legs(overlap);
    PbdOptions choose;
    choose.base = PbdBase::kLbs;
    const auto pbd = bind("pbd", rig, choose), lbs = bind("lbs", rig);
    for (const char* joint : {"left leg", "left shin"}) {
      Pose pose = rest_pose(rig);
      pose.local[rig.skeleton.find(joint)].rotation = Quat(Eigen::AngleAxisd(radians(-60), Vec3::UnitX()));
      const ModelPose model{model_matrices(rig.skeleton, pose.local), {}, {}};
      std::vector<Vec3f> a(rig.mesh.positions.size()), b = a;
      pbd->deform(*pbd->make_state(), {model}, {a, {}, nullptr});
      lbs->deform(*lbs->make_state(), {model}, {b, {}, nullptr});
      std::size_t others = 0, moved = 0;
      for (Index v = 0; v < a.size(); ++v) {
        const Index owner = rig.weights.row(v).front().joint;
        moved += a[v] != b[v] ? 1 : 0;
        if ((owner != 2 && owner != 4) || rig.mesh.positions[v].y() > -0.45) continue;
        ++others;
        EXPECT_EQ(a[v], b[v]) << joint << " moves vertex " << v;
      }
      EXPECT_GT(others, 100U);
      EXPECT_GT(moved, 20U);
    }
  }
}

// Four times as many frames: steps of the correction are a quarter as long, and nowhere does it jump.
TEST_F(PbdHuman, TheCorrectionFollowsThePoseWithoutJumps) {
  Pose pose = rest_pose(rig());
  const auto at = [&](double t) {
    const std::array<std::tuple<const char*, Vec3, double>, 4> turns = {{{"LeftForearm", Vec3::UnitZ(), 150},
                                                                         {"LeftUpperLeg", Vec3::UnitX(), -130},
                                                                         {"LeftShin", Vec3::UnitX(), 140},
                                                                         {"RightHand", Vec3::UnitY(), 120}}};
    for (const auto& [joint, axis, degrees] : turns) {
      const Index j = rig().skeleton.find(joint);
      if (j == kNone) continue;
      pose.local[j].rotation =
          rest_pose(rig()).local[j].rotation * Quat(Eigen::AngleAxisd(radians(degrees) * std::sin(6 * t), axis));
    }
    const ModelPose model = posed(pose);
    std::vector<Vec3f> off = run(*pbd_, model);
    const std::vector<Vec3f> base = run(*lbs_, model);
    for (std::size_t v = 0; v < off.size(); ++v) off[v] -= base[v];
    return off;
  };
  double coarse = 0, fine = 0;
  std::vector<Vec3f> last = at(0), last_coarse = last;
  for (int frame = 1; frame <= 160; ++frame) {
    const std::vector<Vec3f> now = at(frame / 320.0);
    for (std::size_t v = 0; v < now.size(); ++v) {
      fine = std::max(fine, static_cast<double>((now[v] - last[v]).norm()));
      if (frame % 4 == 0) coarse = std::max(coarse, static_cast<double>((now[v] - last_coarse[v]).norm()));
    }
    last = now;
    if (frame % 4 == 0) last_coarse = now;
  }
  EXPECT_GT(coarse, 1e-4 * rig().mesh.size());
  EXPECT_LT(fine, coarse / 3);
}

TEST(Pbd, ScalesWithTheCharacter) {
  shapes::MakeOptions options;
  options.vertices = 2000;
  const Rig small = shapes::make("human", options).made.character.rig;
  Rig large = small;
  for (Vec3& p : large.mesh.positions) p *= 8;
  for (Joint& joint : large.skeleton.joints) joint.rest.translation *= 8;
  for (Skin& skin : large.skins)
    for (Mat4& inverse : skin.inverse_bind) inverse.topRightCorner<3, 1>() *= 8;
  PbdOptions choose;
  choose.base = PbdBase::kLbs;
  choose.tets = 8000;
  const auto run = [&](const Rig& rig) {
    const auto pbd = bind("pbd", rig, choose);
    Pose pose = rest_pose(rig);
    pose.local[rig.skeleton.find("LeftForearm")].rotation *= Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ()));
    const auto state = pbd->make_state();
    std::vector<Vec3f> positions(rig.mesh.positions.size());
    const ModelPose model{model_matrices(rig.skeleton, pose.local), {}, {}};
    pbd->deform(*state, {model}, {positions, {}, nullptr});
    return positions;
  };
  const std::vector<Vec3f> a = run(small), b = run(large);
  for (std::size_t v = 0; v < a.size(); ++v) EXPECT_LT((8 * a[v] - b[v]).norm(), 1e-4 * large.mesh.size());
}

TEST(Pbd, ASkinWithoutInsideIsLeftToTheBaseMethodAndSaysSo) {
  Rig rig = shapes::make("bar", {}).made.character.rig;
  rig.mesh.face_offsets = {0};
  rig.mesh.face_vertices.clear();
  rig.mesh.face_materials.clear();
  rig.mesh.add_face(std::array<Index, 3>{0, 1, 2});
  rig.mesh.parts.front().face_count = 1;
  PbdOptions choose;
  choose.base = PbdBase::kLbs;
  const auto pbd = bind("pbd", rig, choose);
  const auto state = pbd->make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  FrameReport report;
  const ModelPose model{rest_matrices(rig.skeleton), {}, {}};
  pbd->deform(*state, {model}, {positions, {}, &report});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].code, "pbd.no_inside");
}

TEST(Pbd, RefusesStiffnessOfNoJoint) {
  const Rig rig = shapes::make("bar", {}).made.character.rig;
  PbdOptions choose;
  choose.base = PbdBase::kLbs;
  for (const auto& [joint, factor] : {std::pair{"Nobody", 2.0}, {"", 1.0}, {"Joint0", -1.0}}) {
    choose.stiffness = {{joint, factor}};
    EXPECT_THROW(bind("pbd", rig, choose), Error) << joint;
  }
}

}  // namespace
}  // namespace sinew::deform
