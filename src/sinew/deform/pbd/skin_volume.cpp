// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/skin_volume.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::deform {
namespace {

constexpr float kLeastBend = 0.02F;  ///< Below it skin counts as rigid.
constexpr double kOneRegion = 0.3;   ///< Joints whose faces meet at a bend above it share a region.
constexpr int kVolumeRounds = 3;     ///< Of Newton's method: volume is nearly linear in so small a step.
constexpr int kWidenings = 4;
constexpr double kMostOut = 0.5;     ///< Of a joint's radius that a vertex may go.
constexpr double kClearBend = 0.25;  ///< 60°, as `lost_by`.
constexpr double kNoBend = 1e-9;     ///< What rounding may make of a joint that does not bend, as `lost_by`.

/// Per joint a number; in order of joints.
using PerJoint = std::vector<std::pair<Index, float>>;

/// Weights of each joint and all below it.
PerJoint weights_below(const Skeleton& skeleton, std::span<const Influence> row) {
  std::map<Index, float> below;
  for (const Influence& influence : row)
    for (Index j = influence.joint; j != kNone; j = skeleton.joints[j].parent) below[j] += influence.weight;
  return {below.begin(), below.end()};
}

/// 1 where half the weights lie on either side of a joint, 0 where all lie on one.
float bend_of(float below) { return std::max(0.0F, 4 * below * (1 - below)); }

}  // namespace

/// Cuts the skin into regions.
class SkinVolume::Builder {
 public:
  Builder(SkinVolume& result, const Rig& rig, const geometry::Welding& welding, std::span<const Index> moved,
          const Segmentation* spread)
      : result_(result), rig_(rig), welding_(welding), moved_(moved), spread_(spread) {}

  void run(std::span<const Mat4> bind) {
    const SkinWeights rows = rig_.weights.normalized();
    below_.resize(welding_.count());
    parallel_for(below_.size(),
                 [&](std::size_t w) { below_[w] = weights_below(rig_.skeleton, rows.row(welding_.first[w])); });
    bends_.resize(below_.size());
    for (std::size_t w = 0; w < below_.size(); ++w)
      for (const auto& [joint, below] : below_[w])
        if (bend_of(below) > 1e-3F) bends_[w].emplace_back(joint, bend_of(below));
    find_twists();
    take_faces();
    join_regions();
    measure_radii(bind);
    for (auto& [name, faces] : by_region()) {
      widen(faces);
      add_region(name, faces);
    }
  }

 private:
  /// Whose twist bends a vertex, if it lies along a bone with a joint at its end.
  void find_twists() {
    twists_.assign(welding_.count(), {kNone, 0.0F});
    if (spread_ == nullptr || spread_->owner.empty()) return;
    for (Index w = 0; w < welding_.count(); ++w) {
      const Index owner = spread_->owner[welding_.first[w]];
      if (owner == kNone || spread_->segments[owner].child == kNone) continue;
      const float bend = bend_of(std::clamp(spread_->along[welding_.first[w]], 0.0F, 1.0F));
      if (bend > 1e-3F) twists_[w] = {spread_->segments[owner].child, bend};
    }
  }

  /// The joint that bends a face most, of equals the first; else the one that twists it; kNone if it is rigid.
  Index bent_by(const std::array<Index, 3>& face) const {
    std::map<Index, float> sums, twists;  // Also across an edge from rigid skin to rigid skin a face is bent.
    for (const Index w : face) {
      for (const auto& [joint, below] : below_[w]) sums[joint] += below / 3;
      if (twists_[w].first != kNone) twists[twists_[w].first] += twists_[w].second / 3;
    }
    std::pair<Index, float> best{kNone, kLeastBend};
    for (const auto& [joint, below] : sums)
      if (bend_of(below) > best.second) best = {joint, bend_of(below)};
    if (best.first != kNone) return best.first;
    for (const auto& [joint, bend] : twists)
      if (bend > best.second) best = {joint, bend};
    return best.first;
  }

