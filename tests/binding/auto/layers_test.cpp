// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/layers.h"

#include <gtest/gtest.h>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <string>

#include "sinew/binding/auto/auto.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/shapes/kinds.h"
#include "tests/binding/heat_bodies.h"

namespace sinew::binding {
namespace {

const Rig& dressed() {
  static const Rig rig = [] {
    shapes::MakeOptions options;
    options.vertices = 4000;
    options.clothes = true;
    return shapes::make("human", options).made.character.rig;
  }();
  return rig;
}

const MeshPart& part_named(const std::string& name) {
  const auto& parts = dressed().mesh.parts;
  return *std::find_if(parts.begin(), parts.end(), [&](const MeshPart& part) { return part.name == name; });
}

// Shells of the dressed person, with the true weights on body and clothes.
struct Dressed {
  Shells shells;
  std::vector<WeightRow> truth;

  Dressed() {
    const Subject subject = rest_subject(dressed().mesh, dressed().skeleton);
    shells = find_shells(subject, bone_tree(subject));
    truth.resize(shells.clean.mesh.vertex_count());
    for (Index v = 0; v < truth.size(); ++v) {
      const auto row = dressed().weights.row(shells.clean.source_vertices[v].front());
      truth[v].assign(row.begin(), row.end());
    }
  }
};

double half_l1(const WeightRow& a, const WeightRow& b) {
  double sum = 0;
  for (const Influence& i : a) {
    double other = 0;
    for (const Influence& k : b)
      if (k.joint == i.joint) other = static_cast<double>(k.weight);
    sum += std::max(0.0, static_cast<double>(i.weight) - other);
  }
  return sum;
}

TEST(Layers, ClothesTakeTheWeightsOfTheSkinUnderThem) {
  const Dressed person;
  std::vector<WeightRow> rows = person.truth;
  const Carrier body(person.shells, person.shells.of_kind(ShellKind::kBody), rows);
  std::vector<char> doubtful(rows.size(), 0);
  const std::vector<Index> layers = person.shells.of_kind(ShellKind::kLayer);
  ASSERT_EQ(layers.size(), 2U);
  for (const Index s : layers) {
    for (const Index v : person.shells.shells[s].vertices) rows[v].clear();
    bind_layer(person.shells, s, body, rows, doubtful);
    double sum = 0;
    for (const Index v : person.shells.shells[s].vertices) {
      ASSERT_FALSE(rows[v].empty());
      sum += half_l1(person.truth[v], rows[v]);
    }
    EXPECT_LT(sum / static_cast<double>(person.shells.shells[s].vertices.size()), 0.04);
  }
}

TEST(Layers, ASleeveBesideTheTrunkFollowsTheArm) {
  // Two sheets of skin that face each other, and a sheet between them, nearer to the wrong one.
  Mesh mesh;
  const auto add_sheet = [&](double x, double side) {
    const Index first = mesh.vertex_count();
    for (int i = 0; i < 5; ++i)
      for (int k = 0; k < 5; ++k) mesh.positions.push_back({x, 0.25 * i, 0.25 * k});
    for (Index i = 0; i < 4; ++i)
      for (Index k = 0; k < 4; ++k) {
        std::array<Index, 4> face = {first + 5 * i + k, first + 5 * i + k + 1, first + 5 * i + k + 6,
                                     first + 5 * i + k + 5};
        if (side > 0) std::reverse(face.begin(), face.end());
        mesh.add_face(face);
      }
  };
  add_sheet(0, 1), add_sheet(0.1, -1), add_sheet(0.06, 1);
  Shells shells;
  for (Index v = 0; v < 75; ++v) shells.of.push_back(v / 25);
  shells.shells.resize(3);
  shells.size = mesh.size();
  Mesh triangles;
  triangles.positions = mesh.positions;
  for (const Triangle& t : triangulate(mesh)) triangles.add_face(t.vertices);
  shells.clean.mesh = triangles;
  for (Index v = 0; v < 75; ++v) shells.shells[v / 25].vertices.push_back(v);
  for (Index f = 0; f < triangles.face_count(); ++f) shells.shells[triangles.face(f)[0] / 25].triangles.push_back(f);
  std::vector<WeightRow> rows(75);
  for (Index v = 0; v < 50; ++v) rows[v] = {{v / 25, 1.0F}};
  const Carrier body(shells, {0, 1}, rows);
  EXPECT_EQ(strongest_joint(body.nearest(mesh.positions[62]).row), 1U);
  const Vec3 out = body.nearest({-1, 0.5, 0.5}).normal;
  EXPECT_EQ(strongest_joint(body.nearest_facing(mesh.positions[62], out, 1).row), 0U);
}

TEST(Layers, ASmallShellAndAStripHaveOneRow) {
  const BindResult bound = bind_auto(rest_subject(dressed().mesh, dressed().skeleton), {}, {});
  const Subject subject = rest_subject(dressed().mesh, dressed().skeleton);
  const Shells shells = find_shells(subject, bone_tree(subject));
  for (const ShellKind kind : {ShellKind::kRigid, ShellKind::kStrip})
    for (const Index s : shells.of_kind(kind)) {
      const auto& vertices = shells.shells[s].vertices;
      const auto row = bound.weights.row(shells.clean.source_vertices[vertices.front()].front());
      for (const Index v : vertices) {
        const auto other = bound.weights.row(shells.clean.source_vertices[v].front());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), other.begin(), other.end()));
      }
    }
}

