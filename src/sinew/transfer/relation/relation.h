// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a target is to a reference, recognised from the two surfaces.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/mesh.h"

namespace sinew::transfer {

enum class RelationKind : std::uint8_t {
  kUpdate,   ///< The same character after an edit: many vertices are at positions of the reference's vertices.
  kDetail,   ///< The same surface with other faces: a level of detail or a remeshed copy.
  kGarment,  ///< Lies on a part of the reference's surface, in the same position and pose.
  kBody,     ///< Another body, or the same one elsewhere or in another pose.
};

/// "update", "detail", "garment", "body".
const char* relation_name(RelationKind kind);

/// What was measured, and the conclusion. Lengths are shares of the reference's size.
struct Relation {
  RelationKind kind = RelationKind::kBody;
  double same_vertices = 0;    ///< Share of the target's vertices that are at the position of one of the reference's.
  double mean_distance = 0;    ///< Of the target's vertices from the reference's surface.
  double median_distance = 0;  ///< The same, median.
  double far_distance = 0;     ///< The distance that nine tenths of the target's vertices are within.
  double covered = 0;          ///< Share of the reference's vertices that are near the target.
  double outside = 0;          ///< Share of the target's vertices that are not inside the reference.
  double distance_back = 0;    ///< Mean distance of the reference's vertices from the target's surface.
  std::string reason;          ///< A sentence for people.

  /// Whether joints of the reference are also those of the target, because both share position and pose.
  bool same_place() const { return kind != RelationKind::kBody; }
  Json to_json() const;
};

/// Compares surfaces, both at binding, on at most 2,000 vertices each, and all positions. A target is
/// - an update if at least 30 % of its vertices are at positions of the reference's and nine tenths are near (5 % of
/// the
///   size), or 85 % are at such positions; unless it is on the same surface and has fewer than 70 % as many vertices;
/// - a level of detail if each surface lies on the other (0.1 % of the size in the mean one way, 0.6 % the other way);
/// - a garment if it is near (5 % of the size in the median, 15 % for nine tenths), mostly outside, and leaves at least
/// a
///   tenth of the reference uncovered; a fiftieth if it is within 1.2 % on average and nearly all outside;
/// - another body otherwise.
/// A target that is no garment for the sake of small shells (6 % of the size, together less than half of its area),
/// such as buttons that hang far away, is judged again without them. n log n. The same for any number of threads.
Relation relate(const Mesh& reference, const Mesh& target);

/// Per vertex of the target: the vertex of the reference at the same position (within 1e-6 of the reference's size)
/// whose normal is most alike, or kNone. Of equally good ones that with the same index, else the first. n log n.
std::vector<Index> same_vertices(const Mesh& reference, const Mesh& target);

}  // namespace sinew::transfer
