// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sinew/core/weights.h"

namespace sinew::binding {

/// The weights of one vertex.
using WeightRow = std::vector<Influence>;

/// A weighted mean of rows. Few joints take part, so that a plain list is quickest.
class RowSum {
 public:
  void add(std::span<const Influence> row, double share) {
    if (!(share > 0)) return;
    for (const Influence& i : row) {
      const auto known = std::find_if(terms_.begin(), terms_.end(), [&](const Term& t) { return t.joint == i.joint; });
      if (known != terms_.end()) known->weight += share * static_cast<double>(i.weight);
      else terms_.push_back({i.joint, share * static_cast<double>(i.weight)});
    }
  }
  bool empty() const { return terms_.empty(); }

  /// Scaled to sum 1, by joint; the sum begins anew.
  WeightRow take() {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.joint < b.joint; });
    double sum = 0;
    for (const Term& t : terms_) sum += t.weight;
    WeightRow row;
    for (const Term& t : terms_)
      if (t.weight > 0) row.push_back({t.joint, static_cast<float>(t.weight / sum)});
    terms_.clear();
    return row;
  }

 private:
  struct Term {
    Index joint;
    double weight;
  };
  std::vector<Term> terms_;
};

/// The joint of the largest weight; of equal ones the lowest. kNone for an empty row.
inline Index strongest_joint(std::span<const Influence> row) {
  Influence best;
  for (const Influence& i : row)
    if (best.joint == kNone || i.weight > best.weight || (i.weight == best.weight && i.joint < best.joint)) best = i;
  return best.joint;
}

}  // namespace sinew::binding
