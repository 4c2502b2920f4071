// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/matcher.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew::transfer {
namespace {

constexpr int kMostEdges = 4;
constexpr double kCalibratedLandmarks = 5;
/// Bones shorter than this share of the size count as that long: weights change as fast on a finger as on a thigh,
/// relative to the bone. Without it hands have most of the error (0.064 instead of 0.034 on a made human).
constexpr double kShortBone = 0.1;

/// Candidates for the vertices of one bone, their features side by side; the last is the position along the bone.
struct BonePool {
  std::vector<Index> vertices;
  Eigen::MatrixXf features;
};

/// The position along a bone, as a share of it times a length; shares beyond the ends count as far as a bone's length.
double along_bone(const Vec3& place, const Vec3& a, const Vec3& b, double length) {
  const double length2 = (b - a).squaredNorm();
  return length2 > 0 ? std::clamp((place - a).dot(b - a) / length2, -1.0, 2.0) * length : 0;
}

double bone_scale(const PairedBone& bone, const MatchSettings& settings) {
  return std::sqrt(settings.along) * std::max(bone.reference_length() / settings.size, kShortBone);
}

BonePool make_pool(const Descriptions& reference, const PairedBone& bone, const std::vector<Index>& vertices,
                   double scale) {
  BonePool pool{vertices, {}};
  const Eigen::Index rows = reference.features.rows();
  pool.features.resize(rows + 1, static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    auto column = pool.features.col(static_cast<Eigen::Index>(i));
    column.head(rows) = reference.features.col(vertices[i]);
    column[rows] =
        static_cast<float>(along_bone(reference.positions[vertices[i]], bone.reference_a, bone.reference_b, scale));
  }
  return pool;
}

/// Per pair and bone.
std::vector<std::vector<BonePool>> make_pools(const Descriptions& reference, const Correspondence& correspondence,
                                              const std::vector<std::vector<PairedBone>>& bones,
                                              const std::vector<char>& donor, const MatchSettings& settings) {
  const auto& pairs = correspondence.pairs;
  std::vector<std::vector<BonePool>> pools(pairs.size());
  std::vector<Index> all, chosen;
  for (Index v = 0; v < donor.size(); ++v)
    if (donor[v] != 0) all.push_back(v);
  for (Index p = 0; p < pairs.size(); ++p) {
    chosen.clear();
    for (const Index v : all) {
      const Index r = reference.nearest[v].pair;
      if (r == p || (settings.dilate && (pairs[p].parent == r || pairs[r].parent == p))) chosen.push_back(v);
    }
    for (const PairedBone& bone : bones[p])
      pools[p].push_back(make_pool(reference, bone, chosen.empty() ? all : chosen, bone_scale(bone, settings)));
  }
  return pools;
}

bool within_edges(const geometry::Lists& rings, Index from, Index to) {
  std::vector<Index> seen = {from};
  std::size_t begin = 0;
  for (int step = 0; step <= kMostEdges; ++step) {
    if (std::find(seen.begin(), seen.end(), to) != seen.end()) return true;
    const std::size_t end = seen.size();
    for (; begin < end && step < kMostEdges; ++begin)
      for (const Index next : rings[seen[begin]])
        if (std::find(seen.begin(), seen.end(), next) == seen.end()) seen.push_back(next);
  }
  return false;
}

VertexMatch best_matches(const BonePool& pool, const Eigen::VectorXf& feature, const std::vector<Vec3>& positions,
                         const geometry::Lists& rings, double apart) {
  const Eigen::VectorXf cost2 = (pool.features.colwise() - feature).colwise().squaredNorm();
  std::array<Index, 4> slots = {kNone, kNone, kNone, kNone};
  const auto better = [&](Index a, Index b) {
    if (b == kNone) return true;
    return cost2[a] != cost2[b] ? cost2[a] < cost2[b] : a < b;
  };
  for (Index i = 0; i < pool.vertices.size(); ++i) {
    if (!better(i, slots[3])) continue;
    slots[3] = i;
    for (int k = 3; k > 0 && better(slots[static_cast<std::size_t>(k)], slots[static_cast<std::size_t>(k - 1)]); --k)
      std::swap(slots[static_cast<std::size_t>(k)], slots[static_cast<std::size_t>(k - 1)]);
  }
  VertexMatch match;
  std::size_t count = 0;
  for (const Index slot : slots) {
    if (slot == kNone) break;
    const Index v = pool.vertices[slot];
    if (count > 0 && !within_edges(rings, match.vertex[0], v)) continue;
    match.vertex[count] = v;
    match.cost2[count++] = static_cast<double>(cost2[slot]);
  }
  match.other_cost2 = std::numeric_limits<double>::infinity();
  const double apart2 = apart * apart;
  for (Index i = 0; i < pool.vertices.size(); ++i)
    if (static_cast<double>(cost2[i]) < match.other_cost2 &&
        (positions[pool.vertices[i]] - positions[match.vertex[0]]).squaredNorm() > apart2)
      match.other_cost2 = static_cast<double>(cost2[i]);
  return match;
}

}  // namespace

Eigen::MatrixXf landmark_descriptors(const Eigen::MatrixXd& distances) {
  const double scale = std::sqrt(kCalibratedLandmarks / static_cast<double>(distances.cols()));
  Eigen::MatrixXf features(distances.cols(), distances.rows());
  for (Eigen::Index v = 0; v < distances.rows(); ++v)
    features.col(v) = (distances.row(v).transpose() * (scale / distances.row(v).maxCoeff())).cast<float>();
  return features;
}

std::vector<VertexMatch> match_vertices(const Descriptions& reference, const Descriptions& target,
                                        const Correspondence& correspondence,
                                        const std::vector<std::vector<PairedBone>>& bones,
                                        const std::vector<char>& donor, const geometry::Lists& rings,
                                        const MatchSettings& settings) {
  const auto pools = make_pools(reference, correspondence, bones, donor, settings);
  std::vector<VertexMatch> matches(target.nearest.size());
  parallel_for(
      matches.size(),
      [&](std::size_t v) {
        const NearestBone& at = target.nearest[v];
        const PairedBone& bone = bones[at.pair][at.bone];
        const Eigen::Index rows = target.features.rows();
        Eigen::VectorXf feature(rows + 1);
        feature.head(rows) = target.features.col(static_cast<Eigen::Index>(v));
        feature[rows] = static_cast<float>(
            along_bone(target.positions[v], bone.target_a, bone.target_b, bone_scale(bone, settings)));
        matches[v] = best_matches(pools[at.pair][at.bone], feature, reference.positions, rings, settings.apart);
      },
      64);
  return matches;
}

}  // namespace sinew::transfer
