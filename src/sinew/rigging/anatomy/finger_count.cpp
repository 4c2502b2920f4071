// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/finger_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sinew::rigging {
namespace {

/// The fingers of one hand, the thumb first, each as its joints from the palm on.
std::vector<std::vector<Index>> fingers_of(const SkeletonPlan& plan, const std::string& side) {
  std::vector<std::vector<Index>> fingers;
  for (const char* const finger : {"thumb", "index", "middle", "ring", "little"}) {
    std::vector<Index> chain;
    for (int number = 1; number <= 3; ++number)
      if (const Index joint = plan.find_role(fmt::format("{}_{}_{}", side, finger, number)); joint != kNone)
        chain.push_back(joint);
    if (!chain.empty()) fingers.push_back(std::move(chain));
  }
  return fingers;
}

}  // namespace

FewerFingers with_finger_count(const SkeletonPlan& plan, Index count) {
  FewerFingers result;
  const auto joints = static_cast<Index>(plan.joints.size());
  // For a joint that is left out, the one that takes its weights; first by the numbers of the plan before.
  std::vector<Index> heir(joints, kNone);
  for (const char* const side : {"left", "right"}) {
    const std::vector<std::vector<Index>> fingers = fingers_of(plan, side);
    if (fingers.size() < count && plan.find_role(fmt::format("{}_hand", side)) != kNone)
      result.findings.push_back(
          {"rig.fewer_fingers", side,
           fmt::format("{} of the {} fingers that the {} hand shall have can be distinguished. Missing ones can be "
                       "placed by hints or added in the studio.",
                       fingers.size(), count, side)});
    for (std::size_t f = count; f < fingers.size(); ++f)
      for (std::size_t k = 0; k < fingers[f].size(); ++k)
        heir[fingers[f][k]] = fingers[count - 1][std::min(k, fingers[count - 1].size() - 1)];
  }
  for (Index j = 0; j < joints; ++j)
    if (const Index parent = plan.joints[j].parent; heir[j] == kNone && parent != kNone) heir[j] = heir[parent];
  std::vector<Index> number(joints, kNone);
  result.plan = plan;
  result.plan.joints.clear();
  for (Index j = 0; j < joints; ++j) {
    if (heir[j] != kNone) continue;
    number[j] = static_cast<Index>(result.plan.joints.size());
    result.plan.joints.push_back(plan.joints[j]);
  }
  for (PlannedJoint& joint : result.plan.joints) {
    if (joint.parent != kNone) joint.parent = number[joint.parent];
    if (joint.partner != kNone) joint.partner = number[joint.partner];
  }
  for (Index j = 0; j < joints; ++j) result.takes.push_back(number[heir[j] == kNone ? j : heir[j]]);
  return result;
}

}  // namespace sinew::rigging
