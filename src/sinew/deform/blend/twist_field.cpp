// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/twist_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"

namespace sinew::deform {
namespace {

constexpr double kLeastWeight = 1e-6;
constexpr double kLargestResidual = 1e-6;
constexpr double kSideBranch = 0.3;    // Of a bone's length: other bones at its joint that are shorter do not count.
constexpr double kInLine = 0.94;       // Cosine: 20°.
constexpr double kLeastSlender = 0.7;  // Length of a limb over the radius of its skin.
constexpr double kWidestGap_rad = radians(150);  // Between neighbouring vertices around a limb.

double clamped_along(const Segmentation& segmentation, Index v) {
  const auto along = static_cast<double>(segmentation.along[v]);
  return along > 0 ? std::min(along, 1.0) : 0.0;  // What is not a number is 0.
}

// Edges of no or negative weight would cut a region up, and values could leave [0, 1]. Edges that leave a region, whose
// vertices are the first `own`, reach only as far as its border, which is taken to lie in the middle of them: they
// count double.
void prepare_weights(geometry::SparseMatrix& stiffness, Index own) {
  for (Index i = 0; i < stiffness.size(); ++i) {
    double sum = 0;
    Index diagonal = kNone;
    for (Index k = stiffness.offsets[i]; k < stiffness.offsets[i + 1]; ++k) {
      const Index j = stiffness.columns[k];
      if (j == i) {
        diagonal = k;
        continue;
      }
      stiffness.values[k] = ((i < own) == (j < own) ? 1 : 2) * std::min(stiffness.values[k], -kLeastWeight);
      sum -= stiffness.values[k];
    }
    if (diagonal != kNone) stiffness.values[diagonal] = sum;
  }
}

// Pairs of a group and an item as lists, in order within each.
geometry::Lists grouped(std::span<const std::array<Index, 2>> pairs, std::size_t groups) {
  geometry::Lists lists;
  lists.offsets.assign(groups + 1, 0);
  for (const auto& pair : pairs) ++lists.offsets[pair[0] + 1];
  for (std::size_t g = 0; g < groups; ++g) lists.offsets[g + 1] += lists.offsets[g];
  lists.items.resize(lists.offsets.back());
  std::vector<Index> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (const auto& [group, item] : pairs) lists.items[next[group]++] = item;
  return lists;
}

class FieldSolver {
 public:
  FieldSolver(const Mesh& mesh, const Segmentation& segmentation, const TwistTree& tree, std::span<const Index> owner,
              TwistField& field, const Progress& progress)
      : segmentation_(segmentation),
        tree_(tree),
        owner_of_vertex_(owner),
        field_(field),
        progress_(progress),
        welding_(geometry::weld(mesh)),
        surface_(geometry::triangle_surface(mesh, welding_)),
        share_(welding_.count()),
        gradient_(welding_.count()),
        changed_(welding_.count(), 0) {
    owner_.reserve(welding_.count());
    for (const Index first : welding_.first) owner_.push_back(owner[first]);
  }

  void run() {
    const std::size_t regions = segmentation_.segments.size();
    std::vector<std::array<Index, 2>> vertices, triangles;
    for (Index w = 0; w < owner_.size(); ++w)
      if (owner_[w] != kNone) vertices.push_back({owner_[w], w});
    for (Index t = 0; t < surface_.triangles.size(); ++t) {
      const auto& [a, b, c] = surface_.triangles[t];
      if (owner_[a] == kNone || owner_[b] == kNone || owner_[c] == kNone) continue;
      triangles.push_back({owner_[a], t});
      if (owner_[b] != owner_[a]) triangles.push_back({owner_[b], t});
      if (owner_[c] != owner_[a] && owner_[c] != owner_[b]) triangles.push_back({owner_[c], t});
    }
    vertices_ = grouped(vertices, regions);
    triangles_ = grouped(triangles, regions);
    parallel_blocks(regions, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        progress_.check();
        if (tree_.bones[s].end != kNone && !triangles_[s].empty()) solve(static_cast<Index>(s));
      }
    });
    for (Index v = 0; v < field_.share.size(); ++v) {
      const Index w = welding_.welded[v];
      // Copies that belong to another region than their first keep what they have.
      if (!changed_[w] || owner_of_vertex_[v] != owner_[w]) continue;
      field_.share[v] = static_cast<float>(share_[w]);
      field_.gradient[v] = gradient_[w];
      ++field_.solved;
    }
  }

 private:
  enum Side : std::uint8_t { kNeither = 0, kBegin = 1, kEnd = 2, kBoth = 3 };

