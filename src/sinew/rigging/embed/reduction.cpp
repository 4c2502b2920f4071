// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew::rigging {

namespace {

constexpr double kTemplateSide = 0.7;

/// The one joint that takes part and has no ancestor that does.
Index embedded_root(const Template& t) {
  Index root = kNone;
  for (Index i = 0; i < t.joints.size(); ++i) {
    if (!takes_part(t.joints[i]) || embedded_parent(t, i) != kNone) continue;
    if (root != kNone) {
      throw Error(
          fmt::format("The template {} has two roots among its searched joints, {} and {}. Give them a common parent "
                      "that is also searched.",
                      t.name, t.joints[root].name, t.joints[i].name));
    }
    root = i;
  }
  return root;
}

/// Chain, bones, shares and length of a reduced joint, from the reduced parent's full joint on.
void fill_chain(const Template& t, double scale, Index top, ReducedTemplate::Joint& joint) {
  for (Index j = joint.full; j != top; j = embedded_parent(t, j)) joint.chain.push_back(j);
  std::reverse(joint.chain.begin(), joint.chain.end());
  Vec3 from = t.joints[top].position;
  for (const Index j : joint.chain) {
    joint.bones.push_back(scale * (t.joints[j].position - from));
    joint.foot = joint.foot || t.joints[j].foot;
    from = t.joints[j].position;
    const double length = joint.bones.back().norm();
    if (!(length > 1e-9)) {
      throw Error(fmt::format("The bone of {} in the template {} has no length. Move the joint away from its parent.",
                              t.joints[j].name, t.name));
    }
    joint.shares.push_back(length);
    joint.length += length;
  }
  for (double& share : joint.shares) share /= joint.length;
}

bool chains_are_partners(const Template& t, const ReducedTemplate& r, const ReducedTemplate::Joint& a,
                         const ReducedTemplate::Joint& b) {
  if (a.chain.size() != b.chain.size()) return false;
  for (std::size_t k = 0; k < a.chain.size(); ++k) {
    if (t.joints[a.chain[k]].partner != b.chain[k] || t.joints[b.chain[k]].partner != a.chain[k]) return false;
  }
  return a.parent == b.parent || t.joints[r.joints[a.parent].full].partner == r.joints[b.parent].full;
}

}  // namespace

bool takes_part(const Template::Joint& joint) {
  return joint.placement != Template::Placement::kDerived && !joint.optional;
}

Index embedded_parent(const Template& skeleton_template, Index joint) {
  Index above = skeleton_template.joints[joint].parent;
  while (above != kNone && !takes_part(skeleton_template.joints[above])) above = skeleton_template.joints[above].parent;
  return above;
}

double template_scale(const Template& skeleton_template) {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (const Template::Joint& joint : skeleton_template.joints) {
    if (!takes_part(joint)) continue;
    lower = lower.cwiseMin(joint.position);
    upper = upper.cwiseMax(joint.position);
  }
  for (const Template::Limb& limb : skeleton_template.limbs) {
    if (!limb.tip) continue;
    lower = lower.cwiseMin(*limb.tip);
    upper = upper.cwiseMax(*limb.tip);
  }
  const double side = (upper - lower).maxCoeff();
  if (!(side > 0) || !std::isfinite(side)) {
    throw Error(
        fmt::format("The searched joints of the template {} are all at the same position. It needs at least two joints "
                    "at different positions.",
                    skeleton_template.name));
  }
  return kTemplateSide / side;
}

ReducedTemplate reduce(const Template& skeleton_template) {
  const Template& t = skeleton_template;
  const double scale = template_scale(t);
  const Index root = embedded_root(t);
  std::vector<int> below(t.joints.size(), 0);  // Children that take part.
  for (Index i = 0; i < t.joints.size(); ++i) {
    if (takes_part(t.joints[i]) && i != root) ++below[embedded_parent(t, i)];
  }
  ReducedTemplate reduced;
  std::vector<Index> reduced_of(t.joints.size(), kNone);  // Kept joints only.
  for (Index i = 0; i < t.joints.size(); ++i) {
    if (!takes_part(t.joints[i]) || (i != root && below[i] == 1)) continue;
    ReducedTemplate::Joint joint;
    joint.full = i;
    joint.position = scale * t.joints[i].position;
    joint.leaf = below[i] == 0;
    joint.foot = t.joints[i].foot;
    joint.fat = t.joints[i].fat;
    if (i != root) {
      Index top = embedded_parent(t, i);
      while (reduced_of[top] == kNone) top = embedded_parent(t, top);
      joint.parent = reduced_of[top];
      fill_chain(t, scale, top, joint);
    }
    reduced_of[i] = static_cast<Index>(reduced.joints.size());
    reduced.joints.push_back(std::move(joint));
  }
  if (reduced.joints.size() < 2) {
    throw Error(
        fmt::format("The template {} has fewer than two joints to search for. Add joints, or make some of its optional "
                    "ones required.",
                    t.name));
  }
  for (ReducedTemplate::Joint& joint : reduced.joints) {
    const Index partner = t.joints[joint.full].partner;
    if (joint.parent == kNone || partner == kNone || partner == joint.full || reduced_of[partner] == kNone) continue;
    if (chains_are_partners(t, reduced, joint, reduced.joints[reduced_of[partner]]))
      joint.partner = reduced_of[partner];
  }
  return reduced;
}

std::vector<Vec3> restore(const Template& skeleton_template, const ReducedTemplate& reduced,
                          const std::vector<Vec3>& places, const std::vector<std::vector<Vec3>>& paths) {
  std::vector<Vec3> result(skeleton_template.joints.size(), Vec3::Zero());
  for (std::size_t i = 0; i < reduced.joints.size(); ++i) {
    const ReducedTemplate::Joint& joint = reduced.joints[i];
    result[joint.full] = places[i];
    if (joint.parent == kNone) continue;
    const std::vector<Vec3>& path = paths[i];
    double length = 0;
    for (std::size_t k = 1; k < path.size(); ++k) length += (path[k] - path[k - 1]).norm();
    double walked = 0, share = 0;  // `walked`: up to the beginning of segment k.
    std::size_t k = 1;
    for (std::size_t c = 0; c + 1 < joint.chain.size(); ++c) {
      share += joint.shares[c];
      const double target = share * length;
      while (k + 1 < path.size() && walked + (path[k] - path[k - 1]).norm() < target) {
        walked += (path[k] - path[k - 1]).norm();
        ++k;
      }
      if (k >= path.size()) {
        result[joint.chain[c]] = places[i];
        continue;
      }
      const double segment = (path[k] - path[k - 1]).norm();
      const double at = segment > 0 ? std::clamp((target - walked) / segment, 0.0, 1.0) : 0.0;
      result[joint.chain[c]] = path[k - 1] + at * (path[k] - path[k - 1]);
    }
  }
  return result;
}

}  // namespace sinew::rigging
