// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// A shape that can be added to a part: one displacement per vertex of the part, in model space.
struct Morph {
  std::string name;
  std::vector<Vec3f> deltas;
};

/// One mesh node of the character: a range of vertices and a range of faces.
struct MeshPart {
  std::string name;
  Index first_vertex = 0;
  Index vertex_count = 0;
  Index first_face = 0;
  Index face_count = 0;

  /// Index into `Rig::skins`; kNone for a part that is rigidly attached to `joint`.
  Index skin = kNone;
  /// The joint to which a rigid part is attached with weight 1; kNone for a part that no joint moves.
  Index joint = kNone;
  /// Transforms the coordinates of this part in the file to model space; always invertible. For a skinned part it
  /// transforms the space of the bind matrices, as closely to the skeleton's rest pose as one matrix can.
  Mat4 to_model = Mat4::Identity();

  std::vector<Morph> morphs;
  std::vector<double> morph_weights;  ///< Rest weights, one per morph.
};

/// One value per corner of each polygon. Two polygons may share a vertex but not its texture coordinate, so corners
/// have their own indices.
template <class T>
struct CornerLayer {
  std::vector<T> values;
  /// Index into `values` for each entry of `Mesh::face_vertices`; kNone for a corner without a value. If `corners` is
  /// empty, vertex i has the value `values[i]`.
  std::vector<Index> corners;

  bool empty() const { return values.empty(); }
};

/// The surface of the whole character, in model space. Quads stay quads; `triangulate` derives triangles. Vertices have
/// the same indices as in the file if the format has indices.
struct Mesh {
  std::vector<Vec3> positions;
  std::vector<Index> face_offsets = {0};  ///< Face f has the corners face_offsets[f] … face_offsets[f+1]−1.
  std::vector<Index> face_vertices;
  std::vector<Index> face_materials;  ///< Index into `Character::materials` or kNone; empty if there are no materials.
  std::vector<MeshPart> parts;        ///< In order, covering all vertices and faces.
  CornerLayer<Vec3f> normals;         ///< In model space, unit length.
  CornerLayer<Vec2f> uvs;             ///< The first set; v increases downwards, as in glTF.
  std::vector<Vec4f> colors;          ///< Per vertex, linear RGBA; or empty.

  Index vertex_count() const { return static_cast<Index>(positions.size()); }
  Index face_count() const { return static_cast<Index>(face_offsets.size() - 1); }
  std::span<const Index> face(Index f) const {
    return {face_vertices.data() + face_offsets[f], face_offsets[f + 1] - face_offsets[f]};
  }
  void add_face(std::span<const Index> vertices) {
    face_vertices.insert(face_vertices.end(), vertices.begin(), vertices.end());
    face_offsets.push_back(static_cast<Index>(face_vertices.size()));
  }
  Box bounds() const;
  /// Diagonal of the bounding box.
  double size() const { return bounds().diagonal(); }
};

/// Three corners of a polygon.
struct Triangle {
  std::array<Index, 3> vertices;
  std::array<Index, 3> corners;  ///< Positions in `Mesh::face_vertices`.
  Index face;
};

/// Returns the triangles of all polygons, in order. A quad is split along the diagonal that leaves both halves facing
/// the same way (the shorter one if both do). Larger polygons are split by ear clipping, those of more than 512 corners
/// as a fan. Faces of fewer than three corners produce none. The cost is linear in the corners for polygons of bounded
/// size.
std::vector<Triangle> triangulate(const Mesh& mesh);

/// Appends the triangles of one face to `out`.
void triangulate_face(const Mesh& mesh, Index face, std::vector<Triangle>& out);

/// Returns the problems of a mesh: indices out of range, positions that are not finite, parts that do not cover it, and
/// layers and morphs of the wrong length. Empty if the mesh is valid.
Findings validate(const Mesh& mesh);

}  // namespace sinew
