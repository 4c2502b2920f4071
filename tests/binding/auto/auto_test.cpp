// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/auto.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "sinew/binding/auto/auto_guard.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "tests/binding/heat_bodies.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::made_rig;

BindResult bind_rig(const Rig& rig, const BindOptions& options = {}) {
  return bind_auto(rest_subject(rig.mesh, rig.skeleton), {}, options);
}

void expect_valid(const BindResult& bound, Index vertices, std::size_t cap = 4) {
  ASSERT_EQ(bound.weights.row_count(), vertices);
  ASSERT_EQ(bound.origin.size(), vertices);
  ASSERT_EQ(bound.confidence.size(), vertices);
  for (Index v = 0; v < vertices; ++v) {
    const auto row = bound.weights.row(v);
    double sum = 0;
    for (const Influence& i : row) {
      EXPECT_GT(i.weight, 0);
      sum += static_cast<double>(i.weight);
    }
    ASSERT_LE(row.size(), cap);
    ASSERT_NEAR(sum, 1, 1e-5);
    EXPECT_LT(bound.origin[v], bound.origins.size());
    EXPECT_TRUE(bound.confidence[v] >= 0 && bound.confidence[v] <= 1);
  }
}

TEST(Auto, RowsAreValidOnAllKinds) {
  for (const auto& kind : shapes::kinds().entries()) {
    shapes::MakeOptions options;
    const Rig rig = shapes::make(kind.id, options).made.character.rig;
    if (rig.skeleton.empty() || rig.mesh.vertex_count() > 20000) continue;
    SCOPED_TRACE(kind.id);
    expect_valid(bind_rig(rig), rig.mesh.vertex_count());
  }
}

TEST(Auto, IsNearTheTruthOfMadeCharacters) {
  for (const char* kind : {"human", "quadruped"}) {
    const Rig rig = made_rig(kind, 3000);
    const auto agreement = measure::weight_agreement(rig.weights, bind_rig(rig).weights);
    EXPECT_LT(agreement.mean_half_l1, 0.2) << kind;
    EXPECT_GT(agreement.same_dominant, 0.78) << kind;
  }
}

TEST(Auto, KeepsTheCap) {
  const Rig rig = made_rig("human", 1000);
  for (const int cap : {1, 2, 6}) {
    BindOptions options;
    options.max_influences = cap;
    expect_valid(bind_rig(rig, options), rig.mesh.vertex_count(), static_cast<std::size_t>(cap));
  }
}

TEST(Auto, IsTheSameForAnyNumberOfThreads) {
  const Rig rig = made_rig("human", 2000, true);
  set_thread_count(1);
  const BindResult one = bind_rig(rig);
  set_thread_count(2);
  const BindResult two = bind_rig(rig);
  set_thread_count(0);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.origin, two.origin);
  EXPECT_EQ(one.confidence, two.confidence);
}

TEST(Auto, DoesNotDependOnWhereAndHowLargeTheCharacterIs) {
  const Rig rig = made_rig("human", 1000);
  Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const BindResult before = bind_auto(subject, {}, {});
  Mesh moved = rig.mesh;
  Mat4 motion = Mat4::Identity();
  motion.topLeftCorner<3, 3>() = 3.7 * Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  motion.topRightCorner<3, 1>() = Vec3(5, -3, 2);
  for (Vec3& p : moved.positions) p = transform_point(motion, p);
  moved.normals = {};
  Subject other{moved, rig.skeleton, subject.joints, subject.bound};
  for (Mat4& m : other.joints) m = motion * m;
  const auto agreement = measure::weight_agreement(before.weights, bind_auto(other, {}, {}).weights);
  EXPECT_LT(agreement.mean_half_l1, 0.002);
}

