// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/piece_features.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/mesh/weld_within.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::rigging {
namespace {

constexpr double kWeld = 1e-5;                                  // Of the mesh size.
constexpr std::size_t kDescribed = 400;                         // Pieces.
constexpr std::size_t kSamples = 6000;                          // Of the whole surface.
constexpr std::size_t kLeastSamples = 32, kMostSamples = 1200;  // Of a piece.
constexpr double kThick = 0.015;                                // All lengths below are of the longest side.
constexpr double kClose = 0.012;
constexpr double kTouch = 0.02;
constexpr double kImage = 0.02;
constexpr double kSkip = 0.001;
constexpr double kSurelyMirrored = 0.0025;  // Median of the distances.

struct PieceSample {
  Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
  Index piece = kNone;
};

/// One run.
class Describer {
 public:
  Describer(const Mesh& mesh, PieceSorting& result) : mesh_(mesh), result_(result) {}

  void find() {
    welding_ = geometry::weld_within(mesh_, kWeld * mesh_.size(), true);
    const geometry::Components shells = geometry::components(mesh_, &welding_);
    result_.piece_of_face = shells.of_face;
    result_.pieces.resize(shells.count);
  }

  void describe(const Progress& progress) {
    longest_ = result_.longest = mesh_.bounds().extent().maxCoeff();
    cut();
    measure_shapes();
    if (!(area_ > 0) || !(longest_ > 0) || nearly_one()) return;
    progress.check();
    facing_ = geometry::solid_facing(soup());
    choose();
    find_borders();
    sample();
    find_plane();
    progress.check();
    scene_.emplace(soup());
    winding_.emplace(soup(), facing_.signs);
    measure_places();
  }

 private:
  geometry::TriangleSoup soup() const { return {mesh_.positions, triangles_}; }
  const Vec3& corner(std::size_t t, std::size_t k) const { return mesh_.positions[triangles_[t][k]]; }

  void cut() {
    for (const Triangle& t : triangulate(mesh_)) {
      triangles_.push_back({t.vertices[0], t.vertices[1], t.vertices[2]});
      piece_of_.push_back(result_.piece_of_face[t.face]);
    }
  }

