// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/fast_winding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

constexpr std::size_t kWindingLeaf = 8;

// The product of complex numbers whose arguments are halves of solid angles: one arc tangent for all triangles of a
// query instead of one each, which is most of the time otherwise. Whole turns are counted beside it.
class AngleProduct {
 public:
  // The triangle as seen from the origin. A. van Oosterom, J. Strackee, 1983.
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double la = std::sqrt(a.x() * a.x() + a.y() * a.y() + a.z() * a.z());
    const double lb = std::sqrt(b.x() * b.x() + b.y() * b.y() + b.z() * b.z());
    const double lc = std::sqrt(c.x() * c.x() + c.y() * c.y() + c.z() * c.z());
    const double ab = a.x() * b.x() + a.y() * b.y() + a.z() * b.z();
    const double bc = b.x() * c.x() + b.y() * c.y() + b.z() * c.z();
    const double ca = c.x() * a.x() + c.y() * a.y() + c.z() * a.z();
    const double volume = a.x() * (b.y() * c.z() - b.z() * c.y()) + a.y() * (b.z() * c.x() - b.x() * c.z()) +
                          a.z() * (b.x() * c.y() - b.y() * c.x());
    const double scale = la * lb * lc;
    if (!(scale > 0)) return;
    multiply(1 + (ab * lc + bc * la + ca * lb) / scale, volume / scale);
  }

  double angle() const { return 2 * (std::atan2(im_, re_) + kTwoPi * turns_); }

 private:
  void multiply(double re, double im) {
    const double product_re = re_ * re - im_ * im, product_im = re_ * im + im_ * re;
    const double length2 = product_re * product_re + product_im * product_im;
    if (!(length2 > 0)) return;  // The point lies on an edge: no angle is better than another.
    if (im_ >= 0 && im >= 0) {
      if (product_im < 0 || (product_im == 0 && re_ < 0 && re < 0)) ++turns_;
    } else if (im_ < 0 && im < 0 && product_im >= 0) {
      --turns_;
    }
    const double scale = length2 < 1e-60 || length2 > 1e60 ? 1 / std::sqrt(length2) : 1;
    re_ = scale * product_re;
    im_ = scale * product_im;
  }

  double re_ = 1, im_ = 0;
  int turns_ = 0;
};

// Where (i, j, k) with i ≤ j ≤ k lies in the ten numbers of a symmetric tensor; likewise (i, j) in six.
constexpr std::size_t kPair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
constexpr std::size_t kTriple[3][3][3] = {
    {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}, {{1, 3, 4}, {3, 6, 7}, {4, 7, 8}}, {{2, 4, 5}, {4, 7, 8}, {5, 8, 9}}};
constexpr int kTripleIndex[10][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2},
                                     {0, 2, 2}, {1, 1, 1}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}};
constexpr int kPairIndex[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

// ∫ n, sym ∫ y⊗n and sym ∫ y⊗y⊗n about a point, traces kept, so that they can be moved to another point.
struct RawMoments {
  Vec3 n = Vec3::Zero();
  std::array<double, 6> yn = {};
  std::array<double, 10> yyn = {};

  void add_shifted(const RawMoments& other, const Vec3& shift) {
    const auto pair = [](const std::array<double, 6>& m, int i, int j) { return m[kPair[i][j]]; };
    for (std::size_t s = 0; s < 10; ++s) {
      const auto [i, j, k] = kTripleIndex[s];
      const double mixed =
          shift[i] * pair(other.yn, j, k) + shift[j] * pair(other.yn, i, k) + shift[k] * pair(other.yn, i, j);
      const double outer =
          shift[i] * shift[j] * other.n[k] + shift[i] * shift[k] * other.n[j] + shift[j] * shift[k] * other.n[i];
      yyn[s] += other.yyn[s] + (2 * mixed + outer) / 3;
    }
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [i, j] = kPairIndex[s];
      yn[s] += other.yn[s] + 0.5 * (shift[i] * other.n[j] + shift[j] * other.n[i]);
    }
    n += other.n;
  }

  // Of a triangle, corners from the centre of expansion.
  void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 area = 0.5 * (b - a).cross(c - a), sum = a + b + c;
    const Mat3 square = (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) / 12;
    for (std::size_t s = 0; s < 10; ++s) {
      const auto [i, j, k] = kTripleIndex[s];
      yyn[s] += (square(i, j) * area[k] + square(i, k) * area[j] + square(j, k) * area[i]) / 3;
    }
    for (std::size_t s = 0; s < 6; ++s) {
      const auto [i, j] = kPairIndex[s];
      yn[s] += (sum[i] * area[j] + sum[j] * area[i]) / 6;
    }
    n += area;
  }
};

// What is known of a node while its parents still need it.
struct NodeSum {
  RawMoments raw;
  double area = 0;
  double radius = 0;
  Box box;
};

}  // namespace

