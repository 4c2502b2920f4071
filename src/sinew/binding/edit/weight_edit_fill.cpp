// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_edit_fill.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

// An edge joins at least this strongly (a right-angled isosceles triangle gives 0 to its long side and 1 to the
// others), so that every missing vertex hangs on its neighbours.
constexpr double kLeastEdge = 0.01;
// Shares below this are not worth a joint.
constexpr double kLeastShare = 1e-3;
// A shell up to this size moves as one piece; a shell nearer than that to a skin lies on it. Shares of the size.
constexpr double kSmallShell = 0.15, kTouching = 0.05;
// A bone is bare if so much of the surface nearest to it is missing.
constexpr double kMissingRound = 0.6;
constexpr Eigen::Index kColumns = 16;

using FillRow = std::vector<Influence>;

// The bone nearest to a point of those whose joint is accepted; kNone if there is none.
template <class Accept>
Index nearest_bone(const BoneTree& tree, const Vec3& p, Accept&& accept, double* distance = nullptr) {
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < tree.bones.size(); ++b) {
    if (!accept(tree.bones[b].joint)) continue;
    const double d = closest_on_bone(tree.bones[b], p).distance;
    if (d < least) least = d, best = static_cast<Index>(b);
  }
  if (distance) *distance = least;
  return best;
}

class Filler {
 public:
  Filler(const SkinWeights& weights, const std::vector<char>& missing, const Subject& subject,
         const EditSurface& surface, const EditScope& scope)
      : subject_(subject), surface_(surface), scope_(scope), tree_(bone_tree(subject)) {
    most_ = std::max<int>(4, static_cast<int>(weights.max_influences()));
    open_.assign(surface.count(), 0);
    good_.assign(surface.count(), 0);
    SkinWeights kept;
    for (Index w = 0; w < surface.count(); ++w) {
      const Index v = surface.source[w];
      const bool gone = missing[v] != 0 || is_missing_row(weights.row(v));
      open_[w] = gone && scope.editable[v];
      good_[w] = !gone;
      kept.add_row(gone ? std::span<const Influence>() : weights.row(v));
    }
    rows_ = kept.normalized();
    result_.resize(surface.count());
    how_.assign(surface.count(), FilledBy::kNothing);
  }

  void run(const Progress& progress) {
    find_regions();
    find_bare_bones();
    progress.check();
    solve();
    progress.check();
    place_loose_shells();
  }

  bool open(Index w) const { return open_[w] != 0; }
  const FillRow& row(Index w) const { return result_[w]; }
  FilledBy how(Index w) const { return how_[w]; }
  std::span<const Influence> good_row(Index w) const { return rows_.row(w); }

 private:
  struct Region {
    std::vector<Index> vertices;
    std::vector<Index> joints;  // On its border.
    bool heated = false;
    bool solved = false;
  };

  // A good vertex beside a missing one.
  struct Pull {
    Index unknown, vertex;
    double strength;
  };

  void find_regions();
  void find_bare_bones();
  void heat(Region& region);
  void solve();
  std::vector<FillRow> shares(const geometry::SparseSolver& solver, const std::vector<Index>& unknowns,
                              const std::vector<Pull>& pulls, const std::vector<Index>& joints) const;
  void place_loose_shells();
  void place(const Region& region, const std::vector<geometry::ClosestPoint>& near, std::size_t first,
             const std::vector<geometry::TriangleVertices>& triangles);
  void finish(Index w, FillRow row, FilledBy how);
  FillRow nearest_joint(Index w, const Vec3& p) const;

  const Subject& subject_;
  const EditSurface& surface_;
  const EditScope& scope_;
  BoneTree tree_;
  int most_ = 4;
  std::vector<char> open_, good_;
  SkinWeights rows_;
  std::vector<Region> regions_;
  std::vector<Index> region_of_;
  std::vector<char> bare_;         // Per joint.
  std::vector<Index> heat_joint_;  // Per welded vertex: whose heat, or kNone.
  std::vector<double> heat_;
  std::vector<FillRow> result_;
  std::vector<FilledBy> how_;
};

