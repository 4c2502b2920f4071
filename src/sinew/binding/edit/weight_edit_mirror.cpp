// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_edit_mirror.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr std::size_t kCoarseSamples = 400, kSamples = 2000;
constexpr int kCoarseTurns = 8, kTurns = 12;
constexpr double kKeptShare = 0.8;
// Shares of the size.
constexpr double kSameShell = 0.03, kOpposite = 0.05, kOnPlane = 1e-4, kJointReach = 0.02;

class PlaneSearch {
 public:
  PlaneSearch(const EditSurface& surface, std::size_t samples)
      : surface_(surface), scene_(geometry::TriangleSoup{surface.positions, surface.triangles}) {
    std::vector<Index> used;
    for (Index w = 0; w < surface.count(); ++w)
      if (surface.areas[w] > 0) used.push_back(w);
    const std::size_t stride = used.size() / samples + 1;
    for (std::size_t i = 0; i < used.size(); i += stride) samples_.push_back(surface.positions[used[i]]);
  }

  bool empty() const { return samples_.empty(); }

  // The mean distance of the better part, and with `fit` a better plane.
  double score(MirrorPlane& plane, bool fit) const {
    std::vector<Vec3> images;
    for (const Vec3& p : samples_) images.push_back(plane.reflected(p));
    const std::vector<geometry::ClosestPoint> near = scene_.closest_points(images);
    std::vector<std::size_t> order(samples_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return near[a].distance != near[b].distance ? near[a].distance < near[b].distance : a < b;
    });
    const std::size_t kept =
        std::max<std::size_t>(1, static_cast<std::size_t>(kKeptShare * static_cast<double>(order.size())));
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i) sum += near[order[i]].distance;
    plane.error_rel = near[order[order.size() * 9 / 10]].distance / surface_.size;
    if (fit) refit(plane, near, order, kept);
    return sum / static_cast<double>(kept);
  }

  // Gives the score of what comes out.
  double improve(MirrorPlane& plane, int turns) const {
    MirrorPlane best = plane;
    double least = score(best, false);
    MirrorPlane trial = best;
    for (int turn = 0; turn < turns; ++turn) {
      score(trial, true);
      MirrorPlane measured = trial;
      const double now = score(measured, false);
      if (now < least) least = now, best = measured;
    }
    plane = best;
    return least;
  }

 private:
  // The plane whose mirror takes p to q with the least squares: with centred pairs that is the eigenvector of the most
  // negative eigenvalue of Σ (p qᵀ + q pᵀ), through the mean of the middles.
  static void refit(MirrorPlane& plane, const std::vector<Vec3>& p, const std::vector<Vec3>& q) {
    Vec3 mean_p = Vec3::Zero(), mean_q = Vec3::Zero();
    for (std::size_t i = 0; i < p.size(); ++i) mean_p += p[i], mean_q += q[i];
    mean_p /= static_cast<double>(p.size());
    mean_q /= static_cast<double>(p.size());
    Mat3 sum = Mat3::Zero();
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Mat3 product = (p[i] - mean_p) * (q[i] - mean_q).transpose();
      sum += product + product.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(sum);
    Vec3 normal = solver.eigenvectors().col(0);
    if (normal.dot(plane.normal) < 0) normal = -normal;
    if (!normal.allFinite() || normal.dot(plane.normal) < 0.5) return;
    plane.normal = normal.normalized();
    plane.offset = plane.normal.dot(0.5 * (mean_p + mean_q));
  }

  void refit(MirrorPlane& plane, const std::vector<geometry::ClosestPoint>& near, const std::vector<std::size_t>& order,
             std::size_t kept) const {
    std::vector<Vec3> p, q;
    for (std::size_t i = 0; i < kept; ++i) {
      p.push_back(samples_[order[i]]);
      q.push_back(near[order[i]].point);
    }
    refit(plane, p, q);
  }

  const EditSurface& surface_;
  geometry::RayScene scene_;
  std::vector<Vec3> samples_;
};

