// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/deform/implicit/hrbf.h"

namespace sinew::deform {

/// A part ends this far from its bones at the latest, even where it has no skin that closes it.
struct PartEnvelope {
  /// Where another part begins: beyond the point, along `outward`, the part is within a ball, and before it within a
  /// cone that opens by 45 degrees.
  struct End {
    Vec3 point, outward;
    double radius;

    /// How far a point is outside, negative inside: a distance beyond the end, at most 1.5 times that before it.
    double outside(const Vec3& at) const;
    Vec3 gradient(const Vec3& at) const;
  };

  std::vector<std::array<Vec3, 2>> bones;
  double radius = 0;  ///< 0: there is none.
  std::vector<End> ends = {};
};

/// The function of one part on the nodes of an oriented box, for fast look-up. It covers all points at which the value
/// is below the radius of support.
class FieldGrid {
 public:
  /// The value and the gradient at a node or at a point: gradient x, y, z, then the value. In the frame of the grid.
  using Node = Eigen::Array4f;

  struct Layout {
    Mat3 axes = Mat3::Identity();  ///< Columns: the axes of the box in model space.
    Vec3 origin = Vec3::Zero();    ///< Model-space position of the first node.
    double cell = 1;
    std::array<int, 3> nodes{};

    std::size_t count() const {
      return static_cast<std::size_t>(nodes[0]) * static_cast<std::size_t>(nodes[1]) *
             static_cast<std::size_t>(nodes[2]);
    }
    Vec3 position(int i, int j, int k) const { return origin + axes * (cell * Vec3(i, j, k)); }
  };

  FieldGrid() = default;
  FieldGrid(const Layout& layout, float radius, std::vector<Node> nodes)
      : layout_(layout), radius_(radius), nodes_(std::move(nodes)) {}

  /// Evaluates the function at the nodes of a box around `points`, which grows until the function reaches `radius` at
  /// its border. Sheets that do not belong to the surface are removed: pieces inside without any of `points` count as
  /// outside, enclosed pieces outside count as inside. Values deep inside are compressed, since functions of parts that
  /// are open fall without bound there. `axes` are the axes of the box. The cell is a fraction of the
  /// radius, larger if the box would have more than `most_nodes`. Nodes times samples.
  static FieldGrid sample(const Hrbf& function, const std::vector<Vec3>& points, const Mat3& axes, double radius,
                          std::size_t most_nodes, const PartEnvelope& envelope = {});

  const Layout& layout() const { return layout_; }
  float radius() const { return radius_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool empty() const { return nodes_.empty(); }

  /// The function at a point in units of cells from the first node. The value weights the linear continuations from the
  /// corners of the cell by half of their slopes ("half Taylor"), which cancels the error of second order. The gradient
  /// is trilinear. Returns false outside of the box, where the field is 0.
  bool look_up(const Vec3f& cells, Node& result) const {
    const Eigen::Array3f place = cells.array();
    if (!(place >= 0.0F).all() || !(place < last_).all()) return false;
    result = interpolate(place);
    return true;
  }

 private:
  Node interpolate(const Eigen::Array3f& place) const;

  Layout layout_;
  float radius_ = 1;
  std::vector<Node> nodes_;
  Eigen::Array3f last_ =
      Eigen::Array3f(static_cast<float>(layout_.nodes[0] - 1), static_cast<float>(layout_.nodes[1] - 1),
                     static_cast<float>(layout_.nodes[2] - 1));
};

inline FieldGrid::Node FieldGrid::interpolate(const Eigen::Array3f& place) const {
  const auto i = static_cast<std::uint32_t>(place[0]), j = static_cast<std::uint32_t>(place[1]),
             k = static_cast<std::uint32_t>(place[2]);
  const float x = place[0] - static_cast<float>(i), y = place[1] - static_cast<float>(j),
              z = place[2] - static_cast<float>(k);
  const std::size_t row = static_cast<std::size_t>(layout_.nodes[0]),
                    plane = row * static_cast<std::size_t>(layout_.nodes[1]);
  const Node* corner = nodes_.data() + (k * plane + j * row + i);
  // Half the way from each corner, in cells; the gradient of the grid counts in cells too. The last lane keeps values.
  const Node near(0.5F * x, 0.5F * y, 0.5F * z, 1), far_x(0.5F * (x - 1), near[1], near[2], 1);
  Node sum = Node::Zero(), taylor = Node::Zero();
  const auto add_row = [&](const Node* at, float weight, float half_y, float half_z) {
    const Node a = at[0] * (weight * (1 - x)), b = at[1] * (weight * x);
    sum += a + b;
    taylor += a * Node(near[0], half_y, half_z, 1) + b * Node(far_x[0], half_y, half_z, 1);
  };
  add_row(corner, (1 - y) * (1 - z), 0.5F * y, 0.5F * z);
  add_row(corner + row, y * (1 - z), 0.5F * (y - 1), 0.5F * z);
  add_row(corner + plane, (1 - y) * z, 0.5F * y, 0.5F * (z - 1));
  add_row(corner + plane + row, y * z, 0.5F * (y - 1), 0.5F * (z - 1));
  sum[3] = taylor.sum();
  return sum;
}

}  // namespace sinew::deform
