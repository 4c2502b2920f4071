// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_body.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/pbd/limb_cuts.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/operators/solver.h"
#include "sinew/geometry/spatial/bvh.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {
namespace {

constexpr double kCellsAlong = 70;   ///< Of the longest side, where nothing else decides.
constexpr double kMostCells = 110;   ///< Thin limbs make no finer ones.
constexpr double kMostTets = 60000;  ///< Where nobody asks for a number.
constexpr double kAcross = 3;        ///< Cells across a limb.
constexpr double kBlended =
    0.02;  ///< Weights of the second joint and beyond from which on a particle counts as blended.
constexpr double kFarthestOut = 0.5;  ///< Below 0 for a share of a corner.
constexpr float kLeastBodyWeight = 1e-3F;
constexpr double kWholeShare = 0.25;      ///< Of weights that a joint moves, from which on a particle lies in its area.
constexpr double kLeastAreaShare = 1e-3;  ///< Below it a particle does not lie in an area.
constexpr double kSmallShell = 4;         ///< Cells across a shell that keeps its shape.
constexpr float kRigid = 0.99F;           ///< Weight of one joint from which on skin is rigid.
constexpr double kNearKin = 2;            ///< Cells of skeleton between bones that may share tetrahedra.

struct BoneSegment {
  Index joint;
  Vec3 a, b;

  Vec3 closest(const Vec3& p) const { return geometry::segment_point(p, a, b); }
};

/// Segments from joints that move skin to those next below that do.
std::vector<BoneSegment> bone_segments(const Rig& rig, const std::vector<Mat4>& frames,
                                       const std::vector<char>& moves) {
  std::vector<BoneSegment> bones;
  std::vector<char> has_child(frames.size(), 0);
  const auto place = [&](Index j) { return Vec3(frames[j].topRightCorner<3, 1>()); };
  for (Index j = 0; j < frames.size(); ++j) {
    if (moves[j] == 0) continue;
    Index above = rig.skeleton.joints[j].parent;
    while (above != kNone && moves[above] == 0) above = rig.skeleton.joints[above].parent;
    if (above == kNone) continue;
    bones.push_back({above, place(above), place(j)});
    has_child[above] = 1;
  }
  for (Index j = 0; j < frames.size(); ++j)
    if (moves[j] != 0 && has_child[j] == 0) {
      const auto& end = rig.skeleton.joints[j].end_local;
      bones.push_back({j, place(j), end ? transform_point(frames[j], *end) : place(j)});
    }
  std::stable_sort(bones.begin(), bones.end(),
                   [](const BoneSegment& a, const BoneSegment& b) { return a.joint < b.joint; });
  return bones;
}

class BodyMaker {
 public:
  BodyMaker(const Rig& rig, const PbdBodyOptions& options, const Progress& progress)
      : rig_(rig), options_(options), progress_(progress), rows_(rig.weights.normalized()) {}

  PbdBody run() {
    body_.bind = bind_frames(rig_);
    moves_.assign(body_.bind.size(), 0);
    weight_sums_.assign(body_.bind.size(), 0.0);
    for (Index v = 0; v < rows_.row_count(); ++v)
      for (const Influence& influence : rows_.row(v))
        if (influence.weight >= kLeastBodyWeight) {
          moves_[influence.joint] = 1;
          weight_sums_[influence.joint] += static_cast<double>(influence.weight);
        }
    bones_ = bone_segments(rig_, body_.bind, moves_);
    progress_.step("tetrahedra", 0.1);
    fill();
    if (body_.tets.tets.empty()) return std::move(body_);
    progress_.step("weights inside", 0.4);
    weigh();
    progress_.step("joint areas", 0.7);
    choose_free();
    anchor();
    progress_.step("riders", 0.85);
    embed();
    return std::move(body_);
  }

 private:
  Vec3 place(Index joint) const { return body_.bind[joint].topRightCorner<3, 1>(); }

