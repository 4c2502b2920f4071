// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/joint_matching.h"

#include <string_view>
#include <unordered_map>

namespace sinew::motion {

std::vector<Index> partners_by_name(const Skeleton& from, const Skeleton& to) {
  std::unordered_map<std::string_view, std::vector<Index>> candidates;
  for (Index j = 0; j < to.size(); ++j) candidates[to.joints[j].name].push_back(j);
  std::unordered_map<std::string_view, std::size_t> taken;
  std::vector<Index> partners;
  partners.reserve(from.joints.size());
  for (const Joint& joint : from.joints) {
    const auto at = candidates.find(joint.name);
    const std::size_t number = taken[joint.name]++;
    partners.push_back(at != candidates.end() && number < at->second.size() ? at->second[number] : kNone);
  }
  return partners;
}

SkinWeights weights_by_name(const Rig& other, const Skeleton& own) {
  const std::vector<Index> partners = partners_by_name(other.skeleton, own);
  SkinWeights weights;
  weights.reserve(other.weights.row_count(), other.weights.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < other.weights.row_count(); ++v) {
    row.clear();
    for (const Influence& influence : other.weights.row(v)) {
      const Index partner = partners[influence.joint];
      row.push_back({partner != kNone ? partner : own.size() + influence.joint, influence.weight});
    }
    weights.add_row(row);
  }
  return weights;
}

}  // namespace sinew::motion
