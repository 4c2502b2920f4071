// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/curve_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/rigging/anatomy/inside.h"
#include "sinew/rigging/anatomy/symmetry.h"
#include "sinew/rigging/curves/template_joints.h"

namespace sinew::rigging {
namespace {

constexpr double kMostOff = 1.5;  // A limb whose joints are farther from a chain, in radii, does not run along it.

/// The joints of a template's limb in a plan; empty if one is missing.
std::vector<Index> planned_limb(const SkeletonPlan& plan, const Template& t, const Template::Limb& limb) {
  std::vector<Index> joints;
  for (const Index j : limb.joints) {
    const auto found = std::find_if(plan.joints.begin(), plan.joints.end(),
                                    [&](const PlannedJoint& joint) { return joint.name == t.joints[j].name; });
    if (found == plan.joints.end()) return {};
    joints.push_back(static_cast<Index>(found - plan.joints.begin()));
  }
  return joints;
}

double off_line(const CurveChain& chain, const Vec3& position) {
  const double at = chain.nearest(position);
  return (position - chain.at(at)).norm() / std::max(chain.radius_at(at), 1e-12);
}

/// The plan's limb must have its joints near the chain, and the same end.
double limb_distance(const CurveChain& chain, const SkeletonPlan& plan, const std::vector<Index>& joints) {
  double sum = 0;
  for (std::size_t i = 1; i < joints.size(); ++i) sum += off_line(chain, plan.joints[joints[i]].position);
  return sum / static_cast<double>(joints.size() - 1);
}

const CurveChain* chain_of_limb(const CurveSkeleton& skeleton, Index limb) {
  for (const CurveChain& chain : skeleton.limbs)
    if (chain.limb == limb) return &chain;
  return nullptr;
}

/// Pairs of limbs and chains by rising distance, each once.
std::vector<LimbOnCurves> pair_limbs(const SkeletonPlan& plan, const Template& t, const CurveSkeleton& skeleton) {
  std::vector<LimbOnCurves> candidates;
  for (std::size_t l = 0; l < t.limbs.size(); ++l) {
    const std::vector<Index> joints = planned_limb(plan, t, t.limbs[l]);
    if (joints.size() < 2 || t.limbs[l].kind == "stem") continue;
    for (std::size_t c = 0; c < skeleton.limbs.size(); ++c) {
      const double off = limb_distance(skeleton.limbs[c], plan, joints);
      if (off <= kMostOff) candidates.push_back({l, c, off});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const LimbOnCurves& a, const LimbOnCurves& b) { return a.off < b.off; });
  std::vector<LimbOnCurves> pairs;
  for (const LimbOnCurves& candidate : candidates)
    if (std::none_of(pairs.begin(), pairs.end(), [&](const LimbOnCurves& pair) {
          return pair.limb == candidate.limb || pair.chain == candidate.chain;
        }))
      pairs.push_back(candidate);
  return pairs;
}

bool is_inside(const geometry::FastWinding& winding, const Vec3& p) { return std::abs(winding.at(p)) > 0.5; }

}  // namespace

CurvePlacement read_on_curves(const SkeletonPlan& plan, const Template& t, const CurveSet& curves,
                              std::span<const std::vector<Vec3>> poses, BendRule rule) {
  std::vector<CurveSkeleton> skeletons;
  for (const std::vector<Vec3>& pose : poses) skeletons.push_back(curve_skeleton(curves, pose));
  CurvePlacement result;
  result.limbs = pair_limbs(plan, t, skeletons.front());
  for (const LimbOnCurves& pair : result.limbs) {
    const CurveChain& chain = skeletons.front().limbs[pair.chain];
    const std::vector<Index> joints = planned_limb(plan, t, t.limbs[pair.limb]);
    std::vector<Index> inner;
    std::vector<double> fractions;
    for (std::size_t i = 1; i < joints.size(); ++i) {
      const double at = chain.nearest(plan.joints[joints[i]].position);
      if (at <= 0 || at >= chain.length() || (!fractions.empty() && at / chain.length() <= fractions.back())) continue;
      inner.push_back(joints[i]);
      fractions.push_back(at / chain.length());
    }
    std::vector<const CurveChain*> posed;
    for (const CurveSkeleton& skeleton : skeletons) posed.push_back(chain_of_limb(skeleton, chain.limb));
    const std::vector<PosedJoint> placed = match_in_poses(chain, posed, fractions, rule);
    for (std::size_t i = 0; i < inner.size(); ++i)
      result.joints.push_back({inner[i], chain.at(placed[i].along), placed[i].bend_rad, placed[i].pose,
                               off_line(chain, plan.joints[inner[i]].position), inner[i] == joints.back()});
  }
  return result;
}

PlacementScore score_placement(const SkeletonPlan& plan, const CurvePlacement& placement, const CurveSkeleton& skeleton,
                               const Mesh& mesh) {
  PlacementScore score;
  if (placement.joints.empty()) return score;
  const geometry::FastWinding winding(mesh);
  double inside = 0, centred = 0, symmetric = 0;
  for (const JointOnCurves& placed : placement.joints) {
    const PlannedJoint& joint = plan.joints[placed.joint];
    inside += is_inside(winding, joint.position) ? 1 : 0;
    double off = std::numeric_limits<double>::infinity();
    for (const LimbOnCurves& pair : placement.limbs)
      off = std::min(off, off_line(skeleton.limbs[pair.chain], joint.position));
    centred += std::clamp(1 - off, 0.0, 1.0);
    const Index partner = joint.partner, parent = joint.parent;
    if (partner == kNone || parent == kNone || plan.joints[partner].parent == kNone) {
      symmetric += 1;
      continue;
    }
    const double own = (joint.position - plan.joints[parent].position).norm();
    const double other = (plan.joints[partner].position - plan.joints[plan.joints[partner].parent].position).norm();
    symmetric += own > 0 && other > 0 ? std::min(own, other) / std::max(own, other) : 0;
  }
  const auto count = static_cast<double>(placement.joints.size());
  score.inside = inside / count;
  score.centred = centred / count;
  score.symmetric = symmetric / count;
  return score;
}

std::vector<std::string> move_to_curves(SkeletonPlan& plan, const CurvePlacement& placement, const Mesh& mesh,
                                        const CurveMoveRule& rule) {
  std::vector<std::string> moved;
  const SkeletonPlan before = plan;
  const geometry::FastWinding winding(mesh);
  enum class Verdict : char { kUnknown, kStays, kMoves };
  std::vector<Verdict> verdicts(plan.joints.size(), Verdict::kUnknown);
  const auto bends = [&](const JointOnCurves& p) { return p.bend_rad >= rule.least_bend_rad && p.bend_rad > 0; };
  for (const JointOnCurves& placed : placement.joints) {
    const PlannedJoint& joint = plan.joints[placed.joint];
    const bool fixed = joint.origin == "given" || joint.origin == "hint" || (placed.last && !rule.last_joints);
    const bool clear = bends(placed) || placed.off > rule.most_off;
    verdicts[placed.joint] = !fixed && clear && is_inside(winding, placed.position) ? Verdict::kMoves : Verdict::kStays;
  }
  for (const JointOnCurves& placed : placement.joints) {
    PlannedJoint& joint = plan.joints[placed.joint];
    // In a symmetric body, what only one side shows is not clear.
    const bool denied = plan.symmetric && joint.partner != kNone && verdicts[joint.partner] == Verdict::kStays;
    if (verdicts[placed.joint] != Verdict::kMoves || denied) continue;
    joint.position = placed.position;
    joint.origin = bends(placed) ? "bend" : "curve";
    moved.push_back(joint.name);
  }
  if (!plan.symmetric || moved.empty()) return moved;
  // A pair moves together: both to their own places, or the one without a place to the mirror image of the other.
  for (Index j = 0; j < plan.joints.size(); ++j) {
    const Index k = plan.joints[j].partner;
    if (k == kNone || plan.joints[j].position == before.joints[j].position) continue;
    if (plan.joints[k].position != before.joints[k].position) continue;
    const Vec3 off = plan.joints[j].position - plan.mirror_point;
    plan.joints[k].position = plan.mirror_point + off - 2 * off.dot(plan.left) * plan.left;
    plan.joints[k].origin = "mirrored";
  }
  make_symmetric(plan);
  return moved;
}

SkeletonPlan plan_from_curves(const CurveSet& curves, std::span<const Vec3> positions, BendRule rule) {
  const CurveSkeleton skeleton = curve_skeleton(curves, positions);
  SkeletonPlan plan;
  plan.template_name = "generic";
  if (skeleton.limbs.empty()) return plan;
  PlannedJoint root;
  root.name = "Root";
  root.role = "root";
  root.origin = "curve";
  if (skeleton.trunks.empty())
    for (const CurveChain& chain : skeleton.limbs)
      root.position += chain.nodes.front().position / static_cast<double>(skeleton.limbs.size());
  else root.position = skeleton.trunks.front().at(0.5 * skeleton.trunks.front().length());
  plan.joints.push_back(root);
  std::vector<const CurveChain*> chains;
  for (const CurveChain& chain : skeleton.limbs) chains.push_back(&chain);
  std::stable_sort(chains.begin(), chains.end(),
                   [](const CurveChain* a, const CurveChain* b) { return a->length() > b->length(); });
  Box box;
  for (const Vec3& p : positions) box.extend(p);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const CurveChain& chain = *chains[c];
    std::vector<std::pair<double, const char*>> places = {{0, "seam"}};
    for (const CurveBend& bend : find_bends(chain, rule)) places.emplace_back(bend.along, "bend");
    if (places.size() == 1 && chain.length() > 0.25 * box.diagonal())
      places.emplace_back(0.5 * chain.length(), "ratio");
    Index parent = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      PlannedJoint joint;
      joint.name = fmt::format("Limb{}_{}", c + 1, i + 1);
      joint.parent = parent;
      joint.position = chain.at(places[i].first);
      joint.origin = places[i].second;
      joint.confidence = i == 0 ? 0.8 : 0.6;
      if (i + 1 == places.size()) joint.end = chain.tip;
      parent = static_cast<Index>(plan.joints.size());
      plan.joints.push_back(std::move(joint));
    }
  }
  return plan;
}

}  // namespace sinew::rigging
