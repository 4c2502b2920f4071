// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/enclosed_volume.h"

#include <cassert>
#include <cmath>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/part_ranges.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::measure {
namespace {

constexpr double kLargestCapShare = 0.25;
constexpr double kLeastRoundness = 1e-3;

}  // namespace

EnclosedVolume::EnclosedVolume(const Mesh& mesh, const geometry::Welding& welding)
    : face_offsets_(mesh.face_offsets), face_vertices_(mesh.face_vertices) {
  const geometry::Topology topology = geometry::topology(mesh, welding);
  geometry::UnionFind groups(welding.count());
  for (const geometry::OpenEdge& edge : topology.open_edges) groups.join(edge.from, edge.to);
  std::vector<Index> part_of(mesh.vertex_count(), 0);
  for (const geometry::PartRange& range : geometry::part_ranges(mesh)) {
    for (Index i = 0; i < range.vertex_count; ++i) part_of[range.first_vertex + i] = static_cast<Index>(parts_.size());
    parts_.push_back({range.first_vertex, range.vertex_count, range.first_face, range.face_count, {}});
  }
  closures_.resize(parts_.size());
  // Open edges come ordered by vertex, so rims do too. The cap runs along them the other way.
  std::map<Index, std::size_t> rim_of;
  for (const geometry::OpenEdge& edge : topology.open_edges) {
    const Index from = welding.first[edge.from], to = welding.first[edge.to];
    Part& part = parts_[part_of[from]];
    const auto [place, fresh] = rim_of.try_emplace(groups.find(edge.from), part.rims.size());
    if (fresh) part.rims.emplace_back();
    Rim& rim = part.rims[place->second];
    for (Index k = 0; k < edge.surplus; ++k) rim.from.push_back(to), rim.to.push_back(from);
    closures_[part_of[from]].capped_edges += edge.surplus;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Sums rest = sums(parts_[p], mesh.positions);
    PartClosure& closure = closures_[p];
    closure.rest_volume = rest.volume;
    closure.cap_share = rest.area > 0 ? rest.cap_area / rest.area : 0;
    const double ball = std::pow(rest.area, 1.5) / 10.634723105433096;  // 6 √π: a ball's area^1.5 over its volume.
    closure.measured =
        rest.area > 0 && closure.cap_share <= kLargestCapShare && std::abs(rest.volume) > kLeastRoundness * ball;
  }
}

EnclosedVolume::Sums EnclosedVolume::sums(const Part& part, std::span<const Vec3> positions) const {
  Box box;
  for (Index i = 0; i < part.vertex_count; ++i) box.extend(positions[part.first_vertex + i]);
  const Vec3 center = box.center();
  const auto add = [&](Sums& sum, const Vec3& middle, const Vec3& a, const Vec3& b) {
    sum.volume += (middle - center).dot((a - center).cross(b - center)) / 6;
    sum.area += (a - middle).cross(b - middle).norm() / 2;
  };
  Sums total = parallel_reduce(
      part.face_count, Sums{},
      [&](std::size_t begin, std::size_t end) {
        Sums sum;
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t f = part.first_face + i;
          const std::span<const Index> face(face_vertices_.data() + face_offsets_[f],
                                            face_offsets_[f + 1] - face_offsets_[f]);
          if (face.size() < 3) continue;
          if (face.size() == 3) {
            add(sum, positions[face[0]], positions[face[1]], positions[face[2]]);
            continue;
          }
          Vec3 middle = Vec3::Zero();
          for (const Index v : face) middle += positions[v];
          middle /= static_cast<double>(face.size());
          for (std::size_t k = 0; k < face.size(); ++k)
            add(sum, middle, positions[face[k]], positions[face[k + 1 == face.size() ? 0 : k + 1]]);
        }
        return sum;
      },
      [](Sums a, const Sums& b) {
        a.volume += b.volume, a.area += b.area;
        return a;
      });
  Sums caps;
  for (const Rim& rim : part.rims) {
    Vec3 middle = Vec3::Zero();
    for (std::size_t k = 0; k < rim.from.size(); ++k) middle += positions[rim.from[k]] + positions[rim.to[k]];
    middle /= 2.0 * static_cast<double>(rim.from.size());
    for (std::size_t k = 0; k < rim.from.size(); ++k) add(caps, middle, positions[rim.from[k]], positions[rim.to[k]]);
  }
  total.volume += caps.volume;
  total.cap_area = caps.area;
  return total;
}

std::vector<double> EnclosedVolume::volumes(std::span<const Vec3> positions) const {
  std::vector<double> result(parts_.size(), 0);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (closures_[p].measured) result[p] = sums(parts_[p], positions).volume;
  return result;
}

double EnclosedVolume::total(std::span<const Vec3> positions) const {
  double sum = 0;
  for (const double volume : volumes(positions)) sum += volume;
  return sum;
}

}  // namespace sinew::measure