  /// Triangles of skin, facing outwards.
  void take_faces() {
    std::vector<std::array<Index, 3>> corners;
    const auto skinned = skinned_faces();
    for (const Triangle& triangle : triangulate(rig_.mesh)) {
      if (skinned[triangle.face] == 0) continue;
      const auto& v = triangle.vertices;
      const std::array<Index, 3> face = {welding_.welded[v[0]], welding_.welded[v[1]], welding_.welded[v[2]]};
      if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0]) continue;
      corners.push_back(face);
    }
    std::vector<Vec3> places;
    for (const Index v : welding_.first) places.push_back(rig_.mesh.positions[v]);
    const geometry::Facing facing = geometry::solid_facing({places, corners});
    for (std::size_t f = 0; f < corners.size(); ++f) {
      std::array<Index, 3> face = corners[f];
      if (facing.signs[f] < 0) std::swap(face[1], face[2]);
      faces_.push_back(face);
      joint_.push_back(bent_by(face));
    }
    faces_of_.resize(welding_.count());
    for (std::size_t f = 0; f < faces_.size(); ++f)
      for (const Index w : faces_[f]) faces_of_[w].push_back(f);
  }

  std::vector<char> skinned_faces() const {
    std::vector<char> skinned(rig_.mesh.face_count(), 0);
    for (const MeshPart& part : rig_.mesh.parts)
      if (part.skin != kNone) std::fill_n(skinned.begin() + part.first_face, part.face_count, 1);
    return skinned;
  }

  float bend_at(Index vertex, Index joint) const {
    for (const auto& [j, bend] : bends_[vertex])
      if (j == joint) return bend;
    return 0;
  }

  /// Joints whose faces meet where both bend belong together.
  void join_regions() {
    region_.reserve(rig_.skeleton.joints.size());
    geometry::UnionFind sets(rig_.skeleton.joints.size());
    std::map<std::pair<Index, Index>, Index> first_of;  // Edge to the joint of the face seen first.
    struct Meeting {
      double length = 0, bend = 0;
    };
    std::map<std::pair<Index, Index>, Meeting> meetings;
    for (std::size_t f = 0; f < faces_.size(); ++f)
      for (std::size_t k = 0; k < 3 && joint_[f] != kNone; ++k) {
        const Index a = faces_[f][k], b = faces_[f][(k + 1) % 3];
        const auto [at, fresh] = first_of.try_emplace({std::min(a, b), std::max(a, b)}, joint_[f]);
        if (fresh || at->second == joint_[f]) continue;
        const Index one = std::min(at->second, joint_[f]), other = std::max(at->second, joint_[f]);
        const double length = (place(a) - place(b)).norm();
        const double bend =
            0.25 * static_cast<double>(bend_at(a, one) + bend_at(b, one) + bend_at(a, other) + bend_at(b, other));
        Meeting& meeting = meetings[{one, other}];
        meeting.length += length;
        meeting.bend += length * bend;
      }
    for (const auto& [joints, meeting] : meetings)
      if (meeting.bend > kOneRegion * meeting.length) sets.join(joints.first, joints.second);
    for (Index j = 0; j < rig_.skeleton.joints.size(); ++j) region_.push_back(sets.find(j));
  }

  Vec3 place(Index vertex) const { return rig_.mesh.positions[welding_.first[vertex]]; }

  /// How far skin that a joint bends lies from it.
  void measure_radii(std::span<const Mat4> bind) {
    std::vector<double> sums(bind.size(), 0.0), weights(bind.size(), 0.0);
    for (Index w = 0; w < bends_.size(); ++w)
      for (const auto& [joint, bend] : bends_[w]) {
        sums[joint] += static_cast<double>(bend) * (place(w) - bind[joint].topRightCorner<3, 1>()).norm();
        weights[joint] += static_cast<double>(bend);
      }
    for (std::size_t j = 0; j < bind.size(); ++j) radius_.push_back(weights[j] > 0 ? sums[j] / weights[j] : 0);
    measure_twists(bind);
  }

  /// How thick bones are along which twists are spread.
  void measure_twists(std::span<const Mat4> bind) {
    std::vector<Vec3> axes(bind.size(), Vec3::Zero());
    twist_radius_.assign(bind.size(), 0.0);
    if (spread_ == nullptr) return;
    const auto at = [&](Index j) { return Vec3(bind[j].topRightCorner<3, 1>()); };
    for (const Segmentation::Segment& segment : spread_->segments)
      if (segment.child != kNone && (at(segment.child) - at(segment.joint)).norm() > 0)
        axes[segment.child] = (at(segment.child) - at(segment.joint)).normalized();
    std::vector<double> sums(bind.size(), 0.0), weights(bind.size(), 0.0);
    for (Index w = 0; w < twists_.size(); ++w) {
      const auto& [joint, bend] = twists_[w];
      if (joint == kNone) continue;
      const Vec3 off = place(w) - at(joint);
      sums[joint] += static_cast<double>(bend) * (off - off.dot(axes[joint]) * axes[joint]).norm();
      weights[joint] += static_cast<double>(bend);
    }
    for (std::size_t j = 0; j < bind.size(); ++j)
      if (weights[j] > 0) twist_radius_[j] = sums[j] / weights[j];
  }

  std::map<Index, std::vector<std::size_t>> by_region() const {
    std::map<Index, std::vector<std::size_t>> regions;
    for (std::size_t f = 0; f < faces_.size(); ++f)
      if (joint_[f] != kNone) regions[region_[joint_[f]]].push_back(f);
    return regions;
  }

  /// Adds faces around vertices in which borders touch, so that each border is closed by a fan of its own.
  void widen(std::vector<std::size_t>& faces) const {
    for (int round = 0; round < kWidenings; ++round) {
      std::vector<std::array<Index, 3>> corners;
      for (const std::size_t f : faces) corners.push_back(faces_[f]);
      std::map<Index, int> leaving;  // Open edges from a vertex on.
      for (const auto& [edge, count] : open_edges(corners))
        leaving[count > 0 ? edge.first : edge.second] += std::abs(count);
      const std::size_t before = faces.size();
      for (const auto& [vertex, count] : leaving)
        if (count > 1) faces.insert(faces.end(), faces_of_[vertex].begin(), faces_of_[vertex].end());
      std::sort(faces.begin(), faces.end());
      faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
      if (faces.size() == before) return;
    }
  }

  /// Edges of triangles, lower vertex first, that more of them run along one way than the other, and how many more.
  static std::map<std::pair<Index, Index>, int> open_edges(const std::vector<std::array<Index, 3>>& faces) {
    std::map<std::pair<Index, Index>, int> open;
    for (const auto& face : faces)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = face[k], b = face[(k + 1) % 3];
        if (a < b) ++open[{a, b}];
        else --open[{b, a}];
      }
    std::erase_if(open, [](const auto& edge) { return edge.second == 0; });
    return open;
  }

  void add_region(Index name, const std::vector<std::size_t>& faces) {
    Region region;
    std::map<Index, Index> local;
    for (const std::size_t f : faces) {
      std::array<Index, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [at, fresh] = local.try_emplace(faces_[f][k], static_cast<Index>(region.vertices.size()));
        corners[k] = at->second;
        if (fresh) add_vertex(name, faces_[f][k], region);
      }
      region.faces.push_back(corners);
      const Vec3 a = place(faces_[f][0]);
      const double area = (place(faces_[f][1]) - a).cross(place(faces_[f][2]) - a).norm();
      for (const Index c : corners) region.area[c] += static_cast<float>(area);
    }
    add_borders(region);
    result_.regions_.push_back(std::move(region));
  }

  void add_vertex(Index name, Index w, Region& region) {
    region.vertices.push_back(welding_.first[w]);
    region.moved_by_any.push_back(moved_[w]);
    region.area.push_back(0);
    // A vertex of two regions moves with that whose joints bend it more.
    std::map<Index, float> shares;
    const auto& [twist, twist_bend] = twists_[w];
    for (const auto& [joint, bend] : bends_[w]) shares[region_[joint]] += bend;
    if (twist != kNone && shares.empty()) shares[region_[twist]] += twist_bend;
    Index owner = kNone;
    float most = 0;
    for (const auto& [which, bend] : shares)
      if (bend > most) most = bend, owner = which;
    region.moved.push_back(owner == name ? moved_[w] : kNone);
    for (const auto& [joint, bend] : bends_[w])
      region.bends.push_back({joint, bend * static_cast<float>(radius_[joint])});
    if (twist != kNone)
      region.bends.push_back({rig_.skeleton.size() + twist, twist_bend * static_cast<float>(twist_radius_[twist])});
    region.offsets.push_back(static_cast<Index>(region.bends.size()));
  }

  /// Edges that faces of the region have on one side only, in pieces that hang together.
  static void add_borders(Region& region) {
    const auto open = open_edges(region.faces);
    geometry::UnionFind sets(region.vertices.size());
    for (const auto& [edge, count] : open) sets.join(edge.first, edge.second);
    std::map<Index, Border> borders;
    for (const auto& [edge, count] : open)
      for (int i = 0; i < std::abs(count); ++i) {
        Border& border = borders[sets.find(edge.first)];
        if (count > 0) border.edges.push_back({edge.second, edge.first});
        else border.edges.push_back({edge.first, edge.second});
        border.vertices.push_back(edge.first);
        border.vertices.push_back(edge.second);
      }
    for (auto& [name, border] : borders) {
      std::sort(border.vertices.begin(), border.vertices.end());
      border.vertices.erase(std::unique(border.vertices.begin(), border.vertices.end()), border.vertices.end());
      region.borders.push_back(std::move(border));
    }
  }

  SkinVolume& result_;
  const Rig& rig_;
  const geometry::Welding& welding_;
  std::span<const Index> moved_;
  const Segmentation* spread_;
  std::vector<PerJoint> below_, bends_;          ///< Per welded vertex.
  std::vector<std::pair<Index, float>> twists_;  ///< Per welded vertex: the joint, and how much its twist bends.
  std::vector<std::array<Index, 3>> faces_;
  std::vector<std::vector<std::size_t>> faces_of_;
  std::vector<Index> joint_;                   ///< Per face: the joint that bends it most, or kNone.
  std::vector<Index> region_;                  ///< Per joint.
  std::vector<double> radius_, twist_radius_;  ///< Per joint.
};

