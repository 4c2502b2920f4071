// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <map>
#include <string>

#include "sinew/binding/subject.h"
#include "sinew/core/angles.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/segmentation.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

/// The rules by which bones own vertices.
enum class SegmentationMode { kImproved, kPaper };
constexpr auto option_words(SegmentationMode) { return std::array{"improved", "paper"}; }

struct SegmentationOptions {
  SegmentationMode mode = SegmentationMode::kImproved;
  double angle_limit_rad = kPi / 2;     ///< Smaller values trust slanted bones less; π trusts all.
  bool merge = true;                    ///< Without it regions may be in several pieces. For comparison.
  std::map<std::string, double> seeds;  ///< A vertex per joint name, from which the bones of the joint grow.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("mode", "The rules: improved, or those that the paper prints."), self.mode);
    v(Field("angle_limit",
            "Largest angle between the normal of a vertex and the direction from a bone. Beyond it, the bone counts as "
            "on the wrong side of the skin.")
          .degrees()
          .range(0, 180),
      self.angle_limit_rad);
    v(Field("merge", "Assign stray pieces of a region to the region around them."), self.merge);
    v(Field("seeds", "Vertices from which the bones of single joints grow, counted from 0. For the mode paper.")
          .as("JOINT=VERTEX,…")
          .range(0, 4294967294.0),
      self.seeds);
  }
};

/// Assigns each vertex to the bone that owns it, after J. E. Ramírez Flores, A. Susín, "Segmentation-based skinning",
/// 2015. Regions grow over the surface from one seed per bone and shell. Candidates are tested by distance and by the
/// side of the skin on which the bone is located. Stray pieces are merged. The segments of the result are those of
/// `bone_tree(subject)`, in that order; `along` is not clamped. Every vertex is owned; `statistics` reports how. After
/// merging, the vertices of a bone on a shell are connected, and so are those of a joint. Copies of a vertex at seams
/// have the same owner.
///
/// This implementation differs from the paper, or adds to it, as follows (percentages are shares of vertices;
/// `docs/methods/segmentation.md` has the tables):
/// - The paper rejects a bone if the angle between the normal and the direction from the bone exceeds 90°, and takes
///   the nearest of the others. On shells inside others (mouth, eyes, lashes) this rejects all near bones, and feet and
///   fingers win: on twelve real characters 80 % agreed with their artists' joints, 83 % by distance alone, and 84 %
///   now. Here the angle adds to the distance, smoothly (`Misfit`): the nearest bone wins, with a preference for bones
///   that the skin faces away from. This also separates the skin of a body from that of limbs that begin inside it.
/// - If a joint has several bones, each remains a candidate beyond its end even if the next bone runs alongside.
///   Otherwise the body of an octopus would go to its arms (89 % → 96 %).
/// - The outer wedge of a bend, and the space behind a root, belong to no slab. All bones that meet there are
///   candidates, and the one that points most nearly towards the vertex wins.
/// - End segments have their known length. The paper treats the last joint as a point, and fingertips go astray.
/// - Merging first keeps the regions of joints connected, then those of bones within them, because what a joint moves
///   matters more.
/// - Seeds are the best-fitting vertices among those that a bone fits best. One sweep over all pairs of bone and vertex
///   is therefore enough, and every shell has a seed (`statistics.nearest` is 0).
///
/// Shells are connected by edges after welding by position; a shell that faces inwards as a whole is flipped. Finding
/// candidates costs bones × vertices, everything else is nearly linear; regions grow over cells of equal candidates, 64
/// bones at once. The result is the same for any number of threads.
///
/// The mode paper has none of these changes (`segmentation_paper.h`). Only there regions depend on seeds; the seeds of
/// single joints can be set by hand. \pre the mesh is valid. \throws Error as `bone_tree`, or for seeds that name an
/// unknown joint or vertex or in the mode improved; Cancelled.
Segmentation segment(const Subject& subject, const SegmentationOptions& options = {}, const Progress& progress = {});

/// The owners by distance alone, for comparison: the nearest bone of each vertex, with ties as in `segment`.
Segmentation nearest_bones(const Subject& subject);

/// Makes a segmentation agree with weights where these are rigid: a shell whose vertices all follow the same single
/// joint belongs to that joint with `along` 0, so that nothing within it twists. A joint without a segment gets an end
/// segment after the others. Weights that differ in length from the mesh change nothing. Linear.
void respect_rigid_shells(Segmentation& segmentation, const Mesh& mesh, const SkinWeights& weights);

}  // namespace sinew::binding
