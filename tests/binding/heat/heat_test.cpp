// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/heat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>

#include "sinew/binding/distance/distance.h"
#include "sinew/binding/heat/heat_solver.h"
#include "sinew/binding/heat/visibility.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"
#include "sinew/io/asset.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "tests/binding/heat_bodies.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::Body;

BindResult heat(const Body& body, const BindOptions& common = {}, const HeatOptions& options = {}) {
  return bind_by_heat(body.subject(), options, common);
}

// --- the solver

TEST(HeatSolver, AgreesWithAPlainFactorisationAndKeepsTheMaximumPrinciple) {
  const geometry::TriangleSurface s = test::icosphere(3);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  const geometry::Laplacian laplacian = geometry::cotangent_laplacian(s.positions, s.triangles);
  const std::size_t count = s.positions.size();
  std::vector<double> rate(count, 0);
  std::vector<std::vector<HeatSource>> sources(11);  // More than are solved together.
  for (Index v = 0; v < count; ++v) {
    if (uniform(random) < 0.5) continue;
    rate[v] = 5 * uniform(random) * laplacian.mass[v];
    const double share = uniform(random);
    const auto first = static_cast<std::size_t>(11 * uniform(random));
    sources[first].push_back({v, share});
    sources[(first + 1) % 11].push_back({v, 1 - share});
  }
  const HeatSolver solver(laplacian.stiffness, rate, s.positions);
  ASSERT_FALSE(solver.regularized());
  const std::vector<HeatColumn> columns = solver.solve(sources, 0);
  const geometry::SparseSolver plain(geometry::scaled_plus_diagonal(laplacian.stiffness, 1, rate));
  std::vector<double> sum(count, 0), b(count), x(count);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::fill(b.begin(), b.end(), 0);
    for (const HeatSource& source : sources[c]) b[source.row] = rate[source.row] * source.share;
    plain.solve_column(b, x);
    ASSERT_EQ(columns[c].rows.size(), count) << "nothing negative, so nothing left out";
    for (Index v = 0; v < count; ++v) {
      EXPECT_NEAR(columns[c].values[v], x[v], 1e-6);
      sum[v] += static_cast<double>(columns[c].values[v]);
    }
  }
  for (const double value : sum) EXPECT_NEAR(value, 1, 1e-6);
}

/// Two spheres that nothing connects, with sources all over the first and at one end of the second.
struct TwoSpheres {
  geometry::SparseMatrix stiffness;
  std::vector<double> rate;
  std::vector<std::vector<HeatSource>> sources;
  std::vector<Vec3> positions;

  explicit TwoSpheres(int level) {
    geometry::TriangleSurface s = test::icosphere(level);
    const auto count = static_cast<Index>(s.positions.size());
    const std::vector<Vec3> one = s.positions;
    for (const Vec3& p : one) s.positions.push_back(p + Vec3(0.5, 3, 0));
    const auto faces = s.triangles;
    for (auto face : faces) {
      for (Index& v : face) v += count;
      s.triangles.push_back(face);
    }
    const geometry::Laplacian laplacian = geometry::cotangent_laplacian(s.positions, s.triangles);
    stiffness = laplacian.stiffness;
    positions = s.positions;
    rate.assign(positions.size(), 0);
    sources.resize(9);
    for (Index v = 0; v < positions.size(); ++v) {
      if (v >= count && positions[v].y() < 3.8) continue;
      rate[v] = 300 * laplacian.mass[v];
      const std::size_t joint = v >= count ? 8 : static_cast<std::size_t>(4 * (positions[v].x() + 1) / 2.001);
      sources[joint].push_back({v, 1.0});
    }
  }
};