SkinVolume::SkinVolume(const Rig& rig, const geometry::Welding& welding, std::span<const Index> moved,
                       std::span<const Mat4> bind, const Segmentation* spread) {
  for (const Joint& joint : rig.skeleton.joints) parents_.push_back(joint.parent);
  Builder(*this, rig, welding, moved, spread).run(bind);
  std::vector<Vec3f> positions;
  for (const Vec3& p : rig.mesh.positions) positions.push_back(p.cast<float>());
  Scratch scratch;
  measure(positions, scratch);
  at_binding_ = std::move(scratch.targets);
}

/// Volume inside faces and fans; where asked for also the sums of the faces' normals per vertex, by area.
double SkinVolume::volume_of(const Region& region, std::span<const Vec3> places, std::span<Vec3> normals) {
  const Vec3 origin = places.empty() ? Vec3::Zero() : places[0];
  double sum = 0;
  for (const auto& face : region.faces) {
    const Vec3 a = places[face[0]] - origin, b = places[face[1]] - origin, c = places[face[2]] - origin;
    const Vec3 normal = (b - a).cross(c - a);
    sum += a.dot(normal);
    if (normals.empty()) continue;
    for (const Index v : face) normals[v] += normal;
  }
  for (const Border& border : region.borders) {
    Vec3 middle = Vec3::Zero();
    for (const Index v : border.vertices) middle += places[v] - origin;
    middle /= static_cast<double>(border.vertices.size());
    for (const auto& [a, b] : border.edges) sum += (places[a] - origin).cross(places[b] - origin).dot(middle);
  }
  return sum / 6;
}

