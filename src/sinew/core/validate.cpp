// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Validation of the plain types that need no source file of their own.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "sinew/core/segmentation.h"
#include "sinew/core/template.h"
#include "sinew/core/volume.h"

namespace sinew {

Findings validate(const Segmentation& segmentation, Index vertex_count, Index joint_count) {
  Findings found;
  for (std::size_t s = 0; s < segmentation.segments.size(); ++s) {
    const auto [joint, child] = segmentation.segments[s];
    if (joint >= joint_count || (child != kNone && child >= joint_count))
      found.push_back(
          {"segmentation.joint", fmt::format("segment {}", s), "It refers to a joint that does not exist."});
  }
  if (segmentation.owner.size() != vertex_count || segmentation.along.size() != vertex_count)
    found.push_back(
        {"segmentation.length", "", "It does not have one owner and one position along a segment for each vertex."});
  for (std::size_t v = 0; v < segmentation.owner.size(); ++v)
    if (segmentation.owner[v] >= segmentation.segments.size()) {
      found.push_back({"segmentation.owner", fmt::format("vertex {}", v), "No segment owns it."});
      break;
    }
  return found;
}

Findings validate(const TetMesh& tets) {
  Findings found;
  for (std::size_t t = 0; t < tets.tets.size(); ++t) {
    const auto& [a, b, c, d] = tets.tets[t];
    const std::string where = fmt::format("tetrahedron {}", t);
    if (std::max({a, b, c, d}) >= tets.positions.size()) {
      found.push_back({"tets.index", where, "It refers to a vertex that does not exist."});
      return found;
    }
    const Vec3& o = tets.positions[a];
    if (!((tets.positions[b] - o).cross(tets.positions[c] - o).dot(tets.positions[d] - o) > 0)) {
      found.push_back({"tets.volume", where, "Its volume is not positive."});
      return found;
    }
  }
  return found;
}

Findings validate(const DistanceField& field) {
  Findings found;
  const std::size_t count = std::size_t{field.samples[0]} * field.samples[1] * field.samples[2];
  if (field.values.size() != count || !(field.cell > 0))
    found.push_back({"field.grid", "", fmt::format("There are {} values for {} samples.", field.values.size(), count)});
  for (std::size_t i = 0; i < field.values.size(); ++i)
    if (!std::isfinite(field.values[i])) {
      found.push_back({"field.value", fmt::format("sample {}", i), "Its value is not finite."});
      break;
    }
  return found;
}

namespace {

// Joints of a limb that are there and hang on each other, and fractions that rise from one end to the other.
void check_limb(const Template& skeleton_template, std::size_t number, Findings& found) {
  const auto& joints = skeleton_template.joints;
  const Template::Limb& limb = skeleton_template.limbs[number];
  const std::string where = fmt::format("limb {} '{}'", number, limb.name);
  if (!(std::isfinite(limb.inset) && std::isfinite(limb.beyond) && limb.beyond >= 0))
    found.push_back(
        {"template.limb_reach", where, "Its 'inset' is not finite, or its 'beyond' is negative or not finite."});
  if (limb.tip && !limb.tip->allFinite()) found.push_back({"template.limb_tip", where, "Its tip is not finite."});
  if (limb.joints.empty()) found.push_back({"template.limb_joints", where, "It has no joints."});
  for (const Index j : limb.joints)
    if (j >= joints.size()) {
      found.push_back({"template.limb_joints", where, "It refers to a joint that does not exist."});
      return;
    }
  for (std::size_t i = 1; i < limb.joints.size(); ++i)
    if (joints[limb.joints[i]].parent != limb.joints[i - 1])
      found.push_back({"template.limb_chain", where,
                       fmt::format("'{}' is not the parent of '{}', which follows it.", joints[limb.joints[i - 1]].name,
                                   joints[limb.joints[i]].name)});
  // The first joint lies at 0 and the last at 1, unless they are placed by a fraction of their own.
  const auto by_ratio = [&](Index j) { return joints[j].placement == Template::Placement::kRatio; };
  double last = 0;
  for (std::size_t i = 0; i < limb.joints.size(); ++i) {
    const Template::Joint& joint = joints[limb.joints[i]];
    if (!by_ratio(limb.joints[i])) continue;
    const bool rises = i == 0 || joint.fraction > last;
    const bool room = i + 1 == limb.joints.size() || by_ratio(limb.joints.back()) || joint.fraction < 1;
    if (!rises || !room)
      found.push_back(
          {"template.limb_fraction", where,
           fmt::format("The fraction {} of '{}' is not between those of its neighbours.", joint.fraction, joint.name)});
    last = joint.fraction;
  }
}

}  // namespace

Findings validate(const Template& skeleton_template) {
  Findings found;
  std::set<std::string> names;
  const auto& joints = skeleton_template.joints;
  for (Index j = 0; j < joints.size(); ++j) {
    const std::string where = fmt::format("joint {} '{}'", j, joints[j].name);
    if (joints[j].parent != kNone && joints[j].parent >= j)
      found.push_back({"template.order", where, "Its parent is not listed before it."});
    if (!names.insert(joints[j].name).second) found.push_back({"template.name", where, "Another joint has this name."});
    if (joints[j].partner != kNone && (joints[j].partner >= joints.size() || joints[joints[j].partner].partner != j))
      found.push_back({"template.partner", where, "Its partner does not point back to it."});
    if (!(joints[j].fraction >= 0 && joints[j].fraction <= 1))
      found.push_back({"template.fraction", where, "Its fraction is not between 0 and 1."});
    if (!joints[j].position.allFinite()) found.push_back({"template.position", where, "Its position is not finite."});
  }
  std::set<std::string> limbs;
  for (std::size_t i = 0; i < skeleton_template.limbs.size(); ++i) {
    const std::string& name = skeleton_template.limbs[i].name;
    if (!limbs.insert(name).second)
      found.push_back({"template.limb_name", fmt::format("limb {} '{}'", i, name), "Another limb has this name."});
    check_limb(skeleton_template, i, found);
  }
  return found;
}

}  // namespace sinew
