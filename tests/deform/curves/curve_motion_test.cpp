// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/curve_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/curves/beam_response.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

/// A tube along y of closed loops, with two joints that share its skin, and poses of it.
struct LoopTube {
  Rig rig;
  CurveSet curves;
  std::vector<std::vector<Vec3>> poses;
  std::vector<double> times_s;

  LoopTube(Index loops, Index around, double radius) {
    Mesh& mesh = rig.mesh;
    curves.limbs.resize(1);
    for (Index l = 0; l < loops; ++l) {
      curves.curves.push_back({static_cast<Index>(curves.points.size()), around, true, Curve::Kind::kLimb, 0, l});
      curves.limbs[0].curves.push_back(l);
      for (Index a = 0; a < around; ++a) {
        const double angle = 2 * kPi * a / around;
        curves.points.push_back({mesh.vertex_count(), mesh.vertex_count(), 0});
        curves.curve_of.push_back(l);
        mesh.positions.push_back({radius * std::cos(angle), 1.0 * l / loops, radius * std::sin(angle)});
      }
    }
    for (Index l = 0; l + 1 < loops; ++l)
      for (Index a = 0; a < around; ++a) {
        const Index b = (a + 1) % around;
        mesh.add_face(std::array{l * around + a, l * around + b, (l + 1) * around + b, (l + 1) * around + a});
      }
    MeshPart part;
    part.vertex_count = mesh.vertex_count();
    part.face_count = mesh.face_count();
    part.skin = 0;
    mesh.parts.push_back(part);
    rig.skeleton.joints.resize(2);
    rig.skeleton.joints[1].parent = 0;
    rig.skeleton.joints[1].rest.translation = Vec3(0, 0.5, 0);
    rig.skins.resize(1);
    rig.skins[0].joints = {0, 1};
    rig.skins[0].inverse_bind = {Mat4::Identity(), Mat4::Identity()};
    rig.skins[0].inverse_bind[1](1, 3) = -0.5;
    for (const Vec3& p : mesh.positions) {
      const auto upper = static_cast<float>(std::clamp((p.y() - 0.4) / 0.2, 0.0, 1.0));
      rig.weights.add_row({{0, 1 - upper}, {1, upper}});
    }
  }

  ExamplePoses examples() const { return {poses, times_s, 1.0}; }
};

void turn_upper(std::vector<Vec3>& positions, double angle_rad) {
  const Mat3 turn = rotation_exp(Vec3(0, 0, angle_rad)).toRotationMatrix();
  for (Vec3& p : positions)
    if (p.y() > 0.5) p = Vec3(0, 0.5, 0) + turn * (p - Vec3(0, 0.5, 0));
}

void shake(std::vector<Vec3>& positions, std::mt19937& random, double by) {
  std::uniform_real_distribution<double> unit(-by, by);
  for (Vec3& p : positions) p += Vec3(unit(random), unit(random), unit(random));
}

double farthest(std::span<const Vec3f> a, std::span<const Vec3> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, (a[i].cast<double>() - b[i]).norm());
  return worst;
}

std::vector<Vec3f> shape_at(const CurveMotion& motion, double time_s, std::size_t vertices) {
  std::vector<Vec3f> out(vertices);
  motion.evaluate(time_s, out);
  return out;
}

TEST(CurveMotion, MeetsEveryPoseWhateverWeightsAndJointsAre) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 12; ++trial) {
    LoopTube tube(12, 16, 0.1);
    tube.rig.weights = {};
    for (Index v = 0; v < tube.rig.mesh.vertex_count(); ++v) {
      const auto upper = static_cast<float>(std::abs(unit(random)));
      tube.rig.weights.add_row({{0, 1 - upper}, {1, upper}});
    }
    for (int p = 0; p < 3; ++p) {
      tube.poses.push_back(tube.rig.mesh.positions);
      turn_upper(tube.poses.back(), p * unit(random));
      shake(tube.poses.back(), random, 0.05);
      tube.times_s.push_back(0.7 * p);
    }
    JointPoses joints = fit_joint_poses(tube.rig, tube.poses);
    for (auto& pose : joints.poses)
      for (Transform& local : pose) {
        local.rotation = rotation_exp(3 * Vec3(unit(random), unit(random), unit(random)));
        local.translation += Vec3(unit(random), unit(random), unit(random));
      }
    CurveMotionOptions options;
    options.cutoff = std::array{0.0, 50.0, 1e6}[trial % 3];
    options.join = trial % 2 == 0 ? KeyJoin::kRest : KeyJoin::kFlow;
    if (trial % 4 == 3) options.mode = InbetweenMode::kDamped;
    const CurveMotion motion(tube.rig, tube.curves, joints, tube.examples(), options);
    for (int p = 0; p < 3; ++p)
      EXPECT_LT(farthest(shape_at(motion, tube.times_s[p], tube.poses[p].size()), tube.poses[p]), 6e-6) << trial;
  }
}

