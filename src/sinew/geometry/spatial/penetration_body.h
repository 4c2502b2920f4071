// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/operators/geodesic.h"
#include "sinew/geometry/spatial/bvh.h"

namespace sinew::geometry {

/// A welded surface prepared for questions about what lies inside it: the common ground of `penetration`.
class Body {
 public:
  Body(const Mesh& mesh, bool between_parts);

  /// Winding numbers on both sides of the surface at a vertex, counting closed components alone.
  struct Sides {
    double front = 0;
    double back = 0;
  };
  Sides sides(Index vertex) const;

  /// The nearest triangle that a penetrating vertex could leave the body through; `triangle` is kNone where there is
  /// none.
  struct Exit {
    Index triangle = kNone;
    double distance = 0;
    Vec3 point = Vec3::Zero();
  };
  /// `facing` is −1 for a body that faces inwards.
  Exit exit(Index vertex, double facing) const;

  const TriangleSurface& surface() const { return surface_; }
  const Welding& welding() const { return welding_; }
  const EdgeGraph& graph() const { return graph_; }

 private:
  void find_parts(const Mesh& mesh);
  void find_components();
  void find_closed(const Topology& topology);
  void find_normals();
  bool counts_for(Index triangle, Index vertex) const;
  // The winding number at a point, by a ray along an axis; `left_out` is a triangle that does not count, or kNone.
  double winding_at(const Vec3& p, int axis, Index left_out, Index vertex) const;
  // Whether the way from a vertex to a point of triangle `last` stays in the body.
  bool path_is_inside(Index vertex, const Vec3& q, Index last) const;

  const bool between_parts_;
  Welding welding_;
  TriangleSurface surface_;
  EdgeGraph graph_;
  Bvh tree_;
  std::vector<BoxF> boxes_;
  std::vector<OpenEdge> open_edges_;  // Of closed components.
  std::vector<Index> part_;           // Per vertex.
  std::vector<Index> component_;      // Per vertex: its lowest vertex.
  std::vector<char> closed_;          // Per vertex: its component is closed, or nearly.
  std::vector<Vec3> face_normals_;    // Unit, or zero.
  std::vector<Index> main_triangle_;  // Per vertex: the largest around it; kNone.
};

}  // namespace sinew::geometry
