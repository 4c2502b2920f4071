// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/transfer/biharmonic/biharmonic.h"

namespace sinew::transfer {

/// What describes the vertices of a shell, in columns: descriptor and weighted normal; costs are squared distances.
struct Descriptions {
  Eigen::MatrixXf features;
  std::vector<NearestBone> nearest;
  std::vector<Vec3> positions;
};

/// What else decides a match.
struct MatchSettings {
  double along = 0;    ///< See `BiharmonicOptions`.
  double size = 1;     ///< Of the reference.
  double apart = 0;    ///< The distance from which a candidate counts as elsewhere.
  bool dilate = true;  ///< Each region looks at those next to it.
};

/// The four best matches of a vertex, fewer if some are too far from the best along edges.
struct VertexMatch {
  std::array<Index, 4> vertex = {kNone, kNone, kNone, kNone};  ///< Best first.
  std::array<double, 4> cost2{};                               ///< Squared costs.
  double other_cost2 = 0;  ///< Of the best candidate elsewhere; infinite if there is none.
};

/// Eqs. 20 and 21: distances (vertices × landmarks) divided by their largest, scaled so that any number of landmarks
/// weighs as five do.
Eigen::MatrixXf landmark_descriptors(const Eigen::MatrixXd& distances);

/// Eq. 22 for every vertex of the target. `donor` marks vertices of the reference that may be used. Brute force over
/// the region's vertices, in parallel.
std::vector<VertexMatch> match_vertices(const Descriptions& reference, const Descriptions& target,
                                        const Correspondence& correspondence,
                                        const std::vector<std::vector<PairedBone>>& bones,
                                        const std::vector<char>& donor, const geometry::Lists& rings,
                                        const MatchSettings& settings);

}  // namespace sinew::transfer
