// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/rigid_parts.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

constexpr double kLeastBoneWeight = 0.3,
                 kFullBoneWeight = 0.7;  ///< Of a joint of bone, between which skin becomes rigid.
constexpr int kFadeRounds = 8;           ///< In which a painted region fades out around its border.
constexpr float kLeastRigidShare = 0.02F;
/// How much the joint's own turn counts in the best rigid motion, for regions that lie in a line or a point.
constexpr double kJointTurn = 1e-6;

float rigid_ramp(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return static_cast<float>(t * t * (3 - 2 * t));
}

}  // namespace

RigidParts::RigidParts(const Rig& rig, const TissueMap& tissues) : total_(rig.mesh.positions.size(), 0.0F) {
  add_joint_parts(rig, tissues.by_joint());
  add_painted_parts(rig, tissues.painted());
  for (const Part& part : parts_)
    for (const Member& member : part.members) total_[member.vertex] += member.share;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  std::vector<Index> number(welding.count(), kNone);
  Index count = 0;
  for (Index v = 0; v < total_.size(); ++v)
    if (total_[v] > 0 && number[welding.welded[v]] == kNone) number[welding.welded[v]] = count++;
  normals_ = TurnedNormals(rig.mesh, welding, number);
}

void RigidParts::add_joint_parts(const Rig& rig, const std::map<Index, Tissue>& by_joint) {
  if (rig.weights.empty()) return;
  const SkinWeights rows = rig.weights.normalized();
  for (const auto& [joint, tissue] : by_joint) {
    if (!(tissue.rigid > 0)) continue;
    Part part;
    part.joint = joint;
    for (Index v = 0; v < rows.row_count(); ++v)
      for (const Influence& influence : rows.row(v)) {
        if (influence.joint != joint) continue;
        const double weight = static_cast<double>(influence.weight);
        const float share = static_cast<float>(tissue.rigid) *
                            rigid_ramp((weight - kLeastBoneWeight) / (kFullBoneWeight - kLeastBoneWeight));
        if (share > kLeastRigidShare) part.members.push_back({v, share});
      }
    if (!part.members.empty()) parts_.push_back(std::move(part));
  }
}

void RigidParts::add_painted_parts(const Rig& rig, std::span<const std::optional<Tissue>> painted) {
  if (painted.empty()) return;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const geometry::Lists rings = geometry::one_rings(rig.mesh, &welding);
  std::vector<float> own(welding.count(), 0.0F);
  for (Index v = 0; v < painted.size(); ++v)
    if (painted[v]) own[welding.welded[v]] = std::max(own[welding.welded[v]], static_cast<float>(painted[v]->rigid));
  geometry::UnionFind sets(welding.count());
  for (Index w = 0; w < welding.count(); ++w)
    for (const Index other : rings[w])
      if (own[w] > 0 && own[other] > 0) sets.join(w, other);
  std::map<Index, std::vector<Index>> regions;
  for (Index w = 0; w < welding.count(); ++w)
    if (own[w] > 0) regions[sets.find(w)].push_back(w);
  std::vector<std::vector<Index>> copies(welding.count());
  for (Index v = 0; v < welding.welded.size(); ++v) copies[welding.welded[v]].push_back(v);
  for (const auto& [first, region] : regions) {
    Part part;
    part.painted = true;
    std::map<Index, float> shares;  // The region, and what is around it.
    std::map<Index, double> weights;
    for (const Index w : region) {
      shares[w] = own[w];
      if (rig.weights.empty()) continue;
      for (const Influence& influence : rig.weights.row(welding.first[w]))
        weights[influence.joint] += static_cast<double>(influence.weight);
    }
    for (const auto& [joint, weight] : weights)
      if (part.joint == kNone || weight > weights[part.joint]) part.joint = joint;
    for (int round = 0; round < kFadeRounds; ++round) {
      std::map<Index, float> next = shares;
      for (const auto& [w, share] : shares)
        for (const Index other : rings[w]) next.try_emplace(other, 0.0F);
      for (auto& [w, share] : next) {
        if (own[w] > 0) continue;
        float sum = 0;
        for (const Index other : rings[w])
          if (const auto known = shares.find(other); known != shares.end()) sum += known->second;
        share = 0.5F * (share + sum / static_cast<float>(std::max<std::size_t>(rings[w].size(), 1)));
      }
      shares = std::move(next);
    }
    for (const auto& [w, share] : shares)
      if (share > kLeastRigidShare)
        for (const Index v : copies[w]) part.members.push_back({v, share});
    parts_.push_back(std::move(part));
  }
}

Mat4 RigidParts::fitted_motion(const Part& part, std::span<const Vec3f> unposed, std::span<const Mat4> motions,
                               double size, std::span<const Vec3f> positions) const {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  double all = 0;
  for (const Member& member : part.members) {
    const double weight = std::pow(static_cast<double>(member.share), 4);  // What fades out has little to say.
    from += weight * unposed[member.vertex].cast<double>(), to += weight * positions[member.vertex].cast<double>();
    all += weight;
  }
  from /= all, to /= all;
  Mat3 sum = Mat3::Zero();
  double spread = 0;
  for (const Member& member : part.members) {
    const double weight = std::pow(static_cast<double>(member.share), 4);
    const Vec3 before = unposed[member.vertex].cast<double>() - from;
    sum += weight * (positions[member.vertex].cast<double>() - to) * before.transpose();
    spread += weight * before.squaredNorm();
  }
  if (part.joint != kNone) {
    const Mat3 linear = motions[part.joint].topLeftCorner<3, 3>();
    if (std::abs(linear.determinant()) > 1e-12) sum += kJointTurn * spread * size * polar(linear).rotation;
  }
  Mat4 motion = Mat4::Identity();
  const bool turns = std::abs(sum.determinant()) > 0;
  motion.topLeftCorner<3, 3>() = size * (turns ? polar(sum).rotation : Mat3(Mat3::Identity()));
  motion.topRightCorner<3, 1>() = to - motion.topLeftCorner<3, 3>() * from;
  return motion;
}

void RigidParts::apply(Scratch& scratch, std::span<const Vec3f> unposed, std::span<const Mat4> motions, double size,
                       std::span<Vec3f> positions, std::span<Vec3f> normals) const {
  if (parts_.empty()) return;
  if (!normals.empty()) normals_.measure(positions, scratch.before);
  scratch.steps.assign(positions.size(), Vec3f::Zero());
  for (const Part& part : parts_) {
    const Mat4 motion = part.painted ? fitted_motion(part, unposed, motions, size, positions) : motions[part.joint];
    for (const Member& member : part.members) {
      const Vec3f there = transform_point(motion, unposed[member.vertex].cast<double>()).cast<float>();
      // Where parts meet, they share what there is.
      const float share = member.share / std::max(1.0F, total_[member.vertex]);
      scratch.steps[member.vertex] += share * (there - positions[member.vertex]);
    }
  }
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] += scratch.steps[v];
  if (normals.empty()) return;
  normals_.measure(positions, scratch.after);
  normals_.turn(scratch.before, scratch.after, normals);
}

}  // namespace sinew::deform
