// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/close_triangles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::deform::close_triangles_tests {
namespace {

/// Small triangles that are not connected, near each other in a layer, each a little above the one before.
struct Scales {
  std::vector<Vec3f> points;
  std::vector<std::array<Index, 3>> triangles;
};

Scales scales(Index count) {
  Scales result;
  std::mt19937 random(5);
  const auto unit = [&] { return static_cast<float>(random()) / 4294967296.0F; };
  for (Index t = 0; t < count; ++t) {
    const Vec3f at(unit(), unit(), 0.02F * static_cast<float>(t) / static_cast<float>(count));
    for (const Vec3f& side : {Vec3f(0, 0, 0), Vec3f(0.08F, 0, 0), Vec3f(0, 0.08F, 0)})
      result.points.push_back(at + side);
    result.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return result;
}

std::vector<Vec3f> shaken(std::vector<Vec3f> points, Index from, Index to, unsigned seed) {
  std::mt19937 random(seed);
  for (Index i = from; i < to; ++i)
    for (int k = 0; k < 3; ++k) points[i][k] += 0.05F * (static_cast<float>(random()) / 4294967296.0F - 0.5F);
  return points;
}

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs pairs_of(const CloseTriangles::Scratch& scratch) {
  Pairs pairs;
  for (const auto& pair : scratch.pairs) pairs.push_back({pair.a, pair.b});
  return pairs;
}

/// All triangles that intersect, found by a search of its own.
Pairs reference(const Scales& scales, const std::vector<Vec3f>& points) {
  Mesh mesh;
  for (const Vec3f& p : points) mesh.positions.push_back(p.cast<double>());
  for (const auto& t : scales.triangles) mesh.add_face(t);
  Pairs pairs;
  for (const auto& pair : geometry::self_intersections(mesh, {.list = true}).pairs)
    pairs.push_back(std::minmax(pair.a, pair.b));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(CloseTriangles, FindsWhatASearchOfAllTrianglesFinds) {
  const Scales flat = scales(700);
  const CloseTriangles close(flat.triangles, flat.points, 1, {});
  CloseTriangles::Scratch scratch;
  close.find(flat.points, scratch);
  EXPECT_TRUE(scratch.pairs.empty());
  const auto all = static_cast<Index>(flat.points.size());
  const std::vector<Vec3f> moved = shaken(flat.points, 0, all, 1);
  close.find(moved, scratch);
  const Pairs found = pairs_of(scratch), expected = reference(flat, moved);
  EXPECT_GT(expected.size(), 100U);
  EXPECT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
  // Those that only touch, and nearly parallel ones, may count nothing.
  EXPECT_GT(found.size(), expected.size() * 95 / 100);
}

TEST(CloseTriangles, FindsAgainWhatHasMoved) {
  const Scales flat = scales(700);
  const CloseTriangles close(flat.triangles, flat.points, 1, {});
  const auto all = static_cast<Index>(flat.points.size());
  const std::vector<Vec3f> first = shaken(flat.points, 0, all, 1), second = shaken(first, 300, 330, 2);
  CloseTriangles::Scratch twice, once;
  close.find(first, twice);
  std::vector<Index> moved;
  for (Index v = 300; v < 330; ++v) moved.push_back(v);
  close.find_again(second, moved, twice);
  close.find(second, once);
  const Pairs again = pairs_of(twice), whole = pairs_of(once);
  EXPECT_TRUE(std::includes(whole.begin(), whole.end(), again.begin(), again.end()));
  EXPECT_LT(again.size(), whole.size());
  Index of_moved = 0;
  for (const auto& pair : whole)
    if ((pair.first >= 100 && pair.first < 110) || (pair.second >= 100 && pair.second < 110)) {
      ++of_moved;
      EXPECT_TRUE(std::binary_search(again.begin(), again.end(), pair)) << pair.first << " " << pair.second;
    }
  EXPECT_GT(of_moved, 3U);
}

}  // namespace
}  // namespace sinew::deform::close_triangles_tests
