// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/slbs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "tests/deform/twist_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

SlbsOptions delta() {
  SlbsOptions options;
  options.twist_share = TwistShare::kDelta;
  options.spread_twists = SpreadTwists::kAll;
  return options;
}

SlbsOptions harmonic() {
  SlbsOptions options;
  options.spread_twists = SpreadTwists::kAll;
  return options;
}

// A pose of a subject that turns joints about their own bones by any number of turns, and what that makes of the twists
// about the bones before them.
struct TurnedPose {
  ModelPose pose;
  std::vector<double> expected_rad;
  bool clear = true;  ///< No joint comes near a swing of half a turn on its way, where its twist is any.
};

TurnedPose turned_pose(const TwistSubject& subject, unsigned seed, double swing_rad, double turns) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const Skeleton& skeleton = subject.rig.skeleton;
  Pose pose;
  TurnedPose result;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const Vec3 bone = bone_axis(skeleton, j), across = bone.cross(random_vector(rng)).normalized();
    const double angle = turns * kTwoPi * any(rng);
    const Quat swing = rotation_exp(swing_rad * any(rng) * across);
    Transform local = joint.rest;
    local.rotation = local.rotation * swing * rotation_exp(angle * bone);
    pose.local.push_back(local);
    pose.twist_rad.push_back(angle);
    // The long way: in steps too small to miss a turn.
    const Vec3 incoming = joint.rest.rotation.conjugate() * joint.rest.translation.normalized();
    double followed = 2 * std::atan2(swing.vec().dot(incoming), swing.w());
    const int steps = 1 + static_cast<int>(2000 * std::abs(angle));
    for (int i = 1; i <= steps; ++i) {
      const Quat q = swing * rotation_exp(angle * i / steps * bone);
      const double at = 2 * std::atan2(q.vec().dot(incoming), q.w());
      result.clear = result.clear && std::hypot(q.vec().dot(incoming), q.w()) > 0.01;
      followed = at + kTwoPi * std::round((followed - at) / kTwoPi);
    }
    result.expected_rad.push_back(followed);
  }
  result.pose = in_model_space(skeleton, pose);
  return result;
}

// The five identities of the method, in double.

TEST(SlbsFormulas, WithoutTwistItIsLinearBlending) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TwistSubject subject = random_subject(seed, 50);
    std::mt19937 rng(seed);
    const Skeleton& skeleton = subject.rig.skeleton;
    Pose pose;
    for (Index j = 0; j < skeleton.size(); ++j) {
      const Joint& joint = skeleton.joints[j];
      const Vec3 incoming = joint.rest.rotation.conjugate() * joint.rest.translation.normalized();
      Transform local = joint.rest;
      local.rotation = local.rotation * rotation_exp(1.3 * incoming.cross(random_vector(rng)).normalized());
      pose.local.push_back(local);
    }
    const ModelPose model = in_model_space(skeleton, pose);
    const auto expected = test::scalar_linear(subject.rig, model, false);
    const auto ours = test::scalar_twist_safe(subject.rig, subject.segmentation, model, {}, subject.share);
    EXPECT_LT(worst_distance(ours.positions, expected.positions), 1e-10);
    EXPECT_LT(worst_distance(frame_of("slbs", subject.rig, model, delta(), subject.knowledge()).positions,
                             expected.positions),
              1e-5);
  }
}

TEST(SlbsFormulas, ABoneEndsWhereAllThatFollowItBegin) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const TwistSubject subject = random_subject(seed, 1);
    const auto turned = turned_pose(subject, seed, 0.6, 2);
    const auto& segments = subject.segmentation.segments;
    const auto twists =
        test::scalar_twists(subject.rig.skeleton, segments, subject.bind, turned.pose, turned.expected_rad);
    std::mt19937 rng(seed);
    const Vec3 v = random_vector(rng);
    for (Index s = 0; s < segments.size(); ++s)
      for (Index next = 0; next < segments.size(); ++next) {
        if (segments[s].child == kNone || segments[next].joint != segments[s].child) continue;
        const Vec3 end = test::scalar_twisted_point(twists, segments, subject.bind, s, 1, v);
        const Vec3 begin = test::scalar_twisted_point(twists, segments, subject.bind, next, 0, v);
        EXPECT_LT((end - begin).norm(), 1e-10);
      }
  }
}