  /// The faces of parts that have a skin, with the vertices they use: what hangs rigidly on a joint, as a sword, is no
  /// part of the body.
  void take_skin() {
    std::vector<Index> number(rig_.mesh.positions.size(), kNone);
    in_skin_.assign(rig_.mesh.positions.size(), 0);
    std::vector<Index> corners;
    for (const MeshPart& part : rig_.mesh.parts) {
      if (part.skin == kNone) continue;
      std::fill_n(in_skin_.begin() + part.first_vertex, part.vertex_count, 1);
      for (Index f = part.first_face; f < part.first_face + part.face_count; ++f) {
        corners.clear();
        for (const Index v : rig_.mesh.face(f)) {
          if (number[v] == kNone) {
            number[v] = skin_.vertex_count();
            skin_.positions.push_back(rig_.mesh.positions[v]);
            skin_vertices_.push_back(v);
          }
          corners.push_back(number[v]);
        }
        skin_.add_face(corners);
      }
    }
  }

  void fill() {
    take_skin();
    const Mesh& mesh = skin_;
    if (mesh.face_count() == 0) return;
    const double longest = mesh.bounds().extent().maxCoeff();
    geometry::DistanceFieldOptions options;
    options.cells = static_cast<int>(kCellsAlong);
    depths_ = geometry::distance_field(mesh, options, progress_);
    body_.cell = cell_for(depths_, longest);
    // Finer than the lattice, but only near the skin: farther away the sign is enough.
    options.cells = std::clamp(static_cast<int>(std::ceil(1.5 * longest / body_.cell)), 16, 400);
    field_ = geometry::sparse_distance_field(mesh, options, progress_);
    Box box = mesh.bounds();
    const Vec3 room = Vec3::Constant(body_.cell);
    box.lower -= room, box.upper += room;
    const TetMesh all =
        geometry::stuff([this](const Vec3& p) { return geometry::sample(field_, p); }, box, body_.cell, progress_);
    body_.tets = chosen_pieces(all);
    if (body_.tets.tets.empty()) return;
    cut_limbs_apart();
    const geometry::DihedralAngles angles = geometry::dihedral_angles(body_.tets);
    body_.smallest_angle_rad = angles.smallest_rad;
    body_.largest_angle_rad = angles.largest_rad;
    body_.mass.assign(body_.tets.positions.size(), 0.0);
    for (Index t = 0; t < body_.tets.tets.size(); ++t)
      for (const Index v : body_.tets.tets[t]) body_.mass[v] += geometry::tet_volume(body_.tets, t) / 4;
    double sum = 0;
    for (const double m : body_.mass) sum += m;
    for (double& m : body_.mass) m *= static_cast<double>(body_.mass.size()) / sum;
  }

  /// The lattice joins what is less than a cell apart, and what overlaps: thighs, an arm and the trunk, fingers. There
  /// each limb gets particles of its own.
  void cut_limbs_apart() {
    std::vector<Vec3> places;
    for (Index j = 0; j < body_.bind.size(); ++j) places.push_back(place(j));
    body_.against = moving_parents(rig_.skeleton, weight_sums_);
    kinship_ = std::make_unique<JointKinship>(body_.against, places, kNearKin * body_.cell);
    for (const Index v : skin_vertices_) skin_rows_.add_row(rows_.row(v));
    sides_ = skin_sides(body_.tets, body_.cell, skin_, skin_rows_, *kinship_);
    geometry::CutTets cut =
        geometry::cut_tets(body_.tets, [&](Index a, Index b) { return !only_touch(sides_[a], sides_[b], *kinship_); });
    at_cut_ = std::move(cut.at_cut);
    body_.tets = std::move(cut.tets);
  }

