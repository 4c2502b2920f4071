// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxels.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/predicates.h"
#include "sinew/geometry/voxels/voxel_cleanup.h"

namespace sinew::geometry {
namespace {

constexpr double kTouch = 1e-6;  // Boxes grow by this part of their edge, so that touching counts.
// Columns miss edges and corners of meshes that lie on a grid; parts of the voxel edge.
constexpr double kJitterU = 1e-4 * 0.70710678118654752, kJitterV = 1e-4 * 0.61803398874989485;

bool apart_along(const Vec3& axis, const std::array<Vec3, 3>& t, const Vec3& half) {
  const double p0 = axis.dot(t[0]), p1 = axis.dot(t[1]), p2 = axis.dot(t[2]);
  const double reach = std::abs(axis.x()) * half.x() + std::abs(axis.y()) * half.y() + std::abs(axis.z()) * half.z();
  return std::min({p0, p1, p2}) > reach || std::max({p0, p1, p2}) < -reach;
}

void lay_grid(const Box& box, const VoxelOptions& options, SolidVoxels& voxels) {
  const double longest = box.extent().maxCoeff();
  voxels.cell = (longest > 0 ? longest : 1) / std::max(options.resolution, 1);
  double total = 1;
  for (int k = 0; k < 3; ++k) {
    // Between a quarter and three quarters of a voxel stick out of the box on either side.
    const double inner = std::ceil(box.extent()[k] / voxels.cell - 0.5 - 1e-9) + 1;
    const double count = inner + 2 * std::max(options.padding, 1);
    total *= count;
    if (!(total <= 1073741824.0))
      throw Error("The voxel grid would have more than 2^30 voxels. Use a lower resolution.");
    voxels.counts[static_cast<std::size_t>(k)] = static_cast<Index>(count);
    voxels.origin[k] = box.center()[k] - 0.5 * voxels.cell * count;
  }
}

// V2: voxels that the surface touches.
class BoundaryMarker {
 public:
  BoundaryMarker(const TriangleSoup& soup, SolidVoxels& voxels)
      : soup_(soup), voxels_(voxels), half_(Vec3::Constant(voxels.cell * (0.5 + kTouch))) {}

  void mark_all(const Progress& progress) {
    parallel_blocks(soup_.triangles.size(), 512, [&](std::size_t begin, std::size_t end) {
      progress.check();
      for (std::size_t t = begin; t < end; ++t) mark(static_cast<Index>(t));
    });
  }

 private:
  // The range of voxels along axis k that [low, high] may touch.
  std::array<Index, 2> range(int k, double low, double high) const {
    const double count = voxels_.counts[static_cast<std::size_t>(k)];
    const double first = std::floor((low - voxels_.origin[k]) / voxels_.cell - 2 * kTouch);
    const double last = std::floor((high - voxels_.origin[k]) / voxels_.cell + 2 * kTouch);
    return {static_cast<Index>(std::clamp(first, 0.0, count - 1)),
            static_cast<Index>(std::clamp(last, 0.0, count - 1))};
  }

  void mark(Index t) const {
    const std::array<Vec3, 3> corners = {soup_.corner(t, 0), soup_.corner(t, 1), soup_.corner(t, 2)};
    Box box;
    for (const Vec3& p : corners) box.extend(p);
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    Eigen::Index steepest = 0;
    normal.cwiseAbs().maxCoeff(&steepest);
    const int k = static_cast<int>(steepest), u = (k + 1) % 3, v = (k + 2) % 3;
    const auto [u0, u1] = range(u, box.lower[u], box.upper[u]);
    const auto [v0, v1] = range(v, box.lower[v], box.upper[v]);
    for (Index j = v0; j <= v1; ++j)
      for (Index i = u0; i <= u1; ++i) mark_column(corners, box, normal, {k, u, v}, i, j);
  }

