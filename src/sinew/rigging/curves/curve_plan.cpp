// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "sinew/rigging/curves/curve_template.h"
#include "sinew/rigging/curves/template_joints.h"

namespace sinew::rigging {
namespace {

/// A joint of a limb: where on the chain, or beyond its last curve towards the tip.
struct ChainPlace {
  Index joint = kNone;
  Index chain = kNone;
  double along = 0;   ///< In the first pose.
  double beyond = 0;  ///< Share of the way from the last curve to the tip.
  std::string origin;
};

double confidence_of(const std::string& origin) {
  if (origin == "bend") return 0.9;
  if (origin == "seam") return 0.8;
  if (origin == "triangle") return 0.7;
  return origin == "ratio" ? 0.5 : 0.3;
}

std::vector<Index> from_body(const Template::Limb& limb) {
  std::vector<Index> joints = limb.joints;
  if (limb.kind == "stem") std::reverse(joints.begin(), joints.end());
  return joints;
}

/// Shares of the way from a limb's first joint to its tip.
std::vector<double> template_fractions(const Template& t, const Template::Limb& limb) {
  const std::vector<Index> joints = from_body(limb);
  std::vector<double> way = {0};
  for (std::size_t i = 1; i < joints.size(); ++i)
    way.push_back(way.back() + (t.joints[joints[i]].position - t.joints[joints[i - 1]].position).norm());
  const Vec3 last = t.joints[joints.back()].position;
  const double beyond = limb.tip ? (*limb.tip - last).norm() : limb.beyond * way.back();
  for (double& s : way) s /= std::max(way.back() + beyond, 1e-300);
  return way;
}

/// Places the joints of one limb on its chain, with the bends of all poses.
void place_limb(const Template& t, const Template::Limb& limb, Index chain_index,
                std::span<const CurveSkeleton> skeletons, BendRule rule, std::vector<ChainPlace>& places) {
  const CurveChain& chain = skeletons.front().limbs[chain_index];
  const std::vector<Index> joints = from_body(limb);
  const std::vector<double> way = template_fractions(t, limb);
  const double cap = (chain.tip - chain.nodes.back().position).norm();
  places.push_back({joints.front(), chain_index, 0, 0, "seam"});
  std::vector<double> inner;
  for (std::size_t i = 1; i < joints.size(); ++i) {
    const double along = way[i] * (chain.length() + cap);
    if (along < chain.length()) inner.push_back(along / chain.length());
    else
      places.push_back({joints[i], chain_index, chain.length(), cap > 0 ? (along - chain.length()) / cap : 0, "ratio"});
  }
  std::vector<const CurveChain*> posed;
  for (const CurveSkeleton& skeleton : skeletons) {
    const auto same = std::find_if(skeleton.limbs.begin(), skeleton.limbs.end(),
                                   [&](const CurveChain& other) { return other.limb == chain.limb; });
    posed.push_back(same == skeleton.limbs.end() ? nullptr : &*same);
  }
  const std::vector<PosedJoint> found = match_in_poses(chain, posed, inner, rule);
  for (std::size_t i = 0; i < found.size(); ++i)
    places.push_back({joints[i + 1], chain_index, found[i].along, 0, found[i].bend_rad > 0 ? "bend" : "ratio"});
}

/// The positions of a template's joints in one pose.
class PosePlacer {
 public:
  PosePlacer(const Template& t, const CurveTemplateMatch& match, const CurveSkeleton& first, const CurveSkeleton& posed)
      : t_(t), match_(match), first_(first), posed_(posed), at_(t.joints.size()), origin_(t.joints.size()) {}

  void run(std::span<const ChainPlace> places) {
    for (const ChainPlace& place : places) set(place.joint, on_chain(place), place.origin);
    const std::vector<Index> trunk = trunk_joints(t_);
    for (const Index j : trunk) place_beside_limbs(j);
    place_along(trunk);
    for (Index j = 0; j < t_.joints.size(); ++j)
      if (!at_[j]) place_near(j);
  }
  const Vec3& position(Index j) const { return *at_[j]; }
  const std::string& origin(Index j) const { return origin_[j]; }

 private:
  void set(Index j, const Vec3& p, const std::string& origin) {
    at_[j] = p;
    origin_[j] = origin;
  }

