// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/garment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/transfer/relation/relation.h"
#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/surface/cloth_pieces.h"
#include "sinew/transfer/surface/detail.h"
#include "sinew/transfer/surface/inpaint_transfer.h"
#include "tests/support/made_human.h"

namespace sinew::transfer {
namespace {

/// A made human and clothes cut from it, whose true rows are known.
struct Wardrobe {
  Character body;
  Reference reference;

  explicit Wardrobe(int vertices = 4000)
      : body(test::made_human("a", vertices)),
        reference{{body.rig.mesh, body.rig.skeleton, rest_matrices(body.rig.skeleton)}, body.rig.weights.normalized()} {
  }
  double height() const { return body.rig.mesh.bounds().extent().y(); }
  TransferBody target(const Mesh& mesh) const { return {mesh, body.rig.skeleton, reference.joints}; }
};

struct Vest {
  Mesh mesh;
  SkinWeights truth;
};

void end_part(Mesh& mesh) {
  MeshPart part;
  if (!mesh.parts.empty()) {
    part.first_vertex = mesh.parts.back().first_vertex + mesh.parts.back().vertex_count;
    part.first_face = mesh.parts.back().first_face + mesh.parts.back().face_count;
  }
  part.vertex_count = mesh.vertex_count() - part.first_vertex;
  part.face_count = mesh.face_count() - part.first_face;
  mesh.parts.push_back(part);
}

/// The faces between two heights, all corners within a share of the width, displaced along the normals.
void cut_vest(const Wardrobe& wardrobe, double offset, double low, double high, Vest& vest) {
  const Mesh& mesh = wardrobe.body.rig.mesh;
  const Box box = mesh.bounds();
  const geometry::Welding welding = geometry::weld(mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding);
  std::vector<Index> number(mesh.vertex_count(), kNone);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : mesh.face(f)) {
      const Vec3 at = (mesh.positions[v] - box.lower) / box.extent().y();
      const double aside = std::abs(mesh.positions[v].x() - box.center().x()) / box.extent().y();
      if (at.y() >= low && at.y() <= high && aside < 0.25) corners.push_back(v);
    }
    if (corners.size() < mesh.face(f).size()) continue;
    for (Index& v : corners) {
      if (number[v] == kNone) {
        number[v] = vest.mesh.vertex_count();
        vest.mesh.positions.push_back(mesh.positions[v] + offset * wardrobe.height() * normals[v]);
        vest.truth.add_row(wardrobe.reference.weights.row(v));
      }
      v = number[v];
    }
    vest.mesh.add_face(corners);
  }
  end_part(vest.mesh);
}

Vest vest_at(const Wardrobe& wardrobe, double offset) {
  Vest vest;
  cut_vest(wardrobe, offset, 0.42, 0.86, vest);
  return vest;
}

double half_l1(const SkinWeights& a, const SkinWeights& b) { return measure::weight_agreement(a, b).mean_half_l1; }

void expect_rows_sum_to_one(const SkinWeights& weights) {
  for (Index v = 0; v < weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& influence : weights.row(v)) {
      EXPECT_GT(influence.weight, 0);
      EXPECT_LE(influence.weight, 1 + 1e-6F);
      sum += static_cast<double>(influence.weight);
    }
    EXPECT_NEAR(sum, 1, 1e-5) << v;
  }
}

/// A closed box of a given half size, as a part of its own.
void add_button(Mesh& mesh, const Vec3& center, double half) {
  const Index first = mesh.vertex_count();
  for (int i = 0; i < 8; ++i)
    mesh.positions.push_back(center + half * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  const std::array<std::array<Index, 4>, 6> faces = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& face : faces) {
    std::array<Index, 4> corners = face;
    for (Index& v : corners) v += first;
    mesh.add_face(corners);
  }
  end_part(mesh);
}

TEST(Garment, OnACoarseBodyTheRimOfClothMatchesAlthoughItsNormalsAreOfOneSide) {
  const Wardrobe wardrobe(300);
  const Vest vest = vest_at(wardrobe, 0.02);
  const WeightTransfer ours = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  const WeightTransfer closest = transfer_closest_point(wardrobe.reference, wardrobe.target(vest.mesh), {});
  EXPECT_LT(half_l1(ours.weights, vest.truth), half_l1(closest.weights, vest.truth));
}

TEST(GarmentTransfer, OffsetTorsosHaveLowerErrorThanPublishedInpaintingAtAllDistances) {
  const Wardrobe wardrobe;
  for (const double offset : {0.005, 0.02, 0.05}) {
    const Vest vest = vest_at(wardrobe, offset);
    const WeightTransfer ours = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
    const WeightTransfer published = transfer_inpaint(wardrobe.reference, wardrobe.target(vest.mesh), {});
    const WeightTransfer closest = transfer_closest_point(wardrobe.reference, wardrobe.target(vest.mesh), {});
    EXPECT_LT(half_l1(ours.weights, vest.truth), half_l1(published.weights, vest.truth)) << offset;
    EXPECT_LT(half_l1(ours.weights, vest.truth), half_l1(closest.weights, vest.truth)) << offset;
    EXPECT_LT(half_l1(ours.weights, vest.truth), offset == 0.05 ? 0.12 : 0.03) << offset;
    expect_rows_sum_to_one(ours.weights);
  }
}

