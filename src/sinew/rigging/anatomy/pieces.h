// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/rigging/anatomy/mirror_plane.h"

namespace sinew::rigging {

enum class PieceKind : std::uint8_t {
  kBody,    ///< Takes part in the search for joints.
  kSheet,   ///< Encloses no space: a cape, a brim, hair cards.
  kProp,    ///< Has no mirror image on a symmetric body: a weapon, a shield, a bag.
  kEye,     ///< One of two small balls, mostly inside something else.
  kArmour,  ///< Small, and lies on something larger: a plate, a buckle, a spike.
};

const char* piece_kind_name(PieceKind kind);

/// One shell of the mesh: faces that are connected through welded vertices, across parts of the file.
struct Piece {
  PieceKind kind = PieceKind::kBody;
  std::string reason;          ///< Why it is of that kind; empty for a body.
  bool closed = false;         ///< Has no border.
  double area_rel = 0;         ///< Of the whole area.
  Vec3 center = Vec3::Zero();  ///< Mean of its surface.
  Vec3 extents_rel =
      Vec3::Zero();             ///< Along its principal axes, falling, as fractions of the longest side of the mesh.
  Vec3 axis = Vec3::UnitX();    ///< The principal axis of the first extent.
  double hollow = 0;            ///< Share of its surface behind which it encloses space of some thickness.
  double covered = 0;           ///< Share of its surface that lies inside other pieces, or close to larger ones.
  double mirrored = 1;          ///< Share of its surface whose mirror image lies on the mesh.
  double round_miss = 1;        ///< Distance of its surface from a sphere, root of the mean square, in radii.
  double radius_rel = 0;        ///< Of that sphere, as a fraction of the longest side of the mesh.
  std::vector<Index> contacts;  ///< Pieces that it touches, rising.
};

struct PieceSorting {
  std::vector<Index> piece_of_face;  ///< kNone for a face without corners.
  std::vector<Piece> pieces;         ///< In the order of their first faces.
  double longest = 0;                ///< The longest side of the bounding box.
  std::optional<MirrorPlane> plane;  ///< The plane of symmetry that was used; nothing without one.

  Index count(PieceKind kind) const;
  bool all_body() const { return count(PieceKind::kBody) == pieces.size(); }
  Json metrics() const;  ///< Numbers of pieces by kind, and the share of the area that is body.
};

/// Sorts the shells of a mesh by what they are before a skeleton is searched for. Shells are compared by area, never by
/// their number of vertices. In doubt a shell is body:
/// - the largest shell, and shells that connect others to it;
/// - all shells, if the mesh is a soup of small ones, or if less than a third of the area would remain;
/// - an unmirrored shell that has a counterpart of the same shape on the other side: a limb in another pose;
/// - unmirrored shells on both sides of the trunk: limbs that differ;
/// - thin shells in pairs: wings and ears.
///
/// A mesh of one shell, or with one that has 99 % of the area, costs no more than its components and is all body.
/// Otherwise the cost is n log n for a ray scene, a tree of winding numbers and some thousands of queries. The result
/// is the same for any number of threads. \throws Cancelled.
PieceSorting sort_pieces(const Mesh& mesh, const Progress& progress = {});

/// The faces of a mesh that are body and the vertices that they use; without parts and layers.
Mesh body_of(const Mesh& mesh, const PieceSorting& sorting);

/// A sentence that counts the pieces that are not body; empty if all are.
std::string describe_others(const PieceSorting& sorting);

}  // namespace sinew::rigging
