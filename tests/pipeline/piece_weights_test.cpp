// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/piece_weights.h"

#include <gtest/gtest.h>

namespace sinew::pipeline {
namespace {

using rigging::PieceKind;

/// Pieces of one triangle each, in a row along x. All touch the next one.
struct Row {
  Rig rig;
  rigging::PieceSorting pieces;

  Row(const std::vector<PieceKind>& kinds, bool closed = false) {
    rig.skeleton.joints.resize(3);
    const auto count = static_cast<Index>(kinds.size());
    for (Index p = 0; p < count; ++p) {
      const Index first = rig.mesh.vertex_count();
      for (const Vec3& at : {Vec3(p, 0, 0), Vec3(p + 0.9, 0, 0), Vec3(p, 1, 0)}) rig.mesh.positions.push_back(at);
      rig.mesh.add_face(std::vector<Index>{first, first + 1, first + 2});
      pieces.piece_of_face.push_back(p);
      rigging::Piece piece;
      piece.kind = kinds[p];
      piece.closed = closed;
      piece.area_rel = 1.0 / count;
      piece.extents_rel = Vec3(0.5, 0.1, 0.1);
      if (p > 0) piece.contacts.push_back(p - 1);
      if (p + 1 < count) piece.contacts.push_back(p + 1);
      pieces.pieces.push_back(piece);
      rig.weights.add_row({{0, 0.9F}, {1, 0.1F}});
      rig.weights.add_row({{0, 1.0F}});
      rig.weights.add_row({{0, 0.8F}, {2, 0.2F}});
    }
  }

  bool is_rigid(const SkinWeights& weights, Index piece) const {
    const auto row = [&](Index k) {
      return std::vector<Influence>(weights.row(3 * piece + k).begin(), weights.row(3 * piece + k).end());
    };
    return row(0) == row(1) && row(1) == row(2);
  }
};

TEST(WeighPieces, PropsEyesAndArmourMoveAsOneAndSheetsDoNot) {
  const Row row({PieceKind::kBody, PieceKind::kProp, PieceKind::kEye, PieceKind::kArmour, PieceKind::kSheet});
  const PieceWeights weighed = weigh_pieces(row.rig, row.pieces, 4);
  EXPECT_EQ(weighed.rigid_pieces, 3U);
  for (const Index p : {1U, 2U, 3U}) EXPECT_TRUE(row.is_rigid(weighed.weights, p)) << p;
  for (const Index p : {0U, 4U}) EXPECT_FALSE(row.is_rigid(weighed.weights, p)) << p;
  EXPECT_EQ(weighed.weights.row(3)[0], (Influence{0, 1.0F}));
}

TEST(WeighPieces, AClosedPieceThatFollowsNearlyOneJointMovesAsOne) {
  const Row open({PieceKind::kBody, PieceKind::kBody});
  EXPECT_EQ(weigh_pieces(open.rig, open.pieces, 4).weights, open.rig.weights);
  const Row closed({PieceKind::kBody, PieceKind::kBody}, true);
  EXPECT_EQ(weigh_pieces(closed.rig, closed.pieces, 4).rigid_pieces, 2U);
  Row bends({PieceKind::kBody, PieceKind::kBody}, true);
  SkinWeights halves;
  for (Index v = 0; v < 6; ++v) halves.add_row({{v % 3 == 0 ? 0U : 1U, 1.0F}});
  bends.rig.weights = halves;
  EXPECT_EQ(weigh_pieces(bends.rig, bends.pieces, 4).weights, halves);
}

TEST(WeighPieces, AMeshOfOnePieceKeepsItsRows) {
  const Row row({PieceKind::kBody}, true);
  EXPECT_EQ(weigh_pieces(row.rig, row.pieces, 4).weights, row.rig.weights);
}

}  // namespace
}  // namespace sinew::pipeline
