// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/laplacian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Spectra/MatOp/SparseSymShiftSolve.h>
#include <Spectra/SymEigsShiftSolver.h>

#include <Eigen/Sparse>
#include <numeric>

#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

constexpr std::array kAllWays = {BadTriangles::kKeep, BadTriangles::kClamp, BadTriangles::kIntrinsicDelaunay};

Laplacian laplacian_of(const TriangleSurface& s, BadTriangles way, MassKind mass = MassKind::kBarycentric) {
  return cotangent_laplacian(s.positions, s.triangles, {way, mass});
}

double area_of(const TriangleSurface& s) {
  double area = 0;
  for (const auto& t : s.triangles)
    area += (s.positions[t[1]] - s.positions[t[0]]).cross(s.positions[t[2]] - s.positions[t[0]]).norm() / 2;
  return area;
}

double energy(const Laplacian& l, const std::vector<double>& u) {
  const std::vector<double> lu = l.stiffness.multiply(u);
  return std::inner_product(u.begin(), u.end(), lu.begin(), 0.0);
}

TriangleSurface roughened(TriangleSurface s, double amount) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-amount, amount);
  for (Vec3& p : s.positions) p += Vec3(shift(random), shift(random), shift(random));
  return s;
}

// A tube of triangles so thin that half of the edges have negative weights, with collapsed ones among them.
TriangleSurface poor_surface(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> shift(-0.45, 0.45);
  TriangleSurface s = cylinder(14, 9, 0.2, 40);
  for (Vec3& p : s.positions) p += Vec3(0, 0, shift(random));
  s.positions[20] = s.positions[21];
  s.positions[40] = (s.positions[41] + s.positions[39]) / 2;
  s.triangles.push_back({3, 3, 4});
  return s;
}

TEST(Laplacian, IsSymmetricToTheBitAndRowsSumToZero) {
  for (const TriangleSurface& s : {icosphere(3), poor_surface(1), flat_square(9, 0.4)})
    for (const BadTriangles way : kAllWays) {
      const Laplacian l = laplacian_of(s, way);
      EXPECT_EQ(l.stiffness.size(), s.positions.size());
      EXPECT_EQ(l.stiffness.asymmetry(), 0);
      for (Index row = 0; row < l.stiffness.size(); ++row) {
        double sum = 0, size = 0;
        for (Index k = l.stiffness.offsets[row]; k < l.stiffness.offsets[row + 1]; ++k) {
          sum += l.stiffness.values[k];
          size += std::abs(l.stiffness.values[k]);
          EXPECT_TRUE(k == l.stiffness.offsets[row] || l.stiffness.columns[k - 1] < l.stiffness.columns[k]);
        }
        EXPECT_LE(std::abs(sum), 1e-14 * size);
      }
    }
}

TEST(Laplacian, EnergyOfALinearFunctionOnAFlatSurfaceIsItsSlopeSquaredTimesTheArea) {
  const TriangleSurface s = flat_square(12, 0.22);
  std::vector<double> u;
  for (const Vec3& p : s.positions) u.push_back(3 * p.x() - 2 * p.y() + 7);
  EXPECT_NEAR(energy(laplacian_of(s, BadTriangles::kKeep), u), 13 * 4.0, 1e-11);
  EXPECT_NEAR(energy(laplacian_of(s, BadTriangles::kIntrinsicDelaunay), u), 13 * 4.0, 1e-10);
}

TEST(Laplacian, VanishesOnLinearFunctionsInsideAFlatSurface) {
  const TriangleSurface s = flat_square(12, 0.22);
  std::vector<double> u;
  for (const Vec3& p : s.positions) u.push_back(3 * p.x() - 2 * p.y());
  const Laplacian l = laplacian_of(s, BadTriangles::kIntrinsicDelaunay);
  EXPECT_GT(l.flips, 0u);
  const std::vector<double> lu = l.stiffness.multiply(u);
  for (Index i = 1; i < 12; ++i)
    for (Index j = 1; j < 12; ++j) EXPECT_NEAR(lu[i * 13 + j], 0, 1e-10);
}