TEST(CurveMotion, MovesASingleModeAsTheBeamDoes) {
  std::mt19937 random(2);
  for (const Index k : {1u, 2u, 5u}) {
    const Index around = 24;
    LoopTube tube(1, around, 0.2);
    tube.rig.mesh.add_face(std::array<Index, 3>{0, 1, 2});
    tube.rig.mesh.parts[0].face_count = 1;
    tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
    const double duration = std::uniform_real_distribution(0.3, 2.0)(random);
    tube.times_s = {0, duration};
    for (Index a = 0; a < around; ++a) tube.poses[1][a].y() += 0.03 * std::cos(2 * kPi * k * a / around);
    CurveMotionOptions options;
    options.youngs = std::uniform_real_distribution(1e4, 1e6)(random);
    const CurveMotion motion(tube.rig, tube.curves, {}, tube.examples(), options);
    double length = 0;
    for (Index a = 0; a < around; ++a) length += (tube.poses[0][(a + 1) % around] - tube.poses[0][a]).norm();
    const double c = options.youngs * 0.002 * 0.002 * duration * duration / (12 * 1100 * std::pow(length, 4));
    const double omega = std::sqrt(c) * 4 * around * around * std::pow(std::sin(kPi * k / around), 2);
    const std::vector<Vec3f> half = shape_at(motion, duration / 2, around);
    for (Index a = 0; a < around; ++a)
      EXPECT_NEAR(half[a].y() - tube.poses[0][a].y(),
                  driven_response(omega, 0.5) * (tube.poses[1][a].y() - tube.poses[0][a].y()), 1e-6);
  }
}

TEST(CurveMotion, LongSegmentsFollowTheProgressAndShortOnesLag) {
  const auto half_way = [](double duration) {
    LoopTube tube(1, 24, 0.2);
    tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
    tube.times_s = {0, duration};
    for (Index a = 0; a < 24; ++a) tube.poses[1][a].y() += 0.1 * std::cos(2 * kPi * a / 24.0);
    const CurveMotion motion(tube.rig, tube.curves, {}, tube.examples());
    return (shape_at(motion, duration / 2, 24)[0].y() - tube.poses[0][0].y()) / 0.1;
  };
  EXPECT_NEAR(half_way(1e-4), 0.34375, 1e-4);
  EXPECT_NEAR(half_way(1e4), 0.5, 1e-4);
  EXPECT_LT(half_way(0.2), half_way(0.8));
}

TEST(CurveMotion, IsLinearInDisplacementsAndTurnsWithThePoses) {
  std::mt19937 random(21);
  LoopTube tube(3, 18, 0.3);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  shake(tube.poses[1], random, 0.1);
  const std::size_t count = tube.poses[0].size();
  const std::vector<Vec3f> once = CurveMotion(tube.rig, tube.curves, {}, tube.examples()).displacements(0.4);
  LoopTube twice = tube, turned = tube;
  const Mat3 turn = rotation_exp(Vec3(0.5, -1, 0.2)).toRotationMatrix();
  for (std::size_t v = 0; v < count; ++v) {
    twice.poses[1][v] += tube.poses[1][v] - tube.poses[0][v];
    for (std::vector<Vec3>* shape : {&turned.poses[0], &turned.poses[1], &turned.rig.mesh.positions})
      (*shape)[v] = turn * (*shape)[v];
  }
  const std::vector<Vec3f> doubled = CurveMotion(twice.rig, twice.curves, {}, twice.examples()).displacements(0.4);
  const std::vector<Vec3f> rotated_too =
      CurveMotion(turned.rig, turned.curves, {}, turned.examples()).displacements(0.4);
  for (std::size_t v = 0; v < count; ++v) {
    EXPECT_LT((doubled[v] - 2 * once[v]).norm(), 2e-6);
    EXPECT_LT((rotated_too[v].cast<double>() - turn * once[v].cast<double>()).norm(), 2e-6);
  }
}