  double cell_for(const DistanceField& coarse, double longest) const {
    double inside = 0;
    for (const float value : coarse.values) inside += value < 0 ? 1 : 0;
    const double volume = std::max(inside * std::pow(coarse.cell, 3), 1e-6 * std::pow(longest, 3));
    const auto cell_of = [&](double tets) { return std::cbrt(12 * volume / tets); };
    if (options_.tets > 0) return cell_of(options_.tets);
    // The limb that is thinnest in the middle of its bone decides, as far as it can.
    double thinnest = std::numeric_limits<double>::infinity();
    for (const BoneSegment& bone : bones_) {
      if ((bone.b - bone.a).norm() < 0.03 * longest) continue;
      const double depth = -geometry::sample(coarse, 0.5 * (bone.a + bone.b));
      if (depth > 0.5 * coarse.cell) thinnest = std::min(thinnest, 2 * depth);
    }
    const double wanted = std::isfinite(thinnest) ? thinnest / kAcross : longest / kCellsAlong;
    return std::max(std::clamp(wanted, longest / kMostCells, longest / kCellsAlong), cell_of(kMostTets));
  }

  /// The largest piece, and those in which a joint lies.
  TetMesh chosen_pieces(const TetMesh& all) const {
    const geometry::TetComponents pieces = geometry::tet_components(all);
    if (pieces.count <= 1) return all;
    std::vector<char> wanted(pieces.count, 0);
    wanted[static_cast<std::size_t>(std::max_element(pieces.volume.begin(), pieces.volume.end()) -
                                    pieces.volume.begin())] = 1;
    for (Index j = 0; j < body_.bind.size(); ++j) {
      if (moves_[j] == 0) continue;
      Index nearest = kNone;
      double least = 2 * body_.cell;
      for (Index v = 0; v < all.positions.size(); ++v) {
        const double distance = (all.positions[v] - place(j)).norm();
        if (distance < least) least = distance, nearest = v;
      }
      if (nearest != kNone) wanted[pieces.of_vertex[nearest]] = 1;
    }
    std::vector<char> keep;
    for (const Index piece : pieces.of_tet) keep.push_back(wanted[piece]);
    return geometry::kept_tets(all, keep);
  }

  /// Particles beside a cut follow the skin of their own side: the mean of what the tetrahedra around them lie behind.
  std::vector<std::map<Index, double>> rows_beside_cuts() const {
    std::vector<std::map<Index, double>> rows(at_cut_.size());
    for (std::size_t t = 0; t < sides_.size(); ++t)
      for (const Index v : body_.tets.tets[t])
        if (at_cut_[v] != 0)
          for (const Influence& influence : sides_[t].row)
            rows[v][influence.joint] += static_cast<double>(influence.weight);
    for (auto& row : rows) {
      double sum = 0;
      for (const auto& [joint, weight] : row) sum += weight;
      for (auto& [joint, weight] : row) weight /= sum;
    }
    return rows;
  }

  void weigh() {
    const std::vector<std::array<Index, 3>> surface = geometry::tet_surface(body_.tets);
    std::vector<char> known(body_.tets.positions.size(), 0);
    for (const auto& triangle : surface)
      for (const Index v : triangle) known[v] = 1;
    const geometry::RayScene scene(skin_);
    const std::vector<Triangle> triangles = triangulate(skin_);
    const std::vector<geometry::ClosestPoint> closest = scene.closest_points(body_.tets.positions);
    SkinWeights rows;
    const std::vector<std::map<Index, double>> beside_cuts = rows_beside_cuts();
    std::map<Index, double> sum;
    for (Index v = 0; v < known.size(); ++v) {
      sum.clear();
      if (at_cut_[v] != 0) {
        sum = beside_cuts[v];
      } else if (known[v] != 0) {
        const Triangle& triangle = triangles[closest[v].triangle];
        for (int c = 0; c < 3; ++c)
          for (const Influence& influence : rows_.row(skin_vertices_[triangle.vertices[static_cast<std::size_t>(c)]]))
            sum[influence.joint] += closest[v].barycentric[c] * static_cast<double>(influence.weight);
      }
      std::vector<Influence> row;
      for (const auto& [joint, weight] : sum) row.push_back({joint, static_cast<float>(weight)});
      if (row.empty()) known[v] = 0;
      rows.add_row(row);
    }
    body_.weights = harmonic_weights(body_.tets, rows, known, rig_.skeleton.size());
    for (Index v = 0; v < known.size(); ++v)
      body_.owner.push_back(body_.weights.row(v).empty() ? kNone : body_.weights.row(v).front().joint);
  }

