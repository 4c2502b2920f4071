// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/segment_rig.h"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {
namespace {

// Of the length of a bone: smaller shells are whole.
constexpr double kSmallShell = 0.4;

// Joints with bones, in the order of the skeleton: segments that begin at each.
std::vector<std::vector<Index>> segments_of_joints(const Segmentation& segmentation, Index joints) {
  std::vector<std::vector<Index>> of(joints);
  for (Index s = 0; s < segmentation.segments.size(); ++s) of[segmentation.segments[s].joint].push_back(s);
  return of;
}

// Gives the vertices of small shells one owner and one place along it.
void keep_small_shells(const Rig& rig, const std::vector<Mat4>& frames, Segmentation& segmentation) {
  const geometry::Welding welding = geometry::weld_positions(rig.mesh, geometry::weld(rig.mesh));
  const geometry::Components shells = geometry::components(rig.mesh, &welding);
  if (shells.count < 2) return;
  std::vector<Box> boxes(shells.count);
  std::vector<std::map<Index, std::pair<Index, double>>> votes(shells.count);  // Owner: vertices, sum of places.
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Index shell = shells.of_vertex[v], owner = segmentation.owner[v];
    if (shell == kNone || owner == kNone) continue;
    boxes[shell].extend(rig.mesh.positions[v]);
    auto& [count, sum] = votes[shell][owner];
    ++count, sum += static_cast<double>(segmentation.along[v]);
  }
  std::vector<std::pair<Index, float>> whole(shells.count, {kNone, 0.0F});
  for (Index shell = 0; shell < shells.count; ++shell) {
    Index owner = kNone;
    for (const auto& [candidate, vote] : votes[shell])
      if (owner == kNone || vote.first > votes[shell][owner].first) owner = candidate;
    if (owner == kNone || segmentation.segments[owner].child == kNone) continue;
    const auto& bone = segmentation.segments[owner];
    const double length =
        (frames[bone.child].topRightCorner<3, 1>() - frames[bone.joint].topRightCorner<3, 1>()).norm();
    const auto& [count, sum] = votes[shell][owner];
    if (boxes[shell].diagonal() < kSmallShell * length) whole[shell] = {owner, static_cast<float>(sum / count)};
  }
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Index shell = shells.of_vertex[v];
    if (shell == kNone || whole[shell].first == kNone) continue;
    segmentation.owner[v] = whole[shell].first;
    segmentation.along[v] = whole[shell].second;
  }
}

}  // namespace

Segmentation segment_rig(const Rig& rig, Findings& findings, const Progress& progress,
                         const binding::SegmentationOptions& options) {
  const binding::Subject subject = bind_subject(rig, {}, findings);
  const Skeleton skeleton = with_leaf_ends(rig, subject.joints, subject.bound);
  Segmentation segmentation = binding::segment({rig.mesh, skeleton, subject.joints, subject.bound}, options, progress);
  binding::respect_rigid_shells(segmentation, rig.mesh, rig.weights);
  return segmentation;
}

Segmentation segment_by_weights(const Rig& rig, Findings& findings, const Progress& progress) {
  Segmentation segmentation = segment_rig(rig, findings, progress);
  if (rig.weights.row_count() != rig.mesh.vertex_count()) return segmentation;
  Findings again;
  const std::vector<Mat4> frames = binding_matrices(rig, again);
  const auto place = [&](Index j) { return Vec3(frames[j].topRightCorner<3, 1>()); };
  const std::vector<std::vector<Index>> of_joint = segments_of_joints(segmentation, rig.skeleton.size());
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const auto row = rig.weights.row(v);
    if (row.empty() || of_joint[row.front().joint].empty()) continue;
    const Vec3& p = rig.mesh.positions[v];
    double least = std::numeric_limits<double>::infinity();
    for (const Index s : of_joint[row.front().joint]) {
      const Segmentation::Segment& bone = segmentation.segments[s];
      const Vec3 a = place(bone.joint), b = bone.child == kNone ? a : place(bone.child);
      const double distance = (p - geometry::segment_point(p, a, b)).norm(), squared = (b - a).squaredNorm();
      if (!(distance < least)) continue;
      least = distance;
      segmentation.owner[v] = s;
      segmentation.along[v] = squared > 0 ? static_cast<float>((p - a).dot(b - a) / squared) : 0.0F;
    }
  }
  keep_small_shells(rig, frames, segmentation);
  binding::respect_rigid_shells(segmentation, rig.mesh, rig.weights);
  return segmentation;
}

}  // namespace sinew::pipeline