TEST(SlbsFormulas, AVertexThatHangsOnOneJointAloneFollowsItAtTheEndOfItsBone) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    TwistSubject subject = random_subject(seed, 60);
    const auto turned = turned_pose(subject, seed, 0.6, 2);
    subject.rig.weights = {};
    for (Index v = 0; v < 60; ++v) {
      const auto [a, b] = subject.segmentation.segments[subject.segmentation.owner[v]];
      subject.segmentation.along[v] = 1;
      subject.share[v] = 1;
      subject.rig.weights.add_row({{b == kNone ? a : b, 1.0F}});
    }
    const auto expected = test::scalar_linear(subject.rig, turned.pose, false);
    const auto ours =
        test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, turned.expected_rad, subject.share);
    EXPECT_LT(worst_distance(ours.positions, expected.positions), 1e-10);
    EXPECT_LT(worst_distance(frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge()).positions,
                             expected.positions),
              1e-5);
  }
}

TEST(SlbsFormulas, JointFramesDoNotMatter) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    TwistSubject subject = random_subject(seed, 60);
    auto turned = turned_pose(subject, seed, 0.6, 0.4);
    turned.pose.twist_rad.clear();  // They are about axes of the skeleton, which stays as it is.
    const auto before = test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, {}, subject.share);
    const Frame float_before = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
    std::mt19937 rng(seed);
    for (Index j = 0; j < 8; ++j) {
      const Mat4 turn = Transform{Vec3::Zero(), random_rotation(rng), Vec3::Ones()}.matrix();
      turned.pose.joints[j] = turned.pose.joints[j] * turn;
      subject.rig.skins[0].inverse_bind[j] = turn.inverse() * subject.rig.skins[0].inverse_bind[j];
    }
    const auto after = test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, {}, subject.share);
    EXPECT_LT(worst_distance(before.positions, after.positions), 1e-10);
    const Frame float_after = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
    EXPECT_LT(worst_distance(float_before.positions, float_after.positions), 1e-5);
  }
}

TEST(SlbsFormulas, ARigidMotionOfAllJointsMovesTheSurface) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const TwistSubject subject = random_subject(seed, 60);
    auto turned = turned_pose(subject, seed, 0.6, 2);
    const auto posed = [&] {
      return test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, turned.expected_rad,
                                     subject.share);
    };
    const auto before = posed();
    const Frame float_before = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
    std::mt19937 rng(seed);
    const Mat4 motion = random_motion(rng);
    for (Mat4& joint : turned.pose.joints) joint = motion * joint;
    const auto after = posed();
    const Frame float_after = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
    for (Index v = 0; v < 60; ++v) {
      EXPECT_LT((after.positions[v] - transform_point(motion, before.positions[v])).norm(), 1e-10);
      EXPECT_LT(
          (float_after.positions[v].cast<double>() - transform_point(motion, float_before.positions[v].cast<double>()))
              .norm(),
          1e-5);
    }
  }
}

TEST(SlbsFormulas, AFullTurnMoreChangesOnlyWhatLiesWithinTheBone) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TwistSubject subject = random_subject(seed, 60);
    const auto turned = turned_pose(subject, seed, 0.6, 0.3);
    const auto& segments = subject.segmentation.segments;
    std::vector<double> more = turned.expected_rad;
    more[3] += kTwoPi;
    const auto one =
        test::scalar_twists(subject.rig.skeleton, segments, subject.bind, turned.pose, turned.expected_rad);
    const auto two = test::scalar_twists(subject.rig.skeleton, segments, subject.bind, turned.pose, more);
    for (Index j = 0; j < 8; ++j) EXPECT_LT((one.twisted[j] - two.twisted[j]).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_NEAR(two.angle_rad[3] - one.angle_rad[3], kTwoPi, 1e-10);
    for (Index s = 0; s < segments.size(); ++s) {
      const Vec3 v = place(subject.bind[segments[s].joint]) + 0.3 * Vec3(1, 2, 3);
      const double moved = (test::scalar_twisted_point(one, segments, subject.bind, s, 0.5, v) -
                            test::scalar_twisted_point(two, segments, subject.bind, s, 0.5, v))
                               .norm();
      if (segments[s].child == 3) EXPECT_GT(moved, 1e-3);
      else EXPECT_LT(moved, 1e-10);
    }
  }
}