TEST(HeatSolver, WhatIsLeftOutIsSmallerThanTheLimit) {
  const TwoSpheres two(4);
  const HeatSolver solver(two.stiffness, two.rate, two.positions);
  ASSERT_FALSE(solver.regularized());
  const std::vector<HeatColumn> all = solver.solve(two.sources, 0), some = solver.solve(two.sources, 1e-2);
  for (std::size_t c = 0; c < all.size(); ++c) {
    HeatColumn large;
    for (std::size_t k = 0; k < all[c].rows.size(); ++k)
      if (all[c].values[k] >= 1e-2F) {
        large.rows.push_back(all[c].rows[k]);
        large.values.push_back(all[c].values[k]);
      }
    EXPECT_EQ(some[c].rows, large.rows);
    EXPECT_EQ(some[c].values, large.values);
  }
  EXPECT_LT(some[0].rows.size(), two.positions.size() / 4);
  EXPECT_EQ(some[8].rows.size(), two.positions.size() / 2) << "one source alone heats all of its sphere to 1";
}

TEST(HeatSolver, SameBytesForAnyNumberOfThreads) {
  const TwoSpheres two(5);
  std::vector<HeatColumn> before;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const std::vector<HeatColumn> columns = HeatSolver(two.stiffness, two.rate, two.positions).solve(two.sources, 1e-5);
    for (std::size_t c = 0; c < before.size(); ++c) {
      EXPECT_EQ(columns[c].rows, before[c].rows);
      EXPECT_EQ(columns[c].values, before[c].values);
    }
    before = columns;
  }
  set_thread_count(0);
}

TEST(HeatSolver, LeavesOutWhatNoSourceIsJoinedTo) {
  const std::vector<geometry::MatrixEntry> entries = {{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1},
                                                      {2, 2, 2}, {2, 3, -2}, {3, 2, -2}, {3, 3, 2}};
  const std::vector<double> rate = {0, 4, 0, 0};
  const HeatSolver solver(geometry::assemble(4, entries), rate, std::vector<Vec3>(4, Vec3::Zero()));
  EXPECT_FALSE(solver.regularized() || solver.failed());
  const std::vector<std::vector<HeatSource>> sources = {{{1, 1.0}}, {{2, 1.0}}};
  const std::vector<HeatColumn> columns = solver.solve(sources);
  EXPECT_EQ(columns[0].rows, (std::vector<Index>{0, 1}));
  EXPECT_NEAR(columns[0].values[0], 1, 1e-6);
  EXPECT_TRUE(columns[1].rows.empty());
}

TEST(HeatSolver, SaysWhenItCannot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<geometry::MatrixEntry> entries = {{0, 0, 1}, {0, 1, nan}, {1, 0, nan}, {1, 1, 1}};
  const std::vector<double> rate = {1, 1};
  const HeatSolver solver(geometry::assemble(2, entries), rate, std::vector<Vec3>(2, Vec3::Zero()));
  EXPECT_TRUE(solver.failed());
  const std::vector<std::vector<HeatSource>> sources = {{{0, 1.0}}};
  EXPECT_TRUE(solver.solve(sources)[0].rows.empty());
}

// --- sight

TEST(Sight, ABoneAcrossAGapIsHidden) {
  // A thick limb whose own bone is far from its inner side, and a thin one beside it.
  Body body;
  body.mesh = test::as_mesh(test::cylinder(20, 24, 0.3, 2));
  test::append(body.mesh, test::as_mesh(test::cylinder(20, 24, 0.1, 2)), {0.45, 0, 0});
  test::add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 2}});
  test::add_chain(body.skeleton, {{0.45, 0, 0}, {0.45, 0, 2}});
  const NearestJoints nearest = nearest_joints(bound_surface(body.mesh), bone_tree(body.subject()));
  const Index inner = 10 * 24;
  EXPECT_EQ(nearest.sight[inner], Sight::kHidden);
  const BindResult bound = heat(body);
  for (Index v = 0; v < 21 * 24; ++v) ASSERT_EQ(bound.weights.row(v).front().joint, 0U) << v;
  EXPECT_EQ(bound.weights.row(inner).size(), 1U) << "nothing of the other limb";
  const BindResult blind = bind_by_distance(body.subject(), {}, {});
  EXPECT_EQ(blind.weights.row(inner).front().joint, 1U) << "by distance alone it would be the other limb's";
}

