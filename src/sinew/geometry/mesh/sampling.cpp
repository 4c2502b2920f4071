// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/hash_cells.h"
#include "sinew/geometry/spatial/random.h"

namespace sinew::geometry {
namespace {

constexpr double kCandidatesPerSquare = 24;
// Points per distance² of area that the candidates above leave; measured on spheres and tori.
constexpr double kPointsPerSquare = 0.62;

// Draws triangles by their area.
class AreaSampler {
 public:
  explicit AreaSampler(const Mesh& mesh) : mesh_(mesh), triangles_(triangulate(mesh)), sums_(triangles_.size()) {
    parallel_for(sums_.size(), [&](std::size_t t) {
      const auto& [a, b, c] = triangles_[t].vertices;
      const auto& p = mesh.positions;
      sums_[t] = 0.5 * (p[b] - p[a]).cross(p[c] - p[a]).norm();
    });
    std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
  }

  double area() const { return sums_.empty() ? 0 : sums_.back(); }

  SurfacePoint draw(Random random) const {
    const double at = random.uniform() * area();
    auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    // Rounding can make the draw equal to the whole.
    if (found == sums_.end()) found = std::lower_bound(sums_.begin(), sums_.end(), area());
    const Triangle& triangle = triangles_[static_cast<std::size_t>(found - sums_.begin())];
    const double u = std::sqrt(random.uniform()), v = random.uniform();
    SurfacePoint point;
    point.face = triangle.face;
    point.vertices = triangle.vertices;
    point.weights = {1 - u, u * (1 - v), u * v};
    for (std::size_t i = 0; i < 3; ++i) point.position += point.weights[i] * mesh_.positions[point.vertices[i]];
    return point;
  }

 private:
  const Mesh& mesh_;
  std::vector<Triangle> triangles_;
  std::vector<double> sums_;
};

bool lower_position(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

// Twenty-one bits of each coordinate, interleaved: points that follow each other lie near each other.
std::uint64_t morton_code(const Vec3& unit) {
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto x = static_cast<std::uint64_t>(std::clamp(unit[axis], 0.0, 1.0) * 0x1FFFFF);
    x = (x | (x << 32)) & 0x1F00000000FFFFU;
    x = (x | (x << 16)) & 0x1F0000FF0000FFU;
    x = (x | (x << 8)) & 0x100F00F00F00F00FU;
    x = (x | (x << 4)) & 0x10C30C30C30C30C3U;
    x = (x | (x << 2)) & 0x1249249249249249U;
    code |= x << axis;
  }
  return code;
}

// Points in boxes of up to 64, each with the furthest of its points.
class FarthestSearch {
 public:
  explicit FarthestSearch(std::span<const Vec3> points) : points_(points), order_(points.size()) {
    Box bounds;
    for (const Vec3& p : points) bounds.extend(p);
    const double scale = 1 / std::max(bounds.extent().maxCoeff(), 1e-300);
    std::vector<std::pair<std::uint64_t, Index>> codes(points.size());
    parallel_for(codes.size(), [&](std::size_t i) {
      codes[i] = {morton_code((points[i] - bounds.lower) * scale), static_cast<Index>(i)};
    });
    std::sort(codes.begin(), codes.end());
    for (std::size_t i = 0; i < codes.size(); ++i) order_[i] = codes[i].second;
    squared_.assign(points.size(), std::numeric_limits<double>::infinity());
    boxes_.resize((points.size() + kBoxSize - 1) / kBoxSize);
    parallel_for(
        boxes_.size(),
        [&](std::size_t b) {
          for (std::size_t i = begin(b); i < end(b); ++i) boxes_[b].box.extend(points[order_[i]]);
          boxes_[b].farthest = std::numeric_limits<double>::infinity();
        },
        64);
  }

  void add(const Vec3& sample) {
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      const Box& box = boxes_[b].box;
      // Rounding keeps the order of differences, so that no point of the box can be nearer than this.
      const Vec3 gap = (box.lower - sample).cwiseMax(sample - box.upper).cwiseMax(0);
      if (gap.squaredNorm() >= boxes_[b].farthest) continue;
      update(b, sample);
    }
  }

  // Of all points, the one furthest from every sample so far, and the square of how far.
  std::pair<Index, double> farthest() const {
    std::pair<Index, double> best = {kNone, -1};
    for (const Bucket& bucket : boxes_)
      if (better(bucket.point, bucket.farthest, best)) best = {bucket.point, bucket.farthest};
    return best;
  }

 private:
  static constexpr std::size_t kBoxSize = 64;
  struct Bucket {
    Box box;
    double farthest = 0;  // Squared.
    Index point = kNone;
  };

  std::size_t begin(std::size_t b) const { return b * kBoxSize; }
  std::size_t end(std::size_t b) const { return std::min(points_.size(), (b + 1) * kBoxSize); }

