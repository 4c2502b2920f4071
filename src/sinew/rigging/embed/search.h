// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/rigging/embed/penalties.h"

namespace sinew::rigging {

/// A joint that must lie near a point.
struct Hint {
  Index joint = kNone;        ///< Reduced.
  Vec3 point = Vec3::Zero();  ///< In the graph's frame.
};

struct SearchOptions {
  PenaltyWeights weights;
  int fat_candidates = 50;
  double hint_reach = 0.05;
  /// Of the queue; beyond it the search keeps a beam and is not proven optimal.
  std::size_t most_entries = 100000;
  /// Partial matches per joint that it goes on with then. Of 96 searches (four templates, eight orientations, made
  /// bird, human, quadruped) 18 came to the beam, none of them the right reading; 5000 found the same as 1000 in 17 and
  /// better in one (0.458, not 0.510), in twice the time.
  std::size_t beam = 1000;
  /// Matches that cost so much are not looked for: give the best known to search less. Above 1 it is 1.
  double worst = 1;
  bool runner_up = true;
};

/// The cheapest way to put a reduced template on a sphere graph.
struct SearchResult {
  Match match;  ///< A sphere per reduced joint; empty if nothing fits.
  double penalty = 0;
  std::vector<std::array<double, kPenalties>> terms;  ///< Per reduced joint; they sum to the penalty.
  /// The cheapest match that differs from the best in meaning: some leaf lies in another extremity, that is, farther
  /// from every sphere of the outer half of the way to its place than that sphere's and its own radius together reach,
  /// or 0.1, whichever is more. (A hand that slides along its arm or a hip that slides along the trunk means the same.)
  /// Empty if none was found within the search.
  Match runner_up;
  double runner_up_penalty = 0;
  bool proven = true;       ///< False after the beam.
  std::size_t entries = 0;  ///< Put into the queue in search of the best.
  Index died_at = kNone;    ///< Nothing fits: the reduced joint at which the longest branch ended.
};

/// Best-first search over partial matches in the order of the joints. A partial match's priority is its penalty so far
/// plus, for every open joint (matched parent, not matched itself), the least it and all that hangs on it can cost: of
/// the joint's own terms against what is matched already, and of the terms below it that depend on a joint's and its
/// parent's sphere alone. All terms are at least 0 and grow with the match, so that this is a lower bound and the first
/// whole match is the cheapest. (It is tighter than the method's own bound, which leaves out what hangs on an open
/// joint.) A new entry waits with the bounds of the match it grew from; its own are found when it comes to the front.
///
/// Only spheres of the component with most volume take part. A hint replaces its joint's candidates by the spheres of
/// the body within `hint_reach` of the point, and by at least the three nearest.
///
/// The runner-up, with `runner_up`: for each leaf in turn a search of its own, over the same tables, in which the
/// leaf's candidates are those that differ in meaning from its place in the best match; the cheapest of these is the
/// runner-up. They look only below twice the best penalty plus 0.05 and below `worst`, and end after 20,000 entries
/// that came to the front in all. Exact within these limits.
///
/// A narrow beam of ten comes first: what costs more than it found is not queued. When the queue grows beyond
/// `most_entries`: joint by joint the `beam` best partial matches, from those in the queue on.
///
/// Deterministic, on one thread, so that several searches may run at once; equal priorities: the longer match first,
/// then the one that was found first (spheres of lower cost, then lower number). Without the runner-up, unoptimised: 3
/// ms where the template fits a graph of 100 spheres, 0.1 s for 570; where it fits badly up to 0.25 s and 1.6 s, unless
/// `worst` is low. \throws Cancelled.
SearchResult search(const SphereGraph& graph, const ReducedTemplate& reduced, const Mat3& turn,
                    const std::vector<Hint>& hints, const SearchOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::rigging