void SkinVolume::gather(const Region& region, std::span<const Vec3f> positions, std::span<const Vec3f> corrections,
                        std::vector<Vec3>& places) const {
  places.resize(region.vertices.size());
  for (std::size_t v = 0; v < places.size(); ++v) {
    places[v] = positions[region.vertices[v]].cast<double>();
    const Index m = region.moved_by_any[v];
    if (m != kNone && !corrections.empty()) places[v] += corrections[m].cast<double>();
  }
}

void SkinVolume::measure(std::span<const Vec3f> positions, Scratch& scratch) const {
  scratch.places.resize(regions_.size());
  scratch.targets.resize(regions_.size());
  parallel_for(
      regions_.size(),
      [&](std::size_t r) {
        gather(regions_[r], positions, {}, scratch.places[r]);
        scratch.targets[r] = volume_of(regions_[r], scratch.places[r], {});
      },
      1);
}

double SkinVolume::lost_by(double angle_rad) { return angle_rad >= kPi ? 1 : std::pow(std::sin(0.5 * angle_rad), 2); }

/// How far joints bend by their turns against their parents', and by twists.
void SkinVolume::measure_turns(std::span<const Mat4> motions, Scratch& scratch) const {
  scratch.turns.resize(motions.size());
  for (std::size_t j = 0; j < motions.size(); ++j) scratch.turns[j] = polar(motions[j].topLeftCorner<3, 3>()).rotation;
  scratch.bends.assign(2 * motions.size(), 0.0);
  for (std::size_t j = 0; j < motions.size(); ++j)
    if (parents_[j] != kNone)
      scratch.bends[j] =
          std::clamp((3 - (scratch.turns[parents_[j]].transpose() * scratch.turns[j]).trace()) / 4 - kNoBend, 0.0, 1.0);
  std::copy(scratch.twists.begin(), scratch.twists.end(),
            scratch.bends.begin() + static_cast<std::ptrdiff_t>(motions.size()));
}

