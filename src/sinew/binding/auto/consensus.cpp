// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/consensus.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sinew::binding {
namespace {

constexpr std::size_t kMostVotes = 8;
constexpr double kMiddleShare =
    0.4;  // Of the trust, in order of the weights. 0.2 to 0.5 differ by less than 0.003 in half L1.
// Below the first sum of the middles the mean takes part, below the second it does all.
constexpr double kAgreed = 0.5, kTorn = 0.2;

struct Opinion {
  double weight = 0, trust = 0;
};

double vote_weight(std::span<const Influence> row, Index joint) {
  for (const Influence& influence : row)
    if (influence.joint == joint) return static_cast<double>(influence.weight);
  return 0;
}

// The mean of the middle part of the weights, each as wide as its trust, which sums to 1.
double middle_of(std::span<Opinion> opinions) {
  std::sort(opinions.begin(), opinions.end(), [](const Opinion& a, const Opinion& b) { return a.weight < b.weight; });
  double begin = 0, sum = 0;
  for (const Opinion& opinion : opinions) {
    const double end = begin + opinion.trust;
    sum +=
        opinion.weight * std::max(0.0, std::min(end, 0.5 + kMiddleShare / 2) - std::max(begin, 0.5 - kMiddleShare / 2));
    begin = end;
  }
  return sum / kMiddleShare;
}

}  // namespace

WeightRow consensus(std::span<const RowVote> votes) {
  assert(votes.size() <= kMostVotes);
  double trust = 0;
  for (const RowVote& vote : votes) trust += vote.trust;
  if (!(trust > 0)) return {};
  WeightRow row;
  for (const RowVote& vote : votes)
    for (const Influence& influence : vote.row)
      if (vote.trust > 0 &&
          std::none_of(row.begin(), row.end(), [&](const Influence& i) { return i.joint == influence.joint; }))
        row.push_back({influence.joint, 0});
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  std::array<Opinion, kMostVotes> opinions;
  std::vector<double> middles, means;
  double agreed = 0;
  for (const Influence& influence : row) {
    std::size_t count = 0;
    double mean = 0;
    for (const RowVote& vote : votes) {
      if (!(vote.trust > 0)) continue;
      opinions[count] = {vote_weight(vote.row, influence.joint), vote.trust / trust};
      mean += opinions[count].trust * opinions[count].weight;
      ++count;
    }
    means.push_back(mean);
    middles.push_back(middle_of({opinions.data(), count}));
    agreed += middles.back();
  }
  const double torn = std::clamp((kAgreed - agreed) / (kAgreed - kTorn), 0.0, 1.0);
  double sum = 0;
  for (std::size_t k = 0; k < row.size(); ++k) sum += middles[k] = (1 - torn) * middles[k] + torn * means[k];
  for (std::size_t k = 0; k < row.size(); ++k) row[k].weight = static_cast<float>(middles[k] / sum);
  std::erase_if(row, [](const Influence& i) { return !(i.weight > 0); });
  return row;
}

}  // namespace sinew::binding
