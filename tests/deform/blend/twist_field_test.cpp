// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/twist_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/shapes/surface/limbs.h"
#include "tests/deform/twist_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

struct Limb {
  shapes::Made made;
  TwistTree tree;
  std::vector<Vec3> links;

  explicit Limb(int joints, int layers, int vertices = 0) {
    shapes::MakeOptions options;
    options.joint_count = joints;
    options.layers = layers;
    options.vertices = vertices;
    made = shapes::cylinder(options);
    prepare();
  }

  void prepare() {
    const Rig& rig = made.character.rig;
    const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
    tree = make_twist_tree(rig.skeleton, made.owners.segments, rest, rig.mesh.size());
    links.clear();
    for (const Index owner : made.owners.owner) {
      const auto [a, b] = made.owners.segments[owner];
      links.push_back(b == kNone ? Vec3(Vec3::Zero()) : Vec3(place(rest[b]) - place(rest[a])));
    }
  }

  const Mesh& mesh() const { return made.character.rig.mesh; }
  TwistField delta() const { return delta_twist_field(made.owners, made.owners.owner, links); }
  TwistField harmonic() const { return harmonic_twist_field(mesh(), made.owners, tree, made.owners.owner, links); }
};

TEST(TwistField, ByPlaceItIsKeptBetweenTheEndsOfTheBone) {
  Limb limb(3, 40);
  limb.made.owners.along[5] = -0.3F;
  limb.made.owners.along[6] = 2.5F;
  const TwistField field = limb.delta();
  EXPECT_EQ(field.share[5], 0);
  EXPECT_EQ(field.share[6], 1);
  EXPECT_EQ(field.gradient[5], Vec3(Vec3::Zero()));
  EXPECT_EQ(field.solved, 0U);
  for (Index v = 10; v < limb.mesh().vertex_count(); ++v)
    EXPECT_EQ(field.share[v], std::clamp(limb.made.owners.along[v], 0.0F, 1.0F));
}

TEST(TwistField, OnAStraightLimbTheSolvedOneIsThePlaceFromBorderToBorder) {
  const Limb limb(4, 120);
  const TwistField field = limb.harmonic();
  Index compared = 0;
  for (Index v = 0; v < limb.mesh().vertex_count(); ++v) {
    const Vec3& p = limb.mesh().positions[v];
    if (limb.made.owners.owner[v] != 1 || std::hypot(p.x(), p.z()) < 0.9) continue;
    // Borders lie in the middle between two rings, of which the region has 40.
    EXPECT_NEAR(field.share[v], limb.made.owners.along[v] + 0.5 / 40, 1e-5);
    const bool at_border = field.share[v] < 0.02F || field.share[v] > 0.98F;
    EXPECT_NEAR(field.gradient[v].y(), (at_border ? 0.75 : 1) / (8 / 3.0), 1e-3);
    EXPECT_NEAR(std::hypot(field.gradient[v].x(), field.gradient[v].z()), 0, 1e-3);
    ++compared;
  }
  EXPECT_EQ(compared, 40U * 32U);
  EXPECT_EQ(field.solved, limb.mesh().vertex_count());
}

TEST(TwistField, TheFirstRegionBeginsAndTheLastEndsWhereTheirPlacesDo) {
  const Limb limb(3, 40);
  const TwistField field = limb.harmonic();
  for (Index v = 0; v < limb.mesh().vertex_count(); ++v) {
    if (limb.mesh().positions[v].y() < 1e-9) {
      EXPECT_EQ(field.share[v], 0);
    }
    if (limb.mesh().positions[v].y() > 8 - 1e-9) {
      EXPECT_EQ(field.share[v], 1);
    }
    EXPECT_GE(field.share[v], 0);
    EXPECT_LE(field.share[v], 1);
  }
}

