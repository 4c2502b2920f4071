// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/rigid/rigid.h"

#include <algorithm>

#include "sinew/binding/heat/heat.h"

namespace sinew::binding {
namespace {

constexpr double kWholeShare = 0.7;
constexpr double kSmallRel = 0.05;

struct RigidShell {
  std::vector<double> share;  // Area by joint of the skeleton.
  double area = 0;
  Box box;
  Index joint = kNone;  // That the whole shell follows; kNone when it spans several.
};

std::vector<RigidShell> judge_shells(const BoundSurface& skin, const HeatRows& heat, Index joints) {
  std::vector<RigidShell> shells(skin.shells);
  for (Index v = 0; v < skin.shell.size(); ++v) {
    if (skin.shell[v] == kNone) continue;
    RigidShell& shell = shells[skin.shell[v]];
    if (shell.share.empty()) shell.share.assign(joints, 0);
    // So that shells of no area at all have something to count.
    const double area = std::max(heat.area[v], 1e-12 * skin.size * skin.size);
    for (const Influence& influence : heat.weights.row(v)) shell.share[influence.joint] += area * influence.weight;
    shell.area += area;
    shell.box.extend(skin.surface.positions[v]);
  }
  for (RigidShell& shell : shells) {
    const auto best = std::max_element(shell.share.begin(), shell.share.end());
    const bool small = shell.box.diagonal() < kSmallRel * skin.size;
    if (small || *best >= kWholeShare * shell.area) shell.joint = static_cast<Index>(best - shell.share.begin());
  }
  return shells;
}

}  // namespace

BindResult bind_rigid(const Subject& subject, const NoOptions&, const BindOptions&, const Progress& progress) {
  const BoneTree tree = bones_to_bind(subject);
  const BoundSurface skin = bound_surface(subject.mesh);
  const HeatRows heat = heat_rows(skin, tree, {}, 0, progress);
  const std::vector<RigidShell> shells = judge_shells(skin, heat, subject.skeleton.size());
  BindResult bound;
  bound.origins = {{"rigid", "its shell follows one joint as a whole"},
                   {"rigid", "its shell spans several joints: the vertex follows the strongest by heat"},
                   {"nearest", "no face uses the vertex"}};
  std::uint64_t detached = 0;
  for (const Index v : skin.welding.welded) {
    const RigidShell* shell = skin.shell[v] == kNone ? nullptr : &shells[skin.shell[v]];
    const Influence strongest = heat.weights.row(v).front();
    const bool whole = shell != nullptr && shell->joint != kNone;
    bound.weights.add_row({{whole ? shell->joint : strongest.joint, 1.0F}});
    bound.origin.push_back(shell == nullptr ? 2 : (whole ? 0 : 1));
    // How much of the shell, or of the vertex, agrees.
    bound.confidence.push_back(whole ? static_cast<float>(std::min(1.0, shell->share[shell->joint] / shell->area))
                                     : strongest.weight);
    if (shell == nullptr) ++detached;
  }
  if (detached > 0)
    bound.fallbacks.push_back(
        {"rigid.detached", "nearest bone", detached, "Vertices that no face uses follow the nearest bone."});
  Index whole = 0;
  for (const RigidShell& shell : shells) whole += shell.joint != kNone ? 1 : 0;
  bound.metrics["shells"] = skin.shells;
  bound.metrics["whole_shells"] = whole;
  return bound;
}

BinderMethod rigid_method() {
  return binder_method("rigid", "one-joint", "Each vertex follows one joint. For robots, armour and toys.", bind_rigid);
}

}  // namespace sinew::binding
