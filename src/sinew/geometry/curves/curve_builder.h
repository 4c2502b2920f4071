// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/geometry/curves/level_sets.h"
#include "sinew/geometry/curves/walk.h"

namespace sinew::geometry {

/// Collects curves, each vertex at most on one. Indices are those of welded vertices until `finish`.
class CurveBuilder {
 public:
  CurveBuilder(const CurveInput& input, const CurveOptions& options);

  /// Rings around the limb of a tip. Returns whether they cover it well.
  bool walk_limb(Index tip);
  /// Level sets around the limb of a tip in place of its rings. Returns whether there are any.
  bool level_limb(Index tip, const LevelSurface& surface);
  /// Rings of edges around what lies between limbs.
  void walk_trunk();
  /// Level sets around what lies between limbs, if there are no rings.
  void level_trunk(const LevelSurface& surface);
  /// Open arcs over everything else.
  void walk_rest();
  /// All curves in one wave from all tips, with the paper's rule.
  void walk_wave();

  CurveSet finish();

 private:
  /// Which rings were found next to a first one: away from it, to its left and to its right.
  struct Rings {
    std::vector<EdgeWalk> left, right;
  };
  /// The usual length and number of edges of the last rings of a chain.
  struct RingSizes {
    std::vector<double> lengths, counts;
    void add(double length, double count);
    bool outgrown_by(double length, double count) const;
  };
  /// A ring and where the tip is.
  struct Seed {
    EdgeWalk ring;
    bool tip_left = false;
  };

  Index begin_curve(std::size_t count, bool closed, Curve::Kind kind);
  void add_vertex(Index v, Index id);
  Index commit(const EdgeWalk& way, Curve::Kind kind);
  Index commit(const std::vector<Index>& vertices, bool closed, Curve::Kind kind);
  void take(const EdgeWalk& way, Index id);
  double perimeter(const EdgeWalk& way) const;
  std::vector<Index> seed_path(const LimbTip& tip) const;
  std::optional<Seed> seed_ring(Index tip);
  std::optional<Seed> seed_at(Index vertex, const LimbTip& tip);
  std::optional<Seed> separating(EdgeWalk ring, Index from, Index goal, bool alone);
  std::vector<EdgeWalk> march(const EdgeWalk& first, bool left);
  std::optional<Seed> ring_beyond(Index tip, const EdgeWalk& last, const RingSizes& sizes);
  void extend_limb(Index tip, std::vector<EdgeWalk>& rings);
  double ring_span(const std::vector<Index>& ids) const;
  std::optional<EdgeWalk> next_ring(const EdgeWalk& ring, bool left);
  Rings march_both(const EdgeWalk& ring);
  bool separates_tips(const EdgeWalk& ring);
  std::vector<Index> limb_borders(std::vector<Index>& limb) const;
  std::vector<Index> between_limbs() const;
  std::optional<std::pair<EdgeWalk, Rings>> best_trunk(const std::vector<Index>& candidates);
  std::vector<std::vector<Index>> touched_limbs(const std::vector<Index>& vertices) const;
  void add_trunk_levels(const LevelSets& found);
  std::vector<Index> arc_through(Index half_edge, bool& all_round);
  Index quad_edge_at(Index vertex) const;
  void name_chain(const std::vector<Index>& ids, Index chain);
  void add_trunk(const EdgeWalk& first, const Rings& rings);

  const CurveInput& in_;
  const CurveSurface& s_;
  EdgeWalker walker_;
  WalkRule rule_;
  CurveSet set_;
  std::vector<Index> taken_;    // Per vertex: its curve.
  std::vector<Index> flooded_;  // Per vertex: the number of the last flood that reached it.
  Index floods_ = 0;
  std::vector<Index> queue_;
  std::vector<char> leveled_;  // Per vertex: in the region of a limb with level sets.
};

}  // namespace sinew::geometry
