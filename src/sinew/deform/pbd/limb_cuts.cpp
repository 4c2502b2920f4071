// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/limb_cuts.h"

#include <algorithm>
#include <limits>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/copies.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {
namespace {

constexpr double kContactCells = 2;   ///< How far away a stranger's skin may lie and count as touching.
constexpr double kOverlapCells = 10;  ///< How deep limbs may overlap.
constexpr double kBehind = 0.5;       ///< Least cosine of the way from a face to what lies behind it and its normal.

/// Looks for the skin that places belong to.
class SkinSideFinder {
 public:
  SkinSideFinder(double cell, const Mesh& skin, const SkinWeights& rows, const JointKinship& kinship)
      : cell_(cell),
        positions_(skin.positions),
        rows_(rows),
        kinship_(kinship),
        // A skin that is there hundreds of times does not overlap itself as limbs do.
        corners_(geometry::without_many_copies(skin.positions, geometry::triangle_vertices(skin))),
        scene_(geometry::TriangleSoup{positions_, corners_}) {
    const geometry::TriangleSoup soup{positions_, corners_};
    const geometry::Facing facing = geometry::solid_facing(soup);
    winding_ = geometry::FastWinding(soup, facing.signs);
    for (Index t = 0; t < corners_.size(); ++t) {
      const Vec3& a = soup.corner(t, 0);
      const Vec3 normal = (soup.corner(t, 1) - a).cross(soup.corner(t, 2) - a);
      normals_.push_back(facing.signs[t] * normal.stableNormalized());
      const auto middle = row_at(t, Vec3::Constant(1.0 / 3));
      const auto most = std::max_element(middle.begin(), middle.end(),
                                         [](const Influence& i, const Influence& j) { return i.weight < j.weight; });
      mover_.push_back({most == middle.end() ? kNone : most->joint, 1});
    }
  }

  SkinSide look(const Vec3& place) const {
    const auto behind = [&](Index t) { return is_behind(t, place); };
    geometry::ClosestPoint own = scene_.closest_point(place, std::numeric_limits<double>::infinity(), behind);
    if (!own) own = scene_.closest_point(place);
    SkinSide side{row_at(own.triangle, own.barycentric), false};
    if (side.row.empty()) return side;
    const bool twice_inside = winding_.at(place) > 1.5;
    const auto strange = [&](Index t) {
      return mover_[t].joint != kNone && kinship_.of(side.row, {&mover_[t], 1}) < JointKinship::kStrangers;
    };
    const double far = (twice_inside ? kOverlapCells : kContactCells) * cell_;
    const geometry::ClosestPoint other = scene_.closest_point(place, far, strange);
    if (!other) return side;
    // What lies behind both skins but only once inside is the trunk between two limbs, as of a horse.
    const bool behind_both = is_behind(other.triangle, place);
    side.contact = twice_inside || !behind_both;
    if (twice_inside && behind_both && other.distance > own.distance)
      side.row = row_at(other.triangle, other.barycentric);
    return side;
  }

 private:
  /// Right behind the face, not only behind the plane that it lies in.
  bool is_behind(Index t, const Vec3& place) const {
    if (normals_[t].dot(place - positions_[corners_[t][0]]) > 0) return false;
    const auto& [a, b, c] = corners_[t];
    const Vec3 way = place - geometry::closest_on_triangle(place, positions_[a], positions_[b], positions_[c]).point;
    return normals_[t].dot(way) <= -kBehind * way.norm();
  }

  std::vector<Influence> row_at(Index t, const Vec3& barycentric) const {
    std::map<Index, double> sum;
    for (std::size_t c = 0; c < 3; ++c)
      for (const Influence& influence : rows_.row(corners_[t][c]))
        sum[influence.joint] += barycentric[static_cast<Eigen::Index>(c)] * static_cast<double>(influence.weight);
    std::vector<Influence> row;
    for (const auto& [joint, weight] : sum) row.push_back({joint, static_cast<float>(weight)});
    return row;
  }

  double cell_;
  std::span<const Vec3> positions_;
  const SkinWeights& rows_;
  const JointKinship& kinship_;
  std::vector<geometry::TriangleVertices> corners_;
  geometry::RayScene scene_;
  geometry::FastWinding winding_;
  std::vector<Vec3> normals_;     ///< Per triangle, outwards.
  std::vector<Influence> mover_;  ///< Per triangle: the joint that moves it most.
};

}  // namespace

std::vector<Index> moving_parents(const Skeleton& skeleton, std::span<const double> sums) {
  std::vector<Index> parents(sums.size(), kNone);
  Index root = kNone;
  for (Index j = 0; j < parents.size(); ++j) {
    if (!(sums[j] > 0)) continue;
    Index above = skeleton.joints[j].parent;
    while (above != kNone && !(sums[above] > 0)) above = skeleton.joints[above].parent;
    parents[j] = above;
    if (above == kNone && (root == kNone || sums[j] > sums[root])) root = j;
  }
  for (Index j = 0; j < parents.size(); ++j)
    if (sums[j] > 0 && parents[j] == kNone && j != root) parents[j] = root;
  return parents;
}

JointKinship::JointKinship(std::span<const Index> moving_parents, std::span<const Vec3> places, double near)
    : count_(places.size()), related_(count_ * count_, 0) {
  const auto bone = [&](Index j) {
    return moving_parents[j] == kNone ? 0.0 : (places[j] - places[moving_parents[j]]).norm();
  };
  for (Index a = 0; a < count_; ++a) {
    related_[a * count_ + a] = 1;
    // All joints above it: how much skeleton lies between there and here, and which is the last joint on the way.
    std::map<Index, std::pair<double, Index>> above;
    double way = 0;
    for (Index j = a, last = kNone; j != kNone; last = j, j = moving_parents[j]) {
      above[j] = {way, last};
      way += bone(j);
    }
    for (Index b = 0; b < a; ++b) {
      double gap = 0;
      Index j = b, last = kNone;
      for (; j != kNone && !above.contains(j); last = j, j = moving_parents[j]) gap += bone(j);
      if (j == kNone) continue;
      const auto& [there, last_there] = above[j];
      gap += there;
      // The bone of the upper one itself does not lie between the two.
      if (j == b && last_there != kNone) gap -= bone(last_there);
      if (j == a && last != kNone) gap -= bone(last);
      if (gap <= near) related_[a * count_ + b] = related_[b * count_ + a] = 1;
    }
  }
}

double JointKinship::of(std::span<const Influence> a, std::span<const Influence> b) const {
  double sum = 0;
  for (const Influence& i : a)
    for (const Influence& j : b) {
      if (!related(i.joint, j.joint)) continue;
      sum += (i.joint == j.joint ? 1 : 0.5) * static_cast<double>(i.weight) * static_cast<double>(j.weight);
    }
  return sum;
}

std::vector<SkinSide> skin_sides(const TetMesh& tets, double cell, const Mesh& skin, const SkinWeights& rows,
                                 const JointKinship& kinship) {
  const SkinSideFinder finder(cell, skin, rows, kinship);
  std::vector<SkinSide> sides(tets.tets.size());
  parallel_for(
      sides.size(),
      [&](std::size_t t) {
        Vec3 middle = Vec3::Zero();
        for (const Index v : tets.tets[t]) middle += 0.25 * tets.positions[v];
        sides[t] = finder.look(middle);
      },
      256);
  return sides;
}

bool only_touch(const SkinSide& a, const SkinSide& b, const JointKinship& kinship) {
  return a.contact && b.contact && kinship.of(a.row, b.row) < JointKinship::kStrangers;
}

}  // namespace sinew::deform
