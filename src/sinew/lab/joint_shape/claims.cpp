// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The two claims of the paper as numbers: contacts are shallower and limbs stay thicker than with other methods, and
// joints are more like those that a person edited.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/lab/joint_shape/trial.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::lab {
namespace {

struct ClaimSums {
  double depth = 0, deepest = 0, thickness = 0, thinnest = 1, contour = 0;

  void add(const BentSkin& skin) {
    depth += skin.depth, deepest = std::max(deepest, skin.depth);
    thickness += skin.thickness, thinnest = std::min(thinnest, skin.thickness);
    contour += skin.contour;
  }
};

/// The joints that stand for all: one side of the body.
bool stands_for_others(const motion::Recognition& body, Index joint) {
  using motion::BodyPart;
  const motion::JointRole& role = body.roles[joint];
  if (role.side == motion::Side::kRight) return false;
  constexpr std::array kParts = {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kHand,
                                 BodyPart::kShin,     BodyPart::kIndex,   BodyPart::kMiddle};
  return role.empty() || std::find(kParts.begin(), kParts.end(), role.part) != kParts.end();
}

}  // namespace

void joint_shape_claims(const std::vector<std::string>& names, JointTrials& trials, Reproduction& result) {
  ResultTable contact{
      "claims",
      "Contact depth and thickness of made limbs at full bends",
      "Depth: of the deepest skin that is inside other skin near the joint, in radii. Thickness: mean distance of the "
      "skin between two parts from their bones, relative to rest. Contour: the largest protrusion, in radii. Raw: "
      "implicit skinning whose parts close by themselves, as published in 2013.",
      {"character", "method", "joints", "depth", "deepest", "thickness", "thinnest", "contour"},
      {}};
  ResultTable like{"likeness",
                   "Distance from joints that were edited, in radii",
                   "The edited joints stand in for those of an artist: both parts end in a ball that is 5 % smaller "
                   "than the thinner one. Distances are along rays from the bones, averaged over joints.",
                   {"character", "joints", "default", "adjusted", "largest default", "largest adjusted", "closer"},
                   {}};
  for (const std::string& name : names) {
    const JointTrial& trial = trials.of(name);
    const auto body = motion::recognize(trial.rig().skeleton);
    std::array<ClaimSums, kTrialMethods.size()> sums;
    std::size_t joints = 0;
    for (const deform::JointShapeReport* report : trial.joints()) {
      if (!stands_for_others(body, report->joint)) continue;
      ++joints;
      for (std::size_t m = 0; m < sums.size(); ++m) sums[m].add(trial.bend(*report, m));
    }
    if (joints == 0) continue;
    const auto mean = [&](double sum) { return fmt::format("{:.3f}", sum / static_cast<double>(joints)); };
    for (std::size_t m = 0; m < sums.size(); ++m)
      contact.rows.push_back({name, kTrialMethods[m], std::to_string(joints), mean(sums[m].depth),
                              fmt::format("{:.3f}", sums[m].deepest), mean(sums[m].thickness),
                              fmt::format("{:.3f}", sums[m].thinnest), mean(sums[m].contour)});
    const Likeness found = trial.to_edited();
    const auto number = [](double value) { return fmt::format("{:.3f}", value); };
    like.rows.push_back({name, std::to_string(found.joints), number(found.first_mean), number(found.second_mean),
                         number(found.first_largest), number(found.second_largest), std::to_string(found.closer)});
    if (2 * found.closer <= found.joints)
      result.misses.push_back(
          {"reproduce.out_of_bounds", name,
           fmt::format("Only {} of {} joints are more like edited ones than before.", found.closer, found.joints)});
  }
  result.tables.push_back(std::move(contact));
  result.tables.push_back(std::move(like));
}

}  // namespace sinew::lab