RC_GTEST_PROP(Laplacian, IsPositiveSemidefiniteAndFiniteOnPoorTriangles, ()) {
  const TriangleSurface s = poor_surface(*rc::gen::arbitrary<unsigned>());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const BadTriangles way : kAllWays) {
    const Laplacian l = laplacian_of(s, way);
    RC_ASSERT(l.degenerate >= 1u || way == BadTriangles::kIntrinsicDelaunay);
    for (const double value : l.stiffness.values) RC_ASSERT(std::isfinite(value));
    for (const double m : l.mass) RC_ASSERT(std::isfinite(m) && m >= 0);
    std::vector<double> u(s.positions.size());
    for (double& x : u) x = normal(random);
    double size = 0;
    for (Index v = 0; v < u.size(); ++v) size += l.stiffness.at(v, v) * u[v] * u[v];
    RC_ASSERT(energy(l, u) >= -1e-10 * size);
  }
}

TEST(Laplacian, ClampedAndDelaunayWeightsAreNotNegative) {
  const TriangleSurface s = roughened(torus(9, 90, 1, 0.3), 0.01);
  const auto least = [](const Laplacian& l) {
    double worst = 0;
    for (Index row = 0; row < l.stiffness.size(); ++row)
      for (Index k = l.stiffness.offsets[row]; k < l.stiffness.offsets[row + 1]; ++k)
        if (l.stiffness.columns[k] != row) worst = std::min(worst, -l.stiffness.values[k]);
    return worst;
  };
  EXPECT_LT(least(laplacian_of(s, BadTriangles::kKeep)), -0.01);
  EXPECT_EQ(least(laplacian_of(s, BadTriangles::kClamp)), 0);
  EXPECT_GT(laplacian_of(s, BadTriangles::kClamp).clamped, 0u);
  EXPECT_GE(least(laplacian_of(s, BadTriangles::kIntrinsicDelaunay)), -1e-9);
}

TEST(Laplacian, MassSumsToTheAreaOfEveryKind) {
  for (const TriangleSurface& s : {icosphere(2), flat_square(8, 0.45), torus(20, 12, 1, 0.4)})
    for (const BadTriangles way : kAllWays)
      for (const MassKind kind : {MassKind::kBarycentric, MassKind::kMixedVoronoi}) {
        const Laplacian l = laplacian_of(s, way, kind);
        double sum = 0;
        for (const double m : l.mass) {
          EXPECT_GT(m, 0);
          sum += m;
        }
        EXPECT_NEAR(sum, area_of(s), 1e-11);
      }
}

TEST(Laplacian, MixedVoronoiMassOfAGridIsEachCell) {
  const TriangleSurface s = flat_square(8);
  const Laplacian l = laplacian_of(s, BadTriangles::kKeep, MassKind::kMixedVoronoi);
  for (Index i = 1; i < 8; ++i)
    for (Index j = 1; j < 8; ++j) EXPECT_NEAR(l.mass[i * 9 + j], 1.0 / 16, 1e-15);
}

TEST(Laplacian, OfAPolygonMeshIsThatOfItsTriangles) {
  const Laplacian l = cotangent_laplacian(cube(), {BadTriangles::kKeep});
  double sum = 0;
  for (const double m : l.mass) sum += m;
  EXPECT_NEAR(sum, 6, 1e-14);
  EXPECT_NEAR(l.stiffness.at(0, 1), -1, 1e-14);  // Two right-angled isosceles triangles: cot 45° each, halved.
}

TEST(Laplacian, NonManifoldInconsistentAndLooseInputGivesNoSurprise) {
  TriangleSurface s;
  s.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0.2, 0, 1}, {5, 5, 5}, {9, 0, 0}, {9, 0, 0}, {9, 0, 0}};
  s.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {6, 7, 8}};
  for (const BadTriangles way : kAllWays) {
    const Laplacian l = laplacian_of(s, way);
    EXPECT_EQ(l.mass[5], 0);
    EXPECT_EQ(l.stiffness.at(5, 5), 0);
    EXPECT_EQ(l.flips, 0u);
    for (const double value : l.stiffness.values) EXPECT_TRUE(std::isfinite(value));
    EXPECT_NEAR(l.stiffness.at(0, 1), l.stiffness.at(1, 0), 0);
  }
  EXPECT_EQ(cotangent_laplacian(Mesh{}).stiffness.size(), 0u);
}

TEST(Laplacian, SameBitsForAnyNumberOfThreads) {
  const TriangleSurface s = torus(300, 61, 1, 0.35);
  for (const BadTriangles way : kAllWays) {
    const auto [one, two] = with_one_and_two_threads([&] { return laplacian_of(s, way, MassKind::kMixedVoronoi); });
    EXPECT_EQ(one.stiffness.values, two.stiffness.values);
    EXPECT_EQ(one.stiffness.columns, two.stiffness.columns);
    EXPECT_EQ(one.mass, two.mass);
  }
}

