// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/protrusions.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/rigging/anatomy/extras.h"
#include "tests/geometry/field_meshes.h"
#include "tests/geometry/voxel_blocks.h"
#include "tests/rigging/true_plan.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

bool within(const Vec3& p, const Vec3& lower, const Vec3& upper) {
  return (p.array() > lower.array()).all() && (p.array() < upper.array()).all();
}

double distance_to_line(const Vec3& p, const std::vector<Vec3>& line) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec3 way = line[i + 1] - line[i];
    const double t = std::clamp((p - line[i]).dot(way) / way.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (p - line[i] - t * way).norm());
  }
  return least;
}

// Of a mesh and bones in its own units.
std::vector<Protrusion> of_mesh(const Mesh& mesh, const std::vector<geometry::Segment>& bones, Interior& inside) {
  inside = interior(mesh, {.resolution = 120});
  std::vector<ExplainedBone> explained;
  for (const geometry::Segment& s : bones) explained.push_back({{inside.to_unit(s.a), inside.to_unit(s.b)}});
  return protrusions(inside, explained);
}

std::vector<double> lines_between(double from, double to, int count) {
  std::vector<double> lines;
  for (int i = 0; i <= count; ++i) lines.push_back(from + (to - from) * i / count);
  return lines;
}

TEST(Protrusions, TailAndEarsOfAQuadrupedAreAllThatItsOtherBonesDoNotExplain) {
  for (const int seed : {0, 3, 5}) {
    shapes::MakeOptions options;
    options.seed = seed;
    options.vary = seed == 0 ? 0 : 0.3;
    const shapes::Made made = shapes::make("quadruped", options).made;
    const Interior inside = interior(made.character.rig.mesh);
    const SkeletonPlan plan = true_plan(made, {"Tail", "Ear"});
    const PlanBones bones = plan_bones(plan, inside);
    const std::vector<Protrusion> found = protrusions(inside, bones.bones);
    ASSERT_EQ(found.size(), 3U) << seed;
    EXPECT_EQ(plan.joints[bones.joints[found[0].bone]].name, "Hips");
    std::vector<Vec3> tail;
    for (int k = 1; k <= 4; ++k) tail.push_back(inside.to_unit(true_place(made, "Tail" + std::to_string(k))));
    tail.push_back(inside.to_unit(true_end(made, "Tail4")));
    EXPECT_LT((found[0].line.front() - tail.front()).norm(), 0.04) << seed;
    EXPECT_LT((found[0].line.back() - tail.back()).norm(), 0.02) << seed;
    for (const Vec3& p : found[0].line) EXPECT_LT(distance_to_line(p, tail), 0.03) << seed;
    for (const std::size_t e : {1U, 2U}) {
      const double side = found[e].line.front().x() - 0.5;
      const std::string ear = side > 0 ? "LeftEar" : "RightEar";
      EXPECT_LT((found[e].line.front() - inside.to_unit(true_place(made, ear))).norm(), 0.03) << seed;
      EXPECT_LT((found[e].line.back() - inside.to_unit(true_end(made, ear))).norm(), 0.03) << seed;
    }
    EXPECT_LT((found[1].line.front().x() - 0.5) * (found[2].line.front().x() - 0.5), 0) << seed;
  }
}

TEST(Protrusions, CharactersWithAllTheirBonesHaveNone) {
  for (const char* kind : {"human", "quadruped", "bird", "octopus", "hand"}) {
    const shapes::Made made = shapes::make(kind, {}).made;
    const Interior inside = interior(made.character.rig.mesh);
    EXPECT_TRUE(protrusions(inside, plan_bones(true_plan(made, {}), inside).bones).empty()) << kind;
  }
}

TEST(Protrusions, AFlatTrunkAndABellyBesideItsBoneAreNone) {
  // Three times as wide as it is thick.
  const Mesh slab = block_mesh({-1.5, 1.5}, {0, 4}, {-0.5, 0.5}, [](const Vec3&) { return true; });
  Interior inside;
  EXPECT_TRUE(of_mesh(slab, {{Vec3(0, 0.5, 0), Vec3(0, 3.5, 0)}}, inside).empty());
  // A ball whose bone runs near its back.
  const Mesh ball = sphere(32, 48, Vec3::Zero(), 1);
  EXPECT_TRUE(of_mesh(ball, {{Vec3(0, -0.4, -0.75), Vec3(0, 0.4, -0.75)}}, inside).empty());
}

TEST(Protrusions, ABrimAllRoundIsNone) {
  // A pillar with a disc of three times its radius.
  const std::vector<double> fine = lines_between(-3, 3, 60);
  const Mesh hat = block_mesh(fine, lines_between(0, 8, 80), fine, [](const Vec3& p) {
    const double r = std::hypot(p.x(), p.z());
    return r < 1 || (r < 2.8 && std::abs(p.y() - 6) < 0.15);
  });
  Interior inside;
  EXPECT_TRUE(of_mesh(hat, {{Vec3(0, 0.5, 0), Vec3(0, 7.5, 0)}}, inside).empty());
}

TEST(Protrusions, AForkGrowsFromTheLongerOne) {
  // A trunk along y; a stem along x that splits into a long and a short tine.
  const auto in_block = [](const Vec3& p) {
    return within(p, Vec3(-1, 0, -1), Vec3(1, 6, 1)) || within(p, Vec3(0, 2.8, -0.2), Vec3(4, 3.2, 0.2)) ||
           within(p, Vec3(3.6, 2.8, -0.2), Vec3(4, 6, 0.2)) || within(p, Vec3(3.6, 0.8, -0.2), Vec3(4, 3.2, 0.2));
  };
  const Mesh antler = block_mesh(lines_between(-1, 4, 25), lines_between(0, 6, 30), lines_between(-1, 1, 10), in_block);
  Interior inside;
  const std::vector<Protrusion> found = of_mesh(antler, {{Vec3(0, 0.5, 0), Vec3(0, 5.5, 0)}}, inside);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].fork_of, kNone);
  EXPECT_EQ(found[1].fork_of, 0U);
  EXPECT_LT((inside.to_model(found[0].line.front()) - Vec3(1, 3, 0)).norm(), 0.8);
  EXPECT_LT((inside.to_model(found[0].line.back()) - Vec3(3.8, 6, 0)).norm(), 0.4);
  EXPECT_LT((inside.to_model(found[1].line.back()) - Vec3(3.8, 0.8, 0)).norm(), 0.4);
  EXPECT_GT(found[0].length, found[1].length);
  for (const Protrusion& p : found) {
    EXPECT_EQ(p.line.size(), p.radii.size());
    EXPECT_EQ(p.line.size(), p.widths.size());
    const std::size_t tine = p.line.size() * 7 / 10;  // Beyond bend and fork.
    EXPECT_NEAR(p.widths[tine] / inside.scale, 0.4 / std::sqrt(kPi), 0.1);
  }
}

TEST(Protrusions, AreTheSameForAnyNumberOfThreads) {
  const shapes::Made made = shapes::make("quadruped", {}).made;
  std::vector<std::vector<Protrusion>> runs;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const Interior inside = interior(made.character.rig.mesh, {.resolution = 100});
    runs.push_back(protrusions(inside, plan_bones(true_plan(made, {"Tail"}), inside).bones));
  }
  set_thread_count(0);
  ASSERT_EQ(runs[0].size(), runs[1].size());
  ASSERT_FALSE(runs[0].empty());
  for (std::size_t i = 0; i < runs[0].size(); ++i) EXPECT_EQ(runs[0][i].line, runs[1][i].line);
}

}  // namespace
}  // namespace sinew::rigging