  /// How far a joint's area reaches.
  double reach(Index joint) const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const BoneSegment& bone : bones_)
      if ((bone.a - place(joint)).norm() < 1e-9 || (bone.b - place(joint)).norm() < 1e-9) {
        const double length = (bone.b - bone.a).norm();
        if (length > 1e-9) shortest = std::min(shortest, length);
      }
    const double depth = std::abs(geometry::sample(depths_, place(joint)));
    return std::max(3 * body_.cell, std::min(2 * depth, 0.45 * shortest));
  }

  /// 0 to 1, smoothly.
  static double ramp(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3 - 2 * t);
  }

  struct Area {
    Influence joint;
    Vec3 middle;
    double radius;
  };

  std::vector<Area> joint_areas() {
    std::vector<Area> areas;
    for (Index j = 0; j < body_.bind.size(); ++j) {
      if (moves_[j] == 0) continue;
      if (geometry::sample(field_, place(j)) > 0) ++body_.joints_outside;
      areas.push_back({{j, 1}, place(j), reach(j)});
    }
    return areas;
  }

  /// A joint moves what follows it, or the joint it bends against: what it does to the particles of both may be
  /// anything but small. A knee does not reach into the other leg, nor beyond the hip.
  std::vector<Influence> areas_of(Index particle, const std::vector<Area>& areas) const {
    std::vector<Influence> result;
    for (const Area& area : areas) {
      const Index joint = area.joint.joint;
      double share = 0;
      for (const Influence& influence : body_.weights.row(particle))
        if (influence.joint == joint || influence.joint == body_.against[joint])
          share += static_cast<double>(influence.weight);
      share = ramp(share / kWholeShare);
      if (share > kLeastAreaShare && body_.against[joint] != kNone)
        result.push_back({joint, static_cast<float>(share)});
    }
    return result;
  }

  /// Near a joint of its own limb, or where several joints have a say.
  bool may_move(Index particle, const std::vector<Area>& areas) const {
    const auto row = body_.weights.row(particle);
    if (!row.empty() && 1 - row.front().weight > kBlended) return true;
    return std::any_of(areas.begin(), areas.end(), [&](const Area& area) {
      return (body_.tets.positions[particle] - area.middle).norm() <= area.radius &&
             kinship_->of(row, {&area.joint, 1}) >= JointKinship::kStrangers;
    });
  }

  void choose_free() {
    const std::size_t count = body_.tets.positions.size();
    const std::vector<Area> areas = joint_areas();
    body_.free.assign(count, options_.whole_body ? 1 : 0);
    if (!options_.whole_body) {
      std::vector<std::vector<Influence>> rows(count);
      parallel_for(count, [&](std::size_t v) {
        rows[v] = areas_of(static_cast<Index>(v), areas);
        body_.free[v] = may_move(static_cast<Index>(v), areas) ? 1 : 0;
      });
      for (const std::vector<Influence>& row : rows) body_.areas.add_row(row);
      // One ring more. Around it lie tetrahedra with held corners, which the areas end in.
      const std::vector<char> before = body_.free;
      for (const auto& tet : body_.tets.tets)
        if (std::any_of(tet.begin(), tet.end(), [&](Index v) { return before[v] != 0; }))
          for (const Index v : tet) body_.free[v] = 1;
    }
    for (std::size_t v = 0; v < count; ++v)
      if (body_.owner[v] == kNone) body_.free[v] = 0;
  }

  /// The nearest bone of a joint that has a say in a particle.
  void anchor() {
    body_.anchors.assign(body_.tets.positions.size(), {});
    body_.bone_distance.assign(body_.tets.positions.size(), 0.0F);
    parallel_for(body_.anchors.size(), [&](std::size_t v) {
      const Vec3& p = body_.tets.positions[v];
      double least = std::numeric_limits<double>::infinity();
      for (const BoneSegment& bone : bones_) {
        const auto row = body_.weights.row(static_cast<Index>(v));
        if (std::none_of(row.begin(), row.end(), [&](const Influence& i) { return i.joint == bone.joint; })) continue;
        const Vec3 q = bone.closest(p);
        const double distance = (p - q).norm();
        if (distance < least) least = distance, body_.anchors[v] = {bone.joint, q, distance};
      }
      if (std::isfinite(least)) body_.bone_distance[v] = static_cast<float>(least);
      // What lies nearly on the bone has no direction to keep away in.
      if (body_.free[v] == 0 || least < 0.5 * body_.cell) body_.anchors[v] = {};
    });
    if (!options_.whole_body) return;
    for (std::size_t v = 0; v < body_.anchors.size(); ++v)
      if (body_.anchors[v].joint == kNone) body_.free[v] = 0;
  }

  void embed() {
    const TetMesh& tets = body_.tets;
    std::vector<geometry::BoxF> boxes;
    boxes.reserve(tets.tets.size());
    for (const auto& tet : tets.tets) {
      const std::array<Vec3, 4> corners = {tets.positions[tet[0]], tets.positions[tet[1]], tets.positions[tet[2]],
                                           tets.positions[tet[3]]};
      boxes.push_back(geometry::box_around(corners));
    }
    const geometry::Bvh tree(boxes);
    const std::vector<Vec3>& positions = rig_.mesh.positions;
    std::vector<PbdBody::Rider> found(positions.size());
    std::vector<char> rides(positions.size(), 0), strays(positions.size(), 0);
    parallel_for(positions.size(), [&](std::size_t v) {
      if (in_skin_[v] == 0) return;
      const Holder holder = holding_tet(tree, positions[v], rows_.row(static_cast<Index>(v)));
      strays[v] = holder.tet == kNone || holder.outside > 0.5 ? 1 : 0;
      if (holder.tet == kNone) return;
      const auto own = rider(static_cast<Index>(v), positions[v], holder);
      rides[v] = own ? 1 : 0;
      if (own) found[v] = *own;
    });
    const auto ride = [&](Index v, const Vec3& at) {
      const Holder holder = holding_tet(tree, at, rows_.row(v));
      return holder.tet == kNone ? std::nullopt : rider(v, at, holder);
    };
    for (const std::vector<Index>& shell : stiff_shells()) {
      Vec3 middle = Vec3::Zero();
      for (const Index v : shell) middle += positions[v] / static_cast<double>(shell.size());
      for (const Index v : shell) {
        const auto common = ride(v, middle);
        rides[v] = common ? 1 : 0;
        if (common) found[v] = *common;
      }
    }
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (rides[v] != 0) (may_move(found[v]) ? body_.riders : body_.resting_riders).push_back(found[v]);
      body_.vertices_outside += strays[v] != 0 ? 1 : 0;
    }
  }

  /// Shells that shall keep their shape, buckles and buttons: smaller than a few cells, or moved by one joint alone.
  /// Each rides as one on what its middle rides on.
  std::vector<std::vector<Index>> stiff_shells() const {
    const geometry::Welding welding = geometry::weld(skin_);
    geometry::UnionFind sets(welding.count());
    for (Index f = 0; f < skin_.face_count(); ++f)
      for (const Index v : skin_.face(f)) sets.join(welding.welded[skin_.face(f)[0]], welding.welded[v]);
    std::map<Index, std::vector<Index>> shells;
    for (Index v = 0; v < skin_.vertex_count(); ++v) shells[sets.find(welding.welded[v])].push_back(v);
    std::vector<std::vector<Index>> stiff;
    for (auto& [name, shell] : shells) {
      if (shells.size() == 1) break;  // The body itself.
      const auto first = skin_rows_.row(shell.front());
      Box box;
      for (const Index v : shell) box.extend(skin_.positions[v]);
      const bool rigid = !first.empty() && std::all_of(shell.begin(), shell.end(), [&](Index v) {
        const auto row = skin_rows_.row(v);
        return !row.empty() && row.front().joint == first.front().joint && row.front().weight > kRigid;
      });
      if (!rigid && box.diagonal() > kSmallShell * body_.cell) continue;
      for (Index& v : shell) v = skin_vertices_[v];
      stiff.push_back(std::move(shell));
    }
    return stiff;
  }

  struct Holder {
    Index tet = kNone;
    std::array<float, 4> shares{};
    double outside = std::numeric_limits<double>::infinity();  ///< How far the least share lies below 0.
  };

  bool may_move(const PbdBody::Rider& rider) const {
    return std::any_of(rider.corners.begin(), rider.corners.end(), [&](Index c) { return body_.free[c] != 0; });
  }

  /// Nothing where the point lies too far outside.
  std::optional<PbdBody::Rider> rider(Index vertex, const Vec3& p, const Holder& holder) const {
    const auto& tet = body_.tets.tets[holder.tet];
    const float hold = held(p, holder);
    if (hold <= 0) return std::nullopt;
    PbdBody::Rider result{vertex, tet, holder.shares};
    for (float& share : result.shares) share *= hold;
    return result;
  }

  /// 1 for a point in its tetrahedron or right beside it, falling to 0 one cell away: what is too thin to be filled
  /// follows the base method.
  float held(const Vec3& p, const Holder& holder) const {
    if (holder.outside <= 0) return 1;
    Vec3 nearest = Vec3::Zero();
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const double share = std::max(0.0F, holder.shares[k]);
      nearest += share * body_.tets.positions[body_.tets.tets[holder.tet][k]];
      sum += share;
    }
    const double off = std::clamp(1.5 - 1.5 * (p - nearest / sum).norm() / body_.cell, 0.0, 1.0);
    return static_cast<float>(off * off * (3 - 2 * off));
  }

  /// The tetrahedron of its own limb that holds a vertex, else the one it is least outside of, within four cells.
  Holder holding_tet(const geometry::Bvh& tree, const Vec3& p, std::span<const Influence> row) const {
    Holder best;
    for (double reach = 0.02 * body_.cell; reach < 5 * body_.cell && best.tet == kNone;
         reach = std::max(4 * reach, body_.cell)) {
      const std::array<Vec3, 2> room = {p - Vec3::Constant(reach), p + Vec3::Constant(reach)};
      tree.for_overlapping_leaves(geometry::box_around(room), [&](Index t) {
        const auto& tet = body_.tets.tets[t];
        const auto stranger = [&](Index c) {
          return kinship_->of(body_.weights.row(c), row) < JointKinship::kStrangers;
        };
        if (std::none_of(tet.begin(), tet.end(), stranger)) try_tet(t, p, best);
      });
      if (best.tet != kNone && best.outside > 0 && reach < body_.cell) best.tet = kNone;  // Look around once more.
    }
    if (best.tet == kNone) return best;
    // Far outside it counts as nearer to the middle, where corners have a quarter each.
    if (best.outside > kFarthestOut)
      for (float& share : best.shares)
        share = 0.25F + (share - 0.25F) * static_cast<float>((kFarthestOut + 0.25) / (best.outside + 0.25));
    return best;
  }

  void try_tet(Index t, const Vec3& p, Holder& best) const {
    const auto& tet = body_.tets.tets[t];
    const Vec3& a = body_.tets.positions[tet[0]];
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = body_.tets.positions[tet[static_cast<std::size_t>(k + 1)]] - a;
    const Vec3 inner = edges.inverse() * (p - a);
    const std::array<double, 4> shares = {1 - inner.sum(), inner[0], inner[1], inner[2]};
    const double outside = std::max(0.0, -*std::min_element(shares.begin(), shares.end()));
    if (outside > best.outside || (outside == best.outside && t >= best.tet)) return;
    best.tet = t;
    best.outside = outside;
    for (std::size_t k = 0; k < 4; ++k) best.shares[k] = static_cast<float>(shares[k]);
  }

  const Rig& rig_;
  const PbdBodyOptions& options_;
  const Progress& progress_;
  SkinWeights rows_;
  std::vector<char> moves_;
  std::vector<double> weight_sums_;  ///< Per joint.
  std::vector<BoneSegment> bones_;
  Mesh skin_;
  std::vector<Index> skin_vertices_;  ///< Per vertex of the skin: that of the mesh.
  std::vector<char> in_skin_;         ///< Per vertex of the mesh.
  SkinWeights skin_rows_;             ///< Per vertex of the skin.
  std::unique_ptr<JointKinship> kinship_;
  std::vector<SkinSide> sides_;  ///< Per tetrahedron.
  std::vector<char> at_cut_;     ///< Per particle.
  DistanceField depths_;         ///< Coarse, and everywhere.
  geometry::SparseDistanceField field_;
  PbdBody body_;
};