  Vec3 on_chain(const ChainPlace& place) const {
    const CurveChain& chain = first_.limbs[place.chain];
    const auto same = std::find_if(posed_.limbs.begin(), posed_.limbs.end(),
                                   [&](const CurveChain& other) { return other.limb == chain.limb; });
    const CurveChain& there = same == posed_.limbs.end() ? chain : *same;
    if (place.beyond <= 0) return there.at(same_place(chain, there, place.along));
    const Vec3& last = there.nodes.back().position;
    return last + std::min(place.beyond, 1.0) * (there.tip - last);
  }

  /// Whether a joint hangs on another, over joints that have no position yet.
  bool hangs_on(Index j, Index trunk) const {
    for (Index p = t_.joints[j].parent; p != kNone; p = t_.joints[p].parent) {
      if (p == trunk) return true;
      if (at_[p]) return false;
      const std::vector<Index> chain = trunk_joints(t_);
      if (std::find(chain.begin(), chain.end(), p) != chain.end()) return false;
    }
    return false;
  }

  /// A joint of the trunk beside the first joints of two limbs, one on either side.
  void place_beside_limbs(Index j) {
    if (at_[j]) return;
    for (const Template::Limb& limb : t_.limbs) {
      const Index a = limb.joints.front(), b = t_.joints[a].partner;
      if (b == kNone || limb.kind == "ear" || !at_[a] || !at_[b] || !hangs_on(a, j)) continue;
      const TemplateTriple triple = {t_.joints[a].position, t_.joints[b].position, t_.joints[j].position};
      set(j, template_joint(*at_[a], *at_[b], triple, match_.turn), "triangle");
      return;
    }
  }

  /// Joints between two that have a position, at the template's fractions of the trunk's middle line between them.
  void place_along(const std::vector<Index>& trunk) {
    for (std::size_t low = 0; low + 1 < trunk.size(); ++low) {
      if (!at_[trunk[low]]) continue;
      std::size_t high = low + 1;
      while (high < trunk.size() && !at_[trunk[high]]) ++high;
      if (high == trunk.size()) return;
      if (high == low + 1) continue;
      const CurveChain line = trunk_line(*at_[trunk[low]], *at_[trunk[high]]);
      double whole = 0;
      std::vector<double> way;
      for (std::size_t k = low + 1; k <= high; ++k)
        way.push_back(whole += (t_.joints[trunk[k]].position - t_.joints[trunk[k - 1]].position).norm());
      for (std::size_t k = low + 1; k < high; ++k)
        set(trunk[k], line.at(way[k - low - 1] / std::max(whole, 1e-300) * line.length()), "ratio");
    }
  }

  /// From one point to another through the centres of the trunk's curves that are between them.
  CurveChain trunk_line(const Vec3& from, const Vec3& to) const {
    CurveChain line;
    line.nodes.push_back({kNone, from, 0});
    const Vec3 way = to - from;
    std::vector<std::pair<double, Vec3>> between;
    if (!posed_.trunks.empty())
      for (const CurveNode& node : posed_.trunks.front().nodes) {
        const double t = (node.position - from).dot(way) / std::max(way.squaredNorm(), 1e-300);
        if (t > 0 && t < 1) between.emplace_back(t, node.position);
      }
    std::stable_sort(between.begin(), between.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [t, p] : between) line.nodes.push_back({kNone, p, 0});
    line.nodes.push_back({kNone, to, 0});
    line.along.assign(1, 0);
    for (std::size_t i = 1; i < line.nodes.size(); ++i)
      line.along.push_back(line.along.back() + (line.nodes[i].position - line.nodes[i - 1].position).norm());
    return line;
  }

  /// A joint by its parent and a child, or by its parent or the nearest joint alone.
  void place_near(Index j) {
    const Index parent = t_.joints[j].parent;
    Index child = kNone, other = kNone;
    for (Index c = 0; c < t_.joints.size(); ++c) {
      if (!at_[c]) continue;
      if (t_.joints[c].parent == j && child == kNone) child = c;
      const auto off = [&](Index k) { return (t_.joints[k].position - t_.joints[j].position).norm(); };
      if (other == kNone || off(c) < off(other)) other = c;
    }
    const bool has_parent = parent != kNone && at_[parent];
    if (has_parent && child != kNone) {
      const TemplateTriple triple = {t_.joints[child].position, t_.joints[parent].position, t_.joints[j].position};
      set(j, template_joint(*at_[child], *at_[parent], triple, match_.turn), "derived");
      return;
    }
    const Index from = has_parent ? parent : (child != kNone ? child : other);
    if (from == kNone) return set(j, Vec3::Zero(), "derived");
    const Vec3 off = match_.scale * (match_.turn * (t_.joints[j].position - t_.joints[from].position));
    set(j, *at_[from] + off, "derived");
  }