// The deformer against the formulas.

TEST(Slbs, EqualsTheScalarReferenceForEveryLengthOfTail) {
  std::vector<Index> counts = {4095, 4096, 4097};
  for (Index n = 1; n <= 17; ++n) counts.push_back(n);
  for (const Index n : counts) {
    const TwistSubject subject = random_subject(n, n);
    const auto turned = turned_pose(subject, n, 0.8, 2);
    std::vector<Vec3> gradient;
    for (Index v = 0; v < n; ++v) {
      const auto [a, b] = subject.segmentation.segments[subject.segmentation.owner[v]];
      const Vec3 link = b == kNone ? Vec3(Vec3::Zero()) : Vec3(place(subject.bind[b]) - place(subject.bind[a]));
      const bool within = subject.share[v] > 0 && subject.share[v] < 1;
      gradient.push_back(within ? Vec3(link / link.squaredNorm()) : Vec3(Vec3::Zero()));
    }
    const auto expected = test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, turned.expected_rad,
                                                  subject.share, gradient);
    const Frame frame = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
    EXPECT_LT(worst_distance(frame.positions, expected.positions), 1e-5 * subject.rig.mesh.size() + 1e-5) << n;
    EXPECT_LT(worst_distance(frame.normals, expected.normals), 2e-3) << n;
  }
}

RC_GTEST_PROP(SlbsProperty, EqualsTheScalarReferenceForAnyNumberOfInfluences, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const auto joints = *rc::gen::inRange<Index>(2, 30);
  const auto most = *rc::gen::inRange<Index>(1, joints + 1);
  const TwistSubject subject = random_subject(seed, 300, joints, most);
  const auto turned = turned_pose(subject, seed, 0.8, 1.5);
  RC_PRE(turned.clear);
  const auto expected =
      test::scalar_twist_safe(subject.rig, subject.segmentation, turned.pose, turned.expected_rad, subject.share);
  const Frame frame = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
  RC_ASSERT(worst_distance(frame.positions, expected.positions) < 1e-5 * subject.rig.mesh.size() + 1e-5);
}

TEST(Slbs, ThousandsOfTurnsAreAsExactAsOne) {
  TwistSubject subject = random_subject(3, 2000, 3);
  const StraightChain chain = straight_chain({0, 4321.2371 * kTwoPi, -0.125 * kTwoPi});
  subject.rig.skeleton = chain.skeleton;
  subject.bind = rest_matrices(chain.skeleton);
  for (Index j = 0; j < 3; ++j) subject.rig.skins[0].inverse_bind[j] = subject.bind[j].inverse();
  subject.segmentation.segments = all_segments(chain.skeleton);
  for (Index v = 0; v < 2000; ++v) {
    subject.segmentation.owner[v] = v % 3;
    if (v % 3 == 2) subject.share[v] = 0;
    else subject.share[v] = std::clamp(static_cast<double>(subject.segmentation.along[v]), 0.0, 1.0);
  }
  const ModelPose pose = in_model_space(chain.skeleton, chain.pose);
  const auto expected =
      test::scalar_twist_safe(subject.rig, subject.segmentation, pose, chain.pose.twist_rad, subject.share);
  const Frame frame = frame_of("slbs", subject.rig, pose, delta(), subject.knowledge());
  EXPECT_LT(worst_distance(frame.positions, expected.positions), 1e-5);
}

