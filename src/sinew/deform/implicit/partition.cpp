// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/partition.h"

#include <algorithm>

namespace sinew::deform {
namespace {

constexpr std::size_t kLeastVertices = 12;
constexpr double kLeastThreshold = 0.4;
constexpr double kThresholdStep = 0.1;

/// Vertices of one joint with their weights.
struct Share {
  Index vertex;
  float weight;
};

/// The threshold at which enough vertices remain; below the least one if there are too few.
double fitting_threshold(const std::vector<Share>& shares, double threshold) {
  for (;; threshold -= kThresholdStep) {
    const auto enough = [&](const Share& s) { return static_cast<double>(s.weight) >= threshold; };
    if (std::count_if(shares.begin(), shares.end(), enough) >= static_cast<std::ptrdiff_t>(kLeastVertices))
      return threshold;
    if (threshold <= kLeastThreshold + 1e-9) return 0;
    threshold = std::max(threshold, kLeastThreshold + kThresholdStep);
  }
}

}  // namespace

Partition make_partition(const SkinSurface& surface, const Skeleton& skeleton, double threshold,
                         std::span<const Index> owners) {
  Partition partition;
  std::vector<std::vector<Share>> shares(skeleton.size());
  std::vector<char> moves(skeleton.size(), 0);
  for (Index v = 0; v < surface.size(); ++v) {
    for (const Influence& influence : surface.rows[v]) {
      if (influence.weight > 0.1F) moves[influence.joint] = 1;
      if (owners.empty()) shares[influence.joint].push_back({v, influence.weight});
    }
    if (!owners.empty() && owners[v] != kNone) shares[owners[v]].push_back({v, 1.0F});
  }
  partition.part_of_joint.assign(skeleton.size(), kNone);
  partition.own.assign(skeleton.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index above = skeleton.joints[j].parent;
    partition.part_of_joint[j] = above == kNone ? kNone : partition.part_of_joint[above];
    const double limit = fitting_threshold(shares[j], threshold);
    if (!(limit > 0)) {
      if (moves[j] != 0) partition.merged.push_back(j);
      continue;
    }
    Partition::Part part{j, partition.part_of_joint[j], {}, limit};
    for (const Share& share : shares[j])
      if (static_cast<double>(share.weight) >= limit) part.vertices.push_back(share.vertex);
    partition.part_of_joint[j] = static_cast<Index>(partition.parts.size());
    partition.own[j] = 1;
    partition.parts.push_back(std::move(part));
  }
  return partition;
}

}  // namespace sinew::deform
