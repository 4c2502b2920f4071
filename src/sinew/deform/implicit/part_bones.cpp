// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/part_bones.h"

namespace sinew::deform {

std::vector<PartBones> bones_of_parts(const Partition& partition, const SkinSurface& surface, const Skeleton& skeleton,
                                      std::span<const Mat4> bind) {
  std::vector<PartBones> bones(partition.parts.size());
  const auto place = [&](Index joint) { return Vec3(bind[joint].topRightCorner<3, 1>()); };
  const auto children = skeleton.children();
  for (const Partition::Part& part : partition.parts)
    if (part.parent != kNone)
      bones[part.parent].segments.push_back({place(partition.parts[part.parent].joint), place(part.joint)});
  for (std::size_t p = 0; p < bones.size(); ++p) {
    if (!bones[p].segments.empty()) continue;
    const Index joint = partition.parts[p].joint;
    const Vec3 from = place(joint);
    for (const Index child : children[joint]) bones[p].segments.push_back({from, place(child)});
    if (const auto& end = skeleton.joints[joint].end_local)
      bones[p].segments.push_back({from, transform_point(bind[joint], *end)});
    if (!bones[p].segments.empty()) continue;
    // To the middle of what it moves, mirrored: as far as the skin goes.
    Vec3 middle = Vec3::Zero();
    for (const Index v : partition.parts[p].vertices)
      middle += surface.positions[v] / static_cast<double>(partition.parts[p].vertices.size());
    bones[p].segments.push_back({from, from + 1.6 * (middle - from)});
  }
  return bones;
}

}  // namespace sinew::deform