TEST(Slbs, TheBindPoseGivesTheMeshAndARigidMotionMovesItAsLinearBlendingDoes) {
  const TwistSubject subject = random_subject(5, 500);
  ModelPose pose;
  pose.joints = subject.bind;
  const Frame bound = frame_of("slbs", subject.rig, pose, delta(), subject.knowledge());
  EXPECT_LT(worst_distance(bound.positions, subject.rig.mesh.positions), 1e-5);
  EXPECT_LT(worst_distance(bound.normals, subject.rig.mesh.normals.values), 2e-6);
  std::mt19937 rng(6);
  const Mat4 motion = random_motion(rng);
  for (Mat4& joint : pose.joints) joint = motion * joint;
  const Frame moved = frame_of("slbs", subject.rig, pose, delta(), subject.knowledge());
  EXPECT_LT(worst_distance(moved.positions, frame_of("lbs", subject.rig, pose).positions), 1e-5);
}

TEST(Slbs, MorphsMoveTheRestThatIsTwisted) {
  TwistSubject subject = random_subject(25, 300);
  std::mt19937 rng(26);
  MeshPart& part = subject.rig.mesh.parts[0];
  part.morphs = {{"a", {}}, {"b", {}}};
  part.morph_weights = {0, 0};
  for (Morph& morph : part.morphs)
    for (Index v = 0; v < 300; ++v)
      morph.deltas.push_back(v % 3 ? Vec3f(0.1F * random_vector(rng).cast<float>()) : Vec3f(Vec3f::Zero()));
  auto turned = turned_pose(subject, 27, 0.6, 2);
  const auto deformer = deform::bind("slbs", subject.rig, delta(), {}, subject.knowledge());
  const auto state = deformer->make_state();
  for (const auto& weights : std::vector<std::vector<double>>{{1, 0}, {0, 0}, {0.5, -1}, {0, 2}}) {
    turned.pose.morph_weights = {weights};
    Rig moved = subject.rig;
    for (Index v = 0; v < 300; ++v)
      for (std::size_t m = 0; m < 2; ++m)
        moved.mesh.positions[v] += weights[m] * part.morphs[m].deltas[v].cast<double>();
    const auto expected =
        test::scalar_twist_safe(moved, subject.segmentation, turned.pose, turned.expected_rad, subject.share);
    EXPECT_LT(worst_distance(frame_of(*deformer, *state, turned.pose, 300).positions, expected.positions), 2e-5);
  }
}

TEST(Slbs, RigidPartsAndWhatNoBoneOwnsAreBlendedLinearly) {
  TwistSubject subject = random_subject(7, 90);
  MeshPart& skinned = subject.rig.mesh.parts[0];
  skinned.vertex_count = 60;
  MeshPart rigid = skinned;
  rigid.name = "rigid", rigid.first_vertex = 60, rigid.vertex_count = 30, rigid.skin = kNone, rigid.joint = 4;
  rigid.to_model = subject.bind[4];
  subject.rig.mesh.parts.push_back(rigid);
  SkinWeights weights;
  for (Index v = 0; v < 90; ++v) {
    if (v >= 60) weights.add_row({{4, 1.0F}});
    else if (v % 7 == 1) weights.add_row(std::vector<Influence>{});  // Nothing moves it.
    else weights.add_row(subject.rig.weights.row(v));
    if (v % 3 == 0) subject.segmentation.owner[v] = kNone;
  }
  subject.rig.weights = weights;
  const auto turned = turned_pose(subject, 8, 0.6, 2);
  const auto linear = test::scalar_linear(subject.rig, turned.pose, false);
  const Frame frame = frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge());
  double farthest = 0;
  for (Index v = 0; v < 90; ++v) {
    const double apart = (frame.positions[v].cast<double>() - linear.positions[v]).norm();
    if (v >= 60 || v % 3 == 0 || v % 7 == 1) EXPECT_LT(apart, 1e-5);
    else farthest = std::max(farthest, apart);
  }
  EXPECT_GT(farthest, 0.1);
}

