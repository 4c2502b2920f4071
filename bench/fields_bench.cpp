// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What fields and space queries cost from 5k to 500k triangles, as CSV. Times are given in units of one solid angle
// (three square roots and an arc tangent) measured in the same run on one thread, so that the machine cancels out;
// `per` says what they are divided by. A cost per query that grows like log n shows as a column that hardly grows; one
// that grows like n would be a hundred times as large in the last row as in the first.
//
//     fields_bench              all sizes
//     fields_bench --seconds    the same in seconds of all threads together, not divided by anything

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/voxels/voxels.h"

namespace {

using namespace sinew;
using namespace sinew::geometry;

// Of all threads together: the work, whatever else the machine does.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// A torus with bumps, of about so many triangles.
Mesh bumpy_torus(Index triangles) {
  const auto segments = static_cast<Index>(std::sqrt(triangles / 4.0)), rings = 2 * segments;
  Mesh mesh;
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) {
      const double u = kTwoPi * r / rings, v = kTwoPi * s / segments;
      const double minor = 0.4 + 0.03 * std::sin(9 * u) * std::sin(5 * v), w = 1 + minor * std::cos(v);
      mesh.positions.push_back({w * std::cos(u), minor * std::sin(v), w * std::sin(u)});
    }
  const auto at = [&](Index r, Index s) { return (r % rings) * segments + s % segments; };
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) {
      mesh.add_face(std::array<Index, 3>{at(r, s), at(r, s + 1), at(r + 1, s + 1)});
      mesh.add_face(std::array<Index, 3>{at(r, s), at(r + 1, s + 1), at(r + 1, s)});
    }
  return mesh;
}

std::vector<Vec3> points_in(const Box& box, std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Vec3> points(count);
  for (Vec3& p : points) {
    const double x = unit(random), y = unit(random), z = unit(random);
    p = box.lower + Vec3(x, y, z).cwiseProduct(box.extent());
  }
  return points;
}

// Seconds of one solid angle.
double unit_time() {
  const std::vector<Vec3> points = points_in({-Vec3::Ones(), Vec3::Ones()}, 3000);
  double sum = 0, best = 1e30;
  for (int repeat = 0; repeat < 7; ++repeat)
    best = std::min(best, seconds([&] {
                      for (int again = 0; again < 50; ++again)
                        for (std::size_t i = 0; i + 2 < points.size(); ++i) {
                          const Vec3 &a = points[i], &b = points[i + 1], &c = points[i + 2];
                          const double la = a.norm(), lb = b.norm(), lc = c.norm();
                          sum += std::atan2(a.dot(b.cross(c)),
                                            la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
                        }
                    }));
  if (sum == 0.5) fmt::print("\n");  // So that the sum is needed.
  return best / (50.0 * static_cast<double>(points.size() - 2));
}

class Bench {
 public:
  explicit Bench(double unit) : unit_(unit) { fmt::print("what,triangles,count,per,cost\n"); }

  void measure(const char* what, std::size_t triangles, double count, const char* per,
               const std::function<void()>& work) {
    // The best of a few: what the machine can do when nothing else runs.
    double best = 1e30, spent = 0;
    for (int repeat = 0; repeat < 5 && spent < 1.5; ++repeat) {
      const double time = seconds(work);
      best = std::min(best, time);
      spent += time;
    }
    const double cost = best / unit_;
    fmt::print("{},{},{:.0f},{},{:.4g}\n", what, triangles, count, per, unit_ == 1 ? cost : cost / count);
    std::fflush(stdout);
  }

  void all(Index wanted) {
    const Mesh mesh = bumpy_torus(wanted);
    const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
    const TriangleSoup soup{mesh.positions, triangles};
    const std::size_t n = triangles.size();
    const auto count = static_cast<double>(n);
    const std::vector<Vec3> points = points_in(mesh.bounds(), 200'000);
    std::vector<Ray> rays;
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) rays.push_back({points[i], points[i + 1] - points[i]});

    std::vector<RayScene> scene;
    measure("ray scene build", n, count, "triangle", [&] { scene.emplace_back(soup); });
    measure("nearest hit", n, 1e5, "query",
            [&] { parallel_for(rays.size(), [&](std::size_t i) { scene[0].nearest_hit(rays[i]); }); });
    measure("occluded", n, 1e5, "query", [&] { scene[0].occluded(rays); });
    measure("closest point", n, 2e5, "query", [&] { scene[0].closest_points(points); });
    Facing facing;
    measure("facing", n, count, "triangle", [&] { facing = solid_facing(soup); });
    FastWinding winding;
    measure("fast winding build", n, count, "triangle", [&] { winding = FastWinding(soup, facing.signs); });
    measure("fast winding", n, 2e5, "query", [&] { winding.at(points); });
    measure("distance field 64", n, 64.0 * 64 * 64, "cubed resolution", [&] { distance_field(mesh, {.cells = 64}); });
    measure("sparse field 128", n, 128.0 * 128, "squared resolution",
            [&] { sparse_distance_field(mesh, {.cells = 128}); });
    measure("voxels 128", n, 128.0 * 128 * 128, "cubed resolution", [&] { solid_voxels(mesh, {.resolution = 128}); });
  }

 private:
  double unit_;
};

}  // namespace

int main(int argc, char** argv) try {
  const bool in_seconds = argc == 2 && std::string(argv[1]) == "--seconds";
  Bench bench(in_seconds ? 1.0 : unit_time());
  for (const Index triangles : {5'000U, 16'000U, 50'000U, 160'000U, 500'000U}) bench.all(triangles);
  const Mesh mesh = bumpy_torus(200'000);
  const std::vector<Vec3> points = points_in(mesh.bounds(), 1'000'000);
  const FastWinding winding(mesh);
  bench.measure("fast winding 1M", triangle_vertices(mesh).size(), 1e6, "query", [&] { winding.at(points); });
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "{}\n", problem.what());
  return 1;
}
