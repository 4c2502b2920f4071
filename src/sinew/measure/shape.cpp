// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/spatial/segment.h"

namespace sinew::measure {
namespace {

/// Bones shorter than this, relative to the size, have no direction.
constexpr double kShortestBone = 1e-6;

std::vector<Mat4> bound_joints(const Rig& rig) {
  if (rig.skins.empty()) return rest_matrices(rig.skeleton);
  std::vector<Index> vertices(rig.skins.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  const auto main = static_cast<Index>(std::max_element(vertices.begin(), vertices.end()) - vertices.begin());
  std::vector<Mat4> joints = bind_pose_matrices(rig, main);
  std::vector<char> known(joints.size(), 0);
  for (const Index j : rig.skins[main].joints) known[j] = 1;
  for (const Skin& skin : rig.skins)
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      if (known[skin.joints[i]] != 0) continue;
      known[skin.joints[i]] = 1;
      const Mat4 bind = skin.inverse_bind[i].inverse();
      if (bind.allFinite()) joints[skin.joints[i]] = bind;
    }
  return joints;
}

// The joint whose bone a joint belongs to. A helper is part of its parent's: with it and without it the bones are the
// same, so that figures of both can be compared.
Index without_helpers(const Skeleton& skeleton, Index joint) {
  while (skeleton.joints[joint].driver && skeleton.joints[joint].parent != kNone) joint = skeleton.joints[joint].parent;
  return joint;
}

std::vector<char> moving_joints(const Rig& rig) {
  std::vector<char> moves(rig.skeleton.size(), 0);
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    for (const Influence& influence : rig.weights.row(v))
      if (influence.weight > 0) moves[without_helpers(rig.skeleton, influence.joint)] = 1;
  for (const MeshPart& part : rig.mesh.parts)
    if (part.joint != kNone) moves[part.joint] = 1;
  return moves;
}

/// The child that goes on most nearly in the direction of the incoming bone; kNone if none lies elsewhere.
Index straight_child(const Skeleton& skeleton, const std::vector<Index>& children, const Shape& bound, Index joint,
                     Index before, double size) {
  const auto place = [&](Index j) { return Vec3(bound.joints[j].topRightCorner<3, 1>()); };
  Index best = kNone;
  double straightest = -2;
  for (const Index child : children) {
    const Vec3 way = place(child) - place(joint);
    if (way.norm() <= kShortestBone * size || skeleton.joints[child].driver) continue;
    const Vec3 incoming = before == kNone ? Vec3(Vec3::Zero()) : Vec3(place(joint) - place(before));
    const double cosine = incoming.norm() > 0 ? way.normalized().dot(incoming.normalized()) : 0;
    if (cosine > straightest) straightest = cosine, best = child;
  }
  return best;
}

std::vector<Segmentation::Segment> find_bones(const Rig& rig, const Shape& bound, const std::vector<char>& moves,
                                              double size) {
  const auto& joints = rig.skeleton.joints;
  const auto place = [&](Index j) { return Vec3(bound.joints[j].topRightCorner<3, 1>()); };
  std::vector<Segmentation::Segment> bones;
  std::vector<Index> before(joints.size(), kNone);
  std::vector<char> used(joints.size(), 0);
  for (Index j = 0; j < joints.size(); ++j) {
    if (moves[j] == 0) continue;
    Index from = joints[j].parent;
    while (from != kNone && (moves[from] == 0 || (place(from) - place(j)).norm() <= kShortestBone * size))
      from = joints[from].parent;
    before[j] = from;
    if (from != kNone) bones.push_back({from, j}), used[from] = 1;
  }
  const std::vector<std::vector<Index>> children = rig.skeleton.children();
  for (Index j = 0; j < joints.size(); ++j) {
    if (moves[j] == 0 || used[j] != 0) continue;
    const Index child = straight_child(rig.skeleton, children[j], bound, j, before[j], size);
    const Segmentation::Segment end = {j, child};
    if (bone_ends(rig.skeleton, end, bound.joints).length() > kShortestBone * size) bones.push_back(end);
  }
  // A single joint is its own bone.
  if (bones.empty())
    for (Index j = 0; j < joints.size(); ++j)
      if (moves[j] != 0) bones.push_back({j, kNone});
  return bones;
}

Index strongest_joint(const Rig& rig, const SkinWeights& weights, Index vertex, const MeshPart* part) {
  if (vertex < weights.row_count() && !weights.row(vertex).empty()) {
    // Few influences, so that a search in the list is enough.
    std::vector<Influence> sums;
    for (const Influence& influence : weights.row(vertex)) {
      const Index joint = without_helpers(rig.skeleton, influence.joint);
      const auto at = std::find_if(sums.begin(), sums.end(), [&](const Influence& sum) { return sum.joint == joint; });
      if (at == sums.end()) sums.push_back({joint, influence.weight});
      else at->weight += influence.weight;
    }
    return std::max_element(sums.begin(), sums.end(),
                            [](const Influence& a, const Influence& b) {
                              return a.weight < b.weight || (a.weight == b.weight && a.joint > b.joint);
                            })
        ->joint;
  }
  return part != nullptr && rig.weights.empty() ? part->joint : kNone;
}

}  // namespace

Shape bound_shape(const Rig& rig) {
  std::vector<std::vector<double>> morph_weights;
  for (const MeshPart& part : rig.mesh.parts) morph_weights.push_back(part.morph_weights);
  return {deform::morphed_positions(rig.mesh, morph_weights), bound_joints(rig)};
}

BoneEnds bone_ends(const Skeleton& skeleton, const Segmentation::Segment& bone, const std::vector<Mat4>& joints) {
  BoneEnds ends;
  ends.a = joints[bone.joint].topRightCorner<3, 1>();
  ends.b = ends.a;
  if (bone.child != kNone) ends.b = joints[bone.child].topRightCorner<3, 1>();
  else if (const auto& end = skeleton.joints[bone.joint].end_local) ends.b = transform_point(joints[bone.joint], *end);
  return ends;
}

double distance_to_bone(const Vec3& p, const BoneEnds& bone) { return geometry::segment_distance(p, bone.a, bone.b); }

Limbs limbs(const Rig& rig, const Shape& bound) {
  assert(bound.positions.size() == rig.mesh.positions.size() && bound.joints.size() == rig.skeleton.size());
  const std::size_t count = bound.positions.size();
  Limbs result;
  result.owners.owner.assign(count, kNone);
  result.owners.along.assign(count, 0);
  result.radius.assign(count, 0);
  if (rig.skeleton.empty()) return result;
  Box box;
  for (const Vec3& p : bound.positions) box.extend(p);
  auto& bones = result.owners.segments;
  result.moves = moving_joints(rig);
  bones = find_bones(rig, bound, result.moves, box.diagonal());
  if (bones.empty()) return result;
  std::vector<BoneEnds> ends;
  std::vector<std::vector<Index>> from(rig.skeleton.size()), to(rig.skeleton.size());
  std::vector<Index> all;
  for (Index s = 0; s < bones.size(); ++s) {
    ends.push_back(bone_ends(rig.skeleton, bones[s], bound.joints));
    from[bones[s].joint].push_back(s);
    if (bones[s].child != kNone) to[bones[s].child].push_back(s);
    all.push_back(s);
  }
  const SkinWeights weights = rig.weights.normalized();
  std::vector<const MeshPart*> part_of(count, nullptr);
  for (const MeshPart& part : rig.mesh.parts)
    std::fill_n(part_of.begin() + part.first_vertex, part.vertex_count, &part);
  parallel_for(count, [&](std::size_t v) {
    const Index joint = strongest_joint(rig, weights, static_cast<Index>(v), part_of[v]);
    const std::vector<Index>& choice = joint == kNone         ? all
                                       : !from[joint].empty() ? from[joint]
                                       : !to[joint].empty()   ? to[joint]
                                                              : all;
    const Vec3& p = bound.positions[v];
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index s : choice) {
      const double distance = distance_to_bone(p, ends[s]);
      if (distance < nearest) nearest = distance, result.owners.owner[v] = s;
    }
    const BoneEnds& own = ends[result.owners.owner[v]];
    const Vec3 axis = own.b - own.a;
    const double squared = axis.squaredNorm();
    result.owners.along[v] = squared > 0 ? static_cast<float>((p - own.a).dot(axis) / squared) : 0.0F;
    result.radius[v] = nearest;
  });
  return result;
}

}  // namespace sinew::measure
