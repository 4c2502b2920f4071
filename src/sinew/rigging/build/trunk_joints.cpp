// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/trunk_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sinew/rigging/build/role.h"

namespace sinew::rigging {
namespace {

bool is_trunk(const PlannedJoint& joint) {
  const Role role = parse_role(joint.role);
  return role.side == BodySide::kMiddle && (role.is("spine") || role.is("chest"));
}

/// The joints between hips and neck, from the hips upwards; none if they do not form a chain.
std::vector<Index> trunk_of(const SkeletonPlan& plan, Index hips, Index neck) {
  std::vector<Index> trunk;
  Index j = plan.joints[neck].parent;
  for (; j != kNone && j != hips; j = plan.joints[j].parent) {
    if (!is_trunk(plan.joints[j])) return {};
    trunk.push_back(j);
  }
  if (j == kNone) return {};
  std::reverse(trunk.begin(), trunk.end());
  return trunk;
}

/// A point at a share of the length of a line.
Vec3 point_along(const std::vector<Vec3>& line, double share) {
  double length = 0;
  for (std::size_t i = 1; i < line.size(); ++i) length += (line[i] - line[i - 1]).norm();
  double left = share * length;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double bone = (line[i] - line[i - 1]).norm();
    if (left <= bone && bone > 0) return line[i - 1] + left / bone * (line[i] - line[i - 1]);
    left -= bone;
  }
  return line.back();
}

/// Puts new joints before joint `at`, and numbers all others anew.
void insert_before(SkeletonPlan& plan, Index at, const std::vector<PlannedJoint>& added) {
  const auto count = static_cast<Index>(added.size());
  const auto renumber = [&](Index& j) {
    if (j != kNone && j >= at) j += count;
  };
  for (PlannedJoint& joint : plan.joints) {
    renumber(joint.parent);
    renumber(joint.partner);
  }
  plan.joints.insert(plan.joints.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
}

}  // namespace

SkeletonPlan with_trunk_joints(SkeletonPlan plan, int count) {
  const Index hips = plan.find_role("hips"), neck = plan.find_role("neck");
  if (hips == kNone || neck == kNone) return plan;
  const std::vector<Index> trunk = trunk_of(plan, hips, neck);
  if (trunk.size() < 2 || count <= static_cast<int>(trunk.size())) return plan;
  std::vector<Vec3> line = {plan.joints[hips].position};
  for (const Index j : trunk) line.push_back(plan.joints[j].position);
  line.push_back(plan.joints[neck].position);

  const Index chest = trunk.back(), below = trunk[trunk.size() - 2];
  std::vector<PlannedJoint> added;
  for (std::size_t k = trunk.size(); k < static_cast<std::size_t>(count); ++k) {
    PlannedJoint joint = plan.joints[below];
    joint.name = fmt::format("Spine{}", k);
    joint.role = fmt::format("spine_{}", k);
    joint.origin = "derived";
    joint.parent = k == trunk.size() ? below : chest + static_cast<Index>(added.size()) - 1;
    added.push_back(std::move(joint));
  }
  insert_before(plan, chest, added);
  plan.joints[chest + added.size()].parent = chest + static_cast<Index>(added.size()) - 1;
  // `insert_before` has moved only the chest; the joints below it have their numbers.
  std::vector<Index> all(trunk.begin(), trunk.end() - 1);
  for (Index k = 0; k <= added.size(); ++k) all.push_back(chest + k);
  for (std::size_t k = 0; k < all.size(); ++k)
    plan.joints[all[k]].position = point_along(line, static_cast<double>(k + 1) / (count + 1));
  return plan;
}

}  // namespace sinew::rigging
