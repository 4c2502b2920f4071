// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/joint_chains.h"

#include <algorithm>
#include <cmath>

namespace sinew::transfer {
namespace {

/// Joints of rows of other lengths that lie farther apart than this, as a share of the way, are no partners.
constexpr double kFarthest = 0.34;

}  // namespace

JointRow joint_row(std::vector<Index> joints, const std::vector<Vec3>& places, const Vec3& first, const Vec3& last) {
  JointRow row;
  row.joints = std::move(joints);
  double length = 0;
  Vec3 before = first;
  for (const Vec3& place : places) {
    length += (place - before).norm();
    row.share.push_back(length);
    before = place;
  }
  length += (last - before).norm();
  for (double& share : row.share) share = length > 0 ? share / length : 0;
  return row;
}

std::vector<std::pair<Index, Index>> pair_rows(const JointRow& a, const JointRow& b,
                                               const std::function<bool(Index, Index)>& may_pair) {
  const std::size_t n = a.joints.size(), m = b.joints.size();
  std::vector<std::pair<Index, Index>> pairs;
  if (n == m) {
    for (std::size_t i = 0; i < n; ++i)
      if (may_pair(a.joints[i], b.joints[i])) pairs.emplace_back(a.joints[i], b.joints[i]);
    return pairs;
  }
  // Best way to pair the first i of one with the first j of the other: most pairs, then least distance.
  struct Best {
    int pairs = 0;
    double distance = 0;
    char step = 0;  // 'p' a pair, 'a' skips one of the first row, 'b' one of the second.
  };
  const auto better = [](const Best& x, const Best& y) {
    return x.pairs != y.pairs ? x.pairs > y.pairs : x.distance < y.distance - 1e-12;
  };
  std::vector<std::vector<Best>> best(n + 1, std::vector<Best>(m + 1));
  for (std::size_t i = 1; i <= n; ++i) best[i][0].step = 'a';
  for (std::size_t j = 1; j <= m; ++j) best[0][j].step = 'b';
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      Best& here = best[i][j];
      here = best[i - 1][j];
      here.step = 'a';
      if (better(best[i][j - 1], here)) here = best[i][j - 1], here.step = 'b';
      const double apart = std::abs(a.share[i - 1] - b.share[j - 1]);
      if (apart > kFarthest || !may_pair(a.joints[i - 1], b.joints[j - 1])) continue;
      Best paired = best[i - 1][j - 1];
      ++paired.pairs;
      paired.distance += apart;
      paired.step = 'p';
      if (better(paired, here)) here = paired;
    }
  for (std::size_t i = n, j = m; i > 0 || j > 0;) {
    const char step = best[i][j].step;
    if (step == 'p') pairs.emplace_back(a.joints[i - 1], b.joints[j - 1]);
    if (step != 'b') --i;
    if (step != 'a') --j;
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace sinew::transfer
