// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/distance_field.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "sinew/geometry/mesh/facing.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

using Formula = std::function<double(const Vec3&)>;

struct Shape {
  const char* name;
  Mesh mesh;
  Formula distance;
};

std::vector<Shape> known_shapes() {
  return {{"sphere", sphere(48, 64), [](const Vec3& p) { return p.norm() - 1; }},
          {"capsule", capsule(0.8, 0.5), [](const Vec3& p) { return capsule_distance(p, 0.8, 0.5); }},
          {"torus", torus(1, 0.4), [](const Vec3& p) { return torus_distance(p, 1, 0.4); }}};
}

// Every sample of a field against the truth: its size within a tolerance, its sign right beyond one cell.
void expect_field(const DistanceField& field, const Formula& truth, double tolerance, const std::string& name) {
  std::size_t wrong_sign = 0, wrong_value = 0, i = 0;
  for (Index z = 0; z < field.samples[2]; ++z)
    for (Index y = 0; y < field.samples[1]; ++y)
      for (Index x = 0; x < field.samples[0]; ++x, ++i) {
        const double wanted = truth(field.origin + field.cell * Vec3(x, y, z)), got = field.values[i];
        if (std::abs(wanted) > field.cell && (wanted < 0) != (got < 0)) ++wrong_sign;
        if (std::abs(std::abs(wanted) - std::abs(got)) > tolerance) ++wrong_value;
      }
  EXPECT_EQ(wrong_sign, 0U) << name;
  EXPECT_EQ(wrong_value, 0U) << name;
}

TEST(DistanceField, IsTheClosedFormOfSphereCapsuleAndTorus) {
  for (const Shape& shape : known_shapes()) {
    const DistanceField field = distance_field(shape.mesh, {.cells = 32});
    EXPECT_TRUE(validate(field).empty());
    expect_field(field, shape.distance, 0.1 * field.cell, shape.name);
    for (const Vec3& p : random_points(shape.mesh.bounds(), 2000, 4))
      EXPECT_NEAR(sample(field, p), shape.distance(p), field.cell) << shape.name;
  }
}

TEST(DistanceField, SignIsRightWithFivePercentOfTheFacesRemoved) {
  for (const Shape& shape : known_shapes())
    for (const unsigned seed : {1U, 2U}) {
      const DistanceField field = distance_field(with_holes(shape.mesh, 0.05, seed), {.cells = 24});
      // Where faces are missing the surface is farther away: by no more than a few cells here.
      expect_field(field, shape.distance, 2 * field.cell, shape.name);
    }
}

TEST(DistanceField, FlippedShellsAreSolidAloneAndBesideOthers) {
  for (const Shape& shape : known_shapes())
    expect_field(distance_field(flipped(shape.mesh), {.cells = 24}), shape.distance, 0.02, shape.name);
  const Mesh pair = joined(sphere(24, 32), flipped(shifted(sphere(24, 32), Vec3(3, 0, 0))));
  const Formula truth = [](const Vec3& p) { return std::min(p.norm(), (p - Vec3(3, 0, 0)).norm()) - 1; };
  expect_field(distance_field(pair, {.cells = 40}), truth, 0.03, "pair");
}

TEST(DistanceField, OverlappingShellsAreOneSolid) {
  const Mesh mesh = joined(sphere(24, 32), flipped(shifted(sphere(24, 32), Vec3(1, 0, 0))));
  const DistanceField field = distance_field(mesh, {.cells = 30});
  for (const Vec3& p : random_points(mesh.bounds(), 3000, 6)) {
    const double truth = std::min(p.norm(), (p - Vec3(1, 0, 0)).norm()) - 1;
    if (std::abs(truth) > field.cell) {
      EXPECT_EQ(sample(field, p) < 0, truth < 0) << p.transpose();
    }
  }
}

TEST(DistanceField, CavitiesAreOutside) {
  const Mesh mesh = joined(sphere(24, 32), flipped(sphere(24, 32, Vec3::Zero(), 0.5)));
  expect_field(
      distance_field(mesh, {.cells = 32}), [](const Vec3& p) { return std::abs(p.norm() - 0.75) - 0.25; }, 0.02,
      "hollow");
}

TEST(DistanceField, GradientIsTheUnitDirectionAway) {
  const DistanceField dense = distance_field(sphere(96, 128), {.cells = 40});
  const SparseDistanceField sparse = sparse_distance_field(sphere(96, 128), {.cells = 40, .band = 4});
  for (const Vec3& direction : random_points(Box{-Vec3::Ones(), Vec3::Ones()}, 300, 12)) {
    const Vec3 n = direction.normalized();
    EXPECT_LT((gradient(dense, 0.9 * n) - n).norm(), 0.05);
    EXPECT_LT((gradient(sparse, 1.02 * n) - n).norm(), 0.05);
  }
}

TEST(DistanceField, BandCutsValuesAndChangesNothingWithin) {
  const DistanceField full = distance_field(torus(1, 0.4), {.cells = 32});
  const DistanceField band = distance_field(torus(1, 0.4), {.cells = 32, .band = 2});
  ASSERT_EQ(full.values.size(), band.values.size());
  const auto limit = static_cast<float>(2 * full.cell);
  for (std::size_t i = 0; i < full.values.size(); ++i)
    EXPECT_FLOAT_EQ(band.values[i], std::clamp(full.values[i], -limit, limit));
}