TEST(CurveMotion, OrderAlongTheCurveMatters) {
  std::mt19937 random(4);
  LoopTube tube(1, 24, 0.3);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  for (Index a = 0; a < 24; ++a) tube.poses[1][a].y() += 0.1 * std::cos(2 * kPi * a / 24.0);
  const std::vector<Vec3f> before =
      shape_at(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), 0.5, tube.poses[0].size());
  std::shuffle(tube.curves.points.begin(), tube.curves.points.end(), random);
  const std::vector<Vec3f> after =
      shape_at(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), 0.5, tube.poses[0].size());
  double worst = 0;
  for (std::size_t i = 0; i < before.size(); ++i) worst = std::max<double>(worst, (before[i] - after[i]).norm());
  EXPECT_GT(worst, 1e-4);
}

TEST(CurveMotion, StartAndDirectionOfALoopDoNotMatter) {
  std::mt19937 random(8);
  LoopTube tube(3, 18, 0.3);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  shake(tube.poses[1], random, 0.1);
  const std::size_t count = tube.poses[0].size();
  const std::vector<Vec3f> before = shape_at(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), 0.4, count);
  std::rotate(tube.curves.points.begin(), tube.curves.points.begin() + 5, tube.curves.points.begin() + 18);
  std::reverse(tube.curves.points.begin() + 18, tube.curves.points.begin() + 36);
  const std::vector<Vec3f> after = shape_at(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), 0.4, count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_LT((before[i] - after[i]).norm(), 2e-6);
}

TEST(CurveMotion, ARigidBodyStaysRigid) {
  LoopTube tube(10, 12, 0.1);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  const Mat3 turn = rotation_exp(Vec3(0.4, 1.1, -0.3)).toRotationMatrix();
  for (Vec3& p : tube.poses[1]) p = turn * p + Vec3(0.3, 0.1, 2);
  tube.times_s = {0, 1};
  const JointPoses joints = fit_joint_poses(tube.rig, tube.poses);
  const CurveMotion motion(tube.rig, tube.curves, joints, tube.examples());
  EXPECT_LT(motion.figures().residual_rms, 1e-5);
  for (const double t : {0.2, 0.5, 0.9}) {
    const std::vector<Vec3f> now = shape_at(motion, t, tube.poses[0].size());
    for (std::size_t i = 1; i < now.size(); ++i)
      EXPECT_NEAR((now[i] - now[0]).norm(), (tube.poses[0][i] - tube.poses[0][0]).norm(), 1e-5);
  }
}

TEST(CurveMotion, ALimbKeepsItsLengthWhileItTurns) {
  for (const double degrees : {30.0, 60.0, 90.0, 120.0}) {
    LoopTube tube(21, 12, 0.05);
    tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
    turn_upper(tube.poses[1], degrees * kRadPerDegree);
    tube.times_s = {0, 1};
    const auto upper_length = [&](const std::vector<Vec3f>& shape) {
      const Index top = 20 * 12, middle = 12 * 12;
      Vec3f a = Vec3f::Zero(), b = Vec3f::Zero();
      for (Index i = 0; i < 12; ++i) a += shape[top + i] / 12, b += shape[middle + i] / 12;
      return static_cast<double>((a - b).norm());
    };
    const std::size_t count = tube.poses[0].size();
    const JointPoses joints = fit_joint_poses(tube.rig, tube.poses);
    const CurveMotion with(tube.rig, tube.curves, joints, tube.examples());
    const double whole = upper_length(shape_at(with, 0, count));
    EXPECT_NEAR(upper_length(shape_at(with, 0.5, count)) / whole, 1, 0.005) << degrees;
    // Without joints, and with modes that follow the progress, vertices run along chords.
    CurveMotionOptions stiff;
    stiff.cutoff = 0;
    const CurveMotion without(tube.rig, tube.curves, {}, tube.examples(), stiff);
    EXPECT_NEAR(upper_length(shape_at(without, 0.5, count)) / whole, std::cos(degrees * kRadPerDegree / 2), 0.01);
  }
}