class FastWindingBuilder {
 public:
  FastWindingBuilder(const TriangleSoup& soup, std::span<const std::int8_t> signs, FastWinding& out)
      : soup_(soup), signs_(signs), out_(out) {
    for (Index i = 0; i < soup.triangles.size(); ++i)
      if (signs.empty() || signs[i] != 0) order_.push_back(i);
  }

  void build() {
    if (order_.empty()) return;
    centers_.resize(soup_.triangles.size());
    parallel_for(order_.size(), [&](std::size_t i) {
      const Index t = order_[i];
      centers_[t] = (soup_.corner(t, 0) + soup_.corner(t, 1) + soup_.corner(t, 2)) / 3;
    });
    out_.nodes_.resize(node_count(order_.size()));
    split_all();
    fill_corners();
    fill_moments();
  }

 private:
  struct Range {
    std::size_t begin, end;
    Index node;
  };

  // The first child takes a full binary tree of leaves, so that every node's place is known beforehand.
  static std::size_t first_half(std::size_t count) {
    std::size_t half = kWindingLeaf;
    while (2 * half < count) half *= 2;
    return half;
  }
  static std::size_t node_count(std::size_t count) { return 2 * ((count + kWindingLeaf - 1) / kWindingLeaf) - 1; }

  void split_all() {
    std::vector<Range> work = {{0, order_.size(), 0}}, large;
    while (!work.empty()) {
      const Range range = work.back();
      work.pop_back();
      if (range.end - range.begin <= 16384) large.push_back(range);
      else split(range, work);
    }
    parallel_for(
        large.size(),
        [&](std::size_t i) {
          std::vector<Range> stack = {large[i]};
          while (!stack.empty()) {
            const Range range = stack.back();
            stack.pop_back();
            split(range, stack);
          }
        },
        1);
  }

  // Makes one node; its children go to `pending`.
  void split(const Range& range, std::vector<Range>& pending) {
    FastWinding::Node& node = out_.nodes_[range.node];
    const std::size_t count = range.end - range.begin;
    node.skip = range.node + static_cast<Index>(node_count(count));
    node.first = static_cast<Index>(range.begin);
    if (count <= kWindingLeaf) {
      node.count = static_cast<Index>(count);
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                order_.begin() + static_cast<std::ptrdiff_t>(range.end));
      return;
    }
    Box box;
    for (std::size_t i = range.begin; i < range.end; ++i) box.extend(centers_[order_[i]]);
    Eigen::Index axis = 0;
    box.extent().maxCoeff(&axis);
    const std::size_t half = first_half(count);
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(range.begin), at(range.begin + half), at(range.end), [&](Index a, Index b) {
      const double x = centers_[a][axis], y = centers_[b][axis];
      return x != y ? x < y : a < b;
    });
    pending.push_back({range.begin + half, range.end, range.node + 1 + static_cast<Index>(node_count(half))});
    pending.push_back({range.begin, range.begin + half, range.node + 1});
  }

  void fill_corners() {
    out_.corners_.resize(order_.size());
    parallel_for(order_.size(), [&](std::size_t i) {
      const Index t = order_[i];
      const bool turned = !signs_.empty() && signs_[t] < 0;
      out_.corners_[i] = {soup_.corner(t, 0), soup_.corner(t, turned ? 2 : 1), soup_.corner(t, turned ? 1 : 2)};
    });
  }

  void fill_moments() {
    std::vector<NodeSum> sums(out_.nodes_.size());
    out_.moments_.resize(out_.nodes_.size());
    parallel_for(out_.nodes_.size(), [&](std::size_t i) {
      if (out_.nodes_[i].count > 0) sum_leaf(out_.nodes_[i], sums[i]);
    });
    for (std::size_t i = out_.nodes_.size(); i-- > 0;)  // Children come after their parents.
      if (out_.nodes_[i].count == 0) sum_children(static_cast<Index>(i), sums);
    parallel_for(out_.nodes_.size(), [&](std::size_t i) { out_.moments_[i] = trace_free(sums[i].raw); });
  }

  void sum_leaf(FastWinding::Node& node, NodeSum& sum) const {
    Vec3 weighted = Vec3::Zero();
    for (Index i = 0; i < node.count; ++i) {
      const auto& [a, b, c] = out_.corners_[node.first + i];
      const double area = 0.5 * (b - a).cross(c - a).norm();
      weighted += area / 3 * (a + b + c);
      sum.area += area;
      for (const Vec3& p : {a, b, c}) sum.box.extend(p);
    }
    node.center = sum.area > 0 ? Vec3(weighted / sum.area) : sum.box.center();
    for (Index i = 0; i < node.count; ++i) {
      const auto& [a, b, c] = out_.corners_[node.first + i];
      sum.raw.add_triangle(a - node.center, b - node.center, c - node.center);
      for (const Vec3& p : {a, b, c}) sum.radius = std::max(sum.radius, (p - node.center).norm());
    }
    node.radius2 = sum.radius * sum.radius;
  }

  void sum_children(Index i, std::vector<NodeSum>& sums) const {
    FastWinding::Node& node = out_.nodes_[i];
    const std::array<Index, 2> children = {i + 1, out_.nodes_[i + 1].skip};
    NodeSum& sum = sums[i];
    Vec3 weighted = Vec3::Zero();
    for (const Index child : children) {
      sum.area += sums[child].area;
      weighted += sums[child].area * out_.nodes_[child].center;
      sum.box.extend(sums[child].box.lower);
      sum.box.extend(sums[child].box.upper);
    }
    node.center = sum.area > 0 ? Vec3(weighted / sum.area) : sum.box.center();
    for (const Index child : children) {
      const Vec3 shift = out_.nodes_[child].center - node.center;
      sum.raw.add_shifted(sums[child].raw, shift);
      sum.radius = std::max(sum.radius, shift.norm() + sums[child].radius);
    }
    const Vec3 corner = (sum.box.upper - node.center).cwiseMax(node.center - sum.box.lower);
    sum.radius = std::min(sum.radius, corner.norm());
    node.radius2 = sum.radius * sum.radius;
  }

  // The kernel's derivatives are harmonic: they are blind to traces.
  static FastWinding::Moments trace_free(const RawMoments& raw) {
    FastWinding::Moments result;
    for (std::size_t k = 0; k < 3; ++k) result.first[k] = raw.n[static_cast<Eigen::Index>(k)];
    const double trace = raw.yn[0] + raw.yn[3] + raw.yn[5];
    for (std::size_t s = 0; s < 6; ++s)
      result.second[s] = raw.yn[s] - (kPairIndex[s][0] == kPairIndex[s][1] ? trace / 3 : 0);
    Vec3 traces = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) traces[k] += raw.yyn[kTriple[i][i][k]];
    for (std::size_t s = 0; s < 10; ++s) {
      const auto [i, j, k] = kTripleIndex[s];
      const double part = (i == j ? traces[k] : 0) + (i == k ? traces[j] : 0) + (j == k ? traces[i] : 0);
      result.third[s] = 0.5 * (raw.yyn[s] - part / 5);
    }
    return result;
  }

  const TriangleSoup soup_;
  const std::span<const std::int8_t> signs_;
  FastWinding& out_;
  std::vector<Index> order_;   // Triangles as the leaves hold them.
  std::vector<Vec3> centers_;  // Per triangle.
};

