// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/builtin_clips.h"

#include <fmt/format.h>
#include <algorithm>

#include "sinew/motion/gestures/chain_gestures.h"
#include "sinew/motion/gestures/exercise.h"
#include "sinew/motion/gestures/gestures.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {
namespace {

std::vector<std::string> wing_of(const Recognition& known, Side side) {
  std::vector<std::string> roles;
  for (const Index j : known.chain(BodyPart::kWing, side)) roles.push_back(role_name(known.roles[j]));
  if (!roles.empty() || known.build != Build::kBird) return roles;
  for (const BodyPart part : {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kHand})
    for (const Index j : known.chain(part, side)) roles.push_back(role_name(known.roles[j]));
  return roles;
}

/// Whether a body walks on two legs as birds do.
bool struts(const Recognition& known) {
  if (known.build != Build::kBird && known.build != Build::kTailedBiped) return false;
  for (const Side side : {Side::kLeft, Side::kRight})
    for (const BodyPart part : {BodyPart::kThigh, BodyPart::kShin, BodyPart::kFoot})
      if (known.find(part, side) == kNone) return false;
  return true;
}

/// Whether wings reach far to both sides at rest.
bool wings_are_spread(const Skeleton& skeleton, const Recognition& known) {
  const std::vector<std::string> left = wing_of(known, Side::kLeft), right = wing_of(known, Side::kRight);
  if (left.empty() || right.empty()) return false;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const auto at = [&](const std::string& role) {
    for (Index j = 0; j < known.roles.size(); ++j)
      if (role_name(known.roles[j]) == role) return Vec3(rest[j].topRightCorner<3, 1>());
    return Vec3(Vec3::Zero());
  };
  const Vec3 wing = at(left.back()) - at(left.front());
  return wing.dot(known.left) > 0.7 * wing.norm();
}

std::vector<std::string> names_for(const Skeleton& skeleton, const Recognition& known) {
  std::vector<std::string> names;
  const bool deforms = std::any_of(skeleton.joints.begin(), skeleton.joints.end(), [](const Joint& joint) {
    return joint.deforming && joint.role != "end" && !joint.driver;
  });
  if (deforms) names.push_back("exercise");
  const std::string chains = chain_clip_name(skeleton);
  // Names of many legs may be taken for those of two.
  if (chains == "walk") return names.push_back(chains), names;
  if (known.build == Build::kHumanoid)
    names.insert(names.end(), {"idle", "walk", "run", "wave", "jump", "sit", "look-around", "turn"});
  if (known.build == Build::kQuadruped && known.coverage == 1 && known.find(BodyPart::kHand, Side::kLeft) != kNone &&
      known.find(BodyPart::kHand, Side::kRight) != kNone)
    names.insert(names.end(), {"idle", "walk", "trot"});
  if (struts(known)) names.push_back("walk");
  if (known.build != Build::kUnknown && !wing_of(known, Side::kLeft).empty() && !wing_of(known, Side::kRight).empty())
    names.insert(names.end(), {"flap", "glide"});
  if (known.build == Build::kUnknown && !chains.empty()) names.push_back(chains);
  return names;
}

}  // namespace

const std::vector<std::string>& all_builtin_clip_names() {
  static const std::vector<std::string> kNames = {"exercise",    "idle", "walk", "run",  "wave",  "jump", "sit",
                                                  "look-around", "turn", "trot", "flap", "glide", "swim", "slither"};
  return kNames;
}

std::vector<std::string> builtin_clip_names(const Skeleton& skeleton) {
  return names_for(skeleton, recognize(skeleton));
}

Clip builtin_clip(const Skeleton& skeleton, const std::string& name) {
  const Recognition known = recognize(skeleton);
  const std::vector<std::string> names = names_for(skeleton, known);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error(
        fmt::format("There is no built-in clip '{}' for this skeleton, which is of the kind '{}'. Available: {}.", name,
                    build_name(known.build), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  if (name == "exercise") return exercise(skeleton);
  if (known.build == Build::kUnknown || chain_clip_name(skeleton) == "walk") return chain_clip(skeleton);
  const Body body(skeleton, known, name == "flap" || name == "glide");
  if (name == "idle") return known.build == Build::kQuadruped ? beast_idle_clip(body) : idle_clip(body);
  if (name == "jump") return jump_clip(body);
  if (name == "sit") return sit_clip(body);
  if (name == "look-around") return look_around_clip(body);
  if (name == "turn") return turn_clip(body);
  if (name == "trot") return trot_clip(body);
  if (name == "glide") return glide_clip(body, wing_of(known, Side::kLeft), wing_of(known, Side::kRight));
  if (name == "run") return run_clip(body);
  if (name == "wave") return wave_clip(body);
  if (name == "flap") return flap_clip(body, wing_of(known, Side::kLeft), wing_of(known, Side::kRight));
  if (struts(known)) return strut_clip(body);
  return known.build == Build::kQuadruped ? beast_walk_clip(body) : walk_clip(body);
}

bool builtin_clip_repeats(const std::string& name) {
  static const std::vector<std::string> kOnce = {"exercise", "wave", "jump", "sit", "turn"};
  return std::find(kOnce.begin(), kOnce.end(), name) == kOnce.end();
}

std::string fitting_clip(const Skeleton& skeleton) {
  const Recognition known = recognize(skeleton);
  const std::vector<std::string> made = names_for(skeleton, known);
  const bool can_flap = std::find(made.begin(), made.end(), "flap") != made.end();
  if (can_flap && wings_are_spread(skeleton, known)) return "flap";
  for (const char* name : {"walk", "flap", "swim", "slither"})
    if (std::find(made.begin(), made.end(), name) != made.end()) return name;
  return "exercise";
}

}  // namespace sinew::motion