TEST(Sight, ClothAndInnerShellsSeeTheBone) {
  Body body = test::two_bone_cylinder();
  const Index skin = body.mesh.vertex_count();
  test::append(body.mesh, test::as_mesh(test::cylinder(20, 24, 0.23, 1, false)), {0, 0, 0.5});
  const Index inner = body.mesh.vertex_count();
  test::append(body.mesh, test::as_mesh(test::cylinder(20, 24, 0.1, 1)), {0, 0, 0.5});
  const NearestJoints nearest = nearest_joints(bound_surface(body.mesh), bone_tree(body.subject()));
  for (Index v = skin; v < inner; ++v) ASSERT_EQ(nearest.sight[v], Sight::kSeen) << "cloth " << v - skin;
  for (Index v = 24; v < skin - 26; ++v) ASSERT_EQ(nearest.sight[v], Sight::kSeen) << "skin " << v;
}

TEST(Sight, DoesNotDependOnTheFacingOfTheFile) {
  Body body = test::made_body("human", 1500);
  const BoneTree tree = bone_tree(body.subject());
  const NearestJoints plain = nearest_joints(bound_surface(body.mesh), tree);
  EXPECT_GT(std::count(plain.sight.begin(), plain.sight.end(), Sight::kSeen), 1200);
  for (Index f = 0; f < body.mesh.face_count(); ++f)
    std::reverse(body.mesh.face_vertices.begin() + body.mesh.face_offsets[f],
                 body.mesh.face_vertices.begin() + body.mesh.face_offsets[f + 1]);
  EXPECT_EQ(nearest_joints(bound_surface(body.mesh), tree).sight, plain.sight);
}

TEST(Sight, AShellThatSeesNothingTakesTheNearestBone) {
  Body body = test::two_bone_cylinder();
  const Index skin = body.mesh.vertex_count();
  test::append(body.mesh, test::sphere(6, 8, {0.6, 0, 1.8}, 0.1));
  const BoundSurface surface = bound_surface(body.mesh);
  const NearestJoints nearest = nearest_joints(surface, bone_tree(body.subject()));
  EXPECT_EQ(nearest.assumed_shells, 1U);
  const BindResult bound = heat(body);
  for (Index v = skin; v < body.mesh.vertex_count(); ++v) {
    EXPECT_EQ(nearest.sight[v], Sight::kAssumed);
    EXPECT_GT(test::weight_of(bound.weights, v, 1), 0.99);
    EXPECT_LT(bound.confidence[v], 0.5F);
  }
  ASSERT_EQ(bound.fallbacks.size(), 1U);
  EXPECT_EQ(bound.fallbacks[0].count, body.mesh.vertex_count() - skin);
}

TEST(Sight, JointsThatStandAloneKeepToThemselves) {
  // A skeleton in pieces: three joints without bones along a body, as hands of some devices have them.
  Body body;
  body.mesh = test::as_mesh(test::cylinder(40, 24, 0.2, 3));
  for (const double z : {0.5, 1.5, 2.5}) test::add_chain(body.skeleton, {{0, 0, z}, {0, 0, z + 0.1}});
  for (Joint& joint : body.skeleton.joints) joint.end_local.reset();
  EXPECT_GT(bone_tree(body.subject()).bones[0].length, 2);
  const BoneTree tree = bones_to_bind(body.subject());
  for (const Bone& bone : tree.bones) EXPECT_NEAR(bone.length, 0.5, 1e-9);
  const BindResult bound = heat(body);
  for (const Index ring : {0U, 20U, 40U}) EXPECT_EQ(bound.weights.row(ring * 24).front().joint, ring / 20);
  body.skeleton.joints[0].end_local = Vec3(0, 0, 2);
  EXPECT_NEAR(bones_to_bind(body.subject()).bones[0].length, 2, 1e-9) << "unless the skeleton says so";
}

// --- what the weights are like

