// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/soft_skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

using Frames = std::vector<std::vector<Vec3f>>;

/// A made human with coarse tetrahedra, which are made once.
class SoftSkinHuman : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shapes::MakeOptions options;
    options.vertices = 3000;
    rig_ = new Rig(shapes::make("human", options).made.character.rig);
    prepared_ = new std::vector<std::byte>(write_pbd_body(make_pbd_body(*rig_, {6000, false})));
  }
  static void TearDownTestSuite() {
    delete prepared_;
    delete rig_;
  }

  static const Rig& rig() { return *rig_; }

  static PbdOptions options(bool dynamics) {
    PbdOptions own;
    own.base = PbdBase::kLbs;
    own.dynamics = dynamics;
    return own;
  }
  static std::unique_ptr<Deformer> bound(const PbdOptions& own, std::span<const std::optional<Tissue>> painted = {}) {
    return bind("pbd", *rig_, own, {}, {.prepared = *prepared_, .tissues = painted});
  }

  /// The body moved by a shift, turned, with one joint bent.
  static ModelPose pose(const Vec3& shift, double turn_rad = 0, const char* joint = nullptr, double bend_rad = 0) {
    Pose local = rest_pose(*rig_);
    if (joint != nullptr) {
      const Index j = rig_->skeleton.find(joint);
      local.local[j].rotation = local.local[j].rotation * Quat(Eigen::AngleAxisd(bend_rad, Vec3::UnitX()));
    }
    ModelPose result{model_matrices(rig_->skeleton, local.local), {}, {}};
    Mat4 whole = Mat4::Identity();
    whole.topLeftCorner<3, 3>() = Eigen::AngleAxisd(turn_rad, Vec3::UnitX()).toRotationMatrix();
    whole.topRightCorner<3, 1>() = shift;
    for (Mat4& frame : result.joints) frame = whole * frame;
    return result;
  }

  /// Half a second of rest, a jump upwards, and rest.
  static Frames jump(const PbdOptions& own, const Vec3& where = Vec3::Zero(), int frames = 30,
                     std::span<const std::optional<Tissue>> painted = {}) {
    const auto deformer = bound(own, painted);
    const auto state = deformer->make_state();
    Frames result;
    for (int f = 0; f < frames; ++f) {
      const double t = std::clamp((f - 5) / 10.0, 0.0, 1.0);
      result.emplace_back(rig_->mesh.positions.size());
      deformer->deform(*state, {pose(where + Vec3(0, 1.2 * t * (1 - t), 0)), f / 30.0, f == 0 ? 0 : 1.0 / 30},
                       {result.back(), {}, nullptr});
    }
    return result;
  }

  /// The largest difference of two runs over all frames, among vertices that joints with that word move most.
  static float apart(const Frames& a, const Frames& b, std::string_view word = "") {
    float most = 0;
    for (Index v = 0; v < rig_->mesh.positions.size(); ++v) {
      const Index joint = rig_->weights.row(v).front().joint;
      if (rig_->skeleton.joints[joint].name.find(word) == std::string::npos) continue;
      for (std::size_t f = 0; f < a.size(); ++f) most = std::max(most, (a[f][v] - b[f][v]).norm());
    }
    return most;
  }

  static bool same(const Frames& a, const Frames& b) {
    for (std::size_t f = 0; f < a.size(); ++f)
      if (std::memcmp(a[f].data(), b[f].data(), a[f].size() * sizeof(Vec3f)) != 0) return false;
    return a.size() == b.size();
  }

 private:
  static inline const Rig* rig_ = nullptr;
  static inline const std::vector<std::byte>* prepared_ = nullptr;
};

TEST_F(SoftSkinHuman, OnlyDynamicsNeedHistory) {
  EXPECT_FALSE(bound(options(false))->needs_history());
  EXPECT_TRUE(bound(options(true))->needs_history());
}

TEST_F(SoftSkinHuman, ABodyAtRestIsAsWithoutThem) {
  for (const bool bent : {false, true}) {
    const ModelPose still = pose(Vec3(1, 2, 3), 0, bent ? "LeftForearm" : nullptr, 1);
    std::vector<Vec3f> plain(rig().mesh.positions.size()), swinging = plain;
    const auto without = bound(options(false));
    PbdOptions own = options(true);
    own.gravity = 0;  // A bent arm hangs in another direction.
    const auto with = bound(own);
    const auto state = without->make_state(), history = with->make_state();
    without->deform(*state, {still}, {plain, {}, nullptr});
    for (int f = 0; f < 4; ++f)
      with->deform(*history, {still, f / 30.0, f == 0 ? 0 : 1.0 / 30}, {swinging, {}, nullptr});
    EXPECT_EQ(std::memcmp(plain.data(), swinging.data(), plain.size() * sizeof(Vec3f)), 0) << bent;
  }
}