  // A region with the vertices of others that it meets: these have its whole twist, or nothing of it.
  struct Region {
    Index own = 0;              // Vertices of its own, which come first.
    std::vector<Index> welded;  // Per vertex.
    std::vector<Side> side;     // Per vertex: where it is held.
    std::vector<std::array<Index, 3>> triangles;
    std::vector<Vec3> positions;
    std::vector<double> along;  // Per vertex of its own.
    std::vector<Index> piece;   // Per vertex of its own: the lowest of those it hangs together with.
    std::vector<Side> borders;  // Per piece, at its lowest vertex: what it meets.

    bool open(std::size_t i) const { return borders[piece[i]] == kBoth; }
    void meet(std::size_t i, Side what) { borders[piece[i]] = static_cast<Side>(borders[piece[i]] | what); }
  };

  // At which end of a region another one lies, as met at a vertex. One that is no near relation counts only where it is
  // met on that half of the bone: a hand that has grown together with the hip does not end its twist there.
  Side side_of(Index own, Index other, double along) const {
    const TwistTree::Bone& bone = tree_.bones[own];
    const TwistTree::Bone& next = tree_.bones[other];
    const bool beyond = tree_.is_beyond(other, own);
    const bool near = beyond ? next.start == bone.end : next.start == bone.start || next.end == bone.start;
    if (!near && (along < 0.5) == beyond) return kNeither;
    return beyond ? kEnd : kBegin;
  }

  void add_vertex(Region& r, Index w, Side side) const {
    r.welded.push_back(w);
    r.side.push_back(side);
    r.positions.push_back(surface_.positions[w]);
  }

  Region region(Index s) const {
    Region r;
    std::unordered_map<Index, Index> local;
    for (const Index w : vertices_[s]) {
      local.emplace(w, static_cast<Index>(r.welded.size()));
      add_vertex(r, w, kNeither);
      r.along.push_back(clamped_along(segmentation_, welding_.first[w]));
    }
    r.own = static_cast<Index>(r.welded.size());
    geometry::UnionFind pieces(r.own);
    for (const Index t : triangles_[s]) add_triangle(r, s, surface_.triangles[t], local, pieces);
    for (Index i = 0; i < r.own; ++i) r.piece.push_back(pieces.find(i));
    r.borders.assign(r.own, kNeither);
    for (const auto& triangle : r.triangles)
      for (const Index i : triangle)
        for (const Index other : triangle)
          if (i < r.own) r.meet(i, r.side[other]);
    return r;
  }

