// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/section.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/measure/shape.h"

namespace sinew::measure {

/// The thinnest cross-section of the skin near one joint.
struct JointSection {
  Index joint = kNone;
  double thinnest = 1;   ///< Smallest area of a cross-section relative to the same one at rest; 0 if turned inside out.
  double area = 0;       ///< Of that section, m².
  double rest_area = 0;  ///< m²
  Vec3 place = Vec3::Zero();  ///< Its centre.
  Index compared = 0;         ///< Number of compared sections.
};

/// Measures cross-sections near every joint that is at the end of a bone and moves vertices: in the adjacent half of
/// that bone, in the adjacent halves of the bones that start at the joint, and at the joint itself. They reveal a
/// collapsed joint, which the volume of a mesh hides.
///
/// A section is determined at rest. A plane cuts the skin across the bone; at the joint it bisects the angle between
/// the two bones, and within one limb radius it tilts from one orientation to the other.
/// `geometry::SectionRule::kNearAxis` selects the curves. The section then moves with the skin. Its area is measured as
/// seen along the posed bone, at the joint along each of the two bones. Thus a perfect mitre joint of two tubes is not
/// thinner than the tubes. Linear blending of two joints with weights w and 1 − w gives 1 − 4w(1−w) sin²(θ/2) for a
/// twist by θ, and cos²(θ/2) for a bend by θ where w is one half. (Cutting the posed skin anew was tried: in a sharp
/// bend the plane also cuts the folds on the inner side, which hides that the joint has collapsed, and a bone that
/// leaves the skin finds another limb.)
///
/// Some planes are ignored: those that the skin does not surround at rest, those whose section is half or twice as
/// large right beside them (the flat end of a limb), and those tilted by more than 75° against the bone at rest.
class JointSections {
 public:
  /// `planes` for each half of a bone. Linear in triangles times planes. \pre the mesh is the rig's, in the bound
  /// shape; `bound` and `limbs` are its own.
  JointSections(const Rig& rig, const geometry::Welding& welding, const Shape& bound, const Limbs& limbs,
                Index planes = 8);

  /// Returns one entry for each joint with sections, sorted by joint. The cost is linear in the triangles that the
  /// planes cut. The result has the same bits for any number of threads.
  std::vector<JointSection> measure(const Shape& posed) const;

 private:
  struct Crossing {  ///< A point of an edge: (1 − at)·a + at·b.
    Index a = 0, b = 0;
    double at = 0;
  };
  struct Piece {  ///< What a plane cuts from a triangle.
    Crossing from, to;
  };
  struct Probe {
    Index joint;
    Index on;         ///< The bone it lies on, along which it is seen.
    Index other;      ///< The bone beyond the joint; kNone if there is none.
    double at;        ///< Along `on`.
    double tilt;      ///< 1 at the joint, 0 from the limb's radius on.
    double area = 0;  ///< At rest.
    std::vector<Piece> pieces = {};
  };
  struct Plane {
    Vec3 point, normal;
    double cosine = 0;
  };
  struct Seen {
    double area = 0;
    Vec3 middle = Vec3::Zero();
  };
  void add_probes(Index joint, const std::vector<Index>& in, const std::vector<Index>& out,
                  const std::vector<BoneEnds>& ends, double radius, Index planes);
  void cut(Probe& probe, const geometry::TriangleSurface& surface, const geometry::SectionCutter& cutter,
           const std::vector<BoneEnds>& ends, double size) const;
  Seen seen(const Probe& probe, const std::vector<Vec3>& positions, const std::vector<BoneEnds>& ends) const;
  std::vector<BoneEnds> all_ends(const Shape& shape) const;
  static Plane plane_of(const Probe& probe, const std::vector<BoneEnds>& ends);
  static std::vector<Piece> pieces_of(const geometry::TriangleSurface& surface, const Plane& plane,
                                      const geometry::Section& section, double size);

  Skeleton skeleton_;
  std::vector<Segmentation::Segment> bones_;
  std::vector<Probe> probes_;
};

}  // namespace sinew::measure
