// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/joint_pairs.h"

#include <algorithm>
#include <map>
#include <string>

#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {
namespace {

bool is_trunk(const std::string& role) { return role.starts_with("spine") || role.starts_with("chest"); }

std::vector<std::string> roles_of(const Skeleton& skeleton, bool own) {
  const Recognition known = recognize(skeleton);
  std::vector<std::string> roles;
  for (Index j = 0; j < skeleton.size(); ++j)
    roles.push_back(own && !skeleton.joints[j].role.empty() ? skeleton.joints[j].role : role_name(known.roles[j]));
  return roles;
}

// Pairs joints whose key is the same and not empty, the first with the first.
void pair_by(const std::vector<std::string>& old_keys, const std::vector<std::string>& new_keys, JointPairs& pairs) {
  std::map<std::string, Index> free;
  for (Index n = 0; n < new_keys.size(); ++n)
    if (!new_keys[n].empty() && pairs.source[n] == kNone) free.try_emplace(new_keys[n], n);
  for (Index o = 0; o < old_keys.size(); ++o) {
    const auto found = free.find(old_keys[o]);
    if (found == free.end() || pairs.partner[o] != kNone) continue;
    pairs.partner[o] = found->second;
    pairs.source[found->second] = o;
    free.erase(found);
  }
}

void pair_trunks(const std::vector<std::string>& old_roles, const std::vector<std::string>& new_roles,
                 JointPairs& pairs) {
  std::vector<Index> old_trunk, new_trunk;
  for (Index o = 0; o < old_roles.size(); ++o)
    if (is_trunk(old_roles[o])) old_trunk.push_back(o);
  for (Index n = 0; n < new_roles.size(); ++n)
    if (is_trunk(new_roles[n])) new_trunk.push_back(n);
  if (old_trunk.empty()) return;
  for (std::size_t i = 0; i < new_trunk.size(); ++i) {
    // The uppermost takes the motion of the uppermost, whatever their names: arms and head are attached to it.
    const std::size_t k =
        new_trunk.size() == 1 ? old_trunk.size() - 1 : i * (old_trunk.size() - 1) / (new_trunk.size() - 1);
    const Index o = old_trunk[k], n = new_trunk[i];
    const bool taken = std::find(pairs.partner.begin(), pairs.partner.end(), n) != pairs.partner.end();
    pairs.source[n] = o;
    if (!taken && pairs.partner[o] == kNone) pairs.partner[o] = n;
  }
}

}  // namespace

JointPairs pair_joints(const Skeleton& old_skeleton, const Skeleton& new_skeleton) {
  JointPairs pairs{std::vector<Index>(old_skeleton.joints.size(), kNone),
                   std::vector<Index>(new_skeleton.joints.size(), kNone)};
  const auto plain_roles = [](std::vector<std::string> roles) {
    for (std::string& role : roles)
      if (role == "end" || role == "helper" || role == "control" || role == "socket" || role == "root") role.clear();
    return roles;
  };
  const std::vector<std::string> old_roles = plain_roles(roles_of(old_skeleton, false));
  const std::vector<std::string> new_roles = plain_roles(roles_of(new_skeleton, true));
  pair_by(old_roles, new_roles, pairs);
  pair_trunks(old_roles, new_roles, pairs);
  const auto names_of = [](const Skeleton& skeleton) {
    std::vector<std::string> names;
    for (const Joint& joint : skeleton.joints) names.push_back(joint.role == "end" ? "" : joint.name);
    return names;
  };
  pair_by(names_of(old_skeleton), names_of(new_skeleton), pairs);
  return pairs;
}

}  // namespace sinew::motion