  void add_triangle(Region& r, Index s, const std::array<Index, 3>& triangle, std::unordered_map<Index, Index>& local,
                    geometry::UnionFind& pieces) const {
    Index own = kNone;
    for (const Index w : triangle) {
      if (owner_[w] != s) continue;
      if (own == kNone) own = local.at(w);
      pieces.join(own, local.at(w));
    }
    std::array<Side, 3> sides = {kNeither, kNeither, kNeither};
    for (std::size_t i = 0; i < 3; ++i) {
      if (owner_[triangle[i]] == s) continue;
      sides[i] = side_of(s, owner_[triangle[i]], r.along[own]);
      if (sides[i] == kNeither) return;
    }
    std::array<Index, 3> numbers;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [at, added] = local.emplace(triangle[i], static_cast<Index>(r.welded.size()));
      if (added) add_vertex(r, triangle[i], sides[i]);
      numbers[i] = at->second;
    }
    r.triangles.push_back(numbers);
  }

  // Where nothing lies before a bone, its region begins at the vertices that lie behind its joint, or at the first of
  // all; and where nothing lies beyond it, it ends in the same way.
  void close_ends(Region& r, Index s) const {
    bool before = false, beyond = false;
    for (Index other = 0; other < tree_.bones.size(); ++other)
      if (other != s && !vertices_[other].empty()) (tree_.is_beyond(other, s) ? beyond : before) = true;
    std::vector<double> least(r.own, 1.0), most(r.own, 0.0);
    for (std::size_t i = 0; i < r.own; ++i) {
      least[r.piece[i]] = std::min(least[r.piece[i]], r.along[i]);
      most[r.piece[i]] = std::max(most[r.piece[i]], r.along[i]);
    }
    const std::vector<Side> met = r.borders;
    for (std::size_t i = 0; i < r.own; ++i) {
      const Index piece = r.piece[i];
      if (!(least[piece] < most[piece])) continue;
      if (!before && !(met[piece] & kBegin) && r.along[i] <= least[piece]) r.side[i] = kBegin;
      if (!beyond && !(met[piece] & kEnd) && r.along[i] >= most[piece]) r.side[i] = kEnd;
      r.meet(i, r.side[i]);
    }
  }

  void solve(Index s) {
    Region r = region(s);
    close_ends(r, s);
    std::vector<Index> fixed;
    std::vector<double> values;
    for (Index i = 0; i < r.welded.size(); ++i) {
      if (i < r.own && r.open(i) && r.side[i] == kNeither) continue;
      fixed.push_back(i);
      values.push_back(i < r.own && !r.open(i) ? r.along[i] : r.side[i] == kEnd ? 1.0 : 0.0);
    }
    if (fixed.size() == r.welded.size()) return;
    std::vector<double> share;
    if (solve_free(r, fixed, values, share)) write(r, share);
  }

  static bool solve_free(const Region& r, const std::vector<Index>& fixed, const std::vector<double>& values,
                         std::vector<double>& share) {
    geometry::LaplacianOptions options;
    options.bad_triangles = geometry::BadTriangles::kClamp;
    geometry::SparseMatrix stiffness = geometry::cotangent_laplacian(r.positions, r.triangles, options).stiffness;
    prepare_weights(stiffness, r.own);
    try {
      const geometry::FixedValueSolver solver(stiffness, fixed);
      const geometry::Solution solution =
          solver.solve(Eigen::MatrixXd::Zero(stiffness.size(), 1),
                       Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
      if (!(solution.residual < kLargestResidual)) return false;
      for (Eigen::Index i = 0; i < solution.x.rows(); ++i) share.push_back(std::clamp(solution.x(i, 0), 0.0, 1.0));
    } catch (const geometry::SingularMatrix&) {
      return false;
    }
    return true;
  }

  void write(const Region& r, const std::vector<double>& share) {
    std::vector<Vec3> gradient(r.welded.size(), Vec3::Zero());
    std::vector<double> area(r.welded.size(), 0);
    for (const auto& triangle : r.triangles) {
      const std::array<Vec3, 3> p = {r.positions[triangle[0]], r.positions[triangle[1]], r.positions[triangle[2]]};
      const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]);  // Twice the area long.
      const double squared = normal.squaredNorm();
      if (!(squared > 0)) continue;
      Vec3 slope = Vec3::Zero();
      for (std::size_t i = 0; i < 3; ++i) slope += share[triangle[i]] * normal.cross(p[(i + 2) % 3] - p[(i + 1) % 3]);
      slope /= squared;
      if (!slope.allFinite()) continue;
      for (const Index i : triangle) {
        gradient[i] += std::sqrt(squared) * slope;
        area[i] += std::sqrt(squared);
      }
    }
    for (std::size_t i = 0; i < r.own; ++i) {
      if (!r.open(i)) continue;
      const Index w = r.welded[i];
      changed_[w] = 1;
      share_[w] = share[i];
      gradient_[w] = area[i] > 0 ? Vec3(gradient[i] / area[i]) : Vec3(Vec3::Zero());
    }
  }

  const Segmentation& segmentation_;
  const TwistTree& tree_;
  std::span<const Index> owner_of_vertex_;
  TwistField& field_;
  const Progress& progress_;
  geometry::Welding welding_;
  geometry::TriangleSurface surface_;
  std::vector<double> share_;
  std::vector<Vec3> gradient_;
  std::vector<char> changed_;
  std::vector<Index> owner_;              // Per welded vertex.
  geometry::Lists vertices_, triangles_;  // Per region; triangles that lie across borders belong to all they touch.
};

// Whether skin surrounds a bone like a limb: on all sides, and not much thicker than the bone is long.
bool goes_round(const std::vector<Vec3>& skin, const Vec3& a, const Vec3& b) {
  const double length = (b - a).norm();
  if (!(length > 0) || skin.size() < 3) return false;
  const Vec3 along = (b - a) / length, x = along.unitOrthogonal(), y = along.cross(x);
  std::vector<double> angles, radii;
  for (const Vec3& p : skin) {
    const Vec3 off = p - a - (p - a).dot(along) * along;
    radii.push_back(off.norm());
    angles.push_back(std::atan2(off.dot(y), off.dot(x)));
  }
  std::nth_element(radii.begin(), radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2), radii.end());
  if (length < kLeastSlender * radii[radii.size() / 2]) return false;
  std::sort(angles.begin(), angles.end());
  double gap = angles.front() + kTwoPi - angles.back();
  for (std::size_t i = 1; i < angles.size(); ++i) gap = std::max(gap, angles[i] - angles[i - 1]);
  return gap < kWidestGap_rad;
}

bool has_weight(const Rig& rig, Index v) {
  if (rig.weights.empty()) return false;
  const auto row = rig.weights.row(v);
  return std::any_of(row.begin(), row.end(),
                     [](const Influence& i) { return i.weight > 0 && std::isfinite(i.weight); });
}

}  // namespace

TwistField delta_twist_field(const Segmentation& segmentation, std::span<const Index> owner,
                             std::span<const Vec3> links) {
  TwistField field;
  field.share.assign(owner.size(), 0);
  field.gradient.assign(owner.size(), Vec3::Zero());
  for (Index v = 0; v < owner.size(); ++v) {
    if (owner[v] == kNone || segmentation.segments[owner[v]].child == kNone) continue;
    const double share = clamped_along(segmentation, v), squared = links[v].squaredNorm();
    field.share[v] = static_cast<float>(share);
    if (share > 0 && share < 1 && squared > 0) field.gradient[v] = links[v] / squared;
  }
  return field;
}

