// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/generic_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/rigging/plans/body_ends.h"

namespace sinew::rigging {
namespace {

constexpr double kLeastGenericSymmetry = 0.9;
constexpr double kClearFront = 1;  // Wrong sides are worse than none.
constexpr double kImageApart = 0.05, kOffPlane = 0.03;
constexpr double kOnGround = 0.1;  // Of the height.

/// The joints of one limb, from the body outwards, and its tip in the body's axes.
struct GenericLimb {
  std::vector<Index> joints;
  Vec3 tip = Vec3::Zero();
  Index image = kNone;
  bool leg = false;
};

std::vector<GenericLimb> limbs_of(const SkeletonPlan& plan) {
  std::vector<GenericLimb> limbs;
  std::string last;
  for (Index j = 1; j < plan.joints.size(); ++j) {
    const std::string& name = plan.joints[j].name;
    const std::string limb = name.substr(0, name.find('_'));
    if (limbs.empty() || limb != last) limbs.emplace_back();
    last = limb;
    limbs.back().joints.push_back(j);
  }
  return limbs;
}

class GenericNamer {
 public:
  GenericNamer(const BodyVoxels& body, const Interior& interior, SkeletonPlan& plan, std::vector<GenericLimb> limbs)
      : body_(body), plan_(plan), limbs_(std::move(limbs)) {
    for (GenericLimb& limb : limbs_) {
      const PlannedJoint& last = plan.joints[limb.joints.back()];
      limb.tip = body.frame.to_body(interior.to_unit(last.end.value_or(last.position)));
      limb.leg = limb.tip.y() < kOnGround * body.height;
    }
  }

  void pair() {
    for (Index i = 0; i < limbs_.size(); ++i) {
      Index best = kNone;
      double least = kImageApart;
      const Vec3 image(-limbs_[i].tip.x(), limbs_[i].tip.y(), limbs_[i].tip.z());
      for (Index k = i + 1; k < limbs_.size() && limbs_[i].image == kNone; ++k) {
        const double apart = (limbs_[k].tip - image).norm();
        if (limbs_[k].image == kNone && std::abs(image.x()) > kOffPlane && apart < least) least = apart, best = k;
      }
      if (best == kNone) continue;
      limbs_[i].image = best, limbs_[best].image = i;
      const std::size_t count = std::min(limbs_[i].joints.size(), limbs_[best].joints.size());
      for (std::size_t n = 0; n < count; ++n) {
        const Index a = limbs_[i].joints[n], b = limbs_[best].joints[n];
        plan_.joints[a].partner = b, plan_.joints[b].partner = a;
      }
    }
  }

  /// How clear it is that the body faces +z (or −z, if negative), by what is beyond its legs.
  double facing() const {
    double rear = 0, front = 0;
    bool any = false;
    for (const GenericLimb& limb : limbs_) {
      if (!limb.leg || limb.image == kNone) continue;
      rear = any ? std::min(rear, limb.tip.z()) : limb.tip.z();
      front = any ? std::max(front, limb.tip.z()) : limb.tip.z();
      any = true;
    }
    Json ignored = Json::object();
    return any ? facing_evidence(body_, rear, front, 0, ignored) : 0;
  }

  /// `forward`: 1 or −1, the direction of the front along z.
  void name(double forward) {
    std::vector<Index> legs, others;
    Index tail = kNone;
    for (Index i = 0; i < limbs_.size(); ++i) {
      const GenericLimb& limb = limbs_[i];
      if (limb.image != kNone && limb.tip.x() * forward > 0) (limb.leg ? legs : others).push_back(i);
      const bool behind = limb.image == kNone && std::abs(limb.tip.x()) < kOffPlane && forward * limb.tip.z() < 0;
      if (behind && (tail == kNone || forward * limb.tip.z() < forward * limbs_[tail].tip.z())) tail = i;
    }
    std::stable_sort(legs.begin(), legs.end(),
                     [&](Index a, Index b) { return forward * limbs_[a].tip.z() > forward * limbs_[b].tip.z(); });
    for (std::size_t k = 0; k < legs.size(); ++k)
      name_pair(legs[k], legs.size() == 1   ? "Leg"
                         : legs.size() == 2 ? (k == 0 ? "LegFront" : "LegRear")
                                            : fmt::format("Leg{}", k + 1));
    for (std::size_t k = 0; k < others.size(); ++k) name_pair(others[k], fmt::format("Limb{}", k + 1));
    if (tail == kNone) return;
    for (std::size_t n = 0; n < limbs_[tail].joints.size(); ++n) {
      PlannedJoint& joint = plan_.joints[limbs_[tail].joints[n]];
      joint.name = fmt::format("Tail_{}", n + 1);
      joint.role = fmt::format("tail_{}", n + 1);
    }
  }

 private:
  void name_pair(Index left, const std::string& part) {
    for (const bool is_left : {true, false}) {
      const GenericLimb& limb = limbs_[is_left ? left : limbs_[left].image];
      for (std::size_t n = 0; n < limb.joints.size(); ++n)
        plan_.joints[limb.joints[n]].name = fmt::format("{}{}_{}", part, is_left ? "Left" : "Right", n + 1);
    }
  }

  const BodyVoxels& body_;
  SkeletonPlan& plan_;
  std::vector<GenericLimb> limbs_;
};

}  // namespace

void name_generic_limbs(const Interior& interior, SkeletonPlan& plan) {
  std::vector<GenericLimb> limbs = limbs_of(plan);
  if (limbs.size() < 2) return;
  const BodyWays ways(interior);
  const BodyAxes frame = find_mirror_axes(ways, Vec3::UnitY());
  if (frame.symmetry < kLeastGenericSymmetry) return;
  const BodyVoxels body(ways, frame);
  GenericNamer namer(body, interior, plan, std::move(limbs));
  namer.pair();
  const double facing = namer.facing();
  if (std::abs(facing) < kClearFront) return;
  const BodyAxes axes = facing > 0 ? frame : frame.reversed();
  plan.left = axes.turn.row(0).transpose();
  plan.up = axes.turn.row(1).transpose();
  plan.forward = axes.turn.row(2).transpose();
  namer.name(facing > 0 ? 1 : -1);
}

}  // namespace sinew::rigging