  void measure_shapes() {
    std::vector<double> areas(result_.pieces.size(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const double area = 0.5 * (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).norm();
      areas[piece_of_[t]] += area;
      area_ += area;
      result_.pieces[piece_of_[t]].center += area / 3 * (corner(t, 0) + corner(t, 1) + corner(t, 2));
    }
    if (!(area_ > 0)) return;
    for (std::size_t p = 0; p < areas.size(); ++p) {
      result_.pieces[p].area_rel = areas[p] / area_;
      if (areas[p] > 0) result_.pieces[p].center /= areas[p];
    }
  }

  /// Where the other pieces have next to no area, it does not matter what they are.
  bool nearly_one() const {
    constexpr double kNearlyAll = 0.99;
    return std::any_of(result_.pieces.begin(), result_.pieces.end(),
                       [&](const Piece& piece) { return piece.area_rel >= kNearlyAll; });
  }

  /// The pieces that are described, and which triangles they have.
  void choose() {
    std::vector<Index> order(result_.pieces.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return result_.pieces[a].area_rel > result_.pieces[b].area_rel; });
    if (order.size() > kDescribed) order.resize(kDescribed);
    described_.assign(result_.pieces.size(), 0);
    for (const Index p : order) described_[p] = 1;
    of_piece_.resize(result_.pieces.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      if (described_[piece_of_[t]] != 0) of_piece_[piece_of_[t]].push_back(static_cast<Index>(t));
  }

  /// An edge that only one triangle has is a border.
  void find_borders() {
    struct Edge {
      Index a, b, piece;
      auto key() const { return std::tie(a, b); }
    };
    std::vector<Edge> edges;
    edges.reserve(3 * triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = welding_.welded[triangles_[t][k]], b = welding_.welded[triangles_[t][(k + 1) % 3]];
        if (a != b) edges.push_back({std::min(a, b), std::max(a, b), piece_of_[t]});
      }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.key() < b.key(); });
    for (Piece& piece : result_.pieces) piece.closed = true;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const bool before = i > 0 && edges[i - 1].key() == edges[i].key();
      const bool after = i + 1 < edges.size() && edges[i + 1].key() == edges[i].key();
      if (!before && !after) result_.pieces[edges[i].piece].closed = false;
    }
  }

  void sample() {
    first_.assign(1, 0);
    for (Index p = 0; p < result_.pieces.size(); ++p) {
      if (described_[p] != 0) sample_piece(p);
      first_.push_back(samples_.size());
    }
  }

  void sample_piece(Index p) {
    const std::vector<Index>& own = of_piece_[p];
    const double whole = result_.pieces[p].area_rel * area_;
    const auto wanted = static_cast<std::size_t>(static_cast<double>(kSamples) * result_.pieces[p].area_rel);
    const std::size_t count = std::clamp(wanted, kLeastSamples, kMostSamples);
    if (!(whole > 0)) return;
    double sum = 0;
    std::size_t made = 0;
    for (const Index t : own) {
      const Vec3 e = corner(t, 1) - corner(t, 0), f = corner(t, 2) - corner(t, 0);
      const Vec3 normal = e.cross(f);
      sum += 0.5 * normal.norm();
      for (; made < count && (static_cast<double>(made) + 0.5) / static_cast<double>(count) * whole <= sum; ++made) {
        double u = std::fmod(0.7548776662466927 * static_cast<double>(made), 1.0);
        double v = std::fmod(0.5698402909980532 * static_cast<double>(made), 1.0);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        samples_.push_back(
            {corner(t, 0) + u * e + v * f, static_cast<double>(facing_.signs[t]) * normal.normalized(), p});
      }
    }
    measure_extents(p, made);
  }

  void measure_extents(Index p, std::size_t count) {
    Piece& piece = result_.pieces[p];
    Mat3 moment = Mat3::Zero();
    const auto begin = samples_.end() - static_cast<std::ptrdiff_t>(count);
    for (auto s = begin; s != samples_.end(); ++s)
      moment += (s->point - piece.center) * (s->point - piece.center).transpose();
    if (!(moment.trace() > 0)) return;
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(moment / moment.trace());
    Box box;
    for (const Index t : of_piece_[p])
      for (std::size_t k = 0; k < 3; ++k) box.extend(axes.eigenvectors().transpose() * corner(t, k));
    piece.extents_rel = box.extent() / longest_;
    Eigen::Index longest_axis = 0;
    piece.extents_rel.maxCoeff(&longest_axis);
    piece.axis = axes.eigenvectors().col(longest_axis);
    std::sort(piece.extents_rel.data(), piece.extents_rel.data() + 3, std::greater<double>());
    fit_sphere(piece, begin, moment / static_cast<double>(count));
  }

  /// The sphere nearest to the samples by linear least squares, about their centre.
  template <class Iterator>
  void fit_sphere(Piece& piece, Iterator begin, const Mat3& moment) {
    const double size = moment.trace() / 3;
    if (moment.determinant() < 1e-4 * size * size * size) return;
    const auto count = static_cast<double>(samples_.end() - begin);
    Vec3 right = Vec3::Zero();
    double square = 0;
    for (auto s = begin; s != samples_.end(); ++s) {
      const Vec3 q = s->point - piece.center;
      right += q.squaredNorm() * q / count;
      square += q.squaredNorm() / count;
    }
    const Vec3 off = 0.5 * (moment.inverse() * right);
    const double radius = std::sqrt(square + off.squaredNorm());
    double miss = 0;
    for (auto s = begin; s != samples_.end(); ++s) {
      const double d = (s->point - piece.center - off).norm() - radius;
      miss += d * d / count;
    }
    piece.round_miss = std::sqrt(miss) / radius;
    piece.radius_rel = radius / longest_;
  }

  void find_plane() {
    // Most files have the left at +x, which is quicker to confirm than to find.
    std::optional<MirrorPlane> plane = find_mirror_plane_near(mesh_, Vec3::UnitX());
    if (!plane || !(plane->whole() || plane->median_rel <= kSurelyMirrored)) {
      const std::vector<MirrorPlane> planes = find_mirror_planes(mesh_, 2);
      if (!planes.empty()) plane = planes.front();
    }
    if (plane && plane->symmetric()) result_.plane = plane;
  }

  void measure_places() {
    struct Seen {
      char hollow = 0, covered = 0, mirrored = 1;
      Index touched = kNone;
    };
    std::vector<Seen> seen(samples_.size());
    parallel_for(
        samples_.size(),
        [&](std::size_t i) {
          const PieceSample& s = samples_[i];
          const auto own = [&](Index t) { return piece_of_[t] == s.piece; };
          const auto other = [&](Index t) { return piece_of_[t] != s.piece; };
          const geometry::RayHit behind =
              scene_->nearest_hit({s.point, -s.normal, kSkip * longest_, std::numeric_limits<double>::infinity()}, own);
          seen[i].hollow = behind && behind.t > kThick * longest_ ? 1 : 0;
          const geometry::ClosestPoint near = scene_->closest_point(s.point, kTouch * longest_, other);
          if (near) seen[i].touched = piece_of_[near.triangle];
          const bool close = near && near.distance <= kClose * longest_ &&
                             result_.pieces[seen[i].touched].area_rel > result_.pieces[s.piece].area_rel;
          seen[i].covered = close || winding_->at(s.point + kSkip * longest_ * s.normal) > 0.5 ? 1 : 0;
          if (result_.plane)
            seen[i].mirrored = scene_->closest_point(result_.plane->mirrored(s.point), kImage * longest_) ? 1 : 0;
        },
        64);
    for (Index p = 0; p < result_.pieces.size(); ++p) {
      const std::size_t begin = first_[p], end = first_[p + 1];
      if (begin == end) continue;
      Piece& piece = result_.pieces[p];
      std::set<Index> touched;
      double hollow = 0, covered = 0, mirrored = 0;
      for (std::size_t i = begin; i < end; ++i) {
        hollow += seen[i].hollow, covered += seen[i].covered, mirrored += seen[i].mirrored;
        if (seen[i].touched != kNone) touched.insert(seen[i].touched);
      }
      const auto count = static_cast<double>(end - begin);
      piece.hollow = hollow / count, piece.covered = covered / count, piece.mirrored = mirrored / count;
      piece.contacts.assign(touched.begin(), touched.end());
    }
    // A contact may be seen from one side alone, by the denser samples.
    for (Index p = 0; p < result_.pieces.size(); ++p)
      for (const Index q : std::vector<Index>(result_.pieces[p].contacts)) {
        std::vector<Index>& back = result_.pieces[q].contacts;
        const auto at = std::lower_bound(back.begin(), back.end(), p);
        if (at == back.end() || *at != p) back.insert(at, p);
      }
  }

  const Mesh& mesh_;
  PieceSorting& result_;
  double longest_ = 0, area_ = 0;
  std::vector<geometry::TriangleVertices> triangles_;
  std::vector<Index> piece_of_;  // Per triangle.
  geometry::Welding welding_;
  geometry::Facing facing_;
  std::vector<char> described_;
  std::vector<std::vector<Index>> of_piece_;  // Triangles.
  std::vector<PieceSample> samples_;          // By piece.
  std::vector<std::size_t> first_;            // Of `samples_`, per piece.
  std::optional<geometry::RayScene> scene_;
  std::optional<geometry::FastWinding> winding_;
};

}  // namespace

PieceSorting describe_pieces(const Mesh& mesh, const Progress& progress) {
  PieceSorting result;
  Describer describer(mesh, result);
  describer.find();
  if (result.pieces.size() > 1) describer.describe(progress);
  else if (result.pieces.size() == 1) result.pieces.front().area_rel = 1;
  return result;
}

}  // namespace sinew::rigging
