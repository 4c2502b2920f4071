// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/template.h"

namespace sinew::rigging {

/// Whether the embedding places a joint itself: `kSearched` and `kRatio` joints that are not optional.
bool takes_part(const Template::Joint& joint);

/// The nearest ancestor that takes part: where the bone of a joint begins once clavicles and the like are left out.
/// kNone if there is none.
Index embedded_parent(const Template& skeleton_template, Index joint);

/// What brings a template, whatever its unit, to the size that the constants of the search and the refinement assume:
/// times this, the longest side of the box of all joints that take part, in the template's own axes, is 0.7. (The
/// method's templates are written in [−1, 1], halved, and scaled by 0.7 beside characters whose longest side is 0.9.)
/// `reduce` has it applied already; places and bones of a `Template` have not. \throws Error if all these joints lie in
/// one place.
double template_scale(const Template& skeleton_template);

/// A template without its joints of two neighbours: what the search places. Lengths and places are those of the
/// template times `template_scale`.
struct ReducedTemplate {
  struct Joint {
    Index full = kNone;     ///< Of the template.
    Index parent = kNone;   ///< Reduced.
    Index partner = kNone;  ///< Reduced; only if the whole chains are partners, joint by joint, and grow from one place
                            ///< or from partners.
    Vec3 position = Vec3::Zero();
    std::vector<Index> chain;    ///< Full joints after the parent, this one last.
    std::vector<Vec3> bones;     ///< Per joint of the chain: from the one before to it.
    std::vector<double> shares;  ///< Per joint of the chain: its bone's share of the chain's length; they sum to 1.
    double length = 0;           ///< Of the chain.
    bool leaf = false;           ///< Nothing grows from it.
    bool foot = false;           ///< It or a joint of its chain stands on the ground.
    bool fat = false;
  };
  std::vector<Joint> joints;  ///< Parents first, in the template's order; the root has no chain.
};

/// Reduces a template. Only joints that take part are used; if the parent of a joint does not take part, the nearest
/// ancestor that does takes its place. The root is kept whatever its neighbours. \pre the template is valid. \throws
/// Error for a bone of zero length, for joints that take part without a common root, or if fewer than two joints are
/// left.
ReducedTemplate reduce(const Template& skeleton_template);

/// Restores the joints with two neighbours: along the polyline between the positions of reduced joints, at their
/// shares. `paths[i]` has the points from the position of the reduced parent to that of the joint, both included; that
/// of the root is ignored. The result has a position per full joint that takes part; others stay zero.
std::vector<Vec3> restore(const Template& skeleton_template, const ReducedTemplate& reduced,
                          const std::vector<Vec3>& places, const std::vector<std::vector<Vec3>>& paths);

}  // namespace sinew::rigging