TEST(CurveMotion, FewModesAreCloseToAll) {
  std::mt19937 random(9);
  LoopTube tube(6, 40, 0.15);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  shake(tube.poses[1], random, 0.1);
  CurveMotionOptions all;
  all.cutoff = 1e9;
  const CurveMotion few(tube.rig, tube.curves, {}, tube.examples()),
      many(tube.rig, tube.curves, {}, tube.examples(), all);
  EXPECT_LT(few.figures().modes, many.figures().modes);
  const std::size_t count = tube.poses[0].size();
  for (const double t : {0.25, 0.5, 0.75}) {
    const std::vector<Vec3f> a = shape_at(few, t, count), b = shape_at(many, t, count);
    double difference = 0, whole = 0;
    for (std::size_t i = 0; i < count; ++i) {
      difference += (a[i] - b[i]).squaredNorm();
      whole += (tube.poses[1][i] - tube.poses[0][i]).squaredNorm();
    }
    EXPECT_LT(std::sqrt(difference / whole), 0.002);
    EXPECT_GT(difference, 0);
  }
}

TEST(CurveMotion, SequencesAreContinuousAndStopAtKeysOrFlowThrough) {
  std::mt19937 random(6);
  LoopTube tube(8, 12, 0.2);
  for (int p = 0; p < 3; ++p) {
    tube.poses.push_back(tube.rig.mesh.positions);
    for (Vec3& v : tube.poses.back()) v += Vec3(0.2 * p, 0.1 * p, 0.3 * p);
    shake(tube.poses.back(), random, 0.02);
    tube.times_s.push_back(p);
  }
  const std::size_t count = tube.poses[0].size();
  const auto speed = [&](const CurveMotion& motion, double time, double h) {
    const std::vector<Vec3f> a = shape_at(motion, time, count), b = shape_at(motion, time + h, count);
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max<double>(most, (b[i] - a[i]).norm() / std::abs(h));
    return most;
  };
  CurveMotionOptions stop;
  stop.join = KeyJoin::kRest;
  const CurveMotion rest(tube.rig, tube.curves, {}, tube.examples(), stop);
  EXPECT_LT(speed(rest, 1, 1e-2), 0.02);
  EXPECT_LT(speed(rest, 1, -1e-2), 0.02);
  CurveMotionOptions flow;
  flow.join = KeyJoin::kFlow;
  const CurveMotion through(tube.rig, tube.curves, {}, tube.examples(), flow);
  EXPECT_GT(speed(through, 1, 1e-2), 0.2);
  const std::vector<Vec3f> before = shape_at(through, 0.99, count), at = shape_at(through, 1, count),
                           after = shape_at(through, 1.01, count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_LT(((after[i] - at[i]) - (at[i] - before[i])).norm() / 0.01, 0.05) << "the rate does not jump";
  }
}

