// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/skin_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace sinew::deform {
namespace {

constexpr double kSpacing = 0.5;  // Of the radius of the flesh. 0.3 finds no more contacts.
constexpr int kMostParts = 16;    // Of an edge.

class Sampler {
 public:
  Sampler(const Rig& rig, const std::vector<Index>& owner, const std::vector<FleshField>& fields)
      : rig_(rig), owner_(owner), fields_(fields), rows_(rig.weights.normalized()), lists_(fields.size()) {}

  void add(const Triangle& triangle) {
    std::array<Vec3, 3> corners;
    double radius = 1e300;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = triangle.vertices[k];
      corners[k] = rig_.mesh.positions[v];
      if (owner_[v] == kNone) return;
      if (!fields_[owner_[v]].empty()) radius = std::min(radius, double{fields_[owner_[v]].radius()});
    }
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if (!(radius < 1e300) || !(normal.norm() > 0)) return;
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, (corners[(k + 1) % 3] - corners[k]).norm());
    const double spacing = kSpacing * radius;
    const int parts = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kMostParts);
    for (int i = 0; i <= parts; ++i)
      for (int j = 0; i + j <= parts; ++j) {
        const double unit = 1.0 / parts;
        SkinPoint point = point_of(triangle, {i * unit, j * unit, (parts - i - j) * unit});
        if (point.owner == kNone || fields_[point.owner].empty() || !take(point, spacing)) continue;
        point.normal = normal.normalized().cast<float>();
        lists_[point.owner].push_back(point);
      }
  }

  std::vector<SkinPoint> points() const {
    std::vector<SkinPoint> all;
    for (const auto& list : lists_) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

 private:
  SkinPoint point_of(const Triangle& triangle, const std::array<double, 3>& barycentric) {
    SkinPoint point;
    sums_.clear();
    Vec3 at = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      const Index v = triangle.vertices[k];
      at += barycentric[k] * rig_.mesh.positions[v];
      bool any = false;
      if (!rows_.empty())
        for (const Influence& influence : rows_.row(v))
          if (influence.weight > 0) count(influence.joint, barycentric[k] * influence.weight), any = true;
      if (!any) count(owner_[v], barycentric[k]);
    }
    std::sort(sums_.begin(), sums_.end(), [](const Influence& x, const Influence& y) {
      return x.weight != y.weight ? x.weight > y.weight : x.joint < y.joint;
    });
    sums_.resize(std::min(sums_.size(), point.weights.size()));
    float all = 0;
    for (const Influence& influence : sums_) all += influence.weight;
    if (!(all > 0)) return point;
    for (std::size_t k = 0; k < sums_.size(); ++k) point.weights[k] = {sums_[k].joint, sums_[k].weight / all};
    point.owner = sums_[0].joint;
    point.at = at.cast<float>();
    const auto largest = std::max_element(barycentric.begin(), barycentric.end());
    point.vertex = triangle.vertices[static_cast<std::size_t>(largest - barycentric.begin())];
    return point;
  }

  void count(Index joint, double weight) {
    for (Influence& sum : sums_)
      if (sum.joint == joint) {
        sum.weight += static_cast<float>(weight);
        return;
      }
    sums_.push_back({joint, static_cast<float>(weight)});
  }

  // The first point in each cell of a grid.
  bool take(const SkinPoint& point, double spacing) {
    const Vec3 cell = point.at.cast<double>() / spacing;
    const auto number = [](double x) { return static_cast<long>(std::floor(x)); };
    return taken_.insert({point.owner, number(cell[0]), number(cell[1]), number(cell[2])}).second;
  }

  const Rig& rig_;
  const std::vector<Index>& owner_;
  const std::vector<FleshField>& fields_;
  const SkinWeights rows_;
  std::vector<std::vector<SkinPoint>> lists_;
  std::vector<Influence> sums_;
  std::set<std::tuple<Index, long, long, long>> taken_;
};

}  // namespace

float SkinPoint::weight_of(Index joint) const {
  for (const Influence& influence : weights)
    if (influence.weight > 0 && influence.joint == joint) return influence.weight;
  return 0;
}

std::vector<SkinPoint> skin_points(const Rig& rig, const std::vector<Index>& owner,
                                   const std::vector<FleshField>& fields) {
  Sampler sampler(rig, owner, fields);
  for (const Triangle& triangle : triangulate(rig.mesh)) sampler.add(triangle);
  return sampler.points();
}

}  // namespace sinew::deform