  // Only the voxels that the plane can reach: a large triangle costs its area, not its box.
  void mark_column(const std::array<Vec3, 3>& corners, const Box& box, const Vec3& normal,
                   const std::array<int, 3>& axes, Index i, Index j) const {
    const auto [k, u, v] = axes;
    double low = box.lower[k], high = box.upper[k];
    Vec3 center;
    center[u] = voxels_.origin[u] + voxels_.cell * (i + 0.5);
    center[v] = voxels_.origin[v] + voxels_.cell * (j + 0.5);
    if (normal[k] != 0) {
      const double slope_u = normal[u] / normal[k], slope_v = normal[v] / normal[k];
      const double height =
          corners[0][k] - slope_u * (center[u] - corners[0][u]) - slope_v * (center[v] - corners[0][v]);
      // A little more than the box reaches; `triangle_meets_box` decides.
      const double reach = voxels_.cell * (0.51 * (std::abs(slope_u) + std::abs(slope_v)) + 0.01);
      low = std::max(low, height - reach);
      high = std::min(high, height + reach);
      if (low > high) return;
    }
    const auto [first, last] = range(k, low, high);
    for (Index h = first; h <= last; ++h) {
      center[k] = voxels_.origin[k] + voxels_.cell * (h + 0.5);
      if (!triangle_meets_box(corners, center, half_)) continue;
      std::array<Index, 3> at;
      at[static_cast<std::size_t>(k)] = h;
      at[static_cast<std::size_t>(u)] = i;
      at[static_cast<std::size_t>(v)] = j;
      std::atomic_ref<VoxelClass>(voxels_.classes[voxels_.index(at[0], at[1], at[2])])
          .store(VoxelClass::kBoundary, std::memory_order_relaxed);
    }
  }

  const TriangleSoup soup_;
  SolidVoxels& voxels_;
  const Vec3 half_;
};

// Where a column meets a triangle.
struct Crossing {
  Index column;
  std::int32_t sign;  // +1 entering, −1 leaving.
  double height;
};

// V3: what the columns along one axis say. Votes are added to a byte per voxel: in ×1, out ×16.
class ColumnVotes {
 public:
  static constexpr std::uint8_t kIn = 1, kOut = 16;

  ColumnVotes(const TriangleSoup& soup, double smallest_area, const SolidVoxels& voxels, int axis)
      : soup_(soup),
        smallest_area_(smallest_area),
        voxels_(voxels),
        k_(axis),
        u_((axis + 1) % 3),
        v_((axis + 2) % 3),
        width_(voxels.counts[static_cast<std::size_t>(u_)]),
        height_(voxels.counts[static_cast<std::size_t>(v_)]) {}

  void vote(std::vector<std::uint8_t>& votes, const Progress& progress) {
    collect(progress);
    parallel_for(
        std::size_t{width_} * height_, [&](std::size_t column) { scan(column, votes); }, 256);
  }

 private:
  Vec2 across(const Vec3& p) const { return {p[u_], p[v_]}; }

  // Going back along an edge takes away what going along it adds, so that a column through the common edge of two
  // triangles meets one of them.
  static int edge_side(const Vec2& a, const Vec2& b, const Vec2& q) {
    const bool a_below = a.x() <= q.x(), b_below = b.x() <= q.x();
    if (a_below == b_below) return 0;
    return a_below ? (orient2d(a, b, q) > 0 ? 1 : 0) : (orient2d(b, a, q) > 0 ? -1 : 0);
  }

  void cross(Index t, std::vector<Crossing>& found) const {
    const Vec3 &a = soup_.corner(t, 0), &b = soup_.corner(t, 1), &c = soup_.corner(t, 2);
    const Vec3 normal = (b - a).cross(c - a);
    if (normal[k_] == 0 || normal.norm() < smallest_area_) return;
    const Vec2 qa = across(a), qb = across(b), qc = across(c);
    const auto [i0, i1] = columns(u_, width_, kJitterU, {a[u_], b[u_], c[u_]});
    const auto [j0, j1] = columns(v_, height_, kJitterV, {a[v_], b[v_], c[v_]});
    for (std::int64_t j = j0; j <= j1; ++j)
      for (std::int64_t i = i0; i <= i1; ++i) {
        const Vec2 q(place(u_, i, kJitterU), place(v_, j, kJitterV));
        const int turns = edge_side(qa, qb, q) + edge_side(qb, qc, q) + edge_side(qc, qa, q);
        if (turns == 0) continue;
        const double height = a[k_] - (normal[u_] * (q.x() - a[u_]) + normal[v_] * (q.y() - a[v_])) / normal[k_];
        const double low = std::min({a[k_], b[k_], c[k_]}), high = std::max({a[k_], b[k_], c[k_]});
        found.push_back({static_cast<Index>(j * width_ + i), -turns, std::clamp(height, low, high)});
      }
  }

  double place(int axis, std::int64_t i, double jitter) const {
    return voxels_.origin[axis] + voxels_.cell * (static_cast<double>(i) + 0.5 + jitter);
  }