  const Template& t_;
  const CurveTemplateMatch& match_;
  const CurveSkeleton &first_, &posed_;
  std::vector<std::optional<Vec3>> at_;
  std::vector<std::string> origin_;
};

/// Per joint: whether the body has it. Limbs without a chain are missing, and so is what hangs on them.
std::vector<char> present_joints(const Template& t, const CurveTemplateMatch& match) {
  std::vector<char> present(t.joints.size(), 1);
  for (std::size_t i = 0; i < t.limbs.size(); ++i)
    if (match.chains[i] == kNone && t.limbs[i].kind != "stem")
      for (const Index j : t.limbs[i].joints) present[j] = 0;
  for (Index j = 0; j < t.joints.size(); ++j)
    if (t.joints[j].parent != kNone && !present[t.joints[j].parent]) present[j] = 0;
  return present;
}

PlannedJoint planned(const Template::Joint& from, const Vec3& position, const std::string& origin) {
  PlannedJoint joint;
  joint.name = from.name;
  joint.role = from.role;
  joint.position = position;
  joint.limits = from.limits;
  joint.origin = origin;
  joint.confidence = confidence_of(origin);
  return joint;
}

}  // namespace

std::vector<Index> trunk_joints(const Template& t) {
  std::vector<char> in_limb(t.joints.size(), 0);
  for (const Template::Limb& limb : t.limbs)
    if (limb.kind != "stem")
      for (const Index j : limb.joints) in_limb[j] = 1;
  // The longest way from the root; joints beside it, such as clavicles, are derived.
  std::vector<std::size_t> depth(t.joints.size(), 0);
  Index last = kNone;
  for (Index j = 0; j < t.joints.size(); ++j) {
    const Index parent = t.joints[j].parent;
    if (in_limb[j] ||
        (parent != kNone && (depth[parent] == 0 || t.joints[j].placement == Template::Placement::kDerived)))
      continue;
    depth[j] = parent == kNone ? 1 : depth[parent] + 1;
    if (last == kNone || depth[j] > depth[last]) last = j;
  }
  std::vector<Index> trunk;
  for (; last != kNone; last = t.joints[last].parent) trunk.push_back(last);
  std::reverse(trunk.begin(), trunk.end());
  return trunk;
}

CurvePlan plan_on_curves(const Template& t, const CurveTemplateMatch& match, const CurveSet& curves,
                         std::span<const std::vector<Vec3>> poses, BendRule rule) {
  std::vector<CurveSkeleton> skeletons;
  for (const std::vector<Vec3>& pose : poses) skeletons.push_back(curve_skeleton(curves, pose));
  std::vector<ChainPlace> places;
  for (std::size_t i = 0; i < t.limbs.size(); ++i)
    if (match.chains[i] != kNone) place_limb(t, t.limbs[i], match.chains[i], skeletons, rule, places);
  const std::vector<char> present = present_joints(t, match);
  CurvePlan result;
  std::vector<Index> number(t.joints.size(), kNone);
  for (const CurveSkeleton& skeleton : skeletons) {
    PosePlacer placer(t, match, skeletons.front(), skeleton);
    placer.run(places);
    std::vector<Vec3> positions;
    for (Index j = 0; j < t.joints.size(); ++j) {
      if (!present[j]) continue;
      positions.push_back(placer.position(j));
      if (!result.posed.empty()) continue;
      number[j] = static_cast<Index>(result.plan.joints.size());
      result.plan.joints.push_back(planned(t.joints[j], placer.position(j), placer.origin(j)));
    }
    result.posed.push_back(std::move(positions));
  }
  for (Index j = 0; j < t.joints.size(); ++j) {
    if (number[j] == kNone) continue;
    PlannedJoint& joint = result.plan.joints[number[j]];
    if (t.joints[j].parent != kNone) joint.parent = number[t.joints[j].parent];
    if (t.joints[j].partner != kNone) joint.partner = number[t.joints[j].partner];
  }
  for (std::size_t i = 0; i < t.limbs.size(); ++i)
    if (match.chains[i] != kNone && t.limbs[i].kind != "stem")
      result.plan.joints[number[t.limbs[i].joints.back()]].end = skeletons.front().limbs[match.chains[i]].tip;
  result.plan.template_name = t.name;
  result.plan.up = match.turn * Vec3::UnitY();
  result.plan.forward = match.turn * Vec3::UnitZ();
  result.plan.left = match.turn * Vec3::UnitX();
  return result;
}

}  // namespace sinew::rigging