TEST(GarmentTransfer, OnACoarseBodyToo) {
  const Wardrobe wardrobe(1000);
  for (const double offset : {0.005, 0.02, 0.05}) {
    const Vest vest = vest_at(wardrobe, offset);
    ASSERT_LT(vest.mesh.vertex_count(), 500U);
    const WeightTransfer ours = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
    const WeightTransfer published = transfer_inpaint(wardrobe.reference, wardrobe.target(vest.mesh), {});
    EXPECT_LT(half_l1(ours.weights, vest.truth), half_l1(published.weights, vest.truth)) << offset;
  }
}

TEST(GarmentTransfer, AButtonFarAwayHardlyChangesTheRestAndIsListed) {
  const Wardrobe wardrobe(1500);
  Vest vest = vest_at(wardrobe, 0.01);
  const WeightTransfer alone = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  const Index count = vest.mesh.vertex_count();
  add_button(vest.mesh, wardrobe.body.rig.mesh.bounds().center() + Vec3(0, 0, 3), 0.01);
  const WeightTransfer both = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  // Spreading counts lengths in sizes of the mesh, which the button changes.
  SkinWeights rest;
  for (Index v = 0; v < count; ++v) rest.add_row(both.weights.row(v));
  EXPECT_LT(half_l1(rest, alone.weights), 0.002);
  expect_rows_sum_to_one(both.weights);
  EXPECT_EQ(both.levels[static_cast<std::size_t>(Level::kCopied)], 8U);
  EXPECT_TRUE(std::any_of(both.regions.begin(), both.regions.end(),
                          [](const UnmatchedRegion& region) { return region.vertices == 8; }));
}

TEST(GarmentTransfer, SmallPiecesHaveOneRow) {
  const Wardrobe wardrobe(1500);
  Vest vest = vest_at(wardrobe, 0.01);
  const Index first = vest.mesh.vertex_count();
  Vec3 front = vest.mesh.positions.front();
  for (const Vec3& p : vest.mesh.positions)
    if (p.z() > front.z()) front = p;
  add_button(vest.mesh, front, 0.015);
  const WeightTransfer made = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  EXPECT_EQ(made.metrics["rigid_pieces"], 1);
  for (Index v = first; v < vest.mesh.vertex_count(); ++v) {
    const auto a = made.weights.row(first), b = made.weights.row(v);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
  }
}

TEST(RigidPieces, AShellThatBendsIsNotOne) {
  // Two strips of equal size, of which one is a finger: its rows go from one joint to another.
  Mesh mesh;
  SkinWeights rows;
  for (const double x : {0.0, 1.0, 5.0}) {
    const Index first = mesh.vertex_count();
    const double length = x == 5 ? 2 : 0.05;
    for (int i = 0; i < 8; ++i) {
      mesh.positions.emplace_back(x, length * (i / 2) / 3, (i % 2) * 0.01);
      const auto along = static_cast<float>(i / 2) / 3;
      if (x == 0) rows.add_row({{0, 0.6F}, {1, 0.4F}});
      else if (x == 1 && along > 0 && along < 1) rows.add_row({{0, 1 - along}, {1, along}});
      else rows.add_row({{along > 0.5F ? 1U : 0U, 1.0F}});
    }
    for (Index i = first; i + 3 < first + 8; i += 2) mesh.add_face(std::array<Index, 4>{i, i + 1, i + 3, i + 2});
    end_part(mesh);
  }
  Index count = 0;
  const SkinWeights made = rigid_pieces(rows, mesh, geometry::weld(mesh), 1.0, count);
  EXPECT_EQ(count, 1U);
  for (Index v = 0; v < 8; ++v) EXPECT_EQ(made.row(v).size(), 2U);
  for (Index v = 8; v < 16; ++v)
    EXPECT_TRUE(std::equal(made.row(v).begin(), made.row(v).end(), rows.row(v).begin(), rows.row(v).end())) << v;
}

TEST(GarmentTransfer, SeamsOfSeparatePartsHaveEqualRows) {
  const Wardrobe wardrobe(1500);
  Vest vest;
  cut_vest(wardrobe, 0.02, 0.42, 0.65, vest);
  const Index lower = vest.mesh.vertex_count();
  // Overlaps the lower part by a strip, so that positions are shared.
  cut_vest(wardrobe, 0.02, 0.55, 0.86, vest);
  const WeightTransfer made = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  Index shared = 0;
  for (Index v = 0; v < lower; ++v)
    for (Index u = lower; u < vest.mesh.vertex_count(); ++u) {
      if (vest.mesh.positions[u] != vest.mesh.positions[v]) continue;
      const auto a = made.weights.row(v), b = made.weights.row(u);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v << " " << u;
      ++shared;
    }
  EXPECT_GT(shared, 10U);
}