TEST(Auto, DoesNotDependOnTheOrderOfVertices) {
  const Rig rig = made_rig("human", 1000);
  auto body = test::damaged(test::undamaged(rig.mesh, rest_matrices(rig.skeleton)), rig.skeleton, "noise", 5);
  std::vector<Index> place(body.mesh.vertex_count());
  for (Index v = 0; v < place.size(); ++v) place[v] = v;
  geometry::Random random(9);
  for (Index v = static_cast<Index>(place.size()); v > 1; --v) std::swap(place[v - 1], place[random.below(v)]);
  Mesh shuffled = body.mesh;
  for (Index v = 0; v < place.size(); ++v) shuffled.positions[place[v]] = body.mesh.positions[v];
  for (Index& v : shuffled.face_vertices) v = place[v];
  const std::vector<char> all(rig.skeleton.joints.size(), 1);
  const BindResult a = bind_auto({body.mesh, rig.skeleton, body.joints, all}, {}, {});
  const BindResult b = bind_auto({shuffled, rig.skeleton, body.joints, all}, {}, {});
  SkinWeights back;
  for (Index v = 0; v < place.size(); ++v) back.add_row(b.weights.row(place[v]));
  EXPECT_LT(measure::weight_agreement(a.weights, back).mean_half_l1, 1e-3);
}

TEST(Auto, SaysWhatItDid) {
  const Rig rig = made_rig("human", 2000, true);
  const BindResult bound = bind_rig(rig);
  std::vector<Index> counts(bound.origins.size(), 0);
  for (const std::uint8_t origin : bound.origin) ++counts[origin];
  const auto count_of = [&](const std::string& method) {
    Index count = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (bound.origins[i].method == method) count += counts[i];
    return count;
  };
  EXPECT_GT(count_of("heat"), 500U);
  EXPECT_GT(count_of("layer"), 100U);
  EXPECT_GT(count_of("rigid"), 100U);
  EXPECT_EQ(bound.metrics["shells"]["bodies"], 1);
  EXPECT_EQ(bound.metrics["shells"]["layers"], 2);
  EXPECT_TRUE(bound.findings.empty());
}

/// The same rig below a root at a place of its own.
Rig with_root_at(Rig rig, const Vec3& place) {
  Joint root;
  root.name = "Ground";
  root.rest.translation = place;
  for (Joint& joint : rig.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation -= place;
    joint.parent = joint.parent == kNone ? 0 : joint.parent + 1;
  }
  rig.skeleton.joints.insert(rig.skeleton.joints.begin(), root);
  return rig;
}

TEST(Auto, ARootOutsideTheBodyGetsNoSkin) {
  const Rig plain = made_rig("human", 2000);
  const Vec3 hips = plain.skeleton.joints[0].rest.translation;
  // Its bone passes through the air, and through the thigh.
  const Rig grounded = with_root_at(plain, hips + Vec3(0.35, -0.6, 0.1) * hips.y());
  const BindResult expected = bind_rig(plain), bound = bind_rig(grounded);
  for (Index v = 0; v < plain.mesh.vertex_count(); ++v) {
    const auto row = bound.weights.row(v), other = expected.weights.row(v);
    ASSERT_EQ(row.size(), other.size());
    for (std::size_t k = 0; k < row.size(); ++k) {
      EXPECT_EQ(row[k].joint, other[k].joint + 1);
      EXPECT_EQ(row[k].weight, other[k].weight);
    }
  }
  ASSERT_FALSE(bound.findings.empty());
  EXPECT_EQ(bound.findings.front().code, "auto.ground_root");
}

TEST(Auto, ARootInsideTheBodyGetsSkin) {
  const Rig plain = made_rig("human", 2000);
  const Vec3 hips = plain.skeleton.joints[0].rest.translation;
  const BindResult bound = bind_rig(with_root_at(plain, 0.93 * hips));
  Index rows = 0;
  for (Index v = 0; v < plain.mesh.vertex_count(); ++v)
    for (const Influence& i : bound.weights.row(v)) rows += i.joint == 0 ? 1 : 0;
  EXPECT_GT(rows, 0U);
}

TEST(Auto, APartThatTheFileHangsOnAJointStaysThere) {
  Rig rig = made_rig("human", 2000, true);
  const Index joint = rig.skeleton.find("LeftHand");
  MeshPart& part = rig.mesh.parts[1];
  for (MeshPart& each : rig.mesh.parts) each.skin = 0;
  part.skin = kNone;
  part.joint = joint;
  const BindResult bound = bind_rig(rig);
  expect_valid(bound, rig.mesh.vertex_count());
  for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
    ASSERT_EQ(bound.weights.row(v).size(), 1U);
    EXPECT_EQ(bound.weights.row(v)[0].joint, joint);
  }
}