void Filler::find_regions() {
  region_of_.assign(surface_.count(), kNone);
  for (Index seed = 0; seed < surface_.count(); ++seed) {
    if (!open_[seed] || region_of_[seed] != kNone) continue;
    Region& region = regions_.emplace_back();
    const auto number = static_cast<Index>(regions_.size() - 1);
    region.vertices.push_back(seed);
    region_of_[seed] = number;
    for (std::size_t i = 0; i < region.vertices.size(); ++i)
      for (const Index other : surface_.rings[region.vertices[i]]) {
        if (good_[other])
          for (const Influence& influence : rows_.row(other)) region.joints.push_back(influence.joint);
        if (!open_[other] || region_of_[other] != kNone) continue;
        region_of_[other] = number;
        region.vertices.push_back(other);
      }
    std::sort(region.joints.begin(), region.joints.end());
    region.joints.erase(std::unique(region.joints.begin(), region.joints.end()), region.joints.end());
    std::sort(region.vertices.begin(), region.vertices.end());
    region.solved = !region.joints.empty();
  }
}

// Bones whose surroundings are missing: a hand without weights has them, not the head that unweighted horns grow from.
void Filler::find_bare_bones() {
  bare_.assign(subject_.skeleton.size(), 0);
  heat_joint_.assign(surface_.count(), kNone);
  heat_.assign(surface_.count(), 0.0);
  if (regions_.empty()) return;
  std::vector<Index> nearest(surface_.count(), kNone);
  parallel_for(
      nearest.size(),
      [&](std::size_t w) {
        const Index bone = nearest_bone(tree_, surface_.positions[w], [](Index) { return true; });
        nearest[w] = tree_.bones[bone].joint;
      },
      256);
  std::vector<double> all(bare_.size(), 0), gone(bare_.size(), 0);
  for (Index w = 0; w < surface_.count(); ++w) {
    all[nearest[w]] += surface_.areas[w];
    if (open_[w]) gone[nearest[w]] += surface_.areas[w];
  }
  for (const Index joint : tree_.joints) bare_[joint] = gone[joint] > 0 && gone[joint] >= kMissingRound * all[joint];
  for (Region& region : regions_) {
    const auto on_bare =
        std::count_if(region.vertices.begin(), region.vertices.end(), [&](Index w) { return bare_[nearest[w]] != 0; });
    if (on_bare == 0) continue;
    if (region.joints.empty() && 2 * on_bare < static_cast<std::ptrdiff_t>(region.vertices.size())) continue;
    heat(region);
  }
}

void Filler::heat(Region& region) {
  region.heated = region.solved = true;
  std::vector<char> candidate = bare_;
  for (const Index joint : region.joints) candidate[joint] = 1;
  if (region.joints.empty()) std::fill(candidate.begin(), candidate.end(), char{1});
  const double least = 1e-4 * surface_.size;
  parallel_for(
      region.vertices.size(),
      [&](std::size_t i) {
        const Index w = region.vertices[i];
        const Index v = surface_.source[w];
        double distance = 0;
        const Index bone = nearest_bone(
            tree_, surface_.positions[w], [&](Index j) { return candidate[j] && scope_.may_use(v, j); }, &distance);
        if (bone == kNone) return;
        heat_joint_[w] = tree_.bones[bone].joint;
        heat_[w] = surface_.areas[w] / std::pow(std::max(distance, least), 2);
      },
      256);
  // A region without any border must have heat somewhere, or it cannot be solved.
  if (region.joints.empty() && std::none_of(region.vertices.begin(), region.vertices.end(),
                                            [&](Index w) { return heat_joint_[w] != kNone && heat_[w] > 0; }))
    region.solved = false;
}

