// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/mannequin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/linear.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::shapes {
namespace {

const Character& figure() {
  static const Character character = mannequin();
  return character;
}

using Key = std::tuple<double, double, double>;
Key key(const Vec3& p) { return {p.x(), p.y(), p.z()}; }
Vec3 mirrored(const Vec3& p) { return {-p.x(), p.y(), p.z()}; }

/// Of the mesh's connectivity at other positions.
double volume(const Mesh& mesh, const std::vector<Vec3>& positions) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh)) {
    sum += positions[t.vertices[0]].cross(positions[t.vertices[1]]).dot(positions[t.vertices[2]]) / 6;
  }
  return sum;
}

/// Every edge once in each direction, and as many vertices as a closed surface without handles has.
void expect_closed(const Mesh& mesh) {
  std::set<std::pair<Index, Index>> edges;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    ASSERT_EQ(face.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(edges.emplace(face[i], face[(i + 1) % 4]).second);
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a}));
  EXPECT_EQ(static_cast<long>(mesh.vertex_count()) - static_cast<long>(edges.size() / 2) + mesh.face_count(), 2);
}

std::vector<Vec3> positions_at(const Character& character, const Clip& clip, double time_s) {
  return deform::linear_positions(character.rig,
                                  motion::resolve(character.rig.skeleton, motion::sample(character.rig, clip, time_s)));
}

TEST(Mannequin, IsValid) {
  for (const Finding& finding : validate(figure()))
    ADD_FAILURE() << finding.code << " " << finding.where << " " << finding.text;
  EXPECT_EQ(figure().materials.size(), 1U);
}

TEST(Mannequin, IsOneClosedSurfaceOfQuadsAtAnyResolution) {
  expect_closed(figure().rig.mesh);
  for (const int vertices : {4000, 5000, 7000, 16000}) {
    MannequinOptions options;
    options.vertices = vertices;
    const Character character = mannequin(options);
    expect_closed(character.rig.mesh);
    EXPECT_TRUE(validate(character).empty());
    EXPECT_NEAR(character.rig.mesh.vertex_count(), vertices, 0.25 * vertices);
  }
}

TEST(Mannequin, HasThePlaceHeightAndVolumeOfAPerson) {
  const Box box = figure().rig.mesh.bounds();
  EXPECT_NEAR(box.lower.y(), 0, 1e-12);
  EXPECT_NEAR(box.upper.y(), 1.75, 1e-12);
  const double litres = 1000 * volume(figure().rig.mesh, figure().rig.mesh.positions);
  EXPECT_GT(litres, 45);
  EXPECT_LT(litres, 90);
}

TEST(Mannequin, HeightScalesEverything) {
  MannequinOptions options;
  options.height = 3.5;
  const Character tall = mannequin(options);
  ASSERT_EQ(tall.rig.mesh.vertex_count(), figure().rig.mesh.vertex_count());
  for (Index i = 0; i < tall.rig.mesh.vertex_count(); ++i) {
    EXPECT_NEAR((tall.rig.mesh.positions[i] - 2 * figure().rig.mesh.positions[i]).norm(), 0, 1e-12);
  }
  EXPECT_EQ(tall.rig.weights, figure().rig.weights);
  const std::vector<Vec3> small_pose = positions_at(figure(), figure().clips[1], 0.3);
  const std::vector<Vec3> tall_pose = positions_at(tall, tall.clips[1], 0.3);
  for (std::size_t i = 0; i < tall_pose.size(); ++i) EXPECT_NEAR((tall_pose[i] - 2 * small_pose[i]).norm(), 0, 1e-6);
}

TEST(Mannequin, IsItsOwnMirrorImageWithItsWeights) {
  const Rig& rig = figure().rig;
  std::map<Key, Index> places;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) places[key(rig.mesh.positions[i])] = i;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    const auto found = places.find(key(mirrored(rig.mesh.positions[i])));
    ASSERT_NE(found, places.end());
    std::map<Index, float> here;
    std::map<Index, float> there;
    for (const Influence& influence : rig.weights.row(i)) here[influence.joint] = influence.weight;
    for (const Influence& influence : rig.weights.row(found->second)) {
      const Index partner = rig.skeleton.joints[influence.joint].mirror;
      there[partner == kNone ? influence.joint : partner] = influence.weight;
    }
    ASSERT_EQ(here.size(), there.size());
    for (const auto& [joint, weight] : here) EXPECT_NEAR(weight, there[joint], 1e-6F);
  }
}

TEST(Mannequin, JointsOfTheRightMirrorTheLeft) {
  const Skeleton& skeleton = figure().rig.skeleton;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const Mat4 flip = Vec4(-1, 1, 1, 1).asDiagonal();
  int pairs = 0;
  for (Index i = 0; i < skeleton.size(); ++i) {
    const Joint& joint = skeleton.joints[i];
    if (joint.name.rfind("Left", 0) != 0) continue;
    ASSERT_NE(joint.mirror, kNone);
    EXPECT_EQ(skeleton.joints[joint.mirror].name, "Right" + joint.name.substr(4));
    EXPECT_GT(rest[i](0, 3), 0);
    EXPECT_LT((flip * rest[i] * flip - rest[joint.mirror]).norm(), 1e-12);
    ++pairs;
  }
  EXPECT_EQ(pairs, 7);
}