TEST(Auto, WithoutFacesOrInOnePlaceEveryRowIsValid) {
  const Rig rig = made_rig("human", 600);
  auto body = test::undamaged(rig.mesh, rest_matrices(rig.skeleton));
  const std::vector<char> all(rig.skeleton.joints.size(), 1);
  Mesh points = body.mesh;
  points.face_offsets = {0};
  points.face_vertices.clear();
  points.parts[0].face_count = 0;
  expect_valid(bind_auto({points, rig.skeleton, body.joints, all}, {}, {}), points.vertex_count());
  for (Vec3& p : body.mesh.positions) p = Vec3(0, 1, 0);
  expect_valid(bind_auto({body.mesh, rig.skeleton, body.joints, all}, {}, {}), points.vertex_count());
}

TEST(Auto, ListsWhatIsLoose) {
  Rig rig = made_rig("human", 1500);
  auto body = test::undamaged(rig.mesh, rest_matrices(rig.skeleton));
  const Index first = body.mesh.vertex_count();
  for (const Vec3& p : {Vec3(2, 1, 0), Vec3(2.5, 1, 0), Vec3(2, 1.5, 0), Vec3(2, 1, 0.5)})
    body.mesh.positions.push_back(p);
  for (const auto& f : {std::array<Index, 3>{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}})
    body.mesh.add_face(std::array<Index, 3>{first + f[0], first + f[1], first + f[2]});
  body.mesh.parts[0].vertex_count = body.mesh.vertex_count();
  body.mesh.parts[0].face_count = body.mesh.face_count();
  const BindResult bound =
      bind_auto({body.mesh, rig.skeleton, body.joints, std::vector<char>(rig.skeleton.joints.size(), 1)}, {}, {});
  ASSERT_EQ(bound.findings.size(), 1U);
  EXPECT_EQ(bound.findings[0].code, "shells.loose");
  EXPECT_EQ(bound.weights.row(first).size(), 1U);
}

TEST(Auto, CanBeCancelled) {
  const Rig rig = made_rig("human", 600);
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(bind_auto(rest_subject(rig.mesh, rig.skeleton), {}, {}, progress), Cancelled);
}

// Rounds of evening out reach farther on a coarse mesh, so that their number must depend on its edges.
TEST(Auto, ACoarseBodyIsBoundAsAFineOneOfItsShape) {
  const test::Body coarse = test::two_bone_cylinder(4, 8), fine = test::two_bone_cylinder(40, 8);
  const BindResult a = bind_auto(coarse.subject(), {}, {}), b = bind_auto(fine.subject(), {}, {});
  for (Index v = 0; v < coarse.mesh.vertex_count(); ++v) {
    Index same = kNone;
    for (Index w = 0; w < fine.mesh.vertex_count(); ++w)
      if ((fine.mesh.positions[w] - coarse.mesh.positions[v]).norm() < 1e-9) same = w;
    ASSERT_NE(same, kNone);
    EXPECT_NEAR(test::weight_of(a.weights, v, 0), test::weight_of(b.weights, same, 0), 0.03)
        << coarse.mesh.positions[v].z();
  }
}

TEST(Auto, TheGuardLeavesTheJointThatOwnsAVertex) {
  const test::Body body = test::made_body("human", 3000);
  const Subject subject = body.subject();
  const BoneTree tree = bone_tree(subject);
  const BindResult heat = bind_by_heat(subject, {}, {});
  std::vector<WeightRow> rows;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v)
    rows.emplace_back(heat.weights.row(v).begin(), heat.weights.row(v).end());
  std::vector<WeightRow> guarded = rows;
  std::vector<Influence> owners(rows.size());
  ASSERT_GT(guard_rows(subject, tree, guarded, owners), 0U);
  const auto weight = [](const WeightRow& row, Index joint) {
    for (const Influence& i : row)
      if (i.joint == joint) return i.weight;
    return 0.0F;
  };
  std::size_t lost = 0;
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (const Influence& i : rows[v])
      if (weight(guarded[v], i.joint) < 0.5F * i.weight) owners[v] = {i.joint, 1.0F};
  std::vector<WeightRow> owned = rows;
  guard_rows(subject, tree, owned, owners);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (owners[v].joint == kNone) continue;
    ++lost;
    EXPECT_GE(weight(owned[v], owners[v].joint), weight(rows[v], owners[v].joint) * 0.999F) << v;
  }
  EXPECT_GT(lost, 0U);
}

}  // namespace
}  // namespace sinew::binding
