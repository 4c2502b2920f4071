// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/mirror_plane.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/rigging/anatomy/symmetry.h"

namespace sinew::rigging {
namespace {

constexpr std::size_t kTargets = 16000;                                // Samples that stand for the surface.
constexpr std::size_t kMeasured = 2000, kRefined = 500, kTried = 200;  // Samples that are mirrored.
constexpr double kTrim = 0.75;                                         // Share of the distances that count.
constexpr double kReach = 0.1;  // Of the longest side: larger distances count as this.
constexpr int kRounds = 8;
constexpr double kMostTurn_cos = 0.9848;  // 10°.

struct SurfaceSample {
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
};

/// Samples at equal steps of area, in the order of the faces.
std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, double& area) {
  const std::vector<Triangle> triangles = triangulate(mesh);
  std::vector<double> sums(triangles.size());
  area = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t].vertices;
    const double part =
        0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
    area += std::isfinite(part) ? part : 0;
    sums[t] = area;
  }
  std::vector<SurfaceSample> samples;
  if (!(area > 0) || !std::isfinite(area)) return samples;
  samples.reserve(count);
  std::size_t t = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * area;
    while (t + 1 < sums.size() && sums[t] < at) ++t;
    // A sequence of low discrepancy in the unit square (M. Roberts' R2), folded into the triangle.
    double u = std::fmod(0.7548776662466927 * static_cast<double>(i), 1.0);
    double v = std::fmod(0.5698402909980532 * static_cast<double>(i), 1.0);
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const auto& [ia, ib, ic] = triangles[t].vertices;
    const Vec3 &a = mesh.positions[ia], e = mesh.positions[ib] - a, f = mesh.positions[ic] - a;
    samples.push_back({a + u * e + v * f, e.cross(f).normalized()});
  }
  return samples;
}

/// Samples of a surface in a grid, and how far points are from that surface.
class SampledSurface {
 public:
  explicit SampledSurface(const Mesh& mesh) {
    double area = 0;
    samples_ = sample_surface(mesh, kTargets, area);
    if (samples_.empty()) return;
    for (const SurfaceSample& s : samples_) {
      box_.extend(s.point);
      centroid_ += s.point / static_cast<double>(samples_.size());
    }
    longest_ = box_.extent().maxCoeff();
    spacing_ = std::sqrt(area / static_cast<double>(samples_.size()));
    cell_ = std::max(longest_ / kCellsAlong, spacing_);
    for (int k = 0; k < 3; ++k) counts_[k] = static_cast<int>(box_.extent()[k] / cell_) + 1;
    fill();
  }

  bool empty() const { return samples_.empty() || !(longest_ > 0); }
  double longest() const { return longest_; }
  const Vec3& centroid() const { return centroid_; }
  const Box& box() const { return box_; }
  const std::vector<SurfaceSample>& samples() const { return samples_; }

  struct Touch {
    Index sample = kNone;
    double distance = 0;
  };

  /// The distance to the disc of the nearest sample: the surface between samples is taken to be flat.
  Touch nearest(const Vec3& p) const {
    const double reach = kReach * longest_;
    Touch found{kNone, reach};
    double least = reach * reach;
    std::array<int, 3> at;
    for (int k = 0; k < 3; ++k)
      at[static_cast<std::size_t>(k)] = static_cast<int>(std::floor((p[k] - box_.lower[k]) / cell_));
    for (int ring = empty_rings(at); ring <= kRings; ++ring) {
      const double before = (ring - 1) * cell_;
      if (before > 0 && before * before > least) break;
      visit_ring(at, ring, [&](Index s) {
        const double squared = (samples_[s].point - p).squaredNorm();
        if (squared < least) least = squared, found.sample = s;
      });
    }
    if (found.sample == kNone) return found;
    const SurfaceSample& s = samples_[found.sample];
    const double height = s.normal.dot(p - s.point);
    const double aside = std::max(0.0, std::sqrt(std::max(0.0, least - height * height)) - spacing_);
    found.distance = std::min(reach, std::hypot(height, aside));
    return found;
  }

 private:
  static constexpr double kCellsAlong = 64;
  static constexpr int kRings = 8;  // Of cells: more than `kReach`.

  std::size_t slot(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(counts_[0]) +
           static_cast<std::size_t>(x);
  }

