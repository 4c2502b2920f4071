// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/quantize.h"

#include <algorithm>
#include <cmath>

namespace sinew::io::gltf {

std::vector<std::uint32_t> share_out(std::span<const float> weights, std::uint32_t total) {
  std::vector<std::uint32_t> shares(weights.size(), 0);
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  if (!(sum > 0)) return shares;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(weights[i]) / sum * total;
    shares[i] = static_cast<std::uint32_t>(std::floor(exact));
    given += shares[i];
    remainders.emplace_back(exact - std::floor(exact), i);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; given < total; ++i, ++given) ++shares[remainders[i % remainders.size()].second];
  // Rounding of the quotients can make the shares one too many in all; the largest can spare it.
  for (; given > total; --given) --*std::max_element(shares.begin(), shares.end());
  return shares;
}

}  // namespace sinew::io::gltf
