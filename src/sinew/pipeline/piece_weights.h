// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/rig.h"
#include "sinew/rigging/anatomy/pieces.h"

namespace sinew::pipeline {

struct PieceWeights {
  SkinWeights weights;
  Index rigid_pieces = 0;  ///< Pieces that move as one.
  Index sided_rows = 0;    ///< Rows that lost weights of the limb on the other side.
};

/// Adapts the weights of a bound mesh to its pieces:
/// - Props that touch each other follow one joint, that of the place where they are held.
/// - Eyes and armour follow one row each.
/// - A closed piece, such as a helmet or a segment of a robot's arm, moves as one if one joint already has at
///   least 85 % of its weight, and at least half of the weight of 97 % of its vertices; a small one if these
///   are 60 % and 80 %, so that fingers of a hand still bend.
/// - Pieces that lie on one limb lose the weights of the limb on the other side.
/// Sheets and the rest of the body keep their rows, as do meshes of one piece. `most` limits the influences of a
/// vertex. n log n. \pre the pieces are those of the mesh; most is at least 1.
PieceWeights weigh_pieces(const Rig& rig, const rigging::PieceSorting& pieces, int most);

}  // namespace sinew::pipeline