std::vector<MirrorPlane> likely_planes(const EditSurface& surface, std::span<const MirrorPlane> hints) {
  std::vector<MirrorPlane> planes(hints.begin(), hints.end());
  planes.push_back({Vec3::UnitX(), 0, 0});
  Box box;
  Vec3 mean = Vec3::Zero();
  double area = 0;
  for (Index w = 0; w < surface.count(); ++w) {
    if (!(surface.areas[w] > 0)) continue;
    box.extend(surface.positions[w]);
    mean += surface.areas[w] * surface.positions[w];
    area += surface.areas[w];
  }
  if (!(area > 0)) return planes;
  mean /= area;
  Mat3 spread = Mat3::Zero();
  for (Index w = 0; w < surface.count(); ++w) {
    const Vec3 p = surface.positions[w] - mean;
    spread += surface.areas[w] * p * p.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  for (const int axis : {0, 2, 1}) planes.push_back({Vec3::Unit(axis), Vec3::Unit(axis).dot(box.center()), 0});
  for (int axis = 0; axis < 3; ++axis)
    planes.push_back({axes.eigenvectors().col(axis), axes.eigenvectors().col(axis).dot(mean), 0});
  return planes;
}

// The shell opposite each shell, or kNone for any.
std::vector<Index> opposite_shells(const EditSurface& surface, const MirrorPlane& plane) {
  struct Shell {
    Box box, image;
    Index vertices = 0;
  };
  std::vector<Shell> shells(surface.shells);
  for (Index w = 0; w < surface.count(); ++w) {
    Shell& shell = shells[surface.shell[w]];
    shell.box.extend(surface.positions[w]);
    shell.image.extend(plane.reflected(surface.positions[w]));
    ++shell.vertices;
  }
  std::vector<Index> opposite(surface.shells, kNone);
  for (std::size_t a = 0; a < shells.size(); ++a) {
    if (shells[a].vertices < 3) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < shells.size(); ++b) {
      if (shells[b].vertices < 3) continue;
      const double off =
          (shells[b].box.lower - shells[a].image.lower).norm() + (shells[b].box.upper - shells[a].image.upper).norm();
      // Layers may fill the same box: the counts tell them apart.
      const double count = std::abs(std::log(static_cast<double>(shells[b].vertices) / shells[a].vertices));
      const double score = off + 0.01 * surface.size * count;
      if (off <= 2 * kSameShell * surface.size && score < least) least = score, opposite[a] = static_cast<Index>(b);
    }
  }
  return opposite;
}

// Rows from the other side, with joints changed for their partners.
class OppositeRows {
 public:
  OppositeRows(const SkinWeights& rows, const EditSurface& surface, const MirrorPlane& plane,
               const std::vector<Index>& partner)
      : rows_(rows),
        surface_(surface),
        plane_(plane),
        partner_(partner),
        shells_(opposite_shells(surface, plane)),
        scene_(geometry::TriangleSoup{surface.positions, surface.triangles}) {}

  // Of the point opposite a vertex, or the mean of that and its own; empty if nothing lies there.
  std::vector<Influence> row(Index w, bool both) const {
    const Index shell = shells_[surface_.shell[w]];
    const auto accept = [&](Index t) {
      const auto& corners = surface_.triangles[t];
      for (const Index c : corners)
        if (rows_.row(c).empty()) return false;
      return shell == kNone || surface_.shell[corners[0]] == shell;
    };
    const geometry::ClosestPoint hit =
        scene_.closest_point(plane_.reflected(surface_.positions[w]), kOpposite * surface_.size, accept);
    if (!hit) return {};
    std::map<Index, double> sum;
    for (int k = 0; k < 3; ++k) {
      const double part = hit.barycentric[k] * (both ? 0.5 : 1.0);
      if (hit.barycentric[k] <= 1e-6) continue;
      for (const Influence& i : rows_.row(surface_.triangles[hit.triangle][static_cast<std::size_t>(k)]))
        sum[partner_[i.joint] != kNone ? partner_[i.joint] : i.joint] += part * static_cast<double>(i.weight);
    }
    if (both)
      for (const Influence& i : rows_.row(w)) sum[i.joint] += 0.5 * static_cast<double>(i.weight);
    std::vector<Influence> row;
    for (const auto& [joint, share] : sum)
      if (share > 1e-6) row.push_back({joint, static_cast<float>(share)});
    return row;
  }

 private:
  const SkinWeights& rows_;
  const EditSurface& surface_;
  const MirrorPlane& plane_;
  const std::vector<Index>& partner_;
  std::vector<Index> shells_;
  geometry::RayScene scene_;
};

}  // namespace

