// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_twist.h"

#include <algorithm>

#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/pipeline/segment_rig.h"

namespace sinew::pipeline {
namespace {

// What covers more of a bone than this is the limb itself.
constexpr double kMostOfBone = 1.0 / 3;

// The joint that alone moves a vertex, or kNone.
Index only_joint(std::span<const Influence> row) {
  Index only = kNone;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0)) continue;
    if (only != kNone && only != influence.joint) return kNone;
    only = influence.joint;
  }
  return only;
}

void find_rigid_shells(const Rig& rig, TwistKnowledge& knowledge) {
  const geometry::Welding welding = geometry::weld_positions(rig.mesh, geometry::weld(rig.mesh));
  const geometry::Components shells = geometry::components(rig.mesh, &welding);
  knowledge.shell = shells.of_vertex;
  knowledge.rigid_on.assign(shells.count, kNone);
  std::vector<char> seen(shells.count, 0);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Index shell = shells.of_vertex[v];
    if (shell == kNone) continue;
    const Index only = only_joint(rig.weights.row(v));
    if (seen[shell] == 0) knowledge.rigid_on[shell] = only;
    else if (knowledge.rigid_on[shell] != only) knowledge.rigid_on[shell] = kNone;
    seen[shell] = 1;
  }
}

}  // namespace

TwistKnowledge twist_knowledge(const Rig& rig, Findings& findings, const Progress& progress) {
  TwistKnowledge knowledge;
  knowledge.segmentation = segment_rig(rig, findings, progress);
  knowledge.safe = deform::bind_slbs(rig, knowledge.segmentation, {}, progress);
  knowledge.share = deform::twist_shares(rig, knowledge.segmentation, progress);
  find_rigid_shells(rig, knowledge);
  return knowledge;
}

Index place_rigid_shells(const Rig& rig, const TwistKnowledge& knowledge, const rigging::TwistBone& bone,
                         const std::vector<Mat4>& frames, std::vector<float>& places) {
  const Vec3 start = frames[bone.joint].topRightCorner<3, 1>(),
             link = frames[bone.child].topRightCorner<3, 1>() - start;
  if (link.squaredNorm() == 0) return 0;
  struct Span {
    double least = 1e300, most = -1e300;
  };
  std::vector<Span> spans(knowledge.rigid_on.size());
  const auto rigid = [&](Index v) {
    return knowledge.shell[v] != kNone && knowledge.rigid_on[knowledge.shell[v]] == bone.joint;
  };
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (!rigid(v)) continue;
    Span& span = spans[knowledge.shell[v]];
    const double at = (rig.mesh.positions[v] - start).dot(link) / link.squaredNorm();
    span.least = std::min(span.least, at);
    span.most = std::max(span.most, at);
  }
  Index count = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (!rigid(v)) continue;
    const Span& span = spans[knowledge.shell[v]];
    const bool small = span.most - span.least <= kMostOfBone;
    places[v] =
        small ? static_cast<float>(std::clamp(0.5 * (span.least + span.most), 0.0, 1.0)) : (bone.near ? 1.0F : 0.0F);
    ++count;
  }
  return count;
}

}  // namespace sinew::pipeline