  void fill() {
    const auto cells = static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1]) *
                       static_cast<std::size_t>(counts_[2]);
    first_.assign(cells + 1, 0);
    std::vector<std::size_t> of(samples_.size());
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      std::array<int, 3> at;
      for (int k = 0; k < 3; ++k)
        at[static_cast<std::size_t>(k)] =
            std::clamp(static_cast<int>((samples_[s].point[k] - box_.lower[k]) / cell_), 0, counts_[k] - 1);
      of[s] = slot(at[0], at[1], at[2]);
      ++first_[of[s] + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    order_.resize(samples_.size());
    std::vector<Index> next(first_.begin(), first_.end() - 1);
    for (std::size_t s = 0; s < samples_.size(); ++s) order_[next[of[s]]++] = static_cast<Index>(s);
    measure_rings();
  }

  /// How many rings of cells around a cell are empty for certain. Rings beyond `kRings` are not looked at.
  int empty_rings(const std::array<int, 3>& at) const {
    int outside = 0;
    std::array<int, 3> inside;
    for (std::size_t k = 0; k < 3; ++k) {
      inside[k] = std::clamp(at[k], 0, counts_[static_cast<int>(k)] - 1);
      outside = std::max(outside, std::abs(at[k] - inside[k]));
    }
    return std::max<int>(outside, rings_[slot(inside[0], inside[1], inside[2])]);
  }

  /// Distances of cells to the nearest cell with samples, in steps that may be diagonal: occupied cells grow by one
  /// cell at a time, along one axis after the other.
  void measure_rings() {
    const std::size_t cells = first_.size() - 1;
    rings_.assign(cells, kRings + 1);
    for (std::size_t c = 0; c < cells; ++c)
      if (first_[c + 1] > first_[c]) rings_[c] = 0;
    const std::array<std::size_t, 3> steps = {
        1, static_cast<std::size_t>(counts_[0]),
        static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1])};
    std::vector<std::uint8_t> grown(cells), next(cells);
    for (std::uint8_t ring = 1; ring <= kRings; ++ring) {
      for (std::size_t c = 0; c < cells; ++c) grown[c] = rings_[c] < ring ? 1 : 0;
      for (std::size_t k = 0; k < 3; ++k) {
        next = grown;
        // Cells at the end of a row also grow into the next row. Bounds that are too small cost time and nothing else.
        const std::size_t step = steps[k];
        for (std::size_t c = 0; c + step < cells; ++c) {
          next[c] |= grown[c + step];
          next[c + step] |= grown[c];
        }
        grown.swap(next);
      }
      for (std::size_t c = 0; c < cells; ++c)
        if (grown[c] != 0 && rings_[c] > ring) rings_[c] = ring;
    }
  }

  // The cells of the cube's surface that many steps away from a cell.
  template <class Visit>
  void visit_ring(const std::array<int, 3>& at, int ring, Visit&& visit) const {
    const auto low = [&](std::size_t k) { return std::max(0, at[k] - ring); };
    const auto high = [&](std::size_t k) { return std::min(counts_[static_cast<int>(k)] - 1, at[k] + ring); };
    for (int z = low(2); z <= high(2); ++z)
      for (int y = low(1); y <= high(1); ++y) {
        const bool whole = std::abs(z - at[2]) == ring || std::abs(y - at[1]) == ring;
        const int step = whole || ring == 0 ? 1 : 2 * ring;
        for (int x = whole ? low(0) : at[0] - ring; x <= high(0); x += step) {
          if (x < 0) continue;
          const std::size_t cell = slot(x, y, z);
          for (Index i = first_[cell]; i < first_[cell + 1]; ++i) visit(order_[i]);
        }
      }
  }

  std::vector<SurfaceSample> samples_;
  Box box_;
  Vec3 centroid_ = Vec3::Zero();
  double longest_ = 0, spacing_ = 0, cell_ = 1;
  Eigen::Vector3i counts_ = Eigen::Vector3i::Ones();
  std::vector<Index> first_, order_;
  std::vector<std::uint8_t> rings_;
};

/// Compares a surface with its image across planes.
class MirrorSearch {
 public:
  explicit MirrorSearch(const Mesh& mesh) : surface_(mesh) {}

  const SampledSurface& surface() const { return surface_; }

  MirrorPlane plane(const Vec3& normal, const Vec3& through) const {
    MirrorPlane made;
    made.normal = normal;
    // The point nearest to the centroid: rotations about it change the offset least.
    made.point = surface_.centroid() - normal.dot(surface_.centroid() - through) * normal;
    return made;
  }

