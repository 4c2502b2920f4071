// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/binding/segment/segmentation_surface.h"
#include "sinew/binding/subject.h"
#include "sinew/core/progress.h"

namespace sinew::binding {

/// The bones of a tree as a search sees them: any number, a bit of a mask for each.
class BoneSet {
 public:
  /// The bones that meet in one place, as bits of one word of a mask.
  struct Meeting {
    Index word = 0;
    std::uint64_t all = 0;
    std::uint64_t beginning = 0;  ///< Of these.
    std::uint64_t ending = 0;
    std::uint64_t branching = 0;  ///< Those ending of whose joint others begin as well.
  };

  explicit BoneSet(const BoneTree& tree);

  Index size() const { return static_cast<Index>(bones_.size()); }
  Index words() const { return (size() + 63) / 64; }  ///< Of a mask.
  const Bone& operator[](std::size_t i) const { return bones_[i]; }
  Index places() const { return static_cast<Index>(offsets_.size() - 1); }
  /// Of a place where bones meet: one entry for each word that holds some of them.
  std::span<const Meeting> meetings(Index place) const {
    return {meetings_.data() + offsets_[place], offsets_[place + 1] - offsets_[place]};
  }

 private:
  std::vector<Bone> bones_;
  std::vector<Meeting> meetings_;
  std::vector<Index> offsets_ = {0};
};

/// How badly a bone fits a vertex: the distance, times 2 − cos of the angle between the vertex's normal and the
/// direction from the bone, times 1.5 beyond the angle's limit. Without a normal (zero) the distance.
class Misfit {
 public:
  explicit Misfit(double angle_limit_rad);
  double operator()(const Vec3& from_bone, double distance, const Vec3& normal) const;
  bool wrong_side(const Vec3& from_bone, double distance, const Vec3& normal) const;

 private:
  double least_;  // Cosine of the limit.
};

/// Keeps the best of the bones that are offered for a point: the least misfit, of equal ones that which runs most
/// nearly towards the point from where it is nearest, then the first. All bones that meet in a joint are equally near
/// in the outer wedge of its bend, so that ties are the rule there.
class BestBone {
 public:
  explicit BestBone(double tie) : tie_(tie) {}
  void start(const Vec3& p) { p_ = p, bone_ = kNone, misfit_ = kNever; }
  /// `along` as of `BonePoint`.
  void offer(Index index, const Bone& bone, double along, double misfit);
  /// Misfits above this cannot win any more.
  double limit() const { return misfit_ + tie_; }
  Index bone() const { return bone_; }
  double misfit() const { return misfit_; }

 private:
  static constexpr double kNever = 1e300;
  double tie_;
  Vec3 p_ = Vec3::Zero();
  Index bone_ = kNone;
  double misfit_ = kNever, towards_ = 0;
};

/// Misfits that differ by no more than this share of the size are equal.
inline constexpr double kMisfitTie = 1e-6;

/// Owners before merging.
struct Labels {
  std::vector<Index> owner;  ///< Bone per welded vertex.
  std::vector<char> weak;    ///< Whether the owner lies on the wrong side of the skin, as all nearby bones do.
  Index weak_count = 0, spread = 0, nearest = 0, seedless = 0;
};

Labels grow_regions(const SegmentationSurface& surface, const BoneSet& bones, const Misfit& misfit,
                    const Progress& progress);

}  // namespace sinew::binding
