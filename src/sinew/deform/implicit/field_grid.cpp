// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/field_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/geometry/spatial/segment.h"

namespace sinew::deform {
namespace {

constexpr double kCellsInRadius = 12;
constexpr int kMostGrowths = 6;
constexpr double kDeep = 0.6;           ///< Of the radius, inside: deeper values are compressed.
constexpr double kEnvelopeBlend = 0.2;  ///< Of the radius.
constexpr int kGrowth = 2;              ///< Cells by which a side grows at a time.

/// The nodes of a box while it is being filled. Gradients count in cells, along its axes.
class Filling {
 public:
  Filling(const Hrbf& function, const PartEnvelope& envelope, const FieldGrid::Layout& layout, double radius)
      : function_(function), envelope_(envelope), layout_(layout), radius_(radius) {}

  /// Grows sides at whose nodes the function is below the radius, and evaluates all nodes.
  void fill(std::size_t most_nodes) {
    for (int growth = 0; growth < kMostGrowths && layout_.count() <= most_nodes && grow(); ++growth) {
    }
    evaluate();
  }

  /// Beyond the box the field is 0; so it is at its border.
  void close() {
    each([&](int i, int j, int k) {
      if (!at_border(i, j, k)) return;
      FieldGrid::Node& node = nodes_[index(i, j, k)];
      node[3] = std::max(node[3], static_cast<float>(radius_));
    });
  }

  /// Removes pieces that hold none of the points.
  void remove_ghosts(const std::vector<Vec3>& points) {
    std::vector<char> inside(nodes_.size()), reached(nodes_.size(), 0);
    for (std::size_t n = 0; n < nodes_.size(); ++n) inside[n] = nodes_[n][3] < 0;
    std::vector<std::size_t> queue;
    const auto reach = [&](std::size_t n) {
      if (reached[n] == 0) reached[n] = 1, queue.push_back(n);
    };
    for (const Vec3& point : points) {
      const Vec3 cells = layout_.axes.transpose() * (point - layout_.origin) / layout_.cell;
      for (int corner = 0; corner < 8; ++corner) {
        std::array<int, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis)
          at[axis] = std::clamp(static_cast<int>(cells[static_cast<Eigen::Index>(axis)]) + ((corner >> axis) & 1), 0,
                                layout_.nodes[axis] - 1);
        reach(index(at[0], at[1], at[2]));
      }
    }
    each([&](int i, int j, int k) {
      if (at_border(i, j, k) && inside[index(i, j, k)] == 0) reach(index(i, j, k));
    });
    flood(inside, reached, queue);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (reached[n] == 0) nodes_[n] = {0, 0, 0, static_cast<float>(inside[n] != 0 ? radius_ : -radius_)};
  }

  FieldGrid result() { return {layout_, static_cast<float>(radius_), std::move(nodes_)}; }