  /// The mean of the least distances, of the longest side.
  double cost(const MirrorPlane& plane, std::size_t count) const {
    std::vector<double> distances = this->distances(plane, count);
    const auto kept = static_cast<std::size_t>(kTrim * static_cast<double>(distances.size()));
    std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(kept), distances.end());
    std::sort(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(kept));
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i) sum += distances[i];
    return sum / (static_cast<double>(kept) * surface_.longest());
  }

  void measure(MirrorPlane& plane) const {
    std::vector<double> distances = this->distances(plane, kMeasured);
    std::sort(distances.begin(), distances.end());
    const auto at = [&](double share) {
      return distances[static_cast<std::size_t>(share * static_cast<double>(distances.size() - 1))] /
             surface_.longest();
    };
    plane.median_rel = at(0.5);
    plane.p95_rel = at(0.95);
  }

  /// Gauss-Newton steps on the distances to the tangent planes of the nearest samples, the farthest left out.
  double refine(MirrorPlane& plane) const {
    double least = cost(plane, kRefined);
    MirrorPlane at = plane;
    for (int round = 0; round < kRounds; ++round) {
      if (!step(at)) break;
      const double now = cost(at, kRefined);
      const bool settled = now > 0.99 * least;
      if (now < least) least = now, plane = at;
      if (settled && round >= 2) break;
    }
    return least;
  }

 private:
  std::vector<double> distances(const MirrorPlane& plane, std::size_t count) const {
    std::vector<double> result(count);
    const std::size_t stride = surface_.samples().size() / count;
    for (std::size_t i = 0; i < count; ++i)
      result[i] = surface_.nearest(plane.mirrored(surface_.samples()[i * stride].point)).distance;
    return result;
  }

  bool step(MirrorPlane& plane) const {
    const std::size_t stride = surface_.samples().size() / kRefined;
    std::vector<SampledSurface::Touch> touches(kRefined);
    std::vector<double> sorted(kRefined);
    for (std::size_t i = 0; i < kRefined; ++i) {
      touches[i] = surface_.nearest(plane.mirrored(surface_.samples()[i * stride].point));
      sorted[i] = touches[i].distance;
    }
    const auto kept = sorted.begin() + static_cast<std::ptrdiff_t>(kTrim * kRefined);
    std::nth_element(sorted.begin(), kept, sorted.end());
    const double limit = *kept;
    const Vec3 u = plane.normal.unitOrthogonal(), v = plane.normal.cross(u);
    Mat3 A = Mat3::Zero();
    Vec3 b = Vec3::Zero();
    for (std::size_t i = 0; i < kRefined; ++i) {
      if (touches[i].sample == kNone || touches[i].distance > limit) continue;
      const Vec3& p = surface_.samples()[i * stride].point;
      const SurfaceSample& q = surface_.samples()[touches[i].sample];
      const Vec3 arm = p - plane.point;
      const double along = q.normal.dot(plane.normal), aside = arm.dot(plane.normal);
      const Vec3 row(2 * along, -2 * (arm.dot(u) * along + aside * q.normal.dot(u)),
                     -2 * (arm.dot(v) * along + aside * q.normal.dot(v)));
      A += row * row.transpose();
      b -= row * q.normal.dot(plane.mirrored(p) - q.point);
    }
    const double size = surface_.longest();
    const Vec3 scale(1, 1 / size, 1 / size);  // Offsets and angles of like magnitude.
    A = scale.asDiagonal() * A * scale.asDiagonal();
    A.diagonal().array() += 1e-4 * A.trace() + 1e-300;
    const Vec3 change = scale.asDiagonal() * Vec3(A.ldlt().solve(scale.asDiagonal() * b));
    if (!change.allFinite()) return false;
    plane.point += change[0] * plane.normal;
    plane.normal = (plane.normal + change[1] * u + change[2] * v).normalized();
    plane = this->plane(plane.normal, plane.point);
    return true;
  }

  SampledSurface surface_;
};

struct RatedPlane {
  MirrorPlane plane;
  double cost = 0;
};

bool same_plane(const MirrorPlane& a, const MirrorPlane& b, double longest) {
  constexpr double kNear_cos = 0.985, kNearOffset = 0.03;
  return std::abs(a.normal.dot(b.normal)) > kNear_cos &&
         std::abs(a.normal.dot(b.point - a.point)) < kNearOffset * longest;
}

