// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/geometry/mesh/triangle_soup.h"

namespace sinew::geometry {

/// Generalised winding numbers of any triangles (open, flipped, overlapping, in pieces) at many points. Triangles far
/// away, as seen from the point, are taken together: a box of them acts as a dipole with its first and second
/// moments about the area's centre. After G. Barill, N. G. Dickson, R. Schmidt, D. I. W. Levin, A. Jacobson, "Fast
/// winding numbers for soups and clouds", 2018. Near triangles count exactly, by their solid angle, in double
/// precision.
///
/// Built in n log n, about log n a query. For a few points on a mesh with few open edges, `winding_numbers` is exact
/// and needs no tree. The tree is ours and not `Bvh`, whose leaves may depend on the number of threads where boxes have
/// equal centres; here every bit is the same.
class FastWinding {
 public:
  /// How many radii of a box a point must be away before the box counts as one. The error of the sum falls with about
  /// the cube of it, the time grows with about the square. See docs/developers/geometry-fields.md for measured errors.
  static constexpr double kDefaultBeta = 2;

  FastWinding() = default;
  /// \throws Error for positions that are not finite or indices out of range.
  explicit FastWinding(const Mesh& mesh);
  /// `signs`, if given, has one value per triangle: negative turns it round, 0 leaves it out.
  explicit FastWinding(const TriangleSoup& soup, std::span<const std::int8_t> signs = {});

  /// 1 inside a body that faces outwards; 0 everywhere when there are no triangles. A point on the surface gets a value
  /// between those of its sides.
  double at(const Vec3& point, double beta = kDefaultBeta) const;

  /// Many at once, on all threads.
  std::vector<double> at(std::span<const Vec3> points, double beta = kDefaultBeta) const;

 private:
  // In preorder: the first child follows its parent.
  struct Node {
    Vec3 center = Vec3::Zero();
    double radius2 = 0;  // Of a ball about the centre that holds all triangles.
    Index skip = 0;      // The node after this one's descendants.
    Index first = 0;     // Of `corners_`, for a leaf.
    Index count = 0;     // Triangles of a leaf, else 0.
  };

  // ∫ n, the trace-free symmetric part of ∫ y⊗n (xx xy xz yy yz zz), and that of ½∫ y⊗y⊗n
  // (xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz), y from the centre.
  struct Moments {
    std::array<double, 3> first = {};
    std::array<double, 6> second = {};
    std::array<double, 10> third = {};
  };
  friend class FastWindingBuilder;

  std::vector<Node> nodes_;
  std::vector<Moments> moments_;
  std::vector<std::array<Vec3, 3>> corners_;  // Of the triangles, in the order of the leaves.
};

}  // namespace sinew::geometry