 private:
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(layout_.nodes[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(layout_.nodes[0]) +
           static_cast<std::size_t>(i);
  }
  bool at_border(int i, int j, int k) const {
    return i == 0 || j == 0 || k == 0 || i == layout_.nodes[0] - 1 || j == layout_.nodes[1] - 1 ||
           k == layout_.nodes[2] - 1;
  }
  template <class Function>
  void each(const Function& function) const {
    for (int k = 0; k < layout_.nodes[2]; ++k)
      for (int j = 0; j < layout_.nodes[1]; ++j)
        for (int i = 0; i < layout_.nodes[0]; ++i) function(i, j, k);
  }

  /// The function within the envelope, with its depths compressed.
  Hrbf::Value value_at(const Vec3& x) const {
    Hrbf::Value inner = function_.evaluate(x);
    const double deep = kDeep * radius_, room = (1 - kDeep) * radius_;
    if (inner.value < -deep) {
      const double t = std::tanh((-inner.value - deep) / room);
      inner.value = -deep - room * t;
      inner.gradient *= 1 - t * t;
    }
    if (!(envelope_.radius > 0)) return inner;
    const auto [outer, outward] = envelope_at(x);
    const double width = kEnvelopeBlend * radius_;
    if (!(outer > inner.value - width)) return inner;
    if (outer >= inner.value + width) return {outer, outward};
    // The quadratic blend of two values that are closer than the width.
    const double t = 0.5 + 0.5 * (outer - inner.value) / width;
    return {inner.value + width * t * t, (1 - t) * inner.gradient + t * outward};
  }

  Hrbf::Value envelope_at(const Vec3& x) const {
    Vec3 away = Vec3::Constant(std::numeric_limits<double>::infinity());
    for (const auto& [a, b] : envelope_.bones)
      if (const Vec3 from = x - geometry::segment_point<3>(x, a, b); from.squaredNorm() < away.squaredNorm())
        away = from;
    Hrbf::Value outer{away.norm() - envelope_.radius, away.stableNormalized()};
    for (const PartEnvelope::End& end : envelope_.ends)
      if (const double outside = end.outside(x); outside > outer.value) outer = {outside, end.gradient(x)};
    return outer;
  }

  void evaluate() {
    nodes_.resize(layout_.count());
    const Mat3 to_cells = layout_.cell * layout_.axes.transpose();
    for (int k = 0; k < layout_.nodes[2]; ++k)
      for (int j = 0; j < layout_.nodes[1]; ++j)
        for (int i = 0; i < layout_.nodes[0]; ++i) {
          const Hrbf::Value v = value_at(layout_.position(i, j, k));
          const Vec3 gradient = to_cells * v.gradient;
          nodes_[index(i, j, k)] = Vec4(gradient[0], gradient[1], gradient[2], v.value).cast<float>().array();
        }
  }

  bool grow() {
    std::array<std::array<bool, 2>, 3> open{};
    each([&](int i, int j, int k) {
      if (!at_border(i, j, k) || value_at(layout_.position(i, j, k)).value >= radius_) return;
      const std::array<int, 3> at = {i, j, k};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (at[axis] == 0) open[axis][0] = true;
        if (at[axis] == layout_.nodes[axis] - 1) open[axis][1] = true;
      }
    });
    bool any = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t end = 0; end < 2; ++end) {
        if (!open[axis][end]) continue;
        any = true;
        layout_.nodes[axis] += kGrowth;
        if (end == 0) layout_.origin -= kGrowth * layout_.cell * layout_.axes.col(static_cast<Eigen::Index>(axis));
      }
    return any;
  }

  /// Reaches on from the nodes of the queue to neighbours on the same side of the surface.
  void flood(const std::vector<char>& inside, std::vector<char>& reached, std::vector<std::size_t>& queue) const {
    const auto row = static_cast<std::size_t>(layout_.nodes[0]), rows = static_cast<std::size_t>(layout_.nodes[1]);
    while (!queue.empty()) {
      const std::size_t n = queue.back();
      queue.pop_back();
      const std::array<std::size_t, 3> at = {n % row, n / row % rows, n / (row * rows)}, stride = {1, row, row * rows};
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (const bool up : {false, true}) {
          if (up ? at[axis] + 1 >= static_cast<std::size_t>(layout_.nodes[axis]) : at[axis] == 0) continue;
          const std::size_t other = up ? n + stride[axis] : n - stride[axis];
          if (reached[other] != 0 || inside[other] != inside[n]) continue;
          reached[other] = 1;
          queue.push_back(other);
        }
    }
  }

  const Hrbf& function_;
  const PartEnvelope& envelope_;
  FieldGrid::Layout layout_;
  double radius_;
  std::vector<FieldGrid::Node> nodes_;
};

}  // namespace

double PartEnvelope::End::outside(const Vec3& at) const {
  const Vec3 from = at - point;
  const double along = from.dot(outward);
  return (along > 0 ? from.norm() : (from - along * outward).norm() + along) - radius;
}

Vec3 PartEnvelope::End::gradient(const Vec3& at) const {
  const Vec3 from = at - point;
  const double along = from.dot(outward);
  return along > 0 ? from.normalized() : Vec3((from - along * outward).stableNormalized() + outward);
}

FieldGrid FieldGrid::sample(const Hrbf& function, const std::vector<Vec3>& points, const Mat3& axes, double radius,
                            std::size_t most_nodes, const PartEnvelope& envelope) {
  Box box;
  for (const Vec3& point : points) box.extend(axes.transpose() * point);
  Layout layout;
  layout.axes = axes;
  const Vec3 extent = box.extent() + Vec3::Constant(2 * radius);
  const double room = std::cbrt(extent.prod() / static_cast<double>(most_nodes));
  layout.cell = std::max(radius / kCellsInRadius, 1.05 * room);
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.nodes[axis] = 2 + static_cast<int>(std::ceil(extent[static_cast<Eigen::Index>(axis)] / layout.cell));
  const Vec3 nodes(layout.nodes[0] - 1, layout.nodes[1] - 1, layout.nodes[2] - 1);
  layout.origin = axes * (box.center() - 0.5 * layout.cell * nodes);
  Filling filling(function, envelope, layout, radius);
  filling.fill(2 * most_nodes);
  filling.close();
  filling.remove_ghosts(points);
  return filling.result();
}

}  // namespace sinew::deform
