// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/same_vertices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/weld_within.h"

namespace sinew::pipeline {
namespace {

constexpr double kSamePlace = 1e-5;  // Of the size.

bool in_same_order(const Mesh& mesh, const Mesh& other, double tolerance) {
  if (mesh.positions.size() != other.positions.size()) return false;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (!((mesh.positions[v] - other.positions[v]).norm() <= tolerance)) return false;
  return true;
}

std::vector<Index> in_order(const Mesh& mesh) {
  std::vector<Index> partners(mesh.positions.size());
  std::iota(partners.begin(), partners.end(), Index{0});
  return partners;
}

}  // namespace

std::vector<Index> same_vertices(const Mesh& mesh, const Mesh& other) {
  const double tolerance = kSamePlace * mesh.size();
  if (in_same_order(mesh, other, tolerance)) return in_order(mesh);
  Mesh both;
  both.positions = mesh.positions;
  both.positions.insert(both.positions.end(), other.positions.begin(), other.positions.end());
  const geometry::Welding welding = geometry::weld_within(both, tolerance, true);
  const Index own = mesh.vertex_count();
  std::vector<Index> theirs(welding.count(), kNone);
  for (Index v = other.vertex_count(); v-- > 0;) theirs[welding.welded[own + v]] = v;
  std::vector<Index> partners(own);
  for (Index v = 0; v < own; ++v) partners[v] = theirs[welding.welded[v]];
  const auto alone = std::count(partners.begin(), partners.end(), kNone);
  if (alone == 0) return partners;
  if (own == other.vertex_count()) return in_order(mesh);
  throw Error(fmt::format(
      "One mesh has {} vertices and the other has {}, and {} vertices of the first have no partner at their "
      "position. Only copies of one mesh can be compared.",
      own, other.vertex_count(), alone));
}

SkinWeights matched_rows(const SkinWeights& weights, const std::vector<Index>& vertices) {
  SkinWeights rows;
  for (const Index v : vertices) rows.add_row(weights.row(v));
  return rows;
}

}  // namespace sinew::pipeline
