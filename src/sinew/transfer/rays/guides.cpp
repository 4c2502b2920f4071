// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/guides.h"

#include <limits>

#include "sinew/binding/voxel/voxel.h"
#include "sinew/transfer/rays/guide_weights.h"

namespace sinew::transfer {
namespace {

SkinWeights voxel_guide(const TransferBody& side, const PairedBody& body, const GuideOptions& options,
                        const Progress& progress) {
  binding::VoxelOptions bind;
  bind.resolution = options.resolution;
  const binding::VoxelBinding binding(body.subject(side.mesh), bind, progress, std::numeric_limits<double>::infinity());
  return guide_weights(
      side.mesh, binding.joints(),
      [&](Index vertex) {
        const std::span<const float> row = binding.distances(vertex);
        return std::vector<float>(row.begin(), row.end());
      },
      body.unit);
}

}  // namespace

Guides make_guides(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                   const GuideOptions& options, const Progress& progress) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(&reference, &target, pairs);
  return {voxel_guide(reference, paired_body(reference, pairs, true, ends), options, progress),
          voxel_guide(target, paired_body(target, pairs, false, ends), options, progress)};
}

SkinWeights make_guide(const TransferBody& side, const Correspondence& correspondence, bool of_reference,
                       const GuideOptions& options, const Progress& progress) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(of_reference ? &side : nullptr, of_reference ? nullptr : &side, pairs);
  return voxel_guide(side, paired_body(side, pairs, of_reference, ends), options, progress);
}

Guides GuideCache::make(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                        const GuideOptions& options, const Progress& progress) {
  const std::vector<JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends = known_ends(&reference, &target, pairs);
  Key key;
  key.resolution = options.resolution;
  for (std::size_t p = 0; p < pairs.size(); ++p)
    key.pairs.push_back({pairs[p].reference, pairs[p].parent, ends[p] != 0 ? 1U : 0U});
  auto kept = kept_.find(key);
  if (kept == kept_.end())
    kept = kept_
               .emplace(std::move(key),
                        voxel_guide(reference, paired_body(reference, pairs, true, ends), options, progress))
               .first;
  return {kept->second, voxel_guide(target, paired_body(target, pairs, false, ends), options, progress)};
}

}  // namespace sinew::transfer