  // The columns that may pass between the smallest and largest of three coordinates; one too many does no harm.
  std::array<std::int64_t, 2> columns(int axis, Index count, double jitter, std::array<double, 3> values) const {
    std::sort(values.begin(), values.end());
    const double first = (values[0] - voxels_.origin[axis]) / voxels_.cell - 0.5 - jitter;
    const double last = (values[2] - voxels_.origin[axis]) / voxels_.cell - 0.5 - jitter;
    return {std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(first - 1e-6))),
            std::min<std::int64_t>(std::int64_t{count} - 1, static_cast<std::int64_t>(std::floor(last + 1e-6)))};
  }

  // All crossings, sorted into columns.
  void collect(const Progress& progress) {
    constexpr std::size_t kGrain = 4096;
    std::vector<std::vector<Crossing>> chunks((soup_.triangles.size() + kGrain - 1) / kGrain);
    parallel_blocks(soup_.triangles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      progress.check();
      for (std::size_t t = begin; t < end; ++t) cross(static_cast<Index>(t), chunks[begin / kGrain]);
    });
    first_.assign(std::size_t{width_} * height_ + 1, 0);
    for (const auto& chunk : chunks)
      for (const Crossing& crossing : chunk) ++first_[crossing.column + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    crossings_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const auto& chunk : chunks)
      for (const Crossing& crossing : chunk) crossings_[next[crossing.column]++] = crossing;
  }

  void scan(std::size_t column, std::vector<std::uint8_t>& votes) {
    const auto begin = crossings_.begin() + static_cast<std::ptrdiff_t>(first_[column]);
    const auto end = crossings_.begin() + static_cast<std::ptrdiff_t>(first_[column + 1]);
    // Two coincident walls that face each other's backs cancel; entering comes first.
    std::sort(begin, end, [](const Crossing& a, const Crossing& b) {
      return a.height != b.height ? a.height < b.height : a.sign > b.sign;
    });
    int total = 0;
    for (auto it = begin; it != end; ++it) total += it->sign;
    std::array<Index, 3> at;
    at[static_cast<std::size_t>(u_)] = static_cast<Index>(column % width_);
    at[static_cast<std::size_t>(v_)] = static_cast<Index>(column / width_);
    auto next = begin;
    int forward = 0;
    for (Index h = 0; h < voxels_.counts[static_cast<std::size_t>(k_)]; ++h) {
      const double center = voxels_.origin[k_] + voxels_.cell * (h + 0.5);
      for (; next != end && next->height < center; ++next) forward += next->sign;
      const bool in_forward = forward != 0, in_backward = forward != total;
      if (in_forward != in_backward) continue;
      at[static_cast<std::size_t>(k_)] = h;
      std::uint8_t& vote = votes[voxels_.index(at[0], at[1], at[2])];
      vote = static_cast<std::uint8_t>(vote + (in_forward ? kIn : kOut));
    }
  }

  const TriangleSoup soup_;
  const double smallest_area_;
  const SolidVoxels& voxels_;
  const int k_, u_, v_;
  const Index width_, height_;
  std::vector<std::size_t> first_;  // Per column, of `crossings_`.
  std::vector<Crossing> crossings_;
};

// Two like votes decide; returns the voxels where there are none.
std::vector<Index> count_votes(const std::vector<std::uint8_t>& votes, SolidVoxels& voxels) {
  std::vector<Index> undecided;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (voxels.classes[i] == VoxelClass::kBoundary) continue;
    const int in = votes[i] % ColumnVotes::kOut, out = votes[i] / ColumnVotes::kOut;
    if (in >= 2) voxels.classes[i] = VoxelClass::kInterior;
    else if (out < 2) undecided.push_back(static_cast<Index>(i));
  }
  return undecided;
}

// Of undecided voxels, which one to ask for each: itself, or, where a mesh is so broken that votes decide next to
// nothing, the first one of its block of 2 × 2 × 2. The winding number of a soup of 3,000 triangles takes 26 µs, for
// which no tree can stand in, and the border of what it encloses means nothing.
std::vector<Index> asked_voxels(const std::vector<Index>& undecided, const SolidVoxels& voxels) {
  constexpr std::size_t kMany = 50000;
  const auto empty = static_cast<std::size_t>(std::count_if(voxels.classes.begin(), voxels.classes.end(),
                                                            [](VoxelClass c) { return c != VoxelClass::kBoundary; }));
  if (undecided.size() < kMany || undecided.size() < empty / 4) return undecided;
  const auto block_of = [&](Index v) {
    const std::array<Index, 3> at = voxels.coordinates(v);
    return voxels.index(at[0] / 2, at[1] / 2, at[2] / 2);
  };
  std::vector<Index> first(voxels.classes.size(), kNone), asked;
  asked.reserve(undecided.size());
  for (const Index v : undecided) {
    Index& of_block = first[block_of(v)];
    if (of_block == kNone) of_block = v;
    asked.push_back(of_block);
  }
  return asked;
}