TEST(HeatWeights, AreOneHalfWhereTwoBonesOfACylinderMeet) {
  const Body body = test::two_bone_cylinder();
  const BindResult bound = heat(body);
  test::expect_valid(bound, body.subject());
  double before = 2;
  for (Index ring = 0; ring <= 40; ++ring) {
    double mean = 0;
    for (Index k = 0; k < 24; ++k) {
      const double w = test::weight_of(bound.weights, ring * 24 + k, 0);
      if (ring == 20) {
        EXPECT_NEAR(w, 0.5, 1e-3);
      }
      mean += w / 24;
    }
    EXPECT_LE(mean, before + 1e-6) << "ring " << ring;
    if (ring > 4 && ring < 36) {
      EXPECT_LT(mean, before) << "ring " << ring;
    }
    before = mean;
  }
  EXPECT_GT(test::weight_of(bound.weights, 0, 0), 0.99);
  EXPECT_LT(before, 0.01);
}

TEST(HeatWeights, TendToTheNearestBoneWhenHeatGrows) {
  const Body body = test::made_body("figure", 0);
  const BoneTree tree = bone_tree(body.subject());
  const BoundSurface skin = bound_surface(body.mesh);
  const HeatRows rows = heat_rows(skin, tree, {.heat = 1e6});
  Index judged = 0;
  for (Index v = 0; v < skin.welding.count(); ++v) {
    if (rows.nearest.strength[v] < 0.5) continue;
    ++judged;
    for (Index k = rows.nearest.joints.offsets[v]; k < rows.nearest.joints.offsets[v + 1]; ++k)
      EXPECT_NEAR(test::weight_of(rows.weights, v, rows.nearest.joints.items[k]), rows.nearest.shares[k], 0.01);
  }
  EXPECT_GT(judged, skin.welding.count() / 2);
}

TEST(HeatWeights, OfABodyDoNotChangeWithShellsBesideAndInsideIt) {
  Body body = test::two_bone_cylinder();
  const BindResult plain = heat(body);
  const Index skin = body.mesh.vertex_count();
  // All within the box of the body, so that its size stays. One of them has no area, one is a single point.
  test::append(body.mesh, test::sphere(6, 8, {0.19, 0.19, 0.4}, 0.008));
  test::append(body.mesh, test::sphere(6, 8, {0, 0, 1.5}, 0.05));
  test::append(body.mesh, test::mesh_of({{0.19, -0.19, 1}, {0.19, -0.19, 1.1}, {0.19, -0.19, 1.2}}, {{0, 1, 2}}));
  body.mesh.positions.push_back({-0.19, 0.19, 1.9});
  const BindResult bound = heat(body);
  test::expect_valid(bound, body.subject());
  SkinWeights rows;
  for (Index v = 0; v < skin; ++v) rows.add_row(bound.weights.row(v));
  EXPECT_LT(test::worst_difference(plain.weights, rows), 1e-5);
}

TEST(HeatWeights, AreSmootherThanThoseByDistance) {
  for (const char* kind : {"human", "quadruped", "bird", "octopus", "hand", "figure"}) {
    const Body body = test::made_body(kind, 1500);
    const BoundSurface skin = bound_surface(body.mesh);
    const geometry::Laplacian laplacian = geometry::cotangent_laplacian(skin.surface.positions, skin.surface.triangles);
    const auto roughness = [&](const SkinWeights& weights) {
      double sum = 0;
      std::vector<double> w(skin.welding.count());
      for (Index joint = 0; joint < body.skeleton.size(); ++joint) {
        for (Index v = 0; v < w.size(); ++v) w[v] = test::weight_of(weights, skin.welding.first[v], joint);
        const std::vector<double> lw = laplacian.stiffness.multiply(w);
        sum += std::inner_product(w.begin(), w.end(), lw.begin(), 0.0);
      }
      return sum;
    };
    const double by_distance = roughness(bind_by_distance(body.subject(), {}, {}).weights);
    EXPECT_LT(roughness(heat(body, {}, {.heat = 1.0 / 3}).weights), by_distance) << kind;
    EXPECT_LT(roughness(heat(body).weights), 1.02 * by_distance) << kind;
  }
}