MirrorPlane mirror_plane(const EditSurface& surface, std::span<const MirrorPlane> hints, const Vec3& left) {
  MirrorPlane best;
  const PlaneSearch coarse(surface, kCoarseSamples);
  if (!coarse.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (MirrorPlane plane : likely_planes(surface, hints)) {
      const double score = coarse.improve(plane, kCoarseTurns);
      // A plane must be plainly better to beat a likelier one.
      if (score < 0.8 * least - 1e-6 * surface.size) least = score, best = plane;
    }
    PlaneSearch(surface, kSamples).improve(best, kTurns);
  }
  if (best.normal.dot(left) < 0) best.normal = -best.normal, best.offset = -best.offset;
  return best;
}

void partners_by_position(const Subject& subject, const MirrorPlane& plane, double size, std::vector<Index>& partner) {
  struct Pair {
    std::int64_t step;  // The distance, in steps within which rounding does not decide.
    bool parents;
    Index a, b;
  };
  const Index count = subject.skeleton.size();
  std::vector<Index> reverse(count, kNone);
  for (Index j = 0; j < count; ++j)
    if (partner[j] != kNone) reverse[partner[j]] = j;
  for (Index j = 0; j < count; ++j)
    if (partner[j] == kNone && reverse[j] != kNone) partner[j] = reverse[j];
  std::vector<Pair> pairs;
  for (Index a = 0; a < count; ++a) {
    if (partner[a] != kNone) continue;
    for (Index b = a; b < count; ++b) {
      if (partner[b] != kNone) continue;
      const double distance = (plane.reflected(subject.position(a)) - subject.position(b)).norm();
      if (distance > kJointReach * size) continue;
      const Index pa = subject.skeleton.joints[a].parent, pb = subject.skeleton.joints[b].parent;
      const bool parents = pa == kNone || pb == kNone ? pa == pb : pa == pb || partner[pa] == pb;
      pairs.push_back({std::llround(distance / (1e-5 * size)), parents, a, b});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& x, const Pair& y) {
    if (x.parents != y.parents) return x.parents;
    if (x.step != y.step) return x.step < y.step;
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  for (const Pair& pair : pairs)
    if (partner[pair.a] == kNone && partner[pair.b] == kNone) partner[pair.a] = pair.b, partner[pair.b] = pair.a;
}

Mirrored mirrored(const SkinWeights& weights, const EditSurface& surface, const MirrorPlane& plane,
                  const std::vector<Index>& partner, MirrorMode mode, const EditScope& scope) {
  const SkinWeights before = welded_rows(surface, weights);
  const OppositeRows opposite(before, surface, plane, partner);
  const int most = std::max<int>(4, static_cast<int>(weights.max_influences()));
  std::vector<std::vector<Influence>> rows(surface.count());
  std::vector<char> state(surface.count(), 0);  // 1: changed, 2: alone.
  parallel_for(
      surface.count(),
      [&](std::size_t i) {
        const auto w = static_cast<Index>(i);
        const auto own = before.row(w);
        rows[w].assign(own.begin(), own.end());
        const Index v = surface.source[w];
        const double side = plane.side(surface.positions[w]);
        const bool middle = std::abs(side) <= kOnPlane * surface.size;
        if (!scope.editable[v] || own.empty()) return;
        if (!middle && mode == MirrorMode::kLeftToRight && side > 0) return;
        if (!middle && mode == MirrorMode::kRightToLeft && side < 0) return;
        std::vector<Influence> row = opposite.row(w, middle || mode == MirrorMode::kBoth);
        const auto& listed = scope.listed[scope.part[v]];
        std::erase_if(row, [&](const Influence& influence) { return !listed[influence.joint]; });
        state[w] = row.empty() ? 2 : 1;
        if (row.empty()) return;
        cap_row(row, most);
        if (scope.any_locked) restore_locked(own, row, scope.locked);
        rows[w] = std::move(row);
      },
      256);
  SkinWeights after;
  Mirrored result;
  for (Index w = 0; w < surface.count(); ++w) after.add_row(rows[w]);
  result.weights = edited_rows(surface, weights, before, after);
  for (const Index w : surface.welding.welded) {
    result.changed += state[w] == 1 ? 1 : 0;
    result.alone += state[w] == 2 ? 1 : 0;
  }
  return result;
}

}  // namespace sinew::binding
