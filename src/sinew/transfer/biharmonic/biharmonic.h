// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>

#include "sinew/core/options.h"
#include "sinew/transfer/biharmonic/landmarks.h"
#include "sinew/transfer/biharmonic/spectrum.h"
#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Which rules the matching follows.
enum class MatchRules {
  kImproved,  ///< With the corrections that `transfer_biharmonic` describes.
  kPaper,     ///< As published: five landmarks, no orientation, regions without neighbours, Eq. 23 to the letter.
};
constexpr auto option_words(MatchRules) { return std::array{"improved", "paper"}; }

struct BiharmonicOptions {
  MatchRules mode = MatchRules::kImproved;
  int modes = 128;
  int landmark_count = 7;
  double orientation_weight = 0.1;
  double along = 256;
  int exact_below = 2500;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("mode", "Rules of the matching: improved, or as published in the paper."), self.mode);
    v(Field("modes", "Number of modes of the surface that distances are computed from.").range(8, 1000), self.modes);
    v(Field("landmark_count", "Number of landmarks that are proposed from the skeletons; the paper uses 5.")
          .range(4, 64),
      self.landmark_count);
    v(Field("orientation_weight", "Influence of the surface's orientation on the match; 0 as published.").range(0, 10),
      self.orientation_weight);
    v(Field("along", "Influence of the position along the bone on the match; 0 as published.").range(0, 1000),
      self.along);
    v(Field("exact_below", "Meshes with fewer vertices use exact distances instead of modes.").range(0, 100000),
      self.exact_below);
  }
};

/// Weights of a reference for another body in any pose, by distances along the surfaces: section 5 of J. Pan, L. Chen,
/// Y. Yang, H. Qin, "Automatic skinning and weight retargeting of articulated characters using extended position-based
/// dynamics", 2018.
///
/// A few landmarks correspond. The biharmonic distances of a vertex to all of them, divided by the largest, describe
/// the vertex (Eqs. 20, 21). Its weights are those of the vertices of the reference, in the same region of the skeleton
/// or next to it, whose descriptions are most alike (Eq. 22): the best four that lie within four edges of the best, by
/// inverse squares of the costs (Eq. 23 after P. Shepard, 1968). A vertex that is described exactly alike lends its row
/// as it is.
///
/// What differs from the paper:
/// - Around a limb all distances are nearly equal, so that front and back are confused. The cost also compares normals,
///   rotated with the bones: β(1 − ⟨n_x, n_y⟩).
/// - Where proportions differ, so do the descriptions of the vertices at one joint, and weights change fast there. The
///   cost also compares positions along the nearest bone, as shares of the bone, scaled by its length.
/// - Seven landmarks instead of five, because feet are far from all others.
/// - Eq. 23 interpolates a vertex of the reference that already has weights, from four others, by short distances that
///   truncated sums get wrong. The four best matches of the vertex itself are used instead.
/// - Areas are 1, so that sizes do not matter.
///
/// The method works on the largest connected surface of each mesh. If that has less than four fifths of the area, a
/// closed surface around the mesh stands for it (`closed_proxy`): landmarks are on it, and vertices of all shells have
/// the distances of its nearest points. Other shells, and vertices whose best cost is large, take the weights of what
/// surrounds them (`inpaint`). `confidence` compares the best cost with that of the best
/// candidate elsewhere: below 0.5 a vertex is ambiguous. Vertices of the target × those of a region. The same bytes for
/// any number of threads. \throws Error if shells are too far from each other for a closed surface, if a surface has no
/// modes, or if there are too few landmarks; Cancelled.
WeightTransfer transfer_biharmonic(const TransferInput& input, const BiharmonicOptions& options = {},
                                   const TransferOptions& common = {}, const Progress& progress = {});

/// The method `biharmonic`. Stages: "modes", "matching". Modes are kept in `TransferInput::store`.
TransferMethod biharmonic_method();

/// For each vertex of a target's shell: the best vertex of the reference's shell, for tests and studies.
struct BiharmonicMatch {
  std::vector<Index> best;    ///< Per vertex of the target's mesh; of the reference's mesh; kNone off the main shell.
  std::vector<double> cost;   ///< Of the best, not squared.
  std::vector<double> ratio;  ///< Cost of the best candidate farther than a tenth of √area from the best, by the best.
  Landmarks landmarks;        ///< Vertices of the meshes.
  Findings findings;
};
BiharmonicMatch match_biharmonic(const TransferInput& input, const BiharmonicOptions& options = {},
                                 const Progress& progress = {});

}  // namespace sinew::transfer