TEST(HeatWeights, KeepTheVolumeOfAWalkingHuman) {
  shapes::MakeOptions options;
  options.vertices = 3000;
  Rig rig = shapes::make("human", options).made.character.rig;
  rig.weights = bind_by_heat(rest_subject(rig.mesh, rig.skeleton), {}, {}).weights;
  const auto deformer = deform::bind_lbs(rig);
  const auto state = deformer->make_state();
  const motion::Player player(rig, motion::builtin_clip(rig.skeleton, "walk"));
  const double rest = geometry::volume(rig.mesh).volume;
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  Mesh posed = rig.mesh;
  for (int frame = 0; frame < 10; ++frame) {
    const ModelPose pose = motion::resolve(rig.skeleton, player.at(0.1 * frame));
    deformer->deform(*state, {pose, 0.1 * frame, 0.1}, {positions, {}, nullptr});
    for (std::size_t v = 0; v < positions.size(); ++v) {
      ASSERT_TRUE(positions[v].allFinite());
      posed.positions[v] = positions[v].cast<double>();
    }
    EXPECT_GT(geometry::volume(posed).volume, 0.9 * rest) << "frame " << frame;
  }
}

TEST(HeatWeights, KeepTheCapWithoutAJump) {
  const Body body = test::made_body("human", 1500);
  BindOptions options;
  for (const int most : {1, 2, 8}) {
    options.max_influences = most;
    test::expect_valid(heat(body, options), body.subject(), static_cast<std::size_t>(most));
  }
}

TEST(HeatWeights, AreEvenedOutWhenAskedTo) {
  const Body body = test::two_bone_cylinder();
  BindOptions options;
  options.smooth = 10;
  const BindResult bound = heat(body, options);
  test::expect_valid(bound, body.subject());
  // Further from 0 and 1, away from the joint.
  EXPECT_GT(test::weight_of(bound.weights, 25 * 24, 0), test::weight_of(heat(body).weights, 25 * 24, 0) + 0.01);
}

// --- invariances

TEST(HeatWeights, MoveAndScaleWithTheBody) {
  const Body body = test::made_body("human", 1500);
  const BindResult plain = heat(body);
  Subject moved = body.subject();
  Mat4 motion = Mat4::Identity();
  motion.topLeftCorner<3, 3>() = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  motion.topRightCorner<3, 1>() = Vec3(3, -2, 5);
  for (const double scale : {1.0, 1e-3, 1e3}) {
    Mat4 m = motion;
    m.topRows<3>() *= scale;
    Mesh mesh = body.mesh;
    for (Vec3& p : mesh.positions) p = transform_point(m, p);
    const Subject subject{mesh, body.skeleton, body.subject().joints, moved.bound};
    Subject there = subject;
    for (Mat4& joint : there.joints) joint = m * joint;
    const BindResult bound = bind_by_heat(there, {}, {});
    test::expect_valid(bound, there);
    const auto agreement = measure::weight_agreement(plain.weights, bound.weights);
    EXPECT_LT(agreement.mean_half_l1, 2e-3) << scale;
  }
}

TEST(HeatWeights, FollowAPermutationOfTheVertices) {
  Body body = test::made_body("human", 1500);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-1e-4, 1e-4);
  for (Vec3& p : body.mesh.positions) p += Vec3(shift(random), shift(random), shift(random));
  const BindResult plain = heat(body);
  std::vector<Index> place(body.mesh.vertex_count());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  Body other = body;
  for (Index v = 0; v < place.size(); ++v) other.mesh.positions[place[v]] = body.mesh.positions[v];
  for (Index& v : other.mesh.face_vertices) v = place[v];
  other.mesh.normals = {}, other.mesh.uvs = {};
  const BindResult bound = heat(other);
  SkinWeights rows;
  for (const Index v : place) rows.add_row(bound.weights.row(v));
  EXPECT_LT(test::worst_difference(plain.weights, rows), 1e-4);
}

TEST(HeatWeights, AreTheSameForAnyNumberOfThreads) {
  const Body body = test::made_body("human", 3000);
  const auto [one, two] = test::with_one_and_two_threads([&] { return heat(body); });
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.origin, two.origin);
  EXPECT_EQ(one.confidence, two.confidence);
}

// --- damage