TEST(Slbs, SkinsThatAreBoundInOtherPosesTwistByTheirOwn) {
  TwistSubject subject = random_subject(9, 80);
  // The second half is the same surface, bound in another pose of the skeleton: it lies where that pose takes the
  // first.
  std::mt19937 rng(10);
  const std::vector<Mat4> other =
      model_matrices(subject.rig.skeleton, random_local_pose(rng, subject.rig.skeleton, 0).local);
  const Mat4 moved = random_motion(rng);
  Skin skin = subject.rig.skins[0];
  for (Index j = 0; j < 8; ++j) skin.inverse_bind[j] = (moved * other[j]).inverse();
  subject.rig.skins.push_back(skin);
  MeshPart part = subject.rig.mesh.parts[0];
  part.first_vertex = 80;
  part.skin = 1;
  subject.rig.mesh.parts.push_back(part);
  for (Index v = 0; v < 80; ++v) {
    subject.rig.mesh.positions.push_back(transform_point(moved, subject.rig.mesh.positions[v]));
    subject.rig.mesh.normals.values.push_back(
        (moved.topLeftCorner<3, 3>() * subject.rig.mesh.normals.values[v].cast<double>()).cast<float>());
    const std::vector<Influence> row(subject.rig.weights.row(v).begin(), subject.rig.weights.row(v).end());
    subject.rig.weights.add_row(row);
    subject.segmentation.owner.push_back(subject.segmentation.owner[v]);
    subject.segmentation.along.push_back(subject.segmentation.along[v]);
  }
  const auto turned = turned_pose(subject, 11, 0.6, 2);
  const Frame frame = frame_of("slbs", subject.rig, turned.pose, delta(), subject.knowledge());
  for (Index v = 0; v < 80; ++v) {
    EXPECT_LT((frame.positions[v] - frame.positions[80 + v]).norm(), 2e-5F);
    EXPECT_LT((frame.normals[v] - frame.normals[80 + v]).norm(), 2e-3F);
  }
}

TEST(Slbs, NormalsGoByCofactorsWhereAMatrixScalesUnevenly) {
  TwistSubject subject = random_subject(12, 200, 2, 1);
  auto turned = turned_pose(subject, 13, 0.3, 1);
  turned.pose.joints[1].topLeftCorner<3, 3>() *= Vec3(1, 1.6, 0.7).asDiagonal();
  subject.rig.weights = {};
  for (Index v = 0; v < 200; ++v) subject.rig.weights.add_row({{1, 1.0F}});
  const auto deformer = deform::bind("slbs", subject.rig, delta(), {}, subject.knowledge());
  const auto state = deformer->make_state();
  const Frame frame = frame_of(*deformer, *state, turned.pose, 200);
  // A small step along the surface at rest must stay at right angles to the normal.
  constexpr double kStep = 2e-3;
  Rig nudged = subject.rig;
  Segmentation places = subject.segmentation;
  for (const int which : {0, 1}) {
    for (Index v = 0; v < 200; ++v) {
      const Vec3 n = subject.rig.mesh.normals.values[v].cast<double>();
      const Vec3 t = which == 0 ? n.unitOrthogonal() : n.cross(n.unitOrthogonal());
      const auto [a, b] = places.segments[places.owner[v]];
      nudged.mesh.positions[v] = subject.rig.mesh.positions[v] + kStep * t;
      if (b == kNone) continue;
      const Vec3 link = place(subject.bind[b]) - place(subject.bind[a]);
      places.along[v] = subject.segmentation.along[v] + static_cast<float>(kStep * t.dot(link) / link.squaredNorm());
    }
    const Frame other = frame_of("slbs", nudged, turned.pose, delta(), {&places, {}});
    for (Index v = 0; v < 200; ++v) {
      if (std::abs(subject.share[v] - 0.5) > 0.48 && std::abs(subject.share[v] - 0.5) <= 0.5) continue;
      const Vec3 edge = (other.positions[v] - frame.positions[v]).cast<double>().normalized();
      EXPECT_LT(std::abs(edge.dot(frame.normals[v].cast<double>())), 0.02) << v;
    }
  }
}