TEST(IntrinsicDelaunay, KeepsAreaAndMakesEveryEdgeDelaunay) {
  for (const TriangleSurface& s :
       {roughened(torus(9, 120, 1, 0.3), 0.01), roughened(cylinder(4, 60, 0.3, 5), 0.01), flat_square(20, 0.22)}) {
    IntrinsicTriangulation t = intrinsic_triangulation(s.positions, s.triangles);
    EXPECT_LT(t.mollification, 1e-6);
    const auto area = [&] {
      double sum = 0;
      for (const auto& l : t.lengths) sum += triangle_area(l[0], l[1], l[2]);
      return sum;
    };
    const double before = area();
    make_delaunay(t);
    EXPECT_GT(t.flips, 0u);
    EXPECT_LT(t.flips, 10 * t.triangles.size());
    EXPECT_EQ(t.stuck, 0u);
    EXPECT_NEAR(area(), before, 1e-10);
    for (Index h = 0; h < t.twins.size(); ++h) {
      const Index g = t.twins[h];
      if (g == kNone) continue;
      EXPECT_EQ(t.twins[g], h);
      EXPECT_EQ(t.lengths[h / 3][h % 3], t.lengths[g / 3][g % 3]);
      EXPECT_EQ(t.triangles[h / 3][h % 3], t.triangles[g / 3][(g % 3 + 1) % 3]);
      EXPECT_GE(cotangents(t.lengths[h / 3])[(h % 3 + 2) % 3] + cotangents(t.lengths[g / 3])[(g % 3 + 2) % 3], -1e-8);
    }
  }
}

TEST(IntrinsicDelaunay, SoundTrianglesKeepTheirLengths) {
  const TriangleSurface s = icosphere(2);
  EXPECT_EQ(intrinsic_triangulation(s.positions, s.triangles).mollification, 0);
}

TEST(IntrinsicDelaunay, OfAFlatSquareHasTheLengthsOfStraightLines) {
  const TriangleSurface s = flat_square(16, 0.22);
  IntrinsicTriangulation t = intrinsic_triangulation(s.positions, s.triangles);
  make_delaunay(t);
  for (std::size_t i = 0; i < t.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 straight = s.positions[t.triangles[i][(k + 1) % 3]] - s.positions[t.triangles[i][k]];
      EXPECT_NEAR(t.lengths[i][k], straight.norm(), 1e-12);
    }
}

// Λ = l(l+1), 2l+1 times each: the spectrum of the unit sphere.
TEST(Laplacian, SpectrumOfTheSphereIsThatOfItsHarmonics) {
  for (const bool irregular : {false, true}) {
    TriangleSurface s = icosphere(4);
    if (irregular) {  // Thin triangles towards the poles.
      const Mesh mesh = sphere(40, 80);
      s = triangle_surface(mesh);
    }
    const Laplacian l = laplacian_of(s, BadTriangles::kIntrinsicDelaunay);
    const auto n = static_cast<Eigen::Index>(l.mass.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (Index row = 0; row < l.stiffness.size(); ++row)
      for (Index k = l.stiffness.offsets[row]; k < l.stiffness.offsets[row + 1]; ++k)
        entries.emplace_back(row, l.stiffness.columns[k],
                             l.stiffness.values[k] / std::sqrt(l.mass[row] * l.mass[l.stiffness.columns[k]]));
    Eigen::SparseMatrix<double> a(n, n);
    a.setFromTriplets(entries.begin(), entries.end());
    Spectra::SparseSymShiftSolve<double> op(a);
    Spectra::SymEigsShiftSolver<Spectra::SparseSymShiftSolve<double>> solver(op, 16, 40, -0.5);
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn);
    ASSERT_EQ(solver.info(), Spectra::CompInfo::Successful);
    const Eigen::VectorXd found = solver.eigenvalues();
    std::vector<double> values(found.begin(), found.end());
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values.size(), 16u);
    EXPECT_NEAR(values[0], 0, 1e-9);
    std::size_t i = 1;
    for (int degree = 1; degree <= 3; ++degree)
      for (int k = 0; k < 2 * degree + 1; ++k, ++i)
        EXPECT_NEAR(values[i] / (degree * (degree + 1)), 1, 0.01) << "degree " << degree;
  }
}

}  // namespace
}  // namespace sinew::geometry