std::vector<Vec3> candidate_normals(const std::vector<SurfaceSample>& samples, const Vec3& centroid) {
  Mat3 moment = Mat3::Zero();
  for (const SurfaceSample& s : samples) moment += (s.point - centroid) * (s.point - centroid).transpose();
  std::vector<Vec3> normals = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(moment);
  for (int k = 0; k < 3; ++k) normals.push_back(axes.eigenvectors().col(k));
  constexpr int kSteps = 12;
  for (int i = 1; i < kSteps; ++i) {
    const double angle = kPi * i / kSteps;
    normals.push_back(Vec3(std::cos(angle), 0, std::sin(angle)));
    normals.push_back(Vec3(std::cos(angle), std::sin(angle), 0));
  }
  return normals;
}

// Files are exact where bodies are: a plane as good through a round place is the one that was meant.
MirrorPlane snapped(const MirrorSearch& search, const Mesh& mesh, const Vec3& left, const MirrorPlane& found,
                    double cost) {
  constexpr double kAsGood = 1.05, kSlack = 2e-4, kNearAxis_cos = 0.9994;
  MirrorPlane best = found;
  if (left.dot(found.normal) < kNearAxis_cos) return best;
  for (const Vec3& through : {Vec3(mesh.bounds().center()), Vec3(Vec3::Zero()), found.point}) {
    const MirrorPlane plane = search.plane(left, through);
    if (search.cost(plane, kRefined) > kAsGood * cost + kSlack) continue;
    best = plane;
    best.point = through;
    break;
  }
  return best;
}

}  // namespace

std::optional<MirrorPlane> find_mirror_plane_near(const Mesh& mesh, const Vec3& left) {
  const MirrorSearch search(mesh);
  if (search.surface().empty() || !(left.norm() > 0)) return {};
  const Vec3 normal = left.normalized();
  const std::array<Vec3, 3> starts = {search.surface().centroid(), search.surface().box().center(), Vec3::Zero()};
  std::array<RatedPlane, 3> rated;
  parallel_for(
      starts.size(),
      [&](std::size_t i) {
        rated[i].plane = search.plane(normal, starts[i]);
        rated[i].cost = search.refine(rated[i].plane);
        // A plane that turned away is another one: keep the direction and find the offset alone.
        if (rated[i].plane.normal.dot(normal) >= kMostTurn_cos) return;
        rated[i].plane = search.plane(normal, starts[i]);
        rated[i].cost = search.cost(rated[i].plane, kRefined);
      },
      1);
  const RatedPlane& best =
      *std::min_element(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  MirrorPlane plane = snapped(search, mesh, normal, best.plane, best.cost);
  search.measure(plane);
  if (plane.whole()) {
    constexpr double kExactShare = 0.98;
    plane.exact = mirrored_share(mirror_vertices(mesh, plane.point, plane.normal)) >= kExactShare;
  }
  return plane;
}

std::vector<MirrorPlane> find_mirror_planes(const Mesh& mesh, std::size_t most) {
  const MirrorSearch search(mesh);
  std::vector<MirrorPlane> result;
  if (search.surface().empty()) return result;
  std::vector<RatedPlane> rated;
  for (const Vec3& normal : candidate_normals(search.surface().samples(), search.surface().centroid()))
    for (const Vec3& through : {search.surface().centroid(), search.surface().box().center(), Vec3(Vec3::Zero())})
      rated.push_back({search.plane(normal, through), 0});
  parallel_for(
      rated.size(), [&](std::size_t i) { rated[i].cost = search.cost(rated[i].plane, kTried); }, 1);
  const auto rank = [](std::vector<RatedPlane>& planes) {
    std::stable_sort(planes.begin(), planes.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  };
  rank(rated);
  const double longest = search.surface().longest();
  const auto distinct = [&](std::size_t count) {
    std::vector<RatedPlane> kept;
    for (const RatedPlane& r : rated)
      if (kept.size() < count && std::none_of(kept.begin(), kept.end(), [&](const RatedPlane& k) {
            return same_plane(k.plane, r.plane, longest);
          }))
        kept.push_back(r);
    rated = std::move(kept);
  };
  distinct(2 * most + 2);
  parallel_for(
      rated.size(), [&](std::size_t i) { rated[i].cost = search.refine(rated[i].plane); }, 1);
  rank(rated);
  distinct(most);
  for (RatedPlane& r : rated) {
    search.measure(r.plane);
    result.push_back(r.plane);
  }
  return result;
}

}  // namespace sinew::rigging
