// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel_bones.h"

#include <algorithm>
#include <utility>

namespace sinew::binding {
namespace {

using geometry::Segment;
using geometry::SolidVoxels;
using geometry::VoxelClass;

constexpr double kShareOfWay = 0.9;  // Of the way to the skin.
constexpr double kShortest = 2;      // Voxels; a joint nearer to its way out lies outside, or on the skin.

class EndFinder {
 public:
  EndFinder(const Subject& subject, const BoneTree& tree, const SolidVoxels& voxels)
      : subject_(subject), tree_(tree), voxels_(voxels), children_(subject.skeleton.children()) {}

  // The segment for a bone of the tree.
  Segment fitted(const Bone& bone) const {
    if (!end_is_sought(bone)) return {bone.a, bone.b};
    double length = kShareOfWay * way_out(bone.a, bone.direction);
    if (length < kShortest * voxels_.cell) return {bone.a, bone.b};
    const Index parent = tree_.parent[bone.joint];
    if (parent != kNone && tree_.children[parent].size() > 1)
      length = std::min(length, tree_.bones[tree_.incoming[bone.joint]].length);
    return {bone.a, bone.a + length * bone.direction};
  }

 private:
  bool end_is_sought(const Bone& bone) const {
    return bone.is_end() && bone.reach == 0 && tree_.incoming[bone.joint] != kNone &&
           children_[bone.joint].size() != 1 && !subject_.skeleton.joints[bone.joint].end_local.has_value();
  }

  bool solid(const Vec3& p) const {
    const Vec3 q = (p - voxels_.origin) / voxels_.cell;
    std::array<Index, 3> at;
    for (int k = 0; k < 3; ++k) {
      const auto n = static_cast<std::size_t>(k);
      if (!(q[k] >= 0) || !(q[k] < voxels_.counts[n])) return false;
      at[n] = static_cast<Index>(q[k]);
    }
    return voxels_.classes[voxels_.index(at[0], at[1], at[2])] != VoxelClass::kExterior;
  }

  // How far it is from a point to the first exterior voxel.
  double way_out(const Vec3& from, const Vec3& direction) const {
    const double step = 0.5 * voxels_.cell;
    double way = 0;
    while (solid(from + way * direction)) way += step;
    return way;
  }

  const Subject& subject_;
  const BoneTree& tree_;
  const SolidVoxels& voxels_;
  const std::vector<std::vector<Index>> children_;
};

}  // namespace

std::vector<JointBones> joint_bones(const Subject& subject, const BoneTree& tree, const SolidVoxels& voxels) {
  const EndFinder ends(subject, tree, voxels);
  std::vector<JointBones> result;
  for (const Index joint : tree.joints) {
    if (tree.outgoing[joint].empty()) continue;
    JointBones bones{joint, {}};
    for (const Index b : tree.outgoing[joint]) bones.segments.push_back(ends.fitted(tree.bones[b]));
    result.push_back(std::move(bones));
  }
  return result;
}

}  // namespace sinew::binding