TEST(DistanceField, SparseBlocksHoldTheSameValues) {
  for (const Mesh& mesh : {torus(1, 0.4), flipped(sphere(24, 32)), with_holes(capsule(0.8, 0.5), 0.05, 3)}) {
    const DistanceField full = distance_field(mesh, {.cells = 64, .band = 2});
    const SparseDistanceField sparse = sparse_distance_field(mesh, {.cells = 64, .band = 2});
    EXPECT_LT(sparse.values.size(), full.values.size());
    for (const Vec3& p : random_points(mesh.bounds(), 3000, 8, 0.02))
      // Grids of different extent have samples at other places.
      EXPECT_NEAR(sample(sparse, p), sample(full, p), 0.5 * full.cell);
  }
}

TEST(DistanceField, OutsideTheGridGrowsWithTheWay) {
  const DistanceField field = distance_field(sphere(48, 64), {.cells = 32});
  EXPECT_NEAR(sample(field, Vec3(10, 0, 0)), 9, field.cell);
  EXPECT_GT(sample(field, Vec3(4, 5, -6)), Vec3(4, 5, -6).norm() - 1 - field.cell);
}

TEST(DistanceField, HasTheSameBitsForAnyNumberOfThreads) {
  const Mesh mesh = with_holes(joined(torus(1, 0.4), torus(1, 0.4)), 0.05, 2);
  const auto run = [&](int count) {
    const Threads threads(count);
    std::vector<float> values = distance_field(mesh, {.cells = 24}).values;
    const SparseDistanceField sparse = sparse_distance_field(mesh, {.cells = 40});
    values.insert(values.end(), sparse.values.begin(), sparse.values.end());
    return values;
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(DistanceField, RefusesAMeshWithoutFacesAndAGridTooLarge) {
  EXPECT_THROW(distance_field(Mesh{}), Error);
  EXPECT_THROW(distance_field(cube(), {.cells = 100000}), Error);
}

TEST(DistanceField, StopsWhenAsked) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(distance_field(cube(), {}, progress), Cancelled);
}

// Real characters: the sign of the field against a sum over all triangles, at points of all kinds.
class RealDistanceField : public testing::TestWithParam<const char*> {};

TEST_P(RealDistanceField, SignAgreesWithTheDirectWindingSum) {
  const std::optional<Mesh> mesh = real_mesh(GetParam());
  if (!mesh) GTEST_SKIP() << "SINEW_DATA has no " << GetParam();
  const std::vector<TriangleVertices> triangles = triangle_vertices(*mesh);
  const TriangleSoup soup{mesh->positions, triangles};
  const Facing facing = solid_facing(soup);
  const DistanceField field = distance_field(*mesh, {.cells = 48});
  // Samples of the grid, more than a cell from the surface.
  std::vector<std::size_t> picked;
  for (std::size_t i = 0; i < field.values.size(); ++i)
    if (std::abs(field.values[i]) > field.cell) picked.push_back(i);
  std::mt19937 random(17);
  std::shuffle(picked.begin(), picked.end(), random);
  // Half of them inside as the field has it, so that neither kind is rare.
  std::stable_partition(picked.begin(), picked.end(), [&](std::size_t i) { return field.values[i] < 0; });
  // The slow sum takes a while: 40 million triangles in all, or as many points as SINEW_POINTS says.
  const char* wanted = std::getenv("SINEW_POINTS");
  const std::size_t points =
      wanted != nullptr ? std::stoul(wanted) : std::clamp<std::size_t>(40'000'000 / triangles.size(), 200, 4000);
  const std::size_t count = std::min(points, picked.size()) / 2;
  std::vector<std::size_t> chosen(picked.begin(), picked.begin() + static_cast<std::ptrdiff_t>(count));
  chosen.insert(chosen.end(), picked.end() - static_cast<std::ptrdiff_t>(count), picked.end());
  std::vector<double> slow(chosen.size());
  parallel_for(
      chosen.size(),
      [&](std::size_t n) {
        const std::size_t i = chosen[n], row = i / field.samples[0];
        const Vec3 p = field.origin + field.cell * Vec3(static_cast<double>(i % field.samples[0]),
                                                        static_cast<double>(row % field.samples[1]),
                                                        static_cast<double>(row / field.samples[1]));
        slow[n] = direct_winding(soup, p, facing.signs);
      },
      8);
  std::size_t wrong = 0, inside = 0;
  double worst = 0;  // How far the sum is from one half where the two disagree: nothing but rounding.
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    inside += slow[n] > 0.5 ? 1 : 0;
    if ((slow[n] > 0.5) == (field.values[chosen[n]] < 0)) continue;
    ++wrong;
    worst = std::max(worst, std::abs(slow[n] - 0.5));
  }
  RecordProperty("points", static_cast<int>(chosen.size()));
  RecordProperty("disagree", static_cast<int>(wrong));
  RecordProperty("turned_shells", static_cast<int>(facing.turned_shells));
  fmt::print("{}: {} points, {} inside, {} disagree (by {:.1e}); {} shells, {} turned, {} cavities, {} mended\n",
             GetParam(), chosen.size(), inside, wrong, worst, facing.shells, facing.turned_shells, facing.cavities,
             facing.mended_shells);
  EXPECT_LT(worst, 5e-3);
  EXPECT_LE(wrong, chosen.size() / 500);
  EXPECT_GT(inside, 50U);
}

INSTANTIATE_TEST_SUITE_P(Characters, RealDistanceField,
                         testing::Values("unrigged/NASA_Gemini_Spacesuit.glb", "unrigged/NASA_EMU_442k_draco.glb",
                                         "rigged/RobotExpressive.glb", "rigged/HVGirl.glb"),
                         [](const auto& info) {
                           const std::string name = std::filesystem::path(info.param).stem().string();
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace sinew::geometry
