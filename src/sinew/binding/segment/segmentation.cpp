// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation.h"

#include <algorithm>
#include <cmath>

#include "sinew/binding/segment/segmentation_merge.h"
#include "sinew/binding/segment/segmentation_paper.h"
#include "sinew/binding/segment/segmentation_regions.h"
#include "sinew/binding/segment/segmentation_surface.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld_positions.h"

namespace sinew::binding {
namespace {

// A segmentation by the bones' owners, with where each vertex lies along its bone.
Segmentation segmentation_of(const Mesh& mesh, const BoneTree& tree, std::vector<Index> owner) {
  Segmentation result;
  for (const Bone& bone : tree.bones) result.segments.push_back({bone.joint, bone.child});
  result.owner = std::move(owner);
  result.along.resize(mesh.vertex_count());
  parallel_for(result.along.size(), [&](std::size_t v) {
    result.along[v] = static_cast<float>(closest_on_bone(tree.bones[result.owner[v]], mesh.positions[v]).along);
  });
  return result;
}

// Merges first what joints own, then within each joint's region what its bones own: so a joint's region stays whole
// where a bone of it is cut off by another.
void merge_regions(const SegmentationSurface& surface, const BoneTree& tree, const Misfit& misfit, Labels& labels,
                   Segmentation::Statistics& statistics) {
  const std::vector<Index> before = labels.owner;
  std::vector<Index> joint_of(tree.bones.size()), joint(surface.count());
  for (std::size_t b = 0; b < tree.bones.size(); ++b) joint_of[b] = tree.bones[b].joint;
  parallel_for(joint.size(), [&](std::size_t v) { joint[v] = joint_of[labels.owner[v]]; });
  const Merged by_joint = merge_fragments(surface.rings, surface.positions, surface.shell, labels.weak, joint);
  parallel_blocks(joint.size(), 1024, [&](std::size_t begin, std::size_t end) {
    BestBone best(kMisfitTie * surface.size);
    for (std::size_t v = begin; v < end; ++v) {
      if (joint[v] == joint_of[labels.owner[v]]) continue;
      best.start(surface.positions[v]);
      for (const Index b : tree.outgoing[joint[v]]) {
        const BonePoint at = closest_on_bone(tree.bones[b], surface.positions[v]);
        best.offer(b, tree.bones[b], at.along,
                   misfit(surface.positions[v] - at.point, at.distance, surface.normals[v]));
      }
      labels.owner[v] = best.bone();
    }
  });
  const Merged by_bone =
      merge_fragments(surface.rings, surface.positions, surface.shell, labels.weak, labels.owner, joint_of);
  statistics.fragments = by_bone.fragments + by_joint.merged_fragments;
  statistics.merged_fragments = by_bone.merged_fragments + by_joint.merged_fragments;
  for (std::size_t v = 0; v < before.size(); ++v) statistics.merged_vertices += before[v] != labels.owner[v] ? 1 : 0;
}

// Seeds by hand: a welded vertex per bone, or none at all.
std::vector<Index> seeds_by_hand(const Subject& subject, const BoneTree& tree, const SegmentationSurface& surface,
                                 const SegmentationOptions& options) {
  std::vector<Index> seeds;
  if (options.seeds.empty()) return seeds;
  if (options.mode != SegmentationMode::kPaper)
    throw Error("The option 'seeds' needs the mode 'paper': otherwise regions do not depend on seeds.");
  seeds.assign(tree.bones.size(), kNone);
  for (const auto& [name, vertex] : options.seeds) {
    const Index joint = subject.skeleton.find(name);
    if (joint == kNone)
      throw Error("The option 'seeds' names the joint '" + name + "', which the skeleton does not have.");
    if (!(vertex < subject.mesh.vertex_count()) || vertex != std::floor(vertex))
      throw Error("The option 'seeds' has a vertex for the joint '" + name + "' that the mesh does not have.");
    for (const Index b : tree.outgoing[joint]) seeds[b] = surface.welding.welded[static_cast<std::size_t>(vertex)];
  }
  return seeds;
}

}  // namespace

Segmentation segment(const Subject& subject, const SegmentationOptions& options, const Progress& progress) {
  const BoneTree tree = bone_tree(subject);
  const BoneSet bones(tree);
  const Misfit misfit(options.angle_limit_rad);
  progress.step("segmenting", 0.0);
  const SegmentationSurface surface = segmentation_surface(subject.mesh);
  progress.step("segmenting", 0.3);
  const std::vector<Index> seeds = seeds_by_hand(subject, tree, surface, options);
  Labels labels = options.mode == SegmentationMode::kPaper
                      ? paper_regions(surface, tree, options.angle_limit_rad, seeds, progress)
                      : grow_regions(surface, bones, misfit, progress);
  Segmentation::Statistics statistics;
  statistics.weak = labels.weak_count;
  statistics.spread = labels.spread;
  statistics.seedless = labels.seedless;
  progress.step("segmenting", 0.7);
  if (options.merge) merge_regions(surface, tree, misfit, labels, statistics);
  progress.step("segmenting", 0.9);
  std::vector<Index> owner(subject.mesh.vertex_count());
  parallel_for(owner.size(), [&](std::size_t v) { owner[v] = labels.owner[surface.welding.welded[v]]; });
  Segmentation result = segmentation_of(subject.mesh, tree, std::move(owner));
  result.statistics = statistics;
  return result;
}

Segmentation nearest_bones(const Subject& subject) {
  const BoneTree tree = bone_tree(subject);
  const double tie = kMisfitTie * subject.mesh.size();
  std::vector<Index> owner(subject.mesh.vertex_count());
  parallel_blocks(owner.size(), 1024, [&](std::size_t begin, std::size_t end) {
    BestBone nearest(tie);
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3& p = subject.mesh.positions[v];
      nearest.start(p);
      for (Index b = 0; b < tree.bones.size(); ++b) {
        const BonePoint at = closest_on_bone(tree.bones[b], p);
        nearest.offer(b, tree.bones[b], at.along, at.distance);
      }
      owner[v] = nearest.bone();
    }
  });
  return segmentation_of(subject.mesh, tree, std::move(owner));
}

