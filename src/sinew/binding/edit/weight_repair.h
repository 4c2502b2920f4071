// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Finds faults in existing weights, such as those from neural riggers and careless exporters, and repairs only these.
///
/// Geometry is judged with the bones of the joints that move any vertex. A vertex is *at home* with the bones on its
/// inner side that are no farther than about twice the nearest. Its *gap* to a joint is the distance along the skeleton
/// from there to the bones of the joint, where the distance between children of one parent is that of their positions.
/// A weight is
/// - *bleeding* if the bone of the joint is close to the vertex, but the gap is several times longer than the straight
///   line: thigh weights on a finger of a hand that hangs down;
/// - *stray* if it belongs to a patch of surface that the joint moves, surrounded by other skin, of which next to no
///   area has a small gap to the joint.
///
/// A joint that has almost no weight on the surface nearest to its bone is bound elsewhere on purpose. It is left alone
/// and listed (`unplaced`).

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sinew/binding/edit/weight_edit_fill.h"

namespace sinew::binding {

/// The fault of a row: the first that applies.
enum class Fault : std::uint8_t { kNone, kUnweighted, kNotFinite, kNegative, kWrongSum, kBleeding, kStray };
inline constexpr std::size_t kFaultCount = 7;
/// "unweighted", "not_finite", "negative", "wrong_sum", "bleeding", "stray".
std::string_view fault_name(Fault fault);

struct RepairOptions {
  double sum_tolerance = 0.01;  ///< A row is wrong if its sum is farther than this from 1.
  double least_weight = 0.02;   ///< Smaller shares of a row are ignored.
  /// Bleeding: gap > detour · distance to the bone + 4 · distance to the own bone + 3 % of the size.
  double detour = 3;
  /// Stray: gap of a patch from the joint's bone, per size. Up to 3 % of the area of the patch may be nearer: the
  /// normals of a few vertices, such as those between fingers, point away from their own bone.
  double island_gap_rel = 0.1;
};

struct Faults {
  std::vector<Fault> of_vertex;                  ///< Per vertex of the mesh.
  std::array<Index, kFaultCount> vertices = {};  ///< How many of each.
  std::vector<std::vector<Index>> wrong_joints;  ///< Per vertex: the joints whose weights bleed or stray.
  /// Per vertex: kBleeding, kStray or kNone by its first wrong joint, whatever else is wrong with its row.
  std::vector<Fault> misplaced;
  std::vector<Index> unplaced;  ///< Joints that were not judged.
};

/// Linear in vertices times bones, and n log n. The same for any number of threads. \pre a row per vertex;
/// `subject.bound` names the joints that may move the skin.
Faults find_faults(const SkinWeights& weights, const Subject& subject, const EditSurface& surface,
                   const EditScope& scope, const RepairOptions& options = {});

struct Repaired {
  SkinWeights weights;
  Faults faults;
  Filled filled;     ///< How rows that had to be solved were filled (its weights are moved out).
  Index scaled = 0;  ///< Rows that only had to be scaled.
  Index pruned = 0;  ///< Rows that lost wrong joints and kept the rest.
  Index kept = 0;    ///< Rows that bleed or stray, but whose region would be worse without that: they stay.
};

/// Repairs the faults. Rows with wrong sums are scaled; negative and wrong weights are removed. Rows that have less
/// than half of their weight left, or contain a weight that is not finite, are solved again from their surroundings
/// (`filled`). Rows without faults stay the same, bit for bit. Locked joints are not judged. Regions of bleeding or
/// stray rows that would be worse than before (`regions_made_worse`) stay as they are.
Repaired repaired(const SkinWeights& weights, const Subject& subject, const EditSurface& surface,
                  const EditScope& scope, const RepairOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::binding