TEST_F(SoftSkinHuman, TheBellyIsLeftBehindMoreThanTheHead) {
  const Frames still = jump(options(false)), swinging = jump(options(true));
  EXPECT_GT(apart(still, swinging, "Spine"), 0.004F);
  EXPECT_LT(apart(still, swinging, "Spine"), 0.1F);
  EXPECT_LT(apart(still, swinging, "Head"), 0.5F * apart(still, swinging, "Spine"));
}

TEST_F(SoftSkinHuman, SofterMaterialIsLeftBehindMore) {
  const Frames still = jump(options(false)), skin = jump(options(true));
  PbdOptions own = options(true);
  for (const char* joint : {"Hips", "Spine", "Chest"}) own.materials[joint] = "fat";
  const Frames fat = jump(own);
  for (auto& [name, material] : own.materials) material = "muscle";
  const Frames muscle = jump(own);
  EXPECT_GT(apart(still, fat, "Spine"), 1.15F * apart(still, skin, "Spine"));
  EXPECT_LT(apart(still, muscle, "Spine"), 0.85F * apart(still, skin, "Spine"));
}

TEST_F(SoftSkinHuman, GravityActsOnlyWhereItTurns) {
  const auto settled = [&](double turn_rad) {
    PbdOptions own = options(true);
    const auto with = bound(own), without = bound(options(false));
    const auto history = with->make_state(), state = without->make_state();
    Frames a(1, std::vector<Vec3f>(rig().mesh.positions.size())), b = a;
    const ModelPose still = pose(Vec3::Zero(), turn_rad);
    for (int f = 0; f < 60; ++f) with->deform(*history, {still, f / 30.0, f == 0 ? 0 : 1.0 / 30}, {a[0], {}, nullptr});
    without->deform(*state, {still}, {b[0], {}, nullptr});
    return apart(a, b, "Spine");
  };
  EXPECT_EQ(settled(0), 0);
  EXPECT_GT(settled(kPi / 2), 0.003F);
}

TEST_F(SoftSkinHuman, SameBytesForAnyNumberOfThreadsAndEveryReplay) {
  const auto play = [&](int threads) {
    const test::Threads used(threads);
    return jump(options(true), Vec3::Zero(), 16);
  };
  const Frames one = play(1);
  EXPECT_TRUE(same(one, play(2)));
  EXPECT_TRUE(same(one, play(1)));
}

TEST_F(SoftSkinHuman, TheCharactersPlaceMakesNoDifference) {
  const Vec3 far(64, 0, -32);
  const Frames near = jump(options(true)), away = jump(options(true), far), still = jump(options(false));
  float most = 0;
  for (std::size_t f = 0; f < near.size(); ++f)
    for (std::size_t v = 0; v < near[f].size(); ++v)
      most = std::max(most, (near[f][v] + far.cast<float>() - away[f][v]).norm());
  EXPECT_LT(most, 0.05F * apart(still, near));
}

TEST_F(SoftSkinHuman, SkinOfAJointOfBoneIsRigid) {
  const ModelPose nod = pose(Vec3::Zero(), 0, "Head", 0.8);
  const auto stretched = [&](const PbdOptions& own) {
    const auto deformer = bound(own);
    const auto state = deformer->make_state();
    std::vector<Vec3f> positions(rig().mesh.positions.size());
    deformer->deform(*state, {nod}, {positions, {}, nullptr});
    const Index head = rig().skeleton.find("Head");
    const auto follows = [&](Index v) {
      for (const Influence& influence : rig().weights.row(v))
        if (influence.joint == head) return influence.weight > 0.72F;
      return false;
    };
    double most = 0;
    for (const Triangle& triangle : triangulate(rig().mesh))
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = triangle.vertices[k], b = triangle.vertices[(k + 1) % 3];
        if (!follows(a) || !follows(b)) continue;
        const double rest = (rig().mesh.positions[a] - rig().mesh.positions[b]).norm();
        most = std::max(most, std::abs((positions[a] - positions[b]).cast<double>().norm() / rest - 1));
      }
    return most;
  };
  PbdOptions own = options(false);
  const double soft = stretched(own);
  own.materials["Head"] = "bone";
  EXPECT_GT(soft, 0.01);
  EXPECT_LT(stretched(own), 1e-4);
}

