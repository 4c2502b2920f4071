// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The rays of the skeleton-aware transfer: what one vertex of the target finds on the reference.

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/characters.h"
#include "sinew/transfer/rays/bone_path.h"
#include "sinew/transfer/rays/cone.h"
#include "sinew/transfer/rays/similarity.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {

/// The reference's skin as rays see it: triangles turned so that they face out of what is solid
/// (`geometry::solid_facing`; a shell that faces inwards as a whole would never be left), with the weights and guide
/// weights of their corners. Triangles that no joint moves are not there.
class ReferenceSkin {
 public:
  /// `guides` has rows of pairs. \throws Error if no triangle has weights.
  ReferenceSkin(const Reference& reference, const SkinWeights& guides);

  const geometry::RayScene& scene() const { return scene_; }
  std::span<const CornerRows::Entry> weights(Index triangle) const { return weights_.of(triangle); }
  std::span<const CornerRows::Entry> guides(Index triangle) const { return guides_.of(triangle); }
  /// Shells that faced inwards, and shells of mixed facing.
  Index turned_shells() const { return turned_shells_; }

 private:
  struct Faces {
    std::vector<geometry::TriangleVertices> triangles;
    Index turned_shells = 0;
  };
  static Faces outward_faces(const Mesh& mesh, const SkinWeights& weights);
  ReferenceSkin(const Mesh& mesh, const SkinWeights& weights, const SkinWeights& guides, const Faces& faces);

  geometry::RayScene scene_;
  CornerRows weights_;
  CornerRows guides_;
  Index turned_shells_ = 0;
};

/// A bone with what every vertex needs of it.
struct CastBone {
  PairedBone bone;
  BonePath path;  ///< Starts on the reference.
  Vec3 beside =
      Vec3::Zero();  ///< Direction of the reference's bone, of a point that of the bone before: azimuth 0 of cones.
  double target_length = 0;     ///< 0 for points.
  double reference_length = 0;  ///< 0 for points.
};

/// Per pair its bones.
std::vector<std::vector<CastBone>> cast_bones(const Reference& reference, const TransferBody& target,
                                              const Correspondence& correspondence, Directions directions,
                                              const geometry::RayScene& scene);

/// Which vertex casts.
struct CastVertex {
  Vec3 position = Vec3::Zero();
  Vec3 normal = Vec3::Zero();        ///< Used where the vertex lies on a bone.
  std::span<const Influence> guide;  ///< Row of pairs.
};

/// What the rays of one vertex found.
struct Cast {
  std::uint32_t rays = 0;   ///< Traced, those that only measure (`cap_reach`) included.
  std::uint32_t bones = 0;  ///< That cones started from.
  double hits = 0;          ///< Share of the cones' rays that met something, each counted as much as its bone is.
  double similarity = 0;    ///< Mean over the hits, weighted as they are blended.
  bool moved = false;       ///< Most of the blend came from starts beside bones that lie outside.
  bool matched = false;     ///< At least a tenth of the rays met something, and something that is alike.
};

/// Casts for one vertex after another; one object per thread. Nothing is allocated once it is warm.
class VertexCaster {
 public:
  /// What is referred to must outlive it. `joints` of the reference.
  VertexCaster(const ReferenceSkin& skin, const std::vector<std::vector<CastBone>>& bones, Index joints,
               double target_size, const SkeletonAwareOptions& options);

  /// Cones of `cone_rad` from the bones of a vertex; narrower on fat limbs if `cap_reach`.
  Cast cast(const CastVertex& vertex, double cone_rad, bool cap_reach);

  /// The weights of the last cast, blended, scaled to sum 1, not capped; shares below 1e-6 are left out. Appended.
  void append_row(std::vector<Influence>& row) const;

 private:
  struct Chosen {
    const CastBone* bone = nullptr;
    double factor = 0;  // ω·β
    Index order = 0;
  };
  struct Best {
    float similarity = 0;
    geometry::LeavingHit hit;
  };

  void choose_bones(const CastVertex& vertex);
  void shoot(const CastVertex& vertex, const Chosen& chosen, double cone_rad, bool cap_reach, Cast& cast);
  double capped_cone(const CastBone& bone, const Vec3& start, const Vec3& axis, double distance, double cone_rad,
                     Cast& cast) const;
  double take(const geometry::LeavingHit& hit, double factor);
  void add(const geometry::LeavingHit& hit, double factor);
  void clear();

  const ReferenceSkin& skin_;
  const std::vector<std::vector<CastBone>>& bones_;
  const double tiny_;  // Distances that are none.
  const double exponent_;
  const bool canberra_, all_surfaces_, blend_, limit_bones_;
  ConeSpiral spiral_;
  SpreadRow guide_;
  std::vector<Chosen> chosen_;
  std::vector<double> distances_;
  std::vector<Vec3f> directions_;
  std::vector<geometry::LeavingHit> hits_;
  std::vector<double> sums_;              // Per joint.
  std::vector<Index> mentioned_;          // Joints whose sum is not zero.
  double hit_share_ = 0, all_share_ = 0;  // Rays that met something, and all, counted as their bones are.
  double weight_ = 0, alike_ = 0, moved_ = 0;
  Best best_;
};

}  // namespace sinew::transfer
