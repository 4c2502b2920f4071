// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/progress.h"
#include "sinew/core/weights.h"
#include "sinew/geometry/mesh/sanitize.h"

namespace sinew::binding {

/// How a shell moves.
enum class ShellKind {
  kBody,   ///< Has bones of its own inside, or is one of the pieces of a body: bound to bones.
  kLayer,  ///< Lies over a body: moves with the skin under it.
  kRigid,  ///< Small and compact (an eye, a tooth, a button), and not around several bones: one row for all of it.
  kStrip,  ///< Small and long, or hangs on a body by one end (a hair card, a brow, a horn): one row, that of its root.
  kLoose,  ///< Touches nothing: one joint.
};

/// Faces that hang together by welded vertices.
struct Shell {
  ShellKind kind = ShellKind::kBody;
  std::vector<Index> vertices;   ///< Of the clean mesh, rising.
  std::vector<Index> triangles;  ///< Of the clean mesh, rising.
  Box box;
  Vec3 center = Vec3::Zero();   ///< Mean of its vertices.
  Vec3 extents = Vec3::Zero();  ///< Along its principal axes, falling.
  double area = 0;
  bool closed = false;
  bool ball = false;             ///< Closed, and nearly as deep as it is long: it would shrink between two joints.
  Index group = 0;               ///< Of a body: bodies of one group are bound together.
  double held = 0;               ///< Length of the bones within it.
  Index holder = kNone;          ///< The joint that owns at least 0.7 of that length, or what it is around.
  double owned = 0;              ///< Share of that length, if it holds any.
  double gap = 0;                ///< Least distance to the bodies; 0 for a body.
  double cover = 0;              ///< Share of its vertices that lie within `kLayerGap` of a body.
  Index nearest = kNone;         ///< The joint of the bone that is nearest to its centre.
  std::vector<Influence> bones;  ///< Of a shell no longer than a strip: joints of the bones nearest to its vertices.
  bool disputed = false;         ///< Its holder and that joint are not the same, so that neither owns it for certain.
  bool eyeball = false;          ///< Its holder is the joint of an eye.
  bool wraps = false;            ///< Its centre is inside a body: a belt, a bracelet.
  Index part = kNone;            ///< Of the mesh: that of its first vertex.
};

/// A mesh taken apart.
struct Shells {
  static constexpr double kLayerGap = 0.04;    ///< Of `size`: how far from a body cloth may lie to be a layer of it.
  static constexpr double kTouchGap = 0.03;    ///< Of `size`: a shell farther from everything is loose.
  static constexpr double kSmall = 0.09;       ///< Of `size`: the longest side of a small shell.
  static constexpr double kSmallBall = 0.13;   ///< The same for one that is closed and round: eyes of big heads.
  static constexpr double kStripLength = 0.2;  ///< Of `size`: the longest strip that lies on a body and is not cloth.

  geometry::Sanitized clean;  ///< All faces, welded across parts.
  std::vector<Index> of;      ///< Per clean vertex: its shell.
  std::vector<Shell> shells;  ///< By their first clean vertex.
  std::vector<Index>
      follows;             ///< Per joint: the joint that small shells follow instead: the head for a spot of a face.
  double size = 0;         ///< Diagonal of the box around all vertices that faces use.
  Index groups = 1;        ///< Of bodies.
  Index cracks = 0;        ///< Vertices of borders that were joined to others; see `close_cracks`.
  bool shattered = false;  ///< No pieces hold the bones by themselves: all count as one body.

  std::vector<Index> of_kind(ShellKind kind) const;
  Index vertex_count(ShellKind kind) const;  ///< Clean vertices.
};

/// Finds the shells of a mesh and what they are. Vertices of all parts within 1e-5 of the size of each other are one,
/// so that a body that is cut along seams of texture or material is one shell, and a soup of triangles is what it
/// looks like. Cracks between borders are closed as well (`close_cracks`).
///
/// A shell *holds* the places of bones at which its winding number is above 0.4. The first body is the one that holds
/// most; of several that hold at least 0.95 of that, the innermost, by area: what covers it is cloth, unless it
/// encloses all of it: then both are bodies, each in a group of its own, as if the other were not there. Then by
/// falling area every shell is a body too that holds a bone which those before do not, for at least 0.3 of what it
/// holds, or that is closed and large, touches a body and is not covered. Small compact shells are none. If the bodies
/// hold less than half of what the whole mesh holds, the mesh is in pieces, and all of it is body. The holder of a
/// round small shell about the joint of an eye is that joint.
///
/// n log n. The same for any number of threads. \pre the mesh is valid. \throws Cancelled.
Shells find_shells(const Subject& subject, const BoneTree& tree, const Progress& progress = {});

/// The triangles of some shells as a mesh of one part. `vertices` gets the clean vertex of each of its own, rising.
Mesh mesh_of_shells(const Shells& shells, const std::vector<Index>& which, std::vector<Index>& vertices);

}  // namespace sinew::binding