TwistField harmonic_twist_field(const Mesh& mesh, const Segmentation& segmentation, const TwistTree& tree,
                                std::span<const Index> owner, std::span<const Vec3> links, const Progress& progress) {
  TwistField field = delta_twist_field(segmentation, owner, links);
  FieldSolver(mesh, segmentation, tree, owner, field, progress).run();
  return field;
}

TwistReach twist_reach(const Rig& rig, const Segmentation& segmentation, std::span<const TwistTree> trees) {
  TwistReach reach;
  reach.owner.assign(rig.mesh.vertex_count(), kNone);
  reach.links.assign(rig.mesh.vertex_count(), Vec3::Zero());
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone) continue;
    const TwistTree& tree = trees[part.skin];
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (segmentation.owner[v] == kNone || !has_weight(rig, v)) continue;
      reach.owner[v] = segmentation.owner[v];
      const TwistTree::Bone& bone = tree.bones[segmentation.owner[v]];
      if (bone.end != kNone) reach.links[v] = tree.joints[bone.end].origin - tree.joints[bone.start].origin;
    }
  }
  return reach;
}

std::vector<float> limb_twists(const Rig& rig, const Segmentation& segmentation) {
  std::vector<float> limbs(rig.skeleton.size(), 0);
  if (rig.skins.empty()) return limbs;
  const std::vector<Mat4> bind = bind_pose_matrices(rig, 0);
  const auto place = [&](Index j) { return Vec3(bind[j].topRightCorner<3, 1>()); };
  const auto length = [&](const Segmentation::Segment& s) {
    return s.child == kNone ? 0.0 : (place(s.child) - place(s.joint)).norm();
  };
  // Twist joints along a bone are no branches.
  const auto leads_aside = [&](const Segmentation::Segment& other, const Segmentation::Segment& bone) {
    if (length(other) <= kSideBranch * length(bone)) return false;
    const Vec3 a = place(other.child) - place(other.joint), b = place(bone.child) - place(bone.joint);
    return a.dot(b) < kInLine * a.norm() * b.norm();
  };
  std::vector<std::vector<Vec3>> skin(segmentation.segments.size());
  for (Index v = 0; v < segmentation.owner.size(); ++v) {
    const Index owner = segmentation.owner[v];
    if (owner != kNone && segmentation.along[v] > 0.1F && segmentation.along[v] < 0.9F)
      skin[owner].push_back(rig.mesh.positions[v]);
  }
  for (std::size_t s = 0; s < segmentation.segments.size(); ++s) {
    const Segmentation::Segment& bone = segmentation.segments[s];
    if (bone.child == kNone) continue;
    bool branches = false;
    for (std::size_t other = 0; other < segmentation.segments.size(); ++other)
      branches = branches || (other != s && segmentation.segments[other].joint == bone.joint &&
                              leads_aside(segmentation.segments[other], bone));
    if (!branches && goes_round(skin[s], place(bone.joint), place(bone.child))) limbs[bone.child] = 1;
  }
  // A joint in the same place as the end of a bone turns with it.
  for (Index j = 0; j < limbs.size(); ++j) {
    const Index parent = rig.skeleton.joints[j].parent;
    if (parent != kNone && limbs[parent] > 0 && (place(j) - place(parent)).norm() <= 1e-6 * rig.mesh.size())
      limbs[j] = 1;
  }
  return limbs;
}

std::vector<TwistTree> twist_trees(const Rig& rig, const Segmentation& segmentation, std::span<const float> factors,
                                   bool limbs_only) {
  std::vector<TwistTree> trees;
  const double size = rig.mesh.size();
  std::vector<float> spread(factors.begin(), factors.end());
  if (spread.empty() && limbs_only) spread = limb_twists(rig, segmentation);
  for (Index s = 0; s < rig.skins.size(); ++s)
    trees.push_back(
        make_twist_tree(rig.skeleton, segmentation.segments, bind_pose_matrices(rig, s), size, spread, limbs_only));
  return trees;
}

std::vector<float> twist_shares(const Rig& rig, const Segmentation& segmentation, const Progress& progress) {
  const std::vector<TwistTree> trees = twist_trees(rig, segmentation);
  if (trees.empty()) return std::vector<float>(rig.mesh.vertex_count(), 0.0F);
  const TwistReach reach = twist_reach(rig, segmentation, trees);
  return harmonic_twist_field(rig.mesh, segmentation, trees.front(), reach.owner, reach.links, progress).share;
}

}  // namespace sinew::deform
