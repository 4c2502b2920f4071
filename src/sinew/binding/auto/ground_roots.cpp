// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/ground_roots.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/fast_winding.h"

namespace sinew::binding {
namespace {

constexpr double kInsideRootWinding = 0.4;
constexpr double kLeastGroundGap = 0.02;  // From the joint to the nearest vertex, as a part of the size.
constexpr double kMostBoneInside = 0.5;   // Of the joint's bones.
constexpr int kWindingSamples = 32;

bool is_near_vertices(const Mesh& mesh, const Vec3& p, double distance) {
  return std::any_of(mesh.positions.begin(), mesh.positions.end(),
                     [&](const Vec3& q) { return (q - p).squaredNorm() < distance * distance; });
}

// The number of bound joints from `joint` on downwards.
std::size_t bound_below(const BoneTree& tree, Index joint) {
  std::vector<Index> below = {joint};
  for (std::size_t i = 0; i < below.size(); ++i)
    below.insert(below.end(), tree.children[below[i]].begin(), tree.children[below[i]].end());
  return below.size();
}

}  // namespace

std::vector<Index> ground_roots(const Subject& subject) {
  const BoneTree tree = bone_tree(subject);
  const auto& positions = subject.mesh.positions;
  if (subject.mesh.face_count() == 0 ||
      !std::all_of(positions.begin(), positions.end(), [](const Vec3& p) { return p.allFinite(); }))
    return {};
  std::vector<geometry::TriangleVertices> triangles;
  std::unique_ptr<geometry::FastWinding> winding;
  const double gap = kLeastGroundGap * subject.mesh.size();
  const auto is_inside = [&](const Vec3& p) {
    if (!winding) {
      triangles = geometry::triangle_vertices(subject.mesh);
      winding = std::make_unique<geometry::FastWinding>(geometry::TriangleSoup{subject.mesh.positions, triangles});
    }
    return std::abs(winding->at(p)) > kInsideRootWinding;  // Whichever way faces are turned.
  };
  std::vector<Index> found;
  for (const Index joint : tree.joints) {
    const bool leads_on = std::any_of(tree.outgoing[joint].begin(), tree.outgoing[joint].end(),
                                      [&](Index b) { return !tree.bones[b].is_end(); });
    if (tree.parent[joint] != kNone || !leads_on || is_near_vertices(subject.mesh, subject.position(joint), gap))
      continue;
    if (2 * bound_below(tree, joint) <= tree.joints.size() || is_inside(subject.position(joint))) continue;
    double inside = 0, length = 0;
    for (const Index b : tree.outgoing[joint]) {
      const Bone& bone = tree.bones[b];
      length += bone.length;
      for (int i = 0; i < kWindingSamples; ++i)
        if (is_inside(bone.a + (i + 0.5) / kWindingSamples * (bone.b - bone.a)))
          inside += bone.length / kWindingSamples;
    }
    if (inside < kMostBoneInside * length) found.push_back(joint);
  }
  return found;
}

}  // namespace sinew::binding