TEST(CurveMotion, VerticesWithoutCurvesStayBetweenTheirNeighbours) {
  std::mt19937 random(12);
  LoopTube tube(20, 16, 0.2);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  for (Vec3& p : tube.poses[1]) p += Vec3(0.1 * std::sin(5 * p.y()), 0, 0.1 * std::cos(3 * p.y()) * p.x());
  const std::size_t count = tube.poses[0].size();
  const std::vector<Vec3f> full = shape_at(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), 0.5, count);
  CurveSet fewer;
  fewer.limbs.resize(1);
  fewer.curve_of.assign(count, kNone);
  for (const Curve& curve : tube.curves.curves) {
    if (curve.order % 3 == 1) continue;
    const auto number = static_cast<Index>(fewer.curves.size());
    fewer.curves.push_back({static_cast<Index>(fewer.points.size()), curve.count, true, Curve::Kind::kLimb, 0, number});
    fewer.limbs[0].curves.push_back(number);
    for (const CurvePoint& point : tube.curves.of(curve))
      fewer.points.push_back(point), fewer.curve_of[point.a] = number;
    // Vertices of the next curve belong to this one, as level sets give it.
    if (curve.order % 3 == 0 && curve.order + 1 < tube.curves.curves.size())
      for (const CurvePoint& point : tube.curves.of(tube.curves.curves[curve.order + 1]))
        fewer.curve_of[point.a] = number;
  }
  const CurveMotion motion(tube.rig, fewer, {}, tube.examples());
  EXPECT_LT(farthest(shape_at(motion, 1, count), tube.poses[1]), 4e-6);
  const std::vector<Vec3f> some = shape_at(motion, 0.5, count);
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < count; ++i) {
    difference += (some[i] - full[i]).squaredNorm();
    whole += (tube.poses[1][i] - tube.poses[0][i]).squaredNorm();
  }
  EXPECT_LT(std::sqrt(difference / whole), 0.02);
  EXPECT_GT(difference, 0);
}

TEST(CurveMotion, DegenerateCurvesAreDefined) {
  for (const Index around : {1u, 2u, 3u, 4u}) {
    LoopTube tube(4, around, 0.1);
    tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
    for (Vec3& p : tube.poses[1]) p.z() += 1;
    tube.times_s = {0, 1};
    for (const bool closed : {true, false})
      for (const CurveEnds ends : {CurveEnds::kFree, CurveEnds::kClamped, CurveEnds::kGuided}) {
        for (Curve& curve : tube.curves.curves) curve.closed = closed;
        CurveMotionOptions options;
        options.ends = ends;
        const CurveMotion motion(tube.rig, tube.curves, {}, tube.examples(), options);
        for (const Vec3f& p : shape_at(motion, 0.3, tube.poses[0].size())) EXPECT_TRUE(p.allFinite());
        EXPECT_LT(farthest(shape_at(motion, 1, tube.poses[0].size()), tube.poses[1]), 1e-5);
      }
  }
  LoopTube tube(4, 6, 0.0);
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  tube.times_s = {0, 1};
  const CurveMotion flat(tube.rig, tube.curves, {}, tube.examples()), none(tube.rig, {}, {}, tube.examples());
  EXPECT_LT(farthest(shape_at(flat, 0.5, 24), tube.poses[0]), 1e-6);
  EXPECT_LT(farthest(shape_at(none, 0.5, 24), tube.poses[0]), 1e-6);
  tube.times_s = {1, 1};
  EXPECT_THROW(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), Error);
  tube.times_s = {0, 1};
  tube.poses[1][3].x() = std::nan("");
  EXPECT_THROW(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), Error);
  tube.poses[1].pop_back();
  EXPECT_THROW(CurveMotion(tube.rig, tube.curves, {}, tube.examples()), Error);
}

TEST(JointPoses, FollowTheSkinAndFindWhereItTurns) {
  LoopTube tube(21, 12, 0.05);
  // Weights that know better than the skeleton where the bend is.
  tube.rig.skeleton.joints[1].rest.translation = Vec3(0.06, 0.46, 0);
  tube.rig.skins[0].inverse_bind[1](1, 3) = -0.46;
  tube.rig.skins[0].inverse_bind[1](0, 3) = -0.06;
  tube.poses = {tube.rig.mesh.positions, tube.rig.mesh.positions};
  turn_upper(tube.poses[1], 1.2);
  const JointPoses plain = fit_joint_poses(tube.rig, tube.poses), moved = fit_joint_poses(tube.rig, tube.poses, {true});
  EXPECT_NEAR(rotation_log(plain.poses[1][1].rotation).z(), 1.2, 0.02);
  const auto off = [&](const JointPoses& joints) {
    return (joints.matrices(joints.rest)[1].topRightCorner<3, 1>() - Vec3(0, 0.5, 0)).head<2>().norm();
  };
  EXPECT_LT(off(moved), 0.3 * off(plain));
}

}  // namespace
}  // namespace sinew::deform