TEST(HeatWeights, SurviveAllDamages) {
  const Body body = test::made_body("human", 2000);
  const test::DamagedBody sound = test::undamaged(body.mesh, body.subject().joints);
  const std::vector<char> all = body.subject().bound;
  const BindResult plain = bind_by_heat({sound.mesh, body.skeleton, sound.joints, all}, {}, {});
  for (const std::string& name : test::damage_names()) {
    const test::DamagedBody damaged = test::damaged(sound, body.skeleton, name, 11);
    const Subject subject{damaged.mesh, body.skeleton, damaged.joints, all};
    const BindResult bound = bind_by_heat(subject, {}, {});
    test::expect_valid(bound, subject);
    SkinWeights before, after;
    for (Index v = 0; v < damaged.mesh.vertex_count(); ++v)
      if (damaged.source[v] != kNone)
        before.add_row(plain.weights.row(damaged.source[v])), after.add_row(bound.weights.row(v));
    const double changed = measure::weight_agreement(before, after).mean_half_l1;
    EXPECT_LE(changed, 0.05) << name;
    if (std::getenv("SINEW_TELL") != nullptr) std::printf("%-20s %.4f\n", name.c_str(), changed);
  }
}

TEST(HeatWeights, SurviveRandomDamage) {
  const Body body = test::made_body("quadruped", 600);
  const test::DamagedBody sound = test::undamaged(body.mesh, body.subject().joints);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const test::DamagedBody damaged = test::randomly_damaged(sound, body.skeleton, seed);
    const Subject subject{damaged.mesh, body.skeleton, damaged.joints, body.subject().bound};
    SCOPED_TRACE(seed);
    test::expect_valid(bind_by_heat(subject, {}, {}), subject);
  }
}

TEST(HeatWeights, TakeWhateverHasAVertex) {
  Body body;
  test::add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}});
  test::expect_valid(heat(body), body.subject());  // No vertex at all.
  body.mesh.positions = {{0, 0, 0.2}, {0, 0, 0.2}, {0.1, 0, 1.5}};
  const BindResult bound = heat(body);
  test::expect_valid(bound, body.subject());
  EXPECT_EQ(bound.weights.row(2).front().joint, 1U);
  ASSERT_EQ(bound.fallbacks.size(), 1U);
  EXPECT_EQ(bound.fallbacks[0].code, "heat.detached");
  body.mesh.add_face(std::vector<Index>{0, 1, 2});  // Of no area.
  test::expect_valid(heat(body), body.subject());
  body.mesh.positions[1].x() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(heat(body), Error);
}

TEST(HeatWeights, StopWhenAskedTo) {
  const Body body = test::two_bone_cylinder();
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(bind_by_heat(body.subject(), {}, {}, progress), Cancelled);
}

// --- real characters

TEST(HeatWeights, ComeNearerToArtistsThanOthersDo) {
  const char* data = std::getenv("SINEW_DATA");
  if (data == nullptr) GTEST_SKIP() << "SINEW_DATA does not name the folder of data.";
  struct Peer {
    const char* file;
    double half_l1, same;
  };
  // Of the best of Blender's heat and bounded biharmonic weights.
  for (const Peer& peer :
       {Peer{"CesiumMan.glb", 0.123, 0.91}, {"RiggedFigure.glb", 0.316, 0.66}, {"Fox.glb", 0.29, 0.76}}) {
    const Rig rig = io::load(std::filesystem::path(data) / "rigged" / peer.file).character.rig;
    Subject subject{rig.mesh, rig.skeleton, bind_pose_matrices(rig, 0), std::vector<char>(rig.skeleton.size(), 0)};
    for (Index v = 0; v < rig.weights.row_count(); ++v)
      for (const Influence& influence : rig.weights.row(v)) subject.bound[influence.joint] = 1;
    const auto agreement = measure::weight_agreement(rig.weights.normalized(), bind_by_heat(subject, {}, {}).weights);
    EXPECT_LT(agreement.mean_half_l1, peer.half_l1) << peer.file;
    EXPECT_GT(agreement.same_dominant, peer.same) << peer.file;
  }
}

}  // namespace
}  // namespace sinew::binding