TEST(Layers, HairAndEyesHangOnTheHead) {
  const BindResult bound = bind_auto(rest_subject(dressed().mesh, dressed().skeleton), {}, {});
  const Index head = dressed().skeleton.find("Head");
  for (const char* name : {"Hair", "Eyes"}) {
    const MeshPart& part = part_named(name);
    Index on_head = 0;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      if (bound.weights.row(v)[0].joint == head) ++on_head;
    EXPECT_EQ(on_head, part.vertex_count) << name;
  }
}

// The dressed person with a joint in one eyeball.
struct WithEye {
  Rig rig = dressed();
  Index eye = kNone;
  std::vector<Index> ball;  // Vertices.

  WithEye() {
    const Subject subject = rest_subject(rig.mesh, rig.skeleton);
    const Shells shells = find_shells(subject, bone_tree(subject));
    const Index head = rig.skeleton.find("Head");
    for (const Shell& shell : shells.shells) {
      if (rig.mesh.parts[shell.part].name != "Eyes") continue;
      for (const Index v : shell.vertices)
        for (const Index source : shells.clean.source_vertices[v]) ball.push_back(source);
      Joint joint;
      joint.name = "LeftEye";
      joint.parent = head;
      joint.deforming = true;
      joint.rest.translation = transform_point(Mat4(subject.joints[head].inverse()), shell.center);
      eye = rig.skeleton.size();
      rig.skeleton.joints.push_back(joint);
      return;
    }
  }
};

TEST(Layers, AHelmetAboutBothEyesIsNoEyeball) {
  WithEye face;
  const Subject before = rest_subject(face.rig.mesh, face.rig.skeleton);
  Joint other = face.rig.skeleton.joints[face.eye];
  other.name = "RightEye";
  const Mat4 head = before.joints[face.rig.skeleton.find("Head")];
  const Vec3 left = before.position(face.eye), right(-left.x(), left.y(), left.z());
  other.rest.translation = transform_point(Mat4(head.inverse()), right);
  face.rig.skeleton.joints.push_back(other);
  const Subject subject = rest_subject(face.rig.mesh, face.rig.skeleton);
  for (const Shell& shell : find_shells(subject, bone_tree(subject)).shells)
    EXPECT_EQ(shell.eyeball, face.rig.mesh.parts[shell.part].name == "Eyes") << face.rig.mesh.parts[shell.part].name;
}

TEST(Layers, AnEyeballFollowsItsEyeAndTheFaceDoesNot) {
  const WithEye face;
  ASSERT_NE(face.eye, kNone);
  const Subject subject = rest_subject(face.rig.mesh, face.rig.skeleton);
  const BindResult bound = bind_auto(subject, {}, {});
  std::vector<char> in_ball(face.rig.mesh.positions.size(), 0);
  for (const Index v : face.ball) {
    in_ball[v] = 1;
    ASSERT_EQ(bound.weights.row(v).size(), 1U);
    EXPECT_EQ(bound.weights.row(v)[0].joint, face.eye);
  }
  const double far = 0.05 * face.rig.mesh.size();
  for (Index v = 0; v < in_ball.size(); ++v) {
    if (in_ball[v] != 0 || (face.rig.mesh.positions[v] - subject.position(face.eye)).norm() < far) continue;
    for (const Influence& i : bound.weights.row(v))
      if (i.joint == face.eye) {
        EXPECT_LT(i.weight, 0.05F) << v;
      }
  }
}

TEST(Layers, AButtonMovesWithTheClothItSitsOn) {
  const BindResult bound = bind_auto(rest_subject(dressed().mesh, dressed().skeleton), {}, {});
  const MeshPart &buttons = part_named("Buttons"), &shirt = part_named("Shirt");
  for (Index v = buttons.first_vertex; v < buttons.first_vertex + buttons.vertex_count; ++v) {
    Index nearest = shirt.first_vertex;
    for (Index s = shirt.first_vertex; s < shirt.first_vertex + shirt.vertex_count; ++s)
      if ((dressed().mesh.positions[s] - dressed().mesh.positions[v]).norm() <
          (dressed().mesh.positions[nearest] - dressed().mesh.positions[v]).norm())
        nearest = s;
    const auto a = bound.weights.row(v), b = bound.weights.row(nearest);
    EXPECT_LT(half_l1({a.begin(), a.end()}, {b.begin(), b.end()}), 0.35);
  }
}

