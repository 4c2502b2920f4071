// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rigging/made_parts.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// A head, a trunk and two arms of boxes and balls, each a shell of its own; the pieces in that order.
Mesh built_of_parts() {
  Mesh mesh = sphere(16, 24, Vec3(0, 1.0, 0), 0.35);
  append(mesh, box(Vec3(0, 0.2, 0), Vec3(0.7, 1.0, 0.4)));
  append(mesh, box(Vec3(0.64, 0.5, 0), Vec3(0.6, 0.2, 0.2)));
  append(mesh, box(Vec3(-0.64, 0.5, 0), Vec3(0.6, 0.2, 0.2)));
  return mesh;
}

PieceKind kind_of_last(const Mesh& mesh) { return sort_pieces(mesh).pieces.back().kind; }

bool keeps_the_parts(const PieceSorting& sorting) {
  return std::all_of(sorting.pieces.begin(), sorting.pieces.begin() + 4,
                     [](const Piece& piece) { return piece.kind == PieceKind::kBody; });
}

TEST(Pieces, OfACharacterBuiltOfPartsAreAllBody) {
  const PieceSorting sorting = sort_pieces(built_of_parts());
  EXPECT_EQ(sorting.pieces.size(), 4U);
  EXPECT_TRUE(sorting.all_body());
  EXPECT_EQ(describe_others(sorting), "");
  EXPECT_TRUE(sort_pieces(sphere()).all_body());
  EXPECT_TRUE(sort_pieces(Mesh{}).all_body());
}

TEST(Pieces, AShieldInOneHandIsAProp) {
  Mesh mesh = built_of_parts();
  append(mesh, box(Vec3(1.0, 0.5, 0.1), Vec3(0.1, 1.0, 0.8)));
  const PieceSorting sorting = sort_pieces(mesh);
  EXPECT_EQ(sorting.pieces.back().kind, PieceKind::kProp);
  EXPECT_TRUE(keeps_the_parts(sorting));
  EXPECT_EQ(body_of(mesh, sorting).face_count(), built_of_parts().face_count());
}

TEST(Pieces, BladesInBothHandsAreProps) {
  Mesh mesh = built_of_parts();
  for (const double side : {1.0, -1.0}) append(mesh, box(Vec3(0.9 * side, 0.5, 0.5), Vec3(0.02, 0.1, 0.9)));
  const PieceSorting sorting = sort_pieces(mesh);
  EXPECT_EQ(sorting.count(PieceKind::kProp), 2U);
  EXPECT_TRUE(keeps_the_parts(sorting));
}

TEST(Pieces, AnArmInAnotherPoseIsNoProp) {
  Mesh mesh = sphere(16, 24, Vec3(0, 1.0, 0), 0.35);
  append(mesh, box(Vec3(0, 0.2, 0), Vec3(0.7, 1.0, 0.4)));
  append(mesh, box(Vec3(0.64, 0.5, 0), Vec3(0.6, 0.2, 0.2)));
  append(mesh, box(Vec3(-0.44, 0.8, 0), Vec3(0.2, 0.6, 0.2)));
  EXPECT_TRUE(sort_pieces(mesh).all_body());
}

TEST(Pieces, ACapeIsASheetAndWingsAreNot) {
  Mesh cape = built_of_parts();
  Mesh sheet;
  for (const double y : {-0.6, 0.7})
    for (const double x : {-0.5, 0.5}) sheet.positions.push_back(Vec3(x, y, -0.25));
  sheet.add_face(std::vector<Index>{0, 1, 3, 2});
  append(cape, sheet);
  EXPECT_EQ(kind_of_last(cape), PieceKind::kSheet);
  Mesh wings = built_of_parts();
  for (const double side : {1.0, -1.0}) append(wings, box(Vec3(0.7 * side, 0.3, -0.22), Vec3(1.0, 0.5, 0.01)));
  EXPECT_TRUE(sort_pieces(wings).all_body());
}

TEST(Pieces, TwoBallsInAHeadAreEyesAndBallsForHandsAreNot) {
  Mesh eyes = built_of_parts();
  for (const double side : {1.0, -1.0}) append(eyes, sphere(10, 14, Vec3(0.13 * side, 1.05, 0.29), 0.08));
  EXPECT_EQ(sort_pieces(eyes).count(PieceKind::kEye), 2U);
  Mesh hands = built_of_parts();
  for (const double side : {1.0, -1.0}) append(hands, sphere(10, 14, Vec3(1.0 * side, 0.5, 0), 0.12));
  EXPECT_TRUE(sort_pieces(hands).all_body());
}

TEST(Pieces, ABuckleIsArmourUnlessItConnectsOthers) {
  Mesh buckle = built_of_parts();
  append(buckle, box(Vec3(0, 0.2, 0.2), Vec3(0.1, 0.1, 0.03)));
  EXPECT_EQ(kind_of_last(buckle), PieceKind::kArmour);
  // Legs that hang on two small balls, which are mostly inside the trunk.
  Mesh hung = built_of_parts();
  for (const double side : {1.0, -1.0}) append(hung, box(Vec3(0.2 * side, -0.7, 0), Vec3(0.2, 0.7, 0.2)));
  for (const double side : {1.0, -1.0}) append(hung, sphere(8, 10, Vec3(0.2 * side, -0.3, 0), 0.07));
  EXPECT_TRUE(sort_pieces(hung).all_body());
}

TEST(Pieces, AreTheSameForAnyNumberOfThreads) {
  Mesh mesh = built_of_parts();
  append(mesh, box(Vec3(1.0, 0.5, 0.1), Vec3(0.1, 1.0, 0.8)));
  const auto numbers = [&](int threads) {
    const Threads scope(threads);
    std::vector<double> all;
    for (const Piece& p : sort_pieces(mesh).pieces)
      for (const double x : {p.hollow, p.covered, p.mirrored, p.extents_rel[2]}) all.push_back(x);
    return all;
  };
  EXPECT_EQ(numbers(1), numbers(4));
}

}  // namespace
}  // namespace sinew::rigging