TEST(Slbs, CopiesOfAVertexLandOnTheSameBits) {
  TwistSubject subject = random_subject(14, 3000, 12, 5);
  for (Index i = 0; i < 3000; ++i) {
    const Index v = (i * 1237 + 5) % 3000;
    subject.rig.mesh.positions.push_back(subject.rig.mesh.positions[v]);
    subject.rig.mesh.normals.values.push_back(subject.rig.mesh.normals.values[v]);
    const std::vector<Influence> row(subject.rig.weights.row(v).begin(), subject.rig.weights.row(v).end());
    subject.rig.weights.add_row(row);
    subject.segmentation.owner.push_back(subject.segmentation.owner[v]);
    subject.segmentation.along.push_back(subject.segmentation.along[v]);
  }
  subject.rig.mesh.parts[0].vertex_count = 6000;
  const auto turned = turned_pose(subject, 15, 0.6, 2);
  const Frame frame = frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge());
  for (Index i = 0; i < 3000; ++i) {
    const Index v = (i * 1237 + 5) % 3000;
    ASSERT_EQ(frame.positions[3000 + i], frame.positions[v]);
    ASSERT_EQ(frame.normals[3000 + i], frame.normals[v]);
  }
}

TEST(Slbs, OneAndTwoThreadsGiveTheSameBytes) {
  const TwistSubject subject = random_subject(16, 20000);
  const auto turned = turned_pose(subject, 17, 0.6, 2);
  set_thread_count(1);
  const Frame one = frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge());
  set_thread_count(2);
  const Frame two = frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge());
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

TEST(Slbs, PositionsAreTheSameWithoutNormals) {
  const TwistSubject subject = random_subject(18, 100);
  const auto turned = turned_pose(subject, 19, 0.6, 2);
  const auto deformer = deform::bind("slbs", subject.rig, harmonic(), {}, subject.knowledge());
  const auto state = deformer->make_state();
  std::vector<Vec3f> positions(100);
  deformer->deform(*state, {turned.pose}, {positions, {}});
  EXPECT_EQ(positions, frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge()).positions);
}

TEST(Slbs, AJointThatSwingsByHalfATurnIsReported) {
  StraightChain chain = straight_chain({0, 0, 0});
  TwistSubject subject = random_subject(20, 30, 3);
  subject.rig.skeleton = chain.skeleton;
  for (Index j = 0; j < 3; ++j) subject.rig.skins[0].inverse_bind[j] = rest_matrices(chain.skeleton)[j].inverse();
  subject.segmentation.segments = all_segments(chain.skeleton);
  for (Index& owner : subject.segmentation.owner) owner %= 3;
  const auto deformer = deform::bind("slbs", subject.rig, harmonic(), {}, subject.knowledge());
  const auto state = deformer->make_state();
  std::vector<Vec3f> positions(30);
  for (const bool half : {false, true}) {
    chain.pose.local[1].rotation = rotation_exp((half ? kPi : 2.0) * Vec3::UnitX());
    FrameReport report;
    deformer->deform(*state, {in_model_space(chain.skeleton, chain.pose)}, {positions, {}, &report});
    ASSERT_EQ(report.findings.size(), half ? 1U : 0U);
    if (half) {
      EXPECT_EQ(report.findings[0].where, "joint1");
    }
    for (const Vec3f& p : positions) EXPECT_TRUE(p.allFinite());
  }
}

TEST(Slbs, TwistsThatAreNotNumbersAreRefused) {
  const TwistSubject subject = random_subject(21, 10);
  auto turned = turned_pose(subject, 22, 0.6, 2);
  turned.pose.twist_rad[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge()), Error);
  turned.pose.twist_rad.pop_back();
  EXPECT_THROW(frame_of("slbs", subject.rig, turned.pose, harmonic(), subject.knowledge()), Error);
}

TEST(Slbs, ShowsTheShareOfEachVertex) {
  const TwistSubject subject = random_subject(23, 40);
  const auto turned = turned_pose(subject, 24, 0, 0);
  const auto deformer = deform::bind("slbs", subject.rig, delta(), {}, subject.knowledge());
  const auto state = deformer->make_state();
  const auto overlays = deformer->overlays(*state, {turned.pose});
  ASSERT_EQ(overlays.size(), 1U);
  for (Index v = 0; v < 40; ++v) EXPECT_NEAR(overlays[0].fields[0].values[v], subject.share[v], 1e-6);
}

}  // namespace
}  // namespace sinew::deform