TEST(Mannequin, BonesRunAlongY) {
  const Skeleton& skeleton = figure().rig.skeleton;
  for (const char* name : {"Spine", "Chest", "Neck", "Head", "LeftForearm", "RightHand", "LeftShin", "RightFoot"}) {
    const Vec3 direction = skeleton.joints[skeleton.find(name)].rest.translation.normalized();
    EXPECT_LT((direction - Vec3::UnitY()).norm(), 1e-12) << name;
  }
  const auto children = skeleton.children();
  for (Index i = 0; i < skeleton.size(); ++i) {
    EXPECT_EQ(children[i].empty(), skeleton.joints[i].end_local.has_value());
  }
}

TEST(Mannequin, WeightsSumToOneAndStayOnTheirLimb) {
  const Rig& rig = figure().rig;
  EXPECT_LE(rig.weights.max_influences(), 4U);
  std::set<Index> used;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    double sum = 0;
    for (const Influence& influence : rig.weights.row(i)) {
      sum += influence.weight;
      used.insert(influence.joint);
      const std::string& name = rig.skeleton.joints[influence.joint].name;
      const Vec3& p = rig.mesh.positions[i];
      const std::string side = p.x() > 0 ? "Left" : "Right";
      if (std::abs(p.x()) > 0.30) {
        EXPECT_TRUE(name == side + "UpperArm" || name == side + "Forearm" || name == side + "Hand")
            << name << " at " << p.transpose();
      }
      if (p.y() < 0.70) {
        EXPECT_TRUE(name == side + "Thigh" || name == side + "Shin" || name == side + "Foot")
            << name << " at " << p.transpose();
      }
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_EQ(used.size(), rig.skeleton.size());
}

TEST(Mannequin, BindPoseIsTheMesh) {
  const Rig& rig = figure().rig;
  const std::vector<Vec3> posed = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) EXPECT_LT((posed[i] - rig.mesh.positions[i]).norm(), 1e-12);
}

TEST(Mannequin, NormalsAgreeWithTheFaces) {
  const Mesh& mesh = figure().rig.mesh;
  for (const Triangle& t : triangulate(mesh)) {
    const Vec3& a = mesh.positions[t.vertices[0]];
    const Vec3 normal = (mesh.positions[t.vertices[1]] - a).cross(mesh.positions[t.vertices[2]] - a).normalized();
    for (const Index v : t.vertices) EXPECT_GT(normal.dot(mesh.normals.values[v].cast<double>()), 0.2) << a.transpose();
  }
}

TEST(Mannequin, WaveBeginsAndEndsAtRest) {
  const Clip& wave = figure().clips.at(0);
  EXPECT_EQ(wave.name, "wave");
  EXPECT_DOUBLE_EQ(wave.duration_s(), 2);
  for (const double time : {0.0, 2.0}) {
    const std::vector<Vec3> posed = positions_at(figure(), wave, time);
    for (std::size_t i = 0; i < posed.size(); ++i) EXPECT_LT((posed[i] - figure().rig.mesh.positions[i]).norm(), 1e-5);
  }
  const std::vector<Vec3> up = positions_at(figure(), wave, 1);
  EXPECT_GT(std::max_element(up.begin(), up.end(), [](const Vec3& a, const Vec3& b) { return a.y() < b.y(); })->y(),
            1.76);
}

TEST(Mannequin, WalkIsALoop) {
  const Clip& walk = figure().clips.at(1);
  EXPECT_EQ(walk.name, "walk");
  EXPECT_DOUBLE_EQ(walk.duration_s(), 1);
  const std::vector<Vec3> first = positions_at(figure(), walk, 0);
  const std::vector<Vec3> last = positions_at(figure(), walk, 1);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_LT((first[i] - last[i]).norm(), 1e-5);
}

TEST(Mannequin, MotionsKeepTheVolumeAndTheGround) {
  const Mesh& mesh = figure().rig.mesh;
  const double at_rest = volume(mesh, mesh.positions);
  for (const Clip& clip : figure().clips) {
    for (int step = 0; step <= 10; ++step) {
      const std::vector<Vec3> posed = positions_at(figure(), clip, 0.1 * step * clip.duration_s());
      EXPECT_NEAR(volume(mesh, posed) / at_rest, 1, 0.03) << clip.name << " " << step;
      double lowest = 1;
      for (const Vec3& p : posed) lowest = std::min(lowest, p.y());
      EXPECT_NEAR(lowest, 0, 0.01) << clip.name << " " << step;
    }
  }
}

TEST(Mannequin, IsTheSameForAnyNumberOfThreads) {
  MannequinOptions options;
  options.vertices = 4000;
  set_thread_count(1);
  const Character one = mannequin(options);
  set_thread_count(5);
  const Character many = mannequin(options);
  set_thread_count(0);
  EXPECT_EQ(one.rig.mesh.positions, many.rig.mesh.positions);
  EXPECT_EQ(one.rig.mesh.face_vertices, many.rig.mesh.face_vertices);
  EXPECT_EQ(one.rig.weights, many.rig.weights);
}

TEST(Mannequin, RefusesOptionsOutOfRange) {
  MannequinOptions options;
  options.vertices = 10;
  EXPECT_THROW(mannequin(options), Error);
  options = {};
  options.height = -1;
  EXPECT_THROW(mannequin(options), Error);
}

}  // namespace
}  // namespace sinew::shapes
