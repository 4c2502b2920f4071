// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The reference for `search()`: tries every match.

#include <optional>

#include "sinew/rigging/embed/penalties.h"
#include "sinew/rigging/embed/search.h"

namespace sinew::rigging {

/// The best match found so far and its penalty.
struct CheapestMatch {
  Match match;
  double penalty = 1;
};

/// Depth first. `match` and `cost` are those of the joints before.
inline void try_all(const PenaltyModel& model, std::size_t joints, Match& match, double cost, CheapestMatch& best) {
  if (match.size() == joints) {
    best.match = match;
    best.penalty = cost;
    return;
  }
  for (const Index v : model.candidates(static_cast<Index>(match.size()))) {
    const std::optional<PenaltyModel::Terms> terms = model.terms(match, v);
    if (!terms) continue;
    double grown = cost;
    for (const double term : *terms) grown += term;
    if (grown >= best.penalty) continue;  // Nothing that follows makes it cheaper.
    match.push_back(v);
    try_all(model, joints, match, grown, best);
    match.pop_back();
  }
}

/// The cheapest match of penalty below 1, or an empty one. \pre few spheres.
inline CheapestMatch exhaustive_search(const SphereGraph& graph, const ReducedTemplate& reduced) {
  CheapestMatch best;
  Match match;
  try_all(PenaltyModel(graph, reduced), reduced.joints.size(), match, 0, best);
  return best;
}

}  // namespace sinew::rigging