// Zigzag borders: places jump by as much as the border is off; the solved field does not.
TEST(TwistField, NeighboursInOtherRegionsHaveNearlyTheSameTwist) {
  Limb limb(4, 90);
  const Mesh& mesh = limb.mesh();
  Segmentation& owners = limb.made.owners;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const double t = mesh.positions[v].y() / (8.0 / 3);
    const double shifted = std::clamp(t + 0.25 * std::sin(2 * mesh.positions[v].x()), 0.01, 2.99);
    owners.owner[v] = static_cast<Index>(shifted);
    owners.along[v] = static_cast<float>(t - owners.owner[v]);
  }
  limb.prepare();
  // With the same twist at every joint, what a vertex has of all of them together.
  const auto largest_step = [&](const TwistField& field) {
    double largest = 0;
    for (const Triangle& triangle : triangulate(mesh))
      for (std::size_t e = 0; e < 3; ++e) {
        const Index a = triangle.vertices[e], b = triangle.vertices[(e + 1) % 3];
        if (owners.owner[a] == owners.owner[b]) continue;
        largest = std::max(largest, std::abs(static_cast<double>(owners.owner[a]) + field.share[a] - owners.owner[b] -
                                             field.share[b]));
      }
    return largest;
  };
  EXPECT_GT(largest_step(limb.delta()), 0.2);
  EXPECT_LT(largest_step(limb.harmonic()), 0.15);
}

TEST(TwistField, CopiesOfAVertexHaveOneShareAndAShellWithoutBordersKeepsItsPlaces) {
  Limb limb(3, 40);
  Mesh& mesh = limb.made.character.rig.mesh;
  // A ring of faces cut loose from all others, in the middle of the first bone.
  const Mesh once = mesh;
  mesh.face_offsets = {0};
  mesh.face_vertices.clear();
  for (Index f = 0; f < once.face_count(); ++f) {
    std::vector<Index> face(once.face(f).begin(), once.face(f).end());
    for (Index& v : face) {
      // Every face has vertices of its own, at the same places.
      const Index copy = mesh.vertex_count();
      mesh.positions.push_back(once.positions[v]);
      limb.made.owners.owner.push_back(limb.made.owners.owner[v]);
      limb.made.owners.along.push_back(limb.made.owners.along[v]);
      v = copy;
    }
    mesh.add_face(face);
  }
  mesh.normals = {};
  mesh.uvs = {};
  mesh.parts[0].vertex_count = mesh.vertex_count();
  limb.prepare();
  const TwistField split = limb.harmonic(), whole = Limb(3, 40).harmonic();
  const geometry::Welding welding = geometry::weld(mesh);
  for (Index v = 0; v < mesh.vertex_count(); ++v) EXPECT_NEAR(split.share[v], whole.share[welding.welded[v]], 1e-6);
}

TEST(TwistField, OneAndTwoThreadsGiveTheSameBytes) {
  const Limb limb(6, 100, 6000);
  set_thread_count(1);
  const TwistField one = limb.harmonic();
  set_thread_count(2);
  const TwistField two = limb.harmonic();
  set_thread_count(0);
  EXPECT_EQ(one.share, two.share);
  EXPECT_EQ(one.gradient, two.gradient);
}

TEST(TwistField, TheSharesOfARigAreThoseThatTheDeformerShows) {
  const Limb limb(4, 60);
  const Rig& rig = limb.made.character.rig;
  const auto deformer = bind_slbs(rig, limb.made.owners, {TwistShare::kHarmonic, SpreadTwists::kAll});
  const auto state = deformer->make_state();
  const ModelPose rest{rest_matrices(rig.skeleton), {}, {}};
  const std::vector<float> shares = twist_shares(rig, limb.made.owners);
  EXPECT_EQ(shares, deformer->overlays(*state, {rest}).front().fields.front().values);
  EXPECT_EQ(*std::max_element(shares.begin(), shares.end()) > 0.9F, true);
}

TEST(TwistField, NoTwistReachesVerticesWithoutWeightsAndRigidParts) {
  Limb limb(4, 60);
  Rig& rig = limb.made.character.rig;
  SkinWeights weights;
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    weights.add_row(v == 100 ? std::vector<Influence>{}
                             : std::vector(rig.weights.row(v).begin(), rig.weights.row(v).end()));
  rig.weights = weights;
  const TwistReach reach = twist_reach(rig, limb.made.owners, twist_trees(rig, limb.made.owners));
  EXPECT_EQ(reach.owner[100], kNone);
  EXPECT_NE(reach.owner[101], kNone);
  EXPECT_EQ(twist_shares(rig, limb.made.owners)[100], 0.0F);
  rig.skins.clear();
  for (MeshPart& part : rig.mesh.parts) part.skin = kNone, part.joint = 0;
  const std::vector<float> rigid = twist_shares(rig, limb.made.owners);
  EXPECT_EQ(std::count(rigid.begin(), rigid.end(), 0.0F), static_cast<std::ptrdiff_t>(rigid.size()));
}

}  // namespace
}  // namespace sinew::deform
