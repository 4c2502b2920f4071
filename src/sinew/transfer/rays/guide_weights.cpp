// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/guide_weights.h"

#include <algorithm>
#include <limits>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/voxel/voxel_falloff.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::transfer {
namespace {

constexpr float kLeastGuide = 1e-3F;
constexpr double kShortestGuideBone = 1e-6;  // Of the mesh's size.

Index own_joint(const JointPair& pair, bool of_reference) { return of_reference ? pair.reference : pair.target; }

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

}  // namespace

PairedBody paired_body(const TransferBody& side, const std::vector<JointPair>& pairs, bool of_reference,
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

std::vector<char> known_ends(const TransferBody* reference, const TransferBody* target,
                             const std::vector<JointPair>& pairs) {
  std::vector<char> known;
  for (const JointPair& pair : pairs)
    known.push_back((reference == nullptr || reference->skeleton.joints[pair.reference].end_local.has_value()) &&
                            (target == nullptr || target->skeleton.joints[pair.target].end_local.has_value())
                        ? 1
                        : 0);
  return known;
}

SkinWeights guide_weights(const Mesh& mesh, std::span<const Index> columns,
                          const std::function<std::vector<float>(Index vertex)>& distances, double unit,
                          const GuideFalloff& options) {
  const geometry::Welding welding = geometry::weld(mesh);
  const binding::VoxelFalloff falloff{.published = true, .falloff = options.falloff, .size = unit};
  std::vector<std::vector<Influence>> rows(welding.count());
  parallel_for(
      rows.size(),
      [&](std::size_t w) {
        binding::voxel_weights(distances(welding.first[w]), columns, falloff, rows[w]);
        // Smoothing sees all influences.
        cap_row(rows[w], options.smooth > 0 ? static_cast<int>(columns.size()) : options.max_influences);
      },
      256);
  SkinWeights weights;
  weights.reserve(rows.size(), rows.size() * columns.size());
  for (const std::vector<Influence>& row : rows) weights.add_row(row);
  if (options.smooth > 0)
    weights = capped_rows(binding::smoothed(weights, geometry::one_rings(mesh, &welding), options.smooth),
                          options.max_influences);
  return binding::unwelded(without_dust(weights), welding);
}

}  // namespace sinew::transfer