void respect_rigid_shells(Segmentation& segmentation, const Mesh& mesh, const SkinWeights& weights) {
  if (weights.row_count() != mesh.vertex_count()) return;
  const geometry::Welding welding = geometry::weld_positions(mesh, geometry::weld(mesh));
  const geometry::Components shells = geometry::components(mesh, &welding);
  constexpr Index kSeveral = kNone - 1;
  std::vector<Index> joint(shells.count, kNone);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (shells.of_vertex[v] == kNone) continue;
    Index only = kNone;
    for (const Influence& influence : weights.row(v)) {
      if (!(influence.weight > 0)) continue;
      only = only == kNone || only == influence.joint ? influence.joint : kSeveral;
    }
    Index& shared = joint[shells.of_vertex[v]];
    if (only == kNone) only = kSeveral;  // Nothing moves it: not rigid with anything.
    shared = shared == kNone || shared == only ? only : kSeveral;
  }
  // Segments of joints that have none are added behind the others.
  std::vector<Index> segment_of(shells.count, kNone);
  for (Index s = 0; s < shells.count; ++s) {
    if (joint[s] == kNone || joint[s] == kSeveral) continue;
    const auto found = std::find_if(segmentation.segments.begin(), segmentation.segments.end(),
                                    [&](const Segmentation::Segment& segment) { return segment.joint == joint[s]; });
    segment_of[s] = static_cast<Index>(found - segmentation.segments.begin());
    if (found == segmentation.segments.end()) segmentation.segments.push_back({joint[s], kNone});
  }
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index shell = shells.of_vertex[v];
    if (shell == kNone || segment_of[shell] == kNone) continue;
    segmentation.owner[v] = segment_of[shell];
    segmentation.along[v] = 0;
  }
}

}  // namespace sinew::binding
