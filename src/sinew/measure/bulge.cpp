// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/bulge.h"

#include <algorithm>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew::measure {
namespace {

double distance_to_nearest(const Vec3& p, const std::vector<Index>& bones, const std::vector<BoneEnds>& ends) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Index s : bones) nearest = std::min(nearest, distance_to_bone(p, ends[s]));
  return nearest;
}

std::vector<BoneEnds> ends_of_all(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& bones,
                                  const Shape& shape) {
  std::vector<BoneEnds> ends;
  for (const Segmentation::Segment& bone : bones) ends.push_back(bone_ends(skeleton, bone, shape.joints));
  return ends;
}

}  // namespace

JointBulges::JointBulges(const Skeleton& skeleton, const Shape& bound, const Limbs& limbs)
    : skeleton_(skeleton), bones_(limbs.owners.segments) {
  std::vector<Group> groups(skeleton.size());
  std::vector<char> reached(skeleton.size(), 0);
  for (Index s = 0; s < bones_.size(); ++s) {
    groups[bones_[s].joint].bones.push_back(s);
    if (bones_[s].child == kNone) continue;
    groups[bones_[s].child].bones.push_back(s);
    reached[bones_[s].child] = limbs.moves[bones_[s].child];
  }
  for (Index v = 0; v < bound.positions.size(); ++v) {
    if (limbs.owners.owner[v] == kNone) continue;
    const Segmentation::Segment& bone = bones_[limbs.owners.owner[v]];
    const Index joint = limbs.owners.along[v] < 0.5F ? bone.joint : bone.child;
    if (joint != kNone) groups[joint].vertices.push_back(v);
  }
  const std::vector<BoneEnds> ends = ends_of_all(skeleton_, bones_, bound);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Group& all = groups[j];
    if (reached[j] == 0 || all.vertices.empty()) continue;
    Group kept{j, all.bones, {}, {}};
    std::vector<double> distances;
    double mean = 0;
    for (const Index v : all.vertices) {
      distances.push_back(distance_to_nearest(bound.positions[v], all.bones, ends));
      mean += distances.back() / static_cast<double>(all.vertices.size());
    }
    for (std::size_t i = 0; i < distances.size(); ++i)
      if (distances[i] > 0 && distances[i] >= mean / 2)
        kept.vertices.push_back(all.vertices[i]), kept.distances.push_back(distances[i]);
    if (!kept.vertices.empty()) groups_.push_back(std::move(kept));
  }
}

std::vector<JointBulge> JointBulges::measure(const Shape& posed) const {
  const std::vector<BoneEnds> ends = ends_of_all(skeleton_, bones_, posed);
  std::vector<JointBulge> result(groups_.size());
  parallel_for(
      groups_.size(),
      [&](std::size_t g) {
        const Group& group = groups_[g];
        JointBulge& joint = result[g];
        joint.joint = group.joint;
        joint.vertices = static_cast<Index>(group.vertices.size());
        for (std::size_t i = 0; i < group.vertices.size(); ++i) {
          const double now = distance_to_nearest(posed.positions[group.vertices[i]], group.bones, ends);
          const double bulge = now / group.distances[i] - 1;
          if (bulge > joint.bulge) joint.bulge = bulge, joint.vertex = group.vertices[i];
        }
      },
      1);
  return result;
}

}  // namespace sinew::measure