// One column per joint, a few at a time.
std::vector<FillRow> Filler::shares(const geometry::SparseSolver& solver, const std::vector<Index>& unknowns,
                                    const std::vector<Pull>& pulls, const std::vector<Index>& joints) const {
  std::vector<FillRow> rows(unknowns.size());
  for (std::size_t first = 0; first < joints.size(); first += kColumns) {
    const Eigen::Index columns = std::min<Eigen::Index>(kColumns, static_cast<Eigen::Index>(joints.size() - first));
    std::map<Index, Eigen::Index> column;
    for (Eigen::Index c = 0; c < columns; ++c) column[joints[first + static_cast<std::size_t>(c)]] = c;
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(unknowns.size()), columns);
    for (const Pull& pull : pulls)
      for (const Influence& influence : rows_.row(pull.vertex))
        if (const auto c = column.find(influence.joint); c != column.end())
          b(pull.unknown, c->second) += pull.strength * static_cast<double>(influence.weight);
    for (Index i = 0; i < unknowns.size(); ++i)
      if (const auto c = column.find(heat_joint_[unknowns[i]]); c != column.end())
        b(i, c->second) += heat_[unknowns[i]];
    const geometry::Solution solution = solver.solve(b);
    for (Index i = 0; i < unknowns.size(); ++i)
      for (Eigen::Index c = 0; c < columns; ++c)
        if (solution.x(i, c) > kLeastShare)
          rows[i].push_back({joints[first + static_cast<std::size_t>(c)], static_cast<float>(solution.x(i, c))});
  }
  return rows;
}

void Filler::solve() {
  std::vector<Index> unknowns, place(surface_.count(), kNone), joints;
  for (Index w = 0; w < surface_.count(); ++w) {
    if (!open_[w] || !regions_[region_of_[w]].solved) continue;
    place[w] = static_cast<Index>(unknowns.size());
    unknowns.push_back(w);
    if (heat_joint_[w] != kNone) joints.push_back(heat_joint_[w]);
  }
  if (unknowns.empty()) return;
  for (const Region& region : regions_)
    if (region.solved) joints.insert(joints.end(), region.joints.begin(), region.joints.end());
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  geometry::LaplacianOptions options;
  options.bad_triangles = geometry::BadTriangles::kClamp;
  const geometry::Laplacian laplacian = geometry::cotangent_laplacian(surface_.positions, surface_.triangles, options);
  const geometry::SparseMatrix& stiffness = laplacian.stiffness;
  std::vector<geometry::MatrixEntry> entries;
  std::vector<Pull> pulls;
  for (Index i = 0; i < unknowns.size(); ++i) {
    const Index w = unknowns[i];
    double diagonal = heat_[w];
    for (Index e = stiffness.offsets[w]; e < stiffness.offsets[w + 1]; ++e) {
      const Index other = stiffness.columns[e];
      if (other == w || (!good_[other] && place[other] == kNone)) continue;
      const double strength = std::max(-stiffness.values[e], kLeastEdge);
      diagonal += strength;
      if (good_[other]) pulls.push_back({i, other, strength});
      else entries.push_back({i, place[other], -strength});
    }
    entries.push_back({i, i, diagonal > 0 ? diagonal : 1.0});
  }
  const geometry::SparseSolver solver(geometry::assemble(static_cast<Index>(unknowns.size()), entries));
  std::vector<FillRow> rows = shares(solver, unknowns, pulls, joints);
  for (Index i = 0; i < unknowns.size(); ++i)
    finish(unknowns[i], std::move(rows[i]),
           regions_[region_of_[unknowns[i]]].heated ? FilledBy::kBones : FilledBy::kSurface);
}

FillRow Filler::nearest_joint(Index w, const Vec3& p) const {
  const Index v = surface_.source[w];
  const Index bone = nearest_bone(tree_, p, [&](Index j) { return scope_.may_use(v, j); });
  if (bone != kNone) return {{tree_.bones[bone].joint, 1.0F}};
  // None of the joints that move anything: then one that the skin lists at all.
  Index best = kNone;
  for (Index j = 0; j < subject_.skeleton.size(); ++j)
    if (scope_.may_use(v, j) &&
        (best == kNone || (subject_.position(j) - p).norm() < (subject_.position(best) - p).norm()))
      best = j;
  return best == kNone ? FillRow() : FillRow{{best, 1.0F}};
}

