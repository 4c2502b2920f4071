// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/guides.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/voxel/voxel.h"
#include "sinew/binding/voxel/voxel_falloff.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::transfer {
namespace {

constexpr float kLeastGuide = 1e-3F;
constexpr double kShortestGuideBone = 1e-6;  // Of the mesh's size.

// A side with the paired joints alone, numbered as the pairs are.
struct PairedBody {
  Skeleton skeleton;
  std::vector<Mat4> joints;
  double unit = 1;  // Mean length of its bones.

  binding::Subject subject(const Mesh& mesh) const {
    return {mesh, skeleton, joints, std::vector<char>(joints.size(), 1)};
  }
};

Index own_joint(const JointPair& pair, bool of_reference) { return of_reference ? pair.reference : pair.target; }

PairedBody paired_body(const Side& side, const std::vector<JointPair>& pairs, bool of_reference,
                       const std::vector<char>& known_ends) {
  PairedBody body;
  const double size = side.mesh.size();
  double sum = 0;
  int count = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const Index own = own_joint(pairs[p], of_reference);
    Joint joint;
    joint.name = side.skeleton.joints[own].name;
    joint.parent = pairs[p].parent;
    if (known_ends[p] != 0) joint.end_local = side.skeleton.joints[own].end_local;
    body.skeleton.joints.push_back(std::move(joint));
    body.joints.push_back(side.joints[own]);
    if (pairs[p].parent == kNone) continue;
    const double length = (side.position(own) - side.position(own_joint(pairs[pairs[p].parent], of_reference))).norm();
    if (!(length > kShortestGuideBone * size)) continue;
    sum += length;
    ++count;
  }
  body.unit = count > 0 ? sum / count : std::max(size, std::numeric_limits<double>::min());
  return body;
}

// Whose ends are told by the skeleton; where only one side knows, both are found by the body.
std::vector<char> known_ends(const Side* reference, const Side* target, const std::vector<JointPair>& pairs) {
  std::vector<char> known;
  for (const JointPair& pair : pairs)
    known.push_back((reference == nullptr || reference->skeleton.joints[pair.reference].end_local.has_value()) &&
                            (target == nullptr || target->skeleton.joints[pair.target].end_local.has_value())
                        ? 1
                        : 0);
  return known;
}

SkinWeights without_dust(const SkinWeights& rows) {
  SkinWeights kept;
  kept.reserve(rows.row_count(), rows.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < rows.row_count(); ++v) {
    row.assign(rows.row(v).begin(), rows.row(v).end());
    std::erase_if(row, [](const Influence& i) { return i.weight < kLeastGuide; });
    cap_row(row, static_cast<int>(std::max<std::size_t>(1, row.size())));
    kept.add_row(row);
  }
  return kept;
}

// The published falloff of distances (`distances(vertex)`: one per column), smoothed, cut to length and without dust.
SkinWeights weighed(const Mesh& mesh, std::span<const Index> columns,
                    const std::function<std::vector<float>(Index vertex)>& distances, double unit,
                    const GuideOptions& options) {
  const geometry::Welding welding = geometry::weld(mesh);
  const binding::VoxelFalloff falloff{.published = true, .falloff = options.falloff, .size = unit};
  std::vector<std::vector<Influence>> rows(welding.count());
  parallel_for(
      rows.size(),
      [&](std::size_t w) {
        binding::voxel_weights(distances(welding.first[w]), columns, falloff, rows[w]);
        // Smoothing sees all influences.
        cap_row(rows[w], options.smoothing > 0 ? static_cast<int>(columns.size()) : options.max_influences);
      },
      256);
  SkinWeights weights;
  weights.reserve(rows.size(), rows.size() * columns.size());
  for (const std::vector<Influence>& row : rows) weights.add_row(row);
  if (options.smoothing > 0)
    weights = capped_rows(binding::smoothed(weights, geometry::one_rings(mesh, &welding), options.smoothing),
                          options.max_influences);
  return binding::unwelded(without_dust(weights), welding);
}

SkinWeights voxel_guide(const Side& side, const PairedBody& body, const GuideOptions& options,
                        const Progress& progress) {
  binding::VoxelOptions bind;
  bind.resolution = options.resolution;
  const binding::VoxelBinding binding(body.subject(side.mesh), bind, progress, std::numeric_limits<double>::infinity());
  return weighed(
      side.mesh, binding.joints(),
      [&](Index vertex) {
        const std::span<const float> row = binding.distances(vertex);
        return std::vector<float>(row.begin(), row.end());
      },
      body.unit, options);
}

}  // namespace

Guides make_guides(const Side& reference, const Side& target, const Correspondence& correspondence,
                   const GuideOptions& options, const Progress& progress) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(&reference, &target, pairs);
  return {voxel_guide(reference, paired_body(reference, pairs, true, ends), options, progress),
          voxel_guide(target, paired_body(target, pairs, false, ends), options, progress)};
}

SkinWeights make_guide(const Side& side, const Correspondence& correspondence, bool of_reference,
                       const GuideOptions& options, const Progress& progress) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(of_reference ? &side : nullptr, of_reference ? nullptr : &side, pairs);
  return voxel_guide(side, paired_body(side, pairs, of_reference, ends), options, progress);
}

SkinWeights straight_guide(const Side& side, const Correspondence& correspondence, bool of_reference,
                           const GuideOptions& options) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(of_reference ? &side : nullptr, of_reference ? nullptr : &side, pairs);
  const PairedBody body = paired_body(side, pairs, of_reference, ends);
  const binding::BoneTree tree = binding::bone_tree(body.subject(side.mesh));
  std::vector<Index> columns;
  for (const Index joint : tree.joints)
    if (!tree.outgoing[joint].empty()) columns.push_back(joint);
  return weighed(
      side.mesh, columns,
      [&](Index vertex) {
        std::vector<float> row;
        for (const Index joint : columns) {
          double nearest = std::numeric_limits<double>::infinity();
          for (const Index bone : tree.outgoing[joint])
            nearest =
                std::min(nearest, binding::closest_on_bone(tree.bones[bone], side.mesh.positions[vertex]).distance);
          row.push_back(static_cast<float>(nearest));
        }
        return row;
      },
      body.unit, options);
}

}  // namespace sinew::transfer