/// The stiffness matrix of linear elements: ∫ ∇φ_i·∇φ_j.
geometry::SparseMatrix tet_stiffness(const TetMesh& tets) {
  std::vector<geometry::MatrixEntry> entries;
  entries.reserve(16 * tets.tets.size());
  for (Index t = 0; t < tets.tets.size(); ++t) {
    const auto& tet = tets.tets[t];
    Mat3 edges;
    for (int k = 0; k < 3; ++k)
      edges.col(k) = tets.positions[tet[static_cast<std::size_t>(k + 1)]] - tets.positions[tet[0]];
    const Mat3 inverse = edges.inverse();
    std::array<Vec3, 4> gradients;
    gradients[0].setZero();
    for (int k = 0; k < 3; ++k) {
      gradients[static_cast<std::size_t>(k + 1)] = inverse.row(k).transpose();
      gradients[0] -= gradients[static_cast<std::size_t>(k + 1)];
    }
    const double volume = geometry::tet_volume(tets, t);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) entries.push_back({tet[i], tet[j], volume * gradients[i].dot(gradients[j])});
  }
  return geometry::assemble(static_cast<Index>(tets.positions.size()), entries);
}

}  // namespace

SkinWeights harmonic_weights(const TetMesh& tets, const SkinWeights& rows, const std::vector<char>& known,
                             Index joints) {
  std::vector<Index> fixed, column(joints, kNone), used;
  for (Index v = 0; v < known.size(); ++v) {
    if (known[v] == 0) continue;
    fixed.push_back(v);
    for (const Influence& influence : rows.row(v))
      if (column[influence.joint] == kNone)
        column[influence.joint] = static_cast<Index>(used.size()), used.push_back(influence.joint);
  }
  Eigen::MatrixXd values =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(fixed.size()), static_cast<Eigen::Index>(used.size()));
  for (std::size_t i = 0; i < fixed.size(); ++i)
    for (const Influence& influence : rows.row(fixed[i]))
      values(static_cast<Eigen::Index>(i), column[influence.joint]) = influence.weight;
  Eigen::MatrixXd solved = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(known.size()), values.cols());
  if (fixed.size() < known.size()) {
    const geometry::FixedValueSolver solver(tet_stiffness(tets), fixed);
    solved = solver.solve(solved, values).x;
  } else {
    solved = values;
  }
  SkinWeights result;
  std::vector<Influence> row;
  for (Index v = 0; v < known.size(); ++v) {
    row.clear();
    for (Eigen::Index c = 0; c < solved.cols(); ++c)
      if (solved(v, c) >= kLeastBodyWeight)
        row.push_back({used[static_cast<std::size_t>(c)], static_cast<float>(solved(v, c))});
    result.add_row(row);
  }
  return result.normalized();
}

PbdBody make_pbd_body(const Rig& rig, const PbdBodyOptions& options, const Progress& progress) {
  if (rig.weights.empty() || rig.skeleton.empty())
    throw Error("The mesh has no weights, so its inside cannot follow any joint. Bind it first.");
  return BodyMaker(rig, options, progress).run();
}

}  // namespace sinew::deform
