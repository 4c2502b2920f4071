// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/symmetric_rows.h"

#include <algorithm>

namespace sinew::binding {
namespace {

struct Share {
  Index joint = kNone;
  double weight = 0;
};

Index image_of(const Skeleton& skeleton, Index joint) {
  const Index mirror = skeleton.joints[joint].mirror;
  return mirror == kNone ? joint : mirror;
}

// The mean of a row and the mirror image of another. Sums of two numbers do not depend on their order, so that the
// other side's row comes out as this one's image, bit by bit.
std::vector<Share> mean_row(const Skeleton& skeleton, std::span<const Influence> own,
                            std::span<const Influence> other) {
  std::vector<Share> shares;
  const auto weight_in = [](std::span<const Influence> row, Index joint) {
    double weight = 0;
    for (const Influence& influence : row)
      if (influence.joint == joint) weight += static_cast<double>(influence.weight);
    return weight;
  };
  const auto add = [&](Index joint) {
    if (std::any_of(shares.begin(), shares.end(), [&](const Share& s) { return s.joint == joint; })) return;
    shares.push_back({joint, 0.5 * (weight_in(own, joint) + weight_in(other, image_of(skeleton, joint)))});
  };
  for (const Influence& influence : own) add(influence.joint);
  for (const Influence& influence : other) add(image_of(skeleton, influence.joint));
  // By weight, then by an order that is the same for a joint and its image.
  std::sort(shares.begin(), shares.end(), [&](const Share& a, const Share& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    const Index pair_a = std::min(a.joint, image_of(skeleton, a.joint));
    const Index pair_b = std::min(b.joint, image_of(skeleton, b.joint));
    return pair_a != pair_b ? pair_a < pair_b : a.joint < b.joint;
  });
  return shares;
}

void cut(const Skeleton& skeleton, std::size_t most, std::vector<Share>& shares) {
  if (shares.size() <= most) return;
  const Share last = shares[most - 1], next = shares[most];
  const bool separated =
      last.weight == next.weight && image_of(skeleton, last.joint) == next.joint && next.joint != last.joint;
  // Which of two images stays would depend on their numbers, and differ from the choice on the other side.
  if (separated && most > 1) shares.resize(most - 1);
  else shares.resize(most);
}

void put_row(const std::vector<Share>& shares, SkinWeights& weights) {
  double sum = 0;
  for (const Share& share : shares) sum += share.weight;
  std::vector<Influence> row;
  for (const Share& share : shares) row.push_back({share.joint, static_cast<float>(share.weight / sum)});
  weights.add_row(row);
}

}  // namespace

SymmetricRows symmetric_rows(const SkinWeights& weights, const Mesh& mesh, const Skeleton& skeleton,
                             const std::vector<Index>& image, Index most) {
  SymmetricRows result;
  result.weights.reserve(weights.row_count(), weights.influence_count());
  for (Index v = 0; v < weights.row_count(); ++v) {
    const Index other = image[v];
    const Index back = other == kNone ? kNone : image[other];
    const bool paired = back != kNone && (back == v || mesh.positions[back] == mesh.positions[v]);
    std::vector<Share> shares;
    if (paired) shares = mean_row(skeleton, weights.row(v), weights.row(other));
    if (shares.empty()) {
      result.weights.add_row(weights.row(v));
      continue;
    }
    cut(skeleton, most, shares);
    put_row(shares, result.weights);
    ++result.mirrored;
  }
  return result;
}

}  // namespace sinew::binding
