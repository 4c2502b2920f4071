// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The made arms, whose true weights are known on each other, as sides of a transfer.

#include <cmath>
#include <string>
#include <vector>

#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/guides.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/transfer/straight_guide.h"

namespace sinew::test {

inline Rig arm(const std::string& shape, int vertices = 0) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.shape = shape;
  options.triangles = true;
  return shapes::make("arm", options).made.character.rig;
}

inline transfer::TransferBody side_of(const Rig& rig) { return {rig.mesh, rig.skeleton, rest_matrices(rig.skeleton)}; }
inline transfer::Reference reference_of(const Rig& rig) { return {side_of(rig), rig.weights}; }

/// Upper arm, forearm and hand.
inline transfer::Correspondence arm_pairs(const Rig& reference, const Rig& target,
                                          const Mat3& turn = Mat3::Identity()) {
  return transfer::correspond(reference.skeleton, target.skeleton, {{0, 0}, {1, 1}, {2, 2}}, turn);
}

/// A character moved with its rig: rotated, scaled about the origin, shifted. Joints other than roots hang along.
inline Rig moved_rig(Rig rig, const Quat& rotation, double scale, const Vec3& shift) {
  for (Vec3& p : rig.mesh.positions) p = rotation * (scale * p) + shift;
  rig.mesh.normals = {};
  for (Joint& joint : rig.skeleton.joints) {
    joint.rest.translation *= scale;
    if (joint.end_local) *joint.end_local *= scale;
    if (joint.parent != kNone) continue;
    joint.rest.translation = rotation * joint.rest.translation + shift;
    joint.rest.rotation = rotation * joint.rest.rotation;
  }
  return rig;
}

inline transfer::Guides straight_guides(const transfer::TransferBody& reference, const transfer::TransferBody& target,
                                        const transfer::Correspondence& correspondence) {
  return {straight_guide(reference, correspondence, true), straight_guide(target, correspondence, false)};
}

/// All options of the method `skeleton`.
struct RayTransferOptions : transfer::SkeletonAwareOptions, transfer::TransferOptions {};

inline transfer::WeightTransfer transfer_by_skeleton(const transfer::Reference& reference,
                                                     const transfer::TransferBody& target,
                                                     const transfer::Correspondence& correspondence,
                                                     const transfer::Guides& guides,
                                                     const RayTransferOptions& options) {
  return transfer::transfer_by_skeleton(reference, target, correspondence, guides, options, options);
}

inline RayTransferOptions all_influences() {
  RayTransferOptions options;
  options.max_influences = 0;
  return options;
}

/// The parameters of the paper, all influences kept.
inline RayTransferOptions paper_options() {
  RayTransferOptions options;
  options.max_influences = 0;
  options.rays = 128;
  options.cone_rad = radians(30);
  options.cap_reach = false;
  return options;
}

inline double mean_tv(const SkinWeights& a, const SkinWeights& b) {
  return measure::weight_agreement(a, b).mean_half_l1;
}
inline double worst_tv(const SkinWeights& a, const SkinWeights& b) {
  return measure::weight_agreement(a, b).worst_half_l1;
}

inline std::vector<double> dense_row(std::span<const Influence> row, Index joints) {
  std::vector<double> dense(joints, 0.0);
  for (const Influence& i : row) dense[i.joint] += static_cast<double>(i.weight);
  return dense;
}

/// Root mean square difference along edges.
inline double roughness(const Mesh& mesh, const SkinWeights& weights, Index joints) {
  const geometry::Lists rings = geometry::one_rings(mesh);
  double sum = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const std::vector<double> own = dense_row(weights.row(v), joints);
    for (const Index other : rings[v]) {
      const std::vector<double> its = dense_row(weights.row(other), joints);
      for (Index j = 0; j < joints; ++j) sum += (own[j] - its[j]) * (own[j] - its[j]);
    }
  }
  return std::sqrt(sum / static_cast<double>(rings.items.size()));
}

/// What copy tools do.
inline SkinWeights closest_point_weights(const Rig& reference, const Mesh& target) {
  const geometry::RayScene scene(reference.mesh);
  const auto triangles = geometry::triangle_vertices(reference.mesh);
  SkinWeights weights;
  for (const Vec3& p : target.positions) {
    const geometry::ClosestPoint near = scene.closest_point(p);
    std::vector<double> dense(reference.skeleton.size(), 0.0);
    for (std::size_t k = 0; k < 3; ++k)
      for (const Influence& i : reference.weights.row(triangles[near.triangle][k]))
        dense[i.joint] += near.barycentric[static_cast<Eigen::Index>(k)] * static_cast<double>(i.weight);
    std::vector<Influence> row;
    for (Index j = 0; j < dense.size(); ++j) row.push_back({j, static_cast<float>(dense[j])});
    weights.add_row(row);
  }
  return weights;
}

/// A mesh without some of its faces.
template <class Keep>
Mesh with_faces(const Mesh& mesh, Keep&& keep) {
  Mesh kept = mesh;
  kept.normals = {};
  kept.uvs = {};
  kept.face_offsets = {0};
  kept.face_vertices.clear();
  kept.face_materials.clear();
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (keep(f)) kept.add_face(mesh.face(f));
  if (!kept.parts.empty()) kept.parts.front().face_count = kept.face_count();
  return kept;
}

}  // namespace sinew::test
