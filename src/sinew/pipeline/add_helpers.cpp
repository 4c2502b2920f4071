// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/add_helpers.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/motion/bake_drivers.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/helpers_measure.h"
#include "sinew/pipeline/helpers_select.h"
#include "sinew/pipeline/helpers_twist.h"

namespace sinew::pipeline {
namespace {

// A section that is thinner than the formula by more than this is worth a warning.
constexpr double kWideBlend = 0.15;
constexpr Index kUsualInfluences = 4;

void check_request(const Rig& rig, const HelpersOptions& options) {
  HelpersOptions values = options;
  OptionList(values).validate();
  if (options.twist.empty() && options.bend.empty())
    throw Error("There is nothing to add. Name bones in the option 'twist' or joints in the option 'bend'.");
  const bool skinned = std::any_of(rig.mesh.parts.begin(), rig.mesh.parts.end(),
                                   [](const MeshPart& part) { return part.skin != kNone && part.vertex_count > 0; });
  if (rig.skeleton.empty() || rig.weights.empty() || !skinned)
    throw Error(fmt::format("The character has no skin, so helper joints would move nothing. {}",
                            rig.skeleton.empty() ? "Rig it first." : "Bind its weights first."));
}

// Calls `take(joint)` for the joints of words. A joint that was named itself and cannot be taken is an error. Of a part
// of the body the joints that can be taken are, if there are any, and findings report the others.
template <class Take>
void take_each(const Rig& rig, const motion::Recognition& recognition, const std::vector<std::string>& words,
               const std::string& option, Findings& findings, const Take& take) {
  std::vector<char> seen(rig.skeleton.size(), 0);
  std::vector<std::pair<Index, std::string>> refused;
  Index taken = 0;
  for (const std::string& word : words)
    for (const Index joint : joints_of_words(rig, recognition, {word}, option)) {
      if (seen[joint] != 0) continue;
      seen[joint] = 1;
      try {
        take(joint);
        ++taken;
      } catch (const Error& error) {
        if (rig.skeleton.find(word) != kNone) throw;
        refused.emplace_back(joint, error.what());
      }
    }
  if (!refused.empty() && taken == 0) throw Error(refused.front().second);
  for (const auto& [joint, why] : refused)
    findings.push_back({"helpers.left_out", rig.skeleton.joints[joint].name, why});
}

void refuse_second_helper(const Skeleton& skeleton, Index joint) {
  for (const Joint& other : skeleton.joints)
    if (other.driver && other.driver->kind == Driver::Kind::kPolynomial && other.driver->source == joint)
      throw Error(fmt::format(
          "The joint '{}' already has a helper: '{}'. Omit the joint, or start from a file without that helper.",
          skeleton.joints[joint].name, other.name));
}

// The joint on the other side of the body, or kNone.
Index partner_of(const Skeleton& skeleton, const motion::Recognition& recognition, Index joint) {
  if (skeleton.joints[joint].mirror != kNone) return skeleton.joints[joint].mirror;
  motion::JointRole role = recognition.roles[joint];
  if (role.empty() || role.side == motion::Side::kMiddle) return kNone;
  role.side = role.side == motion::Side::kLeft ? motion::Side::kRight : motion::Side::kLeft;
  return recognition.find(role.part, role.side, role.number);
}

// Makes the k-th of some helpers the mirror partner of the k-th of others.
void pair_helpers(Skeleton& skeleton, const std::vector<Index>& left, const std::vector<Index>& right) {
  for (std::size_t k = 0; k < std::min(left.size(), right.size()); ++k) {
    skeleton.joints[left[k]].mirror = right[k];
    skeleton.joints[right[k]].mirror = left[k];
  }
}

void pair_sides(const Skeleton& before, const motion::Recognition& recognition, HelpersResult& result) {
  Skeleton& skeleton = result.character.rig.skeleton;
  const auto opposite = [&](Index a, Index b) { return a < b && partner_of(before, recognition, a) == b; };
  for (const auto& a : result.twists)
    for (const auto& b : result.twists)
      if (opposite(a.joints.bone.joint, b.joints.bone.joint))
        pair_helpers(skeleton, a.joints.helpers, b.joints.helpers);
  for (const auto& a : result.bends)
    for (const auto& b : result.bends)
      if (opposite(a.joint, b.joint)) pair_helpers(skeleton, {a.helper}, {b.helper});
}

InfluenceCap limit_influences(Rig& rig, int most, const Progress& progress) {
  InfluenceCap cap;
  cap.influences = static_cast<Index>(most);
  CapResult limited = cap_influences(rig.weights, most);
  cap.rows = limited.rows;
  cap.largest_share_dropped = limited.largest_share;
  if (cap.rows == 0) return cap;
  cap.posed = measure::posed_agreement(rig, limited.weights, progress);
  rig.weights = std::move(limited.weights);
  return cap;
}

void measure_twist(const Rig& before, const Rig& after, const TwistKnowledge& knowledge, double angle_rad,
                   TwistBoneResult& bone, Findings& findings) {
  const TwistTrial trial(before, knowledge, bone.joints.bone, angle_rad);
  bone.before = trial.measure(before);
  bone.after = trial.measure(after);
  const auto count = static_cast<int>(bone.joints.helpers.size());
  bone.formula_section = rigging::twist_section(angle_rad, count);
  bone.slbs_section = trial.thinnest_safe();
  const double possible = std::min(bone.formula_section, bone.slbs_section);
  if (bone.after.thinnest >= possible - kWideBlend) return;
  const auto& joints = after.skeleton.joints;
  findings.push_back(
      {"helpers.wide_blend", joints[bone.joints.bone.joint].name,
       fmt::format("A section of the bone to '{}' keeps {:.2f} of its area, where {} twist joints could keep "
                   "{:.2f}: the weights of the joints at its ends reach far along it.",
                   joints[bone.joints.bone.child].name, bone.after.thinnest, count, possible)});
}

void bake(HelpersResult& result, const Progress& progress) {
  progress.step("baking", 0.8);
  std::vector<Clip>& clips = result.character.clips;
  for (Index c = 0; c < clips.size(); ++c) {
    progress.check();
    const std::size_t first = motion::bake_drivers(result.character.rig, clips[c]);
    if (first < clips[c].tracks.size()) result.longer_clips.emplace_back(c, first);
  }
}

}  // namespace

HelpersResult add_helpers(const Character& character, const HelpersOptions& options, const Progress& progress) {
  const Rig& before = character.rig;
  check_request(before, options);
  HelpersResult result;
  result.character = character;
  result.per_bone =
      options.per_bone ? *options.per_bone : rigging::twist_joints_needed(options.max_twist_rad, options.min_section);
  Rig& rig = result.character.rig;
  const motion::Recognition recognition = motion::recognize(before.skeleton);
  std::vector<rigging::TwistBone> bones;
  take_each(before, recognition, options.twist, "twist", result.findings,
            [&](Index joint) { bones.push_back(twist_bone(before, recognition, joint)); });
  const std::vector<Mat4> frames = binding_matrices(before, result.findings);
  progress.step("segmenting", 0.1);
  TwistKnowledge knowledge;
  if (!bones.empty()) knowledge = twist_knowledge(before, result.findings, progress);
  // Bend joints come first, because twist joints take weight away from the joints that bend.
  take_each(before, recognition, options.bend, "bend", result.findings, [&](Index joint) {
    refuse_second_helper(before.skeleton, joint);
    const Vec3 axis = bend_axis(before, recognition, joint, frames);
    result.bends.push_back(rigging::add_bend_joint(rig, joint, axis, frames));
  });
  for (const rigging::TwistBone& bone : bones) {
    std::vector<float> places = rigging::twist_places(before, knowledge.segmentation, knowledge.share, bone, frames);
    result.rigid_vertices += place_rigid_shells(before, knowledge, bone, frames, places);
    result.twists.push_back({rigging::add_twist_joints(rig, bone, result.per_bone, places), {}, {}, 1, 1});
  }
  pair_sides(before.skeleton, recognition, result);
  result.joints_added = rig.skeleton.size() - before.skeleton.size();
  const Index usual = std::max(kUsualInfluences, before.weights.max_influences());
  result.cap = limit_influences(rig, options.max_influences.value_or(static_cast<int>(usual)), progress);
  progress.step("measuring", 0.6);
  for (TwistBoneResult& bone : result.twists) {
    progress.check();
    measure_twist(before, rig, knowledge, options.max_twist_rad, bone, result.findings);
  }
  if (options.bake) bake(result, progress);
  return result;
}

}  // namespace sinew::pipeline
