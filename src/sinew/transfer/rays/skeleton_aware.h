// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/options.h"
#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/guides.h"

namespace sinew::transfer {

/// How guide weights are compared: as published, or by Bray and Curtis.
enum class Similarity { kCanberra, kBrayCurtis };
constexpr auto option_words(Similarity) { return std::array{"canberra", "braycurtis"}; }

/// Where surfaces overlap: the one nearest to the bone, or all.
enum class Surfaces { kNearest, kAll };
constexpr auto option_words(Surfaces) { return std::array{"nearest", "all"}; }

/// How the positions that the rays of a vertex find are used.
enum class Candidates { kBlend, kBest };
constexpr auto option_words(Candidates) { return std::array{"blend", "best"}; }

/// Which settings hold.
enum class CastRules {
  kImproved,  ///< The options.
  kPaper,     ///< Those of the paper: 128 rays in a cone of 30°, exponent 3, its similarity, no cap of the reach.
};
constexpr auto option_words(CastRules) { return std::array{"improved", "paper"}; }

struct SkeletonAwareOptions {
  CastRules mode = CastRules::kImproved;
  int rays = 32;
  double cone_rad = radians(15);
  double exponent = 3;
  Similarity similarity = Similarity::kCanberra;
  Directions directions = Directions::kPositions;
  Surfaces surfaces = Surfaces::kNearest;
  Candidates candidates = Candidates::kBlend;
  bool cap_reach = true;
  int resolution = 128;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("mode", "Settings of the rays: improved, as the options below say, or those of the paper."), self.mode);
    v(Field("rays", "Number of rays cast from a bone towards the position that matches a vertex; the paper uses 128.")
          .range(1, 4096),
      self.rays);
    v(Field("cone", "Half of the opening angle of the cone of rays; the paper uses 30.").degrees().range(0, 90),
      self.cone_rad);
    v(Field("exponent", "Exponent that favours positions with similar guide weights; alpha in the paper.").range(0, 16),
      self.exponent);
    v(Field("similarity", "How guide weights are compared: canberra (as published) or braycurtis."), self.similarity);
    v(Field("directions",
            "How directions around bones are matched: by the positions of joints; by joint-frames, for rigs whose axes "
            "agree; none, for equal poses."),
      self.directions);
    v(Field("surfaces",
            "Where surfaces overlap, use the one nearest to the bone, or all of them (for clothes and armour)."),
      self.surfaces);
    v(Field("candidates", "Blend the candidates of all rays, or use only the best one (for comparison)."),
      self.candidates);
    v(Field("cap_reach", "Narrow the cone on thick limbs, so that rays do not spread far along the bone."),
      self.cap_reach);
    v(Field("resolution", "Number of voxels along the longest side of the mesh, for guide weights.").range(16, 1024),
      self.resolution);
  }
};

/// Weights and helper weights of a reference for a target of other build, topology and pose, without landmarks: Z. Cao,
/// T. Mukai, "Skeleton-aware skin weight transfer for helper joint rigs", Eurographics 2024. A vertex of the target is
/// projected on the bones its guide weights name; rays from the same places of the reference's bones, in a cone about
/// the same direction, meet the reference's skin; the weights found there are blended, those of like guide weights
/// most.
///
/// What differs from the paper, whose equation 2 has sums that say nothing, and whose published program assumes equal
/// poses:
/// - A bone counts by the guide weight ω of its own joint; among several bones of a joint each by β, its share of
/// 1/distance².
/// - Directions turn with the bones (`paired_bones`), so that rest poses may differ. Joints without children cast from
/// their own place.
/// - Rays lie in a fixed spiral, whose start lies along the bone: nothing is random, and moving a character moves
/// nothing else.
/// - A ray takes the nearest place where it leaves the solid, by the reference's facing after `geometry::solid_facing`:
/// shells that face inwards
///   as a whole are turned before. With `surfaces` all it takes all places where it leaves one, up to 16.
/// - With `cap_reach`, cones on fat limbs are so narrow that they reach a quarter of the bone's length to either side,
/// a vertex has at most
///   six bones, and bones that weigh less than 1e-3 together are left out. Without it all bones of all joints with ω ≥
///   1e-3 count, and `rays` is the number of rays times `vertex_bones`, as in the paper, unless cones had to be
///   widened.
/// - Weights are cut to `max_influences` at the end, without a jump.
///
/// A vertex of which less than a tenth of the rays meet something (each counted as its bone is: rays of bones that
/// hardly matter decide nothing), or nothing alike, looks again in a cone of twice the angle (`Level::kWidened`). Where
/// the reference's bone lies outside its skin, rays start inside, beside it (`BonePath`, `Level::kInside` if most of
/// the blend came from there). What then still has nothing is spread from around (`inpaint`). Copies of a welded vertex
/// get one row. `confidence` falls with the level, where less than half of the rays meet something, and where the guide
/// weights of what they meet are less than half alike.
///
/// Rays × log of the reference's triangles; in parallel over vertices, the same bytes for any number of threads.
WeightTransfer transfer_by_skeleton(const Reference& reference, const TransferBody& target,
                                    const Correspondence& correspondence, const Guides& guides,
                                    const SkeletonAwareOptions& options = {}, const TransferOptions& common = {},
                                    const Progress& progress = {});

/// The options that hold: with `CastRules::kPaper` those of the paper, whatever the others say.
SkeletonAwareOptions effective_options(const SkeletonAwareOptions& options);

/// The method `skeleton`, with `SkeletonAwareOptions`. It makes guides itself and keeps those of the reference in the
/// cache. Stages: "guides", "rays".
TransferMethod skeleton_aware_method();

/// Eq. 1: how alike two rows of guide weights are, each sorted by joint: 1 if equal, 0 if they share no joint or both
/// are empty.
double canberra_similarity(std::span<const Influence> a, std::span<const Influence> b);
double braycurtis_similarity(std::span<const Influence> a, std::span<const Influence> b);

/// Directions that fill a cap of half-angle `cone_rad` about +Z evenly, in a spiral.
std::vector<Vec3> cap_directions(int count, double cone_rad);

}  // namespace sinew::transfer
