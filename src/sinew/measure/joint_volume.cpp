// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_volume.h"

#include <cmath>
#include <map>

#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::measure {
namespace {

constexpr double kBent = 0.05;
// Of the volume of a ball with the same surface: less is a sheet.
constexpr double kLeastSolid = 0.02;

}  // namespace

JointVolumes::JointVolumes(const Rig& rig, const geometry::Welding& welding, const Limbs& limbs)
    : rig_(rig), limbs_(limbs), rows_(rig.weights.normalized()) {
  std::vector<char> skinned(rig.mesh.face_count(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone)
      for (Index f = 0; f < part.face_count; ++f) skinned[part.first_face + f] = 1;
  for (const Triangle& triangle : triangulate(rig.mesh)) {
    if (skinned[triangle.face] == 0) continue;
    std::array<Index, 3> face{};
    for (std::size_t k = 0; k < 3; ++k) face[k] = welding.first[welding.welded[triangle.vertices[k]]];
    if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) faces_.push_back(face);
  }
  const geometry::Facing facing = geometry::solid_facing({rig.mesh.positions, faces_});
  for (std::size_t f = 0; f < faces_.size(); ++f)
    if (facing.signs[f] < 0) std::swap(faces_[f][1], faces_[f][2]);
}

JointVolumes::Region JointVolumes::region(Index joint, bool twist) const {
  std::vector<char> below(rig_.skeleton.size(), 0), wanted(limbs_.owners.segments.size(), 0);
  for (Index j = 0; j < below.size(); ++j) {
    const Index parent = rig_.skeleton.joints[j].parent;
    below[j] = j == joint || (parent != kNone && below[parent] != 0) ? 1 : 0;
  }
  for (std::size_t s = 0; s < wanted.size(); ++s) wanted[s] = twist && limbs_.owners.segments[s].child == joint ? 1 : 0;
  const auto weight = [&](Index v) {
    double sum = 0;
    if (rows_.empty()) return sum;
    for (const Influence& influence : rows_.row(v))
      if (below[influence.joint] != 0) sum += static_cast<double>(influence.weight);
    return sum;
  };
  Region region;
  double area = 0;
  std::map<std::array<Index, 2>, int> open;
  for (const auto& face : faces_) {
    double mean = 0;
    bool along = false;
    for (const Index v : face) {
      mean += weight(v) / 3;
      const Index owner = limbs_.owners.owner.empty() ? kNone : limbs_.owners.owner[v];
      along = along || (owner != kNone && wanted[owner] != 0);
    }
    if (4 * mean * (1 - mean) <= kBent && !along) continue;
    region.faces.push_back(face);
    const Vec3& a = rig_.mesh.positions[face[0]];
    area += (rig_.mesh.positions[face[1]] - a).cross(rig_.mesh.positions[face[2]] - a).norm() / 2;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = face[k], to = face[(k + 1) % 3];
      if (from < to) ++open[{from, to}];
      else --open[{to, from}];
    }
  }
  geometry::UnionFind sets(rig_.mesh.vertex_count());
  for (const auto& [edge, count] : open)
    if (count != 0) sets.join(edge[0], edge[1]);
  std::map<Index, std::vector<std::array<Index, 2>>> rims;
  for (const auto& [edge, count] : open)
    for (int i = 0; i < std::abs(count); ++i)
      rims[sets.find(edge[0])].push_back(count > 0 ? std::array<Index, 2>{edge[1], edge[0]} : edge);
  for (auto& [name, rim] : rims) region.rims.push_back(std::move(rim));
  region.rest_volume = region.volume(rig_.mesh.positions);
  const double ball = std::pow(area, 1.5) / 10.634723105433096;  // 6 √π: a ball's area^1.5 over its volume.
  if (!(region.rest_volume > kLeastSolid * ball)) region.rest_volume = 0;
  return region;
}

double JointVolumes::Region::volume(std::span<const Vec3> positions) const {
  if (faces.empty()) return 0;
  const Vec3 origin = positions[faces.front()[0]];
  double sum = 0;
  for (const auto& face : faces)
    sum += (positions[face[0]] - origin).dot((positions[face[1]] - origin).cross(positions[face[2]] - origin));
  for (const auto& rim : rims) {
    Vec3 middle = Vec3::Zero();
    for (const auto& [from, to] : rim) middle += positions[from] + positions[to];
    middle /= 2.0 * static_cast<double>(rim.size());
    for (const auto& [from, to] : rim)
      sum += (middle - origin).dot((positions[from] - origin).cross(positions[to] - origin));
  }
  return sum / 6;
}

}  // namespace sinew::measure