// Rows of a piece beside a body, given by its first vertex.
void expect_one_joint(const BindResult& bound, Index first, Index count, Index joint) {
  for (Index v = first; v < first + count; ++v) {
    ASSERT_EQ(bound.weights.row(v).size(), 1U);
    EXPECT_EQ(bound.weights.row(v)[0].joint, joint);
  }
}

// A mean of two joints that bend would make it smaller.
TEST(Layers, ABallOnTheSkinBetweenTwoJointsFollowsOneOfThem) {
  for (const Index joint : {Index{0}, Index{1}}) {
    test::Body body = test::two_bone_cylinder();
    const Index first = body.mesh.vertex_count();
    Mesh ball = test::as_mesh(test::icosphere(1));
    for (Vec3& p : ball.positions) p *= 0.08;
    test::append(body.mesh, ball, {0.25, 0, joint == 0 ? 0.98 : 1.02});
    const BindResult bound = bind_auto(body.subject(), {}, {});
    expect_one_joint(bound, first, body.mesh.vertex_count() - first, joint);
  }
}

// Teeth: the end of the neck's bone is in them, but they are parts of the head.
TEST(Layers, APieceThatHoldsTheEndOfABoneFollowsTheBoneAtItsCentre) {
  test::Body body;
  body.mesh = test::as_mesh(test::cylinder(40, 24, 0.2, 2));
  test::add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 0.9}, {0, 0, 1.1}, {0, 0, 2}});
  const Vec3 from(0, 0, 1.05), to(0.1, 0, 1.185);
  const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), to - from).toRotationMatrix();
  const Index first = test::add_block(body.mesh, 0.5 * (from + to), 0.5 * (to - from).norm(), 0.03, turn);
  const Subject subject = body.subject();
  const Shells shells = find_shells(subject, bone_tree(subject));
  ASSERT_EQ(shells.shells.size(), 2U);
  EXPECT_EQ(shells.shells[1].holder, 1U);
  EXPECT_TRUE(shells.shells[1].disputed);
  expect_one_joint(bind_auto(subject, {}, {}), first, 8, 2);
}

TEST(Layers, ASpikeNearOneBoneFollowsItWhereTheSkinFollowsItMostly) {
  const test::Body bare = test::two_bone_cylinder(120);
  const BindResult skin = bind_auto(bare.subject(), {}, {});
  Index below = kNone;
  for (Index v = 0; v < bare.mesh.vertex_count() && below == kNone; ++v) {
    const double weight = test::weight_of(skin.weights, v, 0);
    if (weight > 0.57 && weight < 0.68 && bare.mesh.positions[v].z() < 0.98) below = v;
  }
  ASSERT_NE(below, kNone);
  for (const bool hard : {true, false}) {
    test::Body body = bare;
    const Vec3 out = Vec3(bare.mesh.positions[below].x(), bare.mesh.positions[below].y(), 0).normalized();
    const double half = hard ? 0.03 : 0.01;
    const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), out).toRotationMatrix();
    const Index first = test::add_block(body.mesh, bare.mesh.positions[below] + half * out, half, 0.4 * half, turn);
    const BindResult bound = bind_auto(body.subject(), {}, {});
    if (hard) expect_one_joint(bound, first, 8, 0);
    else EXPECT_GT(bound.weights.row(first).size(), 1U) << "a button moves with what it is on";
  }
}

// Vertices of clothes that are inside the body, over the frames of the clip.
Index poked(const SkinWeights& weights) {
  Rig rig = dressed();
  rig.weights = weights;
  const Clip clip = motion::builtin_clip(rig.skeleton, "exercise");
  Index count = 0;
  constexpr int kFrames = 16;
  for (int f = 0; f < kFrames; ++f) {
    Mesh mesh = rig.mesh;
    const double time = clip.duration_s() * (f + 0.5) / kFrames;
    mesh.positions = deform::linear_positions(rig, motion::resolve(rig.skeleton, motion::sample(rig, clip, time)));
    const geometry::Penetration found = geometry::penetration(mesh);
    for (const char* name : {"Shirt", "Trousers", "Hair", "Buttons"}) {
      const MeshPart& part = part_named(name);
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        if (found.depth[v] > 0) ++count;
    }
  }
  return count;
}

TEST(Layers, ClothesDoNotLetTheBodyThroughInTheExercise) {
  // At rest nothing pokes through. In the deepest bends of the hips some does even with the true weights, since the
  // body goes into itself there.
  const geometry::Penetration rest = geometry::penetration(dressed().mesh);
  for (const char* name : {"Shirt", "Trousers"}) {
    const MeshPart& part = part_named(name);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) EXPECT_EQ(rest.depth[v], 0);
  }
  const Index by_auto = poked(bind_auto(rest_subject(dressed().mesh, dressed().skeleton), {}, {}).weights);
  const Index truth = poked(dressed().weights);
  EXPECT_LE(by_auto, truth + 8);  // Of some 13,000.
}

}  // namespace
}  // namespace sinew::binding