FastWinding::FastWinding(const Mesh& mesh) {
  const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
  *this = FastWinding(TriangleSoup{mesh.positions, triangles});
}

FastWinding::FastWinding(const TriangleSoup& soup, std::span<const std::int8_t> signs) {
  if (soup.triangles.empty()) return;
  require_solid_input(soup, "winding numbers");
  FastWindingBuilder(soup, signs, *this).build();
}

double FastWinding::at(const Vec3& point, double beta) const {
  const double beta2 = beta * beta;
  double far = 0;
  AngleProduct near;
  for (std::size_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const double x = node.center.x() - point.x(), y = node.center.y() - point.y(), z = node.center.z() - point.z();
    const double length2 = x * x + y * y + z * z;
    if (length2 > beta2 * node.radius2) {
      // Derivatives of r/|r|³ of order 0, 1, 2 against the moments.
      const auto& [n, m, t] = moments_[i];
      const double dipole = n[0] * x + n[1] * y + n[2] * z;
      const double second = x * (m[0] * x + 2 * (m[1] * y + m[2] * z)) + y * (m[3] * y + 2 * m[4] * z) + m[5] * z * z;
      const double third =
          x * (x * (t[0] * x + 3 * (t[1] * y + t[2] * z)) + 3 * (y * (t[3] * y + 2 * t[4] * z) + t[5] * z * z)) +
          y * (y * (t[6] * y + 3 * t[7] * z) + 3 * t[8] * z * z) + t[9] * z * z * z;
      const double inverse2 = 1 / length2;
      far += inverse2 * std::sqrt(inverse2) * (dipole + inverse2 * (-3 * second + inverse2 * 15 * third));
      i = node.skip;
      continue;
    }
    for (Index k = 0; k < node.count; ++k) {
      const auto& [a, b, c] = corners_[node.first + k];
      near.add(a - point, b - point, c - point);
    }
    ++i;
  }
  return (far + near.angle()) / (4 * kPi);
}

std::vector<double> FastWinding::at(std::span<const Vec3> points, double beta) const {
  std::vector<double> result(points.size());
  parallel_for(
      points.size(), [&](std::size_t i) { result[i] = at(points[i], beta); }, 256);
  return result;
}

}  // namespace sinew::geometry
