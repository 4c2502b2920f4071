// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {

/// Keeps the volume that a skin encloses near its joints: the last constraint of `pbd`, on the skin itself, as what it
/// rides on may keep its volume where a coarse skin does not show it. After the constraint on closed meshes of M.
/// Müller, B. Heidelberger, M. Hennix, J. Ratcliff, "Position based dynamics", 2007, with one constraint per region
/// instead of one for all.
///
/// A joint bends the skin at a vertex by 4W(1−W), where W is the weight of all joints from it downwards: 1 where half
/// the weights lie on either side of the joint, 0 where the skin is rigid. Faces go to the joint that bends them most;
/// joints whose faces meet where both still bend belong to one region. A region is closed by fans over its borders,
/// which lie where the skin is nearly rigid, so that its volume must not change. What it lacks goes back along the
/// skin's normals, in proportion to how much and how far joints bend it there.
///
/// A base method that spreads a joint's twist along the bone before it bends skin there as well: by 4t(1−t) at the
/// share t of the bone.
class SkinVolume {
 public:
  /// `moved` gives for each welded vertex its number among those that may move, or kNone; `bind` the joints' frames at
  /// binding; `spread` where along which bone vertices lie, if the base method spreads twists. n log n in the faces
  /// near joints.
  SkinVolume(const Rig& rig, const geometry::Welding& welding, std::span<const Index> moved, std::span<const Mat4> bind,
             const Segmentation* spread = nullptr);

  /// What a frame works on.
  struct Scratch {
    std::vector<std::vector<Vec3>> places, normals;  ///< Per region and vertex of it.
    std::vector<double> bends;                       ///< Per joint its turn, then per joint its twist.
    std::vector<Mat3> turns;                         ///< Per joint.
    std::vector<double> targets;                     ///< Per region.
    std::vector<double> twists;  ///< Per joint how far the twist that is spread bends, as `lost_by`; empty: none.
  };

  /// Makes what regions enclose the targets of the frame; `positions` of all vertices at binding, morphs included.
  void measure(std::span<const Vec3f> positions, Scratch& scratch) const;
  /// The same for the rig's mesh as it is.
  const std::vector<double>& at_binding() const { return at_binding_; }

  /// Moves vertices so that regions enclose `scratch.targets` again, or `share` of what they lack; no vertex by more
  /// than half of its joint's radius. `positions` are those of all vertices, to which `corrections`, one per moved
  /// vertex, are yet to be added: these are changed. The same bytes for any number of threads; a few passes over the
  /// faces near joints. `factors`, one per moved vertex or none, weigh how much of the volume a vertex takes: where it
  /// is 0 a vertex stays, and others take its part.
  void restore(Scratch& scratch, std::span<const Vec3f> positions, std::span<const Mat4> motions, double share,
               std::span<Vec3f> corrections, std::span<const float> factors = {}) const;

  /// sin² of half an angle, and 1 from half a turn on: skin that is bent by it loses volume like that.
  static double lost_by(double angle_rad);

  std::size_t regions() const { return regions_.size(); }

 private:
  struct Bend {
    Index turn;    ///< Index into the frame's bends.
    float amount;  ///< 4W(1−W) times the joint's radius.
  };
  struct Border {
    std::vector<std::array<Index, 2>> edges;  ///< The other way round than those of faces.
    std::vector<Index> vertices;
  };
  struct Region {
    std::vector<Index> vertices;  ///< Of the mesh, one of each welded vertex.
    std::vector<Index> moved;     ///< Its number; kNone for what stays, or moves with another region.
    std::vector<Index> moved_by_any;
    std::vector<float> area;  ///< Of the faces around, at binding.
    std::vector<std::array<Index, 3>> faces;
    std::vector<Border> borders;
    std::vector<Index> offsets = {0};  ///< Into bends.
    std::vector<Bend> bends;
  };
  class Builder;

  static double volume_of(const Region& region, std::span<const Vec3> places, std::span<Vec3> normals);
  void gather(const Region& region, std::span<const Vec3f> positions, std::span<const Vec3f> corrections,
              std::vector<Vec3>& places) const;

  static double weigh_ways(const Region& region, std::span<const double> bends, std::span<const float> factors,
                           std::span<Vec3> normals);
  bool restore_region(std::size_t r, double share, std::span<const float> factors, Scratch& scratch) const;
  void measure_turns(std::span<const Mat4> motions, Scratch& scratch) const;

  std::vector<Index> parents_;
  std::vector<Region> regions_;
  std::vector<double> at_binding_;
};

}  // namespace sinew::deform
