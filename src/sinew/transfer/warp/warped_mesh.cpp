// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/warp/warped_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/dual_quat.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/transfer/match/joint_turns.h"
#include "sinew/transfer/match/pair_carriers.h"

namespace sinew::transfer {
namespace {

constexpr std::size_t kFewestVertices = 6;  // Fewer do not show how thick a limb is.
/// Limits of the ratio of thickness, relative to that of the whole bodies.
constexpr double kThinnest = 0.25, kThickest = 4;

using Bones = std::vector<std::vector<PairedBone>>;

// Per pair: distances of the vertices that are nearest to one of its bones.
std::vector<std::vector<double>> distances_from_bones(const Mesh& mesh, const Bones& bones, bool of_reference) {
  std::vector<Index> owner(mesh.positions.size(), kNone);
  std::vector<double> distance(mesh.positions.size(), 0);
  parallel_for(mesh.positions.size(), [&](std::size_t v) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::vector<PairedBone>& of_pair : bones)
      for (const PairedBone& bone : of_pair) {
        const Vec3& a = of_reference ? bone.reference_a : bone.target_a;
        const Vec3& b = of_reference ? bone.reference_b : bone.target_b;
        const Vec3 way = b - a, from = mesh.positions[v] - a;
        const double length2 = way.squaredNorm();
        const double along = length2 > 0 ? std::clamp(from.dot(way) / length2, 0.0, 1.0) : 0.0;
        const double d = (from - along * way).norm();
        if (d < nearest) nearest = d, owner[v] = bone.pair;
      }
    distance[v] = nearest;
  });
  std::vector<std::vector<double>> result(bones.size());
  for (std::size_t v = 0; v < owner.size(); ++v)
    if (owner[v] != kNone) result[owner[v]].push_back(distance[v]);
  return result;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Per pair: how much thicker the target is around its bones.
std::vector<double> thickness_ratios(const Reference& reference, const TransferBody& target, const Bones& bones,
                                     double whole) {
  std::vector<std::vector<double>> of_reference = distances_from_bones(reference.mesh, bones, true);
  std::vector<std::vector<double>> of_target = distances_from_bones(target.mesh, bones, false);
  std::vector<double> ratios(bones.size(), whole);
  for (std::size_t p = 0; p < bones.size(); ++p) {
    if (of_reference[p].size() < kFewestVertices || of_target[p].size() < kFewestVertices) continue;
    const double ours = median(of_reference[p]), theirs = median(of_target[p]);
    if (ours > 0) ratios[p] = std::clamp(theirs / ours, kThinnest * whole, kThickest * whole);
  }
  return ratios;
}

/// How the skin of one joint moves: x to `to` + stretch·(x − `from`), then by a rigid motion.
struct JointWarp {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Mat3 stretch = Mat3::Identity();
  DualQuat motion;
};

std::vector<JointWarp> pair_warps(const Reference& reference, const TransferBody& target,
                                  const Correspondence& correspondence) {
  const Bones bones = paired_bones(reference, target, correspondence);
  const JointTurns turns(reference, target, correspondence, bones);
  const double whole = mean_length_ratio(reference, target, bones);
  const std::vector<double> thickness = thickness_ratios(reference, target, bones, whole);
  const std::vector<JointPair>& pairs = correspondence.pairs;
  std::vector<JointWarp> warps(pairs.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    JointWarp& warp = warps[p];
    warp.from = warp.to = reference.position(pairs[p].reference);
    if (const Index above = pairs[p].parent; above != kNone) {
      const Vec3 way = warp.from - warps[above].from;
      const double length = (target.position(pairs[p].target) - target.position(pairs[above].target)).norm();
      warp.to = warps[above].to + (way.norm() > 0 ? Vec3(way * (length / way.norm())) : Vec3(Vec3::Zero()));
    }
    const std::vector<PairedBone>& own = bones[p];
    warp.stretch = thickness[p] * Mat3::Identity();
    if (own.size() == 1 && own.front().reference_length() > 0) {
      const Vec3 axis = (own.front().reference_b - own.front().reference_a).normalized();
      const double along = own.front().target_length() / own.front().reference_length();
      warp.stretch += (along - thickness[p]) * axis * axis.transpose();
    }
    const Mat3 rotation = turns.of_pair(static_cast<Index>(p)).transpose();
    warp.motion = dual_quat(Quat(rotation), target.position(pairs[p].target) - rotation * warp.to);
  }
  return warps;
}

Vec3 moved(const Vec3& place, std::span<const Influence> row, const std::vector<Index>& pair_of,
           const std::vector<JointWarp>& warps) {
  Vec3 stretched = Vec3::Zero();
  double sum = 0;
  Eigen::Vector4d real = Eigen::Vector4d::Zero(), dual = Eigen::Vector4d::Zero();
  const Eigen::Vector4d pivot = warps[pair_of[row.front().joint]].motion.real.coeffs();
  for (const Influence& influence : row) {
    const JointWarp& warp = warps[pair_of[influence.joint]];
    const auto weight = static_cast<double>(influence.weight);
    stretched += weight * (warp.to + warp.stretch * (place - warp.from));
    const double sign = warp.motion.real.coeffs().dot(pivot) < 0 ? -weight : weight;
    real += sign * warp.motion.real.coeffs();
    dual += sign * warp.motion.dual.coeffs();
    sum += weight;
  }
  stretched /= sum;
  const double length = real.norm();
  if (!(length > 0)) return stretched;
  const Vec4 r = real / length, d = dual / length;
  const Quat turn(r.w(), r.x(), r.y(), r.z());
  const Vec3 shift = 2 * (r.w() * d.head<3>() - d.w() * r.head<3>() + r.head<3>().cross(d.head<3>()));
  return turn * stretched + shift;
}

}  // namespace

Mesh warped_mesh(const Reference& reference, const TransferBody& target, const Correspondence& correspondence) {
  Mesh mesh = reference.mesh;
  mesh.normals = {};
  if (correspondence.pairs.empty()) return mesh;
  const std::vector<JointWarp> warps = pair_warps(reference, target, correspondence);
  const std::vector<Index> pair_of = pair_of_joints(reference.skeleton, correspondence);
  parallel_for(mesh.positions.size(), [&](std::size_t v) {
    const auto row = reference.weights.row(static_cast<Index>(v));
    if (!row.empty()) mesh.positions[v] = moved(mesh.positions[v], row, pair_of, warps);
  });
  return mesh;
}

}  // namespace sinew::transfer
