// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/weight_agreement.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace sinew::measure {

WeightAgreement weight_agreement(const SkinWeights& a, const SkinWeights& b) {
  assert(a.row_count() == b.row_count());
  const SkinWeights left = a.normalized();
  const SkinWeights right = b.normalized();
  WeightAgreement result;
  Index same = 0;
  double sum = 0;
  for (Index v = 0; v < left.row_count(); ++v) {
    const auto x = left.row(v);
    const auto y = right.row(v);
    double distance = 0;
    if (x.empty() != y.empty()) {
      distance = 1;
      ++result.empty_rows;
    } else {
      for (const Influence& i : x) {
        const auto twin = std::find_if(y.begin(), y.end(), [&](const Influence& k) { return k.joint == i.joint; });
        distance += std::abs(static_cast<double>(i.weight) - (twin == y.end() ? 0.0 : twin->weight));
      }
      for (const Influence& k : y)
        if (std::none_of(x.begin(), x.end(), [&](const Influence& i) { return i.joint == k.joint; }))
          distance += k.weight;
      distance /= 2;
      if (x.empty() || x.front().joint == y.front().joint) ++same;
    }
    sum += distance;
    result.worst_half_l1 = std::max(result.worst_half_l1, distance);
  }
  if (left.row_count() > 0) {
    result.mean_half_l1 = sum / left.row_count();
    result.same_dominant = static_cast<double>(same) / left.row_count();
  }
  return result;
}

}  // namespace sinew::measure
