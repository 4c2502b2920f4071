// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/bvh.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "sinew/core/error.h"

namespace sinew::geometry {
namespace {

std::vector<BoxF> random_boxes(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, 10), size(0, 1);
  std::vector<BoxF> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p(place(random), place(random), place(random));
    const std::array<Vec3, 2> corners = {p, p + Vec3(size(random), size(random), size(random))};
    boxes.push_back(box_around(corners));
  }
  return boxes;
}

std::vector<Index> overlapping(const Bvh& tree, const std::vector<BoxF>& boxes, const BoxF& box) {
  std::vector<Index> found;
  tree.for_overlapping_leaves(box, [&](Index i) {
    if (boxes[i].overlaps(box)) found.push_back(i);
  });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Bvh, FindsExactlyTheBoxesThatOverlap) {
  for (const std::size_t count : {1u, 2u, 5u, 3000u}) {
    const std::vector<BoxF> boxes = random_boxes(static_cast<unsigned>(count), count);
    const Bvh tree(boxes);
    for (const BoxF& query : random_boxes(99, 50)) {
      std::vector<Index> expected;
      for (Index i = 0; i < boxes.size(); ++i)
        if (boxes[i].overlaps(query)) expected.push_back(i);
      EXPECT_EQ(overlapping(tree, boxes, query), expected);
    }
  }
}

TEST(Bvh, HoldsEveryPrimitiveOnceEvenWhenAllAreEqual) {
  const std::vector<BoxF> boxes(5000, BoxF{{0, 0, 0}, {1, 1, 1}});
  const Bvh tree(boxes);
  EXPECT_EQ(tree.primitives().size(), boxes.size());
  EXPECT_EQ(std::set<Index>(tree.primitives().begin(), tree.primitives().end()).size(), boxes.size());
  EXPECT_EQ(overlapping(tree, boxes, boxes[0]).size(), boxes.size());
}

TEST(Bvh, BoxesOfAnySizeAreFound) {
  for (const float scale : {1e-36F, 1e-20F, 1e-10F, 1e12F, 1e30F, 1e37F}) {
    std::vector<BoxF> boxes = random_boxes(7, 500);
    for (BoxF& box : boxes)
      for (std::size_t k = 0; k < 3; ++k) {
        box.lower[k] *= scale;
        box.upper[k] *= scale;
      }
    const Bvh tree(boxes);
    for (Index q = 0; q < boxes.size(); q += 25) {
      std::vector<Index> expected;
      for (Index i = 0; i < boxes.size(); ++i)
        if (boxes[i].overlaps(boxes[q])) expected.push_back(i);
      EXPECT_EQ(overlapping(tree, boxes, boxes[q]), expected) << scale;
    }
  }
}

TEST(Bvh, RefusesWhatIsNotFinite) {
  std::vector<BoxF> boxes(3, BoxF{{0, 0, 0}, {1, 1, 1}});
  boxes[1].upper[2] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(Bvh{boxes}, Error);
}

TEST(Bvh, OfNothingFindsNothing) {
  const Bvh tree(std::span<const BoxF>{});
  EXPECT_TRUE(tree.nodes().empty());
  tree.for_overlapping_leaves({{0, 0, 0}, {1, 1, 1}}, [](Index) { FAIL(); });
}

TEST(Bvh, BoxInSinglePrecisionCutsNothingOff) {
  const std::array<Vec3, 2> points = {Vec3(0.1, -0.1, 1e-9), Vec3(0.3, 1.0 / 3, -1e-9)};
  const BoxF box = box_around(points);
  for (const Vec3& p : points)
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE(static_cast<double>(box.lower[static_cast<std::size_t>(k)]), p[k]);
      EXPECT_GE(static_cast<double>(box.upper[static_cast<std::size_t>(k)]), p[k]);
    }
}

}  // namespace
}  // namespace sinew::geometry