/// Sums of normals to ways: each vertex's along its normal, as far as joints bend it. Returns the volume that a step of
/// 1 along them all gains.
double SkinVolume::weigh_ways(const Region& region, std::span<const double> bends, std::span<const float> factors,
                              std::span<Vec3> normals) {
  double gain = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    if (region.moved[v] == kNone || !(region.area[v] > 0)) continue;
    double amount = 0;
    for (Index b = region.offsets[v]; b < region.offsets[v + 1]; ++b)
      amount += static_cast<double>(region.bends[b].amount) * bends[region.bends[b].turn];
    if (!factors.empty()) amount *= static_cast<double>(factors[region.moved[v]]);
    gain += amount * normals[v].squaredNorm() / (6 * static_cast<double>(region.area[v]));
    normals[v] *= amount / static_cast<double>(region.area[v]);
  }
  return gain;
}

/// Newton's method along the normals. False if the region is left as it is.
bool SkinVolume::restore_region(std::size_t r, double share, std::span<const float> factors, Scratch& scratch) const {
  const Region& region = regions_[r];
  std::vector<Vec3>& places = scratch.places[r];
  std::vector<Vec3>& normals = scratch.normals[r];
  double most = 0;
  for (const Bend& bend : region.bends) most = std::max(most, scratch.bends[bend.turn]);
  if (!(most > 0)) return false;
  // What is missing while joints hardly bend is not of their making, and may come and go within a frame. So little can
  // move then, and slowly: Newton's steps are damped.
  const double farthest = std::min(1.0, kMostOut / most) * std::clamp(most / kClearBend, 0.2, 1.0);
  const double damping = 1 + 0.5 * kClearBend / most;
  double way = 0, kept = 0;  // So far along the normals; what shall go on lacking.
  for (int round = 0; round < kVolumeRounds; ++round) {
    normals.assign(places.size(), Vec3::Zero());
    const double missing = scratch.targets[r] - volume_of(region, places, normals);
    if (round == 0) kept = (1 - share) * missing;
    const double gain = weigh_ways(region, scratch.bends, factors, normals);
    if (!(gain > 0)) return false;
    const double step = std::clamp((missing - kept) / (damping * gain), -farthest - way, farthest - way);
    if (!std::isfinite(step)) return false;
    way += step;
    for (std::size_t v = 0; v < places.size(); ++v)
      if (region.moved[v] != kNone) places[v] += step * normals[v];
  }
  return true;
}

void SkinVolume::restore(Scratch& scratch, std::span<const Vec3f> positions, std::span<const Mat4> motions,
                         double share, std::span<Vec3f> corrections, std::span<const float> factors) const {
  scratch.places.resize(regions_.size());
  scratch.normals.resize(regions_.size());
  measure_turns(motions, scratch);
  // All are read before any is written: regions share vertices at their borders.
  parallel_for(
      regions_.size(), [&](std::size_t r) { gather(regions_[r], positions, corrections, scratch.places[r]); }, 1);
  parallel_for(
      regions_.size(),
      [&](std::size_t r) {
        if (!restore_region(r, share, factors, scratch)) return;
        const Region& region = regions_[r];
        for (std::size_t v = 0; v < region.vertices.size(); ++v)
          if (region.moved[v] != kNone)
            corrections[region.moved[v]] =
                (scratch.places[r][v] - positions[region.vertices[v]].cast<double>()).cast<float>();
      },
      1);
}

}  // namespace sinew::deform