TEST_F(SoftSkinHuman, PaintedBoneKeepsItsShapeAcrossJoints) {
  const ModelPose bent = pose(Vec3::Zero(), 0, "LeftForearm", 1);
  const Index elbow = rig().skeleton.find("LeftForearm");
  const Vec3 at = pose(Vec3::Zero()).joints[elbow].topRightCorner<3, 1>();
  std::vector<std::optional<Tissue>> painted(rig().mesh.positions.size());
  for (std::size_t v = 0; v < painted.size(); ++v)
    if ((rig().mesh.positions[v] - at).norm() < 0.07) painted[v] = tissue("bone");
  const auto stretched = [&](std::span<const std::optional<Tissue>> tissues) {
    const auto deformer = bound(options(false), tissues);
    const auto state = deformer->make_state();
    std::vector<Vec3f> positions(rig().mesh.positions.size());
    deformer->deform(*state, {bent}, {positions, {}, nullptr});
    double most = 0;
    for (const Triangle& triangle : triangulate(rig().mesh))
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = triangle.vertices[k], b = triangle.vertices[(k + 1) % 3];
        if (!painted[a] || !painted[b]) continue;
        const double rest = (rig().mesh.positions[a] - rig().mesh.positions[b]).norm();
        most = std::max(most, std::abs((positions[a] - positions[b]).cast<double>().norm() / rest - 1));
      }
    return most;
  };
  EXPECT_GT(stretched({}), 0.1);
  EXPECT_LT(stretched(painted), 0.01);
}

TEST_F(SoftSkinHuman, PaintedFatIsLeftBehindMoreAndOnlyThere) {
  std::vector<std::optional<Tissue>> painted(rig().mesh.positions.size());
  for (std::size_t v = 0; v < painted.size(); ++v)
    if (rig().mesh.positions[v].y() < 0.9 * rig().mesh.bounds().upper.y() && rig().mesh.positions[v].y() > 0.5)
      painted[v] = tissue("fat");
  const Frames still = jump(options(false)), skin = jump(options(true));
  const Frames fat = jump(options(true), Vec3::Zero(), 30, painted);
  EXPECT_GT(apart(still, fat, "Spine"), 1.15F * apart(still, skin, "Spine"));
  EXPECT_NEAR(apart(still, fat, "Foot"), apart(still, skin, "Foot"), 0.1F * apart(still, skin, "Spine"));
}

TEST_F(SoftSkinHuman, MaterialsOfAnotherMeshAndInTheModePaperAreRefused) {
  const std::vector<std::optional<Tissue>> few(3), all(rig().mesh.positions.size());
  EXPECT_THROW(bound(options(false), few), Error);
  PbdOptions own = options(false);
  own.mode = PbdMode::kPaper;
  EXPECT_THROW(bound(own, all), Error);
}

TEST_F(SoftSkinHuman, ReportsWhatEnergyIsTakenBack) {
  const auto deformer = bound(options(true));
  const auto state = deformer->make_state();
  std::vector<Vec3f> positions(rig().mesh.positions.size());
  for (int f = 0; f < 12; ++f) {
    FrameReport report;
    deformer->deform(*state, {pose(Vec3(0, 0.1 * std::sin(f), 0)), f / 30.0, f == 0 ? 0 : 1.0 / 30},
                     {positions, {}, &report});
    EXPECT_GE(report.energy_taken_back, 0) << f;
    EXPECT_LT(report.energy_taken_back, 1) << f;
    if (f == 0) {
      EXPECT_EQ(report.energy_taken_back, 0);
    }
  }
}

TEST_F(SoftSkinHuman, UnknownJointsAndMaterialsAreRefused) {
  PbdOptions own = options(true);
  own.materials["Haed"] = "bone";
  EXPECT_THROW(bound(own), Error);
  own.materials = {{"Head", "stone"}};
  EXPECT_THROW(bound(own), Error);
  own.materials.clear();
  own.loose["Tial"] = 1;
  EXPECT_THROW(bound(own), Error);
  own.loose.clear();
  own.mode = PbdMode::kPaper;
  EXPECT_THROW(bound(own), Error);
}

}  // namespace
}  // namespace sinew::deform