TEST(GarmentTransfer, CopiesThatDifferByRoundingHaveEqualRows) {
  const Wardrobe wardrobe(1500);
  const Vest vest = vest_at(wardrobe, 0.05);
  Mesh split;  // Every face has its own corners.
  for (Index f = 0; f < vest.mesh.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : vest.mesh.face(f)) {
      corners.push_back(split.vertex_count());
      split.positions.push_back(vest.mesh.positions[v] + 1e-9 * static_cast<double>(f % 7) * Vec3::UnitY());
    }
    split.add_face(corners);
  }
  end_part(split);
  const WeightTransfer made = transfer_garment(wardrobe.reference, wardrobe.target(split), {});
  std::map<Index, Index> first;
  Index corner = 0;
  for (Index f = 0; f < vest.mesh.face_count(); ++f)
    for (const Index v : vest.mesh.face(f)) {
      const auto a = made.weights.row(first.try_emplace(v, corner).first->second), b = made.weights.row(corner++);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
    }
}

TEST(GarmentTransfer, ClothFacingInwardsAndAnInnerLayerGetTheRowsOfTheOuterSide) {
  const Wardrobe wardrobe(1500);
  Vest vest = vest_at(wardrobe, 0.01);
  const WeightTransfer outward = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  Mesh inward = vest.mesh;
  for (Index f = 0; f < inward.face_count(); ++f)
    std::reverse(inward.face_vertices.begin() + inward.face_offsets[f],
                 inward.face_vertices.begin() + inward.face_offsets[f + 1]);
  const WeightTransfer turned = transfer_garment(wardrobe.reference, wardrobe.target(inward), {});
  EXPECT_GT(turned.metrics["flipped_vertices"].get<Index>(), vest.mesh.vertex_count() / 2);
  EXPECT_LT(half_l1(turned.weights, outward.weights), 0.002);
}

TEST(GarmentTransfer, TheSameBytesForAnyNumberOfThreads) {
  const Wardrobe wardrobe(1500);
  const Vest vest = vest_at(wardrobe, 0.03);
  set_thread_count(1);
  const WeightTransfer one = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  set_thread_count(0);
  const WeightTransfer many = transfer_garment(wardrobe.reference, wardrobe.target(vest.mesh), {});
  EXPECT_TRUE(one.weights == many.weights);
  EXPECT_EQ(one.confidence, many.confidence);
}

TEST(UpdateTransfer, RemovedAndAddedVerticesLeaveTheRowsOfOthersToTheBit) {
  const Wardrobe wardrobe(1500);
  Vest vest = vest_at(wardrobe, 0);  // Most of the body is removed, the rest is as it was.
  add_button(vest.mesh, vest.mesh.positions.front(), 0.02);
  TransferOptions options;
  const WeightTransfer made = transfer_update(wardrobe.reference, wardrobe.target(vest.mesh), options);
  for (Index v = 0; v < vest.truth.row_count(); ++v) {
    const auto a = made.weights.row(v), b = vest.truth.row(v);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
  }
  expect_rows_sum_to_one(made.weights);
  options.max_influences = 1;
  const WeightTransfer capped = transfer_update(wardrobe.reference, wardrobe.target(vest.mesh), options);
  EXPECT_EQ(capped.weights.max_influences(), 1U);
}

TEST(DetailTransfer, InterpolatedRowsAreNearerToTheReferenceThanThoseOfNearestPoints) {
  const Wardrobe wardrobe(6000);
  geometry::DecimateOptions coarse;
  coarse.target_triangles = static_cast<Index>(triangulate(wardrobe.body.rig.mesh).size() / 10);
  const Mesh mesh = geometry::decimate(wardrobe.body.rig.mesh, coarse).mesh;
  TransferOptions options;
  options.max_influences = 0;
  const WeightTransfer fitted = transfer_detail(wardrobe.reference, wardrobe.target(mesh), options);
  const WeightTransfer closest = transfer_closest_point(wardrobe.reference, wardrobe.target(mesh), options);
  expect_rows_sum_to_one(fitted.weights);
  // Back from the coarse mesh to the fine one, the rows return by interpolation.
  const auto squared = [&](const SkinWeights& rows) {
    const Reference back{{mesh, wardrobe.body.rig.skeleton, wardrobe.reference.joints}, rows};
    const WeightTransfer again = transfer_closest_point(back, wardrobe.target(wardrobe.body.rig.mesh), options);
    double sum = 0;
    for (Index v = 0; v < again.weights.row_count(); ++v) {
      SkinWeights a, b;
      a.add_row(again.weights.row(v)), b.add_row(wardrobe.reference.weights.row(v));
      const double d = half_l1(a, b);
      sum += d * d;
    }
    return sum;
  };
  EXPECT_LT(squared(fitted.weights), squared(closest.weights));
}

}  // namespace
}  // namespace sinew::transfer
