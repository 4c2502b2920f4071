// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sinew/rigging/embed/reduction.h"
#include "sinew/rigging/embed/sphere_graph.h"

namespace sinew::rigging {

/// The nine penalties of the search (I. Baran, J. Popović, "Automatic rigging and animation of 3D characters", 2007).
/// Joint i is to be put on sphere v, its parent lies on u, δ is the way between them, ℓ the chain's length, and play =
/// 0.7 (r_u + r_v).
enum class Penalty {
  kLength,           ///< The way is short for the chain: ramp(ℓ/(δ+play); ½→0, 2→3)³; beyond 2 rejected.
  kGlobalDirection,  ///< Direction g (a cosine with the template's) from the parent: ½max(0, (4(1−g))² − 0.1), g < 0
                     ///< rejected; from each sibling placed before: ½max(0, (2(1−g))² − 0.5), g < −½ rejected.
  kAsymmetry,    ///< The partner's way has another length δ': max(0, (0.2 min(2, ratio) + 0.8 max(δ'/(δ+play),
                 ///< δ/(δ'+play')))³ − 1.2).
  kDoubledPath,  ///< Sphere k of the way back from v (k from 0, u not counted) is on another way: ½/(k+1)² each and ½
                 ///< once; thinner than 0.02: rejected.
  kFootHeight,  ///< Of a foot above the lowest sphere.
  kZeroLength,  ///< 1 if u = v.
  kLocalDirection,  ///< Per bone s of the chain 50‖s‖²((1−g) ramp(g; −½→6, 0→1))², g between bone and its piece of the
                    ///< way.
  kExtremity,     ///< 1 if a neighbour of a leaf's sphere leads further out.
  kDisjointness,  ///< Per joint m placed before: 1 if the way to it through the common ancestor is over twice the
                  ///< direct one.
};
constexpr std::size_t kPenalties = 9;
const std::array<const char*, kPenalties>& penalty_names();

/// How much each counts: the released library's, learned by its authors from their characters. 0 leaves a penalty out
/// together with what it rejects (spheres that cannot be reached stay rejected).
struct PenaltyWeights {
  std::array<double, kPenalties> gamma = {0.027, 0.023, 0.007, 0.046, 0.014, 0.012, 0.072, 0.005, 0.033};
};

/// A sphere per reduced joint matched so far, in the template's order; shorter than the template while the search is
/// under way.
using Match = std::vector<Index>;

/// All that the penalties of one template on one graph need, prepared once. Directions between equal places count as
/// right: what has no length is punished by other terms. Every term is at least 0 and never falls when the match grows.
/// Several threads may query it.
class PenaltyModel {
 public:
  using Terms = std::array<double, kPenalties>;
  static constexpr double kRejected = std::numeric_limits<double>::infinity();

  /// `turn`: from the graph's frame to the template's (y up, z forward). Refers to both arguments.
  PenaltyModel(const SphereGraph& graph, const ReducedTemplate& reduced, const Mat3& turn = Mat3::Identity(),
               const PenaltyWeights& weights = {}, int fat_candidates = 50);

  /// The weighted terms of giving sphere `v` to the joint after those of `match`; nothing where the branch is rejected:
  /// by a term, or because they sum to 1.
  std::optional<Terms> terms(std::span<const Index> match, Index v) const;
  /// The same for a joint further on: a lower bound, term by term, of what it will cost there when the match has grown.
  /// \pre the joint's parent is matched and the joint is not.
  std::optional<Terms> terms(std::span<const Index> match, Index joint, Index v) const;

  /// The spheres that take part, rising: the connected component of most volume.
  std::span<const Index> body() const { return body_; }
  /// Spheres that may carry a joint, rising. Fat joints: the largest ones. Leaves: where an edge arrives that no
  /// neighbour of at least half the radius continues (cosine above 0.8). Others: all of the body.
  std::span<const Index> candidates(Index joint) const { return candidates_[joint]; }

  // What follows splits the sum for the search: `fixed` + `moving` is the sum of `terms`, but for rounding.

  /// What depends on the two spheres alone; `kRejected` from `enough` on.
  double fixed(Index joint, Index u, Index v, double enough) const;

  /// A match and the spheres on its ways.
  struct Placed {
    Match match;
    std::vector<std::uint8_t> used;  ///< Per sphere.
  };
  void mark_used(Placed& placed) const;
  /// What depends on the joints placed before; `kRejected` from `enough` on.
  double moving(const Placed& placed, Index joint, Index v, double enough) const;

 private:
  double weighed(Penalty which, double value) const;
  double length(Index joint, Index u, Index v) const;
  double parent_direction(Index joint, Index u, Index v) const;
  double sibling_direction(std::span<const Index> match, Index joint, Index v) const;
  double asymmetry(std::span<const Index> match, Index joint, Index u, Index v) const;
  double doubled_path(const std::vector<std::uint8_t>& used, Index u, Index v) const;
  double foot_height(Index v) const;
  double local_direction(Index joint, Index u, Index v) const;
  double extremity(Index u, Index v) const;
  double disjointness(std::span<const Index> match, Index joint, Index v) const;
  Index before(Index u, Index v) const { return graph_.previous[std::size_t{u} * graph_.spheres.size() + v]; }
  double play(Index u, Index v) const { return 0.7 * (graph_.spheres[u].radius + graph_.spheres[v].radius); }
  void find_body();
  void find_candidates(int fat_candidates);
  bool ends_here(Index v) const;

  const SphereGraph& graph_;
  const ReducedTemplate& reduced_;
  PenaltyWeights weights_;
  std::vector<Vec3> centers_;  ///< Turned.
  std::vector<Index> body_;
  double lowest_ = 0;
  std::vector<std::vector<Index>> candidates_;
  std::vector<std::vector<Index>> siblings_;  ///< Per joint: those before it in order.
  std::vector<Index> ancestor_;               ///< Joints × joints: the lowest common one.
};

}  // namespace sinew::rigging
