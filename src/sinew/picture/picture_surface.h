// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A mesh as a graphics card wants it: one vertex per corner that looks different, triangles, normals of any frame.

#include <span>
#include <utility>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::picture {

class PictureSurface {
 public:
  /// Corners with the same vertex, texture coordinate and normal become one render vertex. A mesh without normals is
  /// smooth, except across edges sharper than 50°. Expected linear in the corners.
  explicit PictureSurface(const Mesh& mesh);

  const std::vector<Index>& sources() const { return sources_; }  ///< Per render vertex: the vertex of the mesh.
  const std::vector<Index>& uvs() const { return uvs_; }  ///< Per render vertex: of `mesh.uvs.values`, or kNone.

  /// Three render vertices per triangle, sorted by `slot_of_face`; the first triangle of each slot goes to `starts`,
  /// with one more entry for the end.
  std::vector<Index> triangles(std::span<const Index> slot_of_face, Index slots, std::vector<Index>& starts) const;

  /// Every edge of a polygon once, as pairs of render vertices.
  std::vector<Index> edges() const;

  /// Normals for vertices at other places. A normal of the file turns with the faces around it: at the mesh's own
  /// positions it is what the file says. Zero where no face tells.
  std::vector<Vec3f> normals(const std::vector<Vec3>& positions) const;

 private:
  std::vector<Vec3> group_normals(const std::vector<Vec3>& positions) const;

  const Mesh& mesh_;
  std::vector<Index> welded_;        ///< Per vertex of the mesh.
  std::vector<Index> corner_;        ///< Per corner: its render vertex.
  std::vector<Index> corner_group_;  ///< Per corner: its smooth group.
  Index group_count_ = 0;
  std::vector<Index> sources_;
  std::vector<Index> uvs_;
  std::vector<Index> file_normals_;  ///< Per render vertex: of `mesh.normals.values`, or kNone.
  std::vector<Index> groups_;        ///< Per render vertex.
};

}  // namespace sinew::picture