  bool better(Index point, double squared, const std::pair<Index, double>& best) const {
    if (squared != best.second || best.first == kNone) return squared > best.second;
    const Vec3 &p = points_[point], &q = points_[best.first];
    return lower_position(p, q) || (p == q && point < best.first);
  }

  void update(std::size_t b, const Vec3& sample) {
    std::pair<Index, double> best = {kNone, -1};
    for (std::size_t i = begin(b); i < end(b); ++i) {
      squared_[i] = std::min(squared_[i], (points_[order_[i]] - sample).squaredNorm());
      if (better(order_[i], squared_[i], best)) best = {order_[i], squared_[i]};
    }
    boxes_[b].point = best.first;
    boxes_[b].farthest = best.second;
  }

  std::span<const Vec3> points_;
  std::vector<Index> order_;
  std::vector<double> squared_;  // In that order.
  std::vector<Bucket> boxes_;
};

// Points in cubic cells of a hash table, found by place.
class DartGrid {
 public:
  DartGrid(const Vec3& origin, double distance, std::size_t expected)
      : origin_(origin),
        distance_(distance),
        cell_(distance *
              (1 + 1e-9)),  // Points of cells that are not neighbours are further apart in spite of rounding.
        heads_(std::bit_ceil(2 * expected + 16), kNone) {}

  // Adds the point unless another one is too near.
  bool add(const Vec3& p) {
    const HashCell c = cell(p);
    for (std::int64_t x = c[0] - 1; x <= c[0] + 1; ++x)
      for (std::int64_t y = c[1] - 1; y <= c[1] + 1; ++y)
        for (std::int64_t z = c[2] - 1; z <= c[2] + 1; ++z)
          for (Index i = heads_[slot({x, y, z})]; i != kNone; i = next_[i])
            if ((points_[i] - p).squaredNorm() < distance_ * distance_) return false;
    Index& head = heads_[slot(c)];
    next_.push_back(head);
    head = static_cast<Index>(points_.size());
    points_.push_back(p);
    return true;
  }

 private:
  HashCell cell(const Vec3& p) const { return hash_cell(p, origin_, cell_); }
  std::size_t slot(const HashCell& c) const { return hash_slot(c, heads_.size()); }

  Vec3 origin_;
  double distance_, cell_;
  std::vector<Index> heads_, next_;
  std::vector<Vec3> points_;
};

}  // namespace

std::vector<SurfacePoint> random_surface_points(const Mesh& mesh, Index count, std::uint64_t seed) {
  const AreaSampler sampler(mesh);
  if (!(sampler.area() > 0)) return {};
  std::vector<SurfacePoint> points(count);
  parallel_for(count, [&](std::size_t i) { points[i] = sampler.draw(Random(seed, i)); });
  return points;
}

std::vector<Index> farthest_points(std::span<const Vec3> points, Index count, Index start) {
  std::vector<Index> chosen;
  if (points.empty() || count == 0) return chosen;
  FarthestSearch search(points);
  if (start == kNone) {
    Box bounds;
    for (const Vec3& p : points) bounds.extend(p);
    FarthestSearch from_middle = search;
    from_middle.add(bounds.center());
    start = from_middle.farthest().first;
  }
  for (chosen.push_back(start); chosen.size() < count;) {
    search.add(points[chosen.back()]);
    const auto [point, squared] = search.farthest();
    if (!(squared > 0)) break;
    chosen.push_back(point);
  }
  return chosen;
}

std::vector<SurfacePoint> poisson_disk(const Mesh& mesh, double distance, std::uint64_t seed) {
  if (!(distance > 0)) throw Error(fmt::format("Points cannot be spread {} apart. Give a distance above 0.", distance));
  const AreaSampler sampler(mesh);
  const double squares = sampler.area() / (distance * distance);
  if (!(kCandidatesPerSquare * squares <= 1e8))
    throw Error(fmt::format("Points {} apart on a surface of area {} would be too many. Give a larger distance.",
                            distance, sampler.area()));
  if (!(sampler.area() > 0)) return {};
  // Candidates are independent of each other, so that their own order is a random one.
  const auto candidates = static_cast<std::size_t>(std::ceil(kCandidatesPerSquare * squares)) + 8;
  DartGrid grid(mesh.bounds().lower, distance, static_cast<std::size_t>(squares));
  std::vector<SurfacePoint> kept, block;
  for (std::size_t begin = 0; begin < candidates; begin += 65536) {
    block.resize(std::min<std::size_t>(65536, candidates - begin));
    parallel_for(block.size(), [&](std::size_t i) { block[i] = sampler.draw(Random(seed, begin + i)); });
    for (const SurfacePoint& point : block)
      if (grid.add(point.position)) kept.push_back(point);
  }
  return kept;
}

double poisson_disk_distance(const Mesh& mesh, Index count) {
  return std::sqrt(kPointsPerSquare * volume(mesh).area / count);
}

}  // namespace sinew::geometry