// Undecided voxels are interior where the winding number is above one half.
void decide(const TriangleSoup& soup, const std::vector<Index>& undecided, SolidVoxels& voxels) {
  const FastWinding winding(soup, solid_facing(soup).signs);
  const std::vector<Index> asked = asked_voxels(undecided, voxels);
  std::vector<std::uint8_t> inside(undecided.size(), 0);
  parallel_for(
      undecided.size(),
      [&](std::size_t i) {
        if (asked[i] == undecided[i]) inside[i] = winding.at(voxels.center(undecided[i])) > 0.5 ? 1 : 0;
      },
      256);
  for (std::size_t i = 0; i < undecided.size(); ++i) {
    if (asked[i] != undecided[i]) {  // Undecided voxels are in rising order, and what they ask is one of them.
      const auto at = std::lower_bound(undecided.begin(), undecided.end(), asked[i]);
      inside[i] = inside[static_cast<std::size_t>(at - undecided.begin())];
    }
    if (inside[i] != 0) voxels.classes[undecided[i]] = VoxelClass::kInterior;
  }
}

void number_solid(SolidVoxels& voxels) {
  voxels.ids.assign(voxels.classes.size(), kNone);
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    if (voxels.classes[i] == VoxelClass::kExterior) continue;
    voxels.ids[i] = static_cast<Index>(voxels.solid.size());
    voxels.solid.push_back(static_cast<Index>(i));
  }
}

}  // namespace

bool triangle_meets_box(const std::array<Vec3, 3>& triangle, const Vec3& box_center, const Vec3& box_half) {
  const std::array<Vec3, 3> t = {triangle[0] - box_center, triangle[1] - box_center, triangle[2] - box_center};
  for (int k = 0; k < 3; ++k)
    if (std::min({t[0][k], t[1][k], t[2][k]}) > box_half[k] || std::max({t[0][k], t[1][k], t[2][k]}) < -box_half[k])
      return false;
  const std::array<Vec3, 3> edges = {t[1] - t[0], t[2] - t[1], t[0] - t[2]};
  if (apart_along(edges[0].cross(edges[1]), t, box_half)) return false;
  for (const Vec3& e : edges)
    if (apart_along({0, -e.z(), e.y()}, t, box_half) || apart_along({e.z(), 0, -e.x()}, t, box_half) ||
        apart_along({-e.y(), e.x(), 0}, t, box_half))
      return false;
  return true;
}

SolidVoxels solid_voxels(const Mesh& mesh, const VoxelOptions& options, std::span<const Segment> bones,
                         const Progress& progress) {
  progress.step("voxels", 0);
  const std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
  const TriangleSoup soup{mesh.positions, triangles};
  require_solid_input(soup, "voxels");
  const Box box = bounds(soup);
  SolidVoxels voxels;
  lay_grid(box, options, voxels);
  voxels.classes.assign(std::size_t{voxels.counts[0]} * voxels.counts[1] * voxels.counts[2], VoxelClass::kExterior);
  BoundaryMarker(soup, voxels).mark_all(progress);
  progress.step("voxels", 0.3);
  std::vector<std::uint8_t> votes(voxels.classes.size(), 0);
  const double smallest_area = 2e-14 * box.diagonal() * box.diagonal();
  for (int axis = 0; axis < 3; ++axis) ColumnVotes(soup, smallest_area, voxels, axis).vote(votes, progress);
  progress.step("voxels", 0.7);
  const std::vector<Index> undecided = count_votes(votes, voxels);
  voxels.undecided = static_cast<Index>(undecided.size());
  if (!undecided.empty()) decide(soup, undecided, voxels);
  if (options.cleanup) clean_up_voxels(voxels, bones);
  number_solid(voxels);
  progress.step("voxels", 1);
  return voxels;
}

}  // namespace sinew::geometry