void Filler::finish(Index w, FillRow row, FilledBy how) {
  const Index v = surface_.source[w];
  std::erase_if(row, [&](const Influence& i) { return !scope_.may_use(v, i.joint); });
  if (row.empty()) {
    row = nearest_joint(w, surface_.positions[w]);
    how = FilledBy::kJoint;
  }
  cap_row(row, most_);
  how_[w] = row.empty() ? FilledBy::kNothing : how;
  result_[w] = std::move(row);
}

void Filler::place_loose_shells() {
  std::vector<Vec3> points;
  for (const Region& region : regions_)
    if (!region.solved)
      for (const Index w : region.vertices) points.push_back(surface_.positions[w]);
  if (points.empty()) return;
  std::vector<geometry::TriangleVertices> triangles;
  for (const auto& t : surface_.triangles)
    if (good_[t[0]] && good_[t[1]] && good_[t[2]]) triangles.push_back(t);
  std::vector<geometry::ClosestPoint> near(points.size());
  if (!triangles.empty())
    near = geometry::RayScene(geometry::TriangleSoup{surface_.positions, triangles}).closest_points(points);
  std::size_t first = 0;
  for (const Region& region : regions_) {
    if (region.solved) continue;
    place(region, near, first, triangles);
    first += region.vertices.size();
  }
}

void Filler::place(const Region& region, const std::vector<geometry::ClosestPoint>& near, std::size_t first,
                   const std::vector<geometry::TriangleVertices>& triangles) {
  const auto row_at = [&](const geometry::ClosestPoint& hit) {
    std::map<Index, double> sum;
    for (int k = 0; k < 3; ++k)
      for (const Influence& i : rows_.row(triangles[hit.triangle][static_cast<std::size_t>(k)]))
        sum[i.joint] += hit.barycentric[k] * static_cast<double>(i.weight);
    FillRow row;
    for (const auto& [joint, share] : sum)
      if (share > kLeastShare) row.push_back({joint, static_cast<float>(share)});
    return row;
  };
  Box box;
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < region.vertices.size(); ++i) {
    box.extend(surface_.positions[region.vertices[i]]);
    if (near[first + i].distance < near[first + nearest].distance) nearest = i;
  }
  const bool touches = near[first + nearest].distance <= kTouching * surface_.size;
  const bool small = box.diagonal() <= kSmallShell * surface_.size;
  for (std::size_t i = 0; i < region.vertices.size(); ++i) {
    const Index w = region.vertices[i];
    if (touches) finish(w, row_at(near[first + (small ? nearest : i)]), FilledBy::kSkin);
    else finish(w, nearest_joint(w, box.center()), FilledBy::kJoint);
  }
}

}  // namespace

Filled filled(const SkinWeights& weights, const std::vector<char>& missing, const Subject& subject,
              const EditSurface& surface, const EditScope& scope, const Progress& progress) {
  Filler filler(weights, missing, subject, surface, scope);
  filler.run(progress);
  Filled result;
  result.how.assign(weights.row_count(), FilledBy::kNothing);
  for (Index v = 0; v < weights.row_count(); ++v) {
    const bool gone = missing[v] != 0 || is_missing_row(weights.row(v));
    if (!gone || !scope.editable[v]) {
      result.weights.add_row(weights.row(v));
      continue;
    }
    const Index w = surface.welding.welded[v];
    // A copy beside a good one takes that one's row.
    std::vector<Influence> row = filler.row(w);
    FilledBy how = filler.how(w);
    if (!filler.open(w)) {
      row.assign(filler.good_row(w).begin(), filler.good_row(w).end());
      how = FilledBy::kSurface;
      std::erase_if(row, [&](const Influence& i) { return !scope.may_use(v, i.joint); });
      cap_row(row, static_cast<int>(std::max<std::size_t>(1, row.size())));
      if (row.empty()) how = FilledBy::kNothing;
    }
    result.weights.add_row(row);
    result.how[v] = how;
    if (how == FilledBy::kNothing) ++result.left;
    else ++result.vertices[static_cast<std::size_t>(how)];
  }
  return result;
}

}  // namespace sinew::binding
