// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/add_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sinew/core/bone_axis.h"
#include "sinew/core/joint_steps.h"
#include "sinew/core/workable.h"
#include "sinew/motion/bake_drivers.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/helpers_guard.h"
#include "sinew/pipeline/helpers_measure.h"
#include "sinew/pipeline/helpers_select.h"
#include "sinew/pipeline/helpers_twist.h"

namespace sinew::pipeline {
namespace {

// A section that is thinner than the formula by more than this is worth a warning.
constexpr double kWideBlend = 0.15;
constexpr Index kUsualInfluences = 4;
// How far a joint with a bend joint is twisted when it is compared.
constexpr double kOrdinaryTwist = radians(90);
// Axes at less than 8° are one; at more than 45° from a bone an axis tells a direction across it; at more than 75° it
// is one about which people bend the joint.
constexpr double kSameAxis = 0.99;
constexpr double kOneAxis = 0.9999;
constexpr double kAcross = 0.7;
constexpr double kNearlyAcross = 0.26;
// A reduced helper stays if a section or the volume gains this, or if the distance from SLBS falls to this share.
constexpr double kLeastGain = 0.01;
constexpr double kLeastApproach = 0.9;
// Hands and feet bend less than other joints.
constexpr double kMostBend = radians(120);
constexpr double kMostBendAtEnds = radians(45);

void check_request(const Rig& rig, const HelpersOptions& options) {
  HelpersOptions values = options;
  OptionList(values).validate();
  if (options.twist.empty() && options.bend.empty())
    throw Error("There is nothing to add. Name bones in the option 'twist' or joints in the option 'bend'.");
  if (!options.bake && !options.bake_clips.empty())
    throw Error("The option 'bake_clips' has no effect without 'bake'. Use both, or none of them.");
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
  const JointSteps steps(rig.skeleton);
  CapResult limited = cap_influences(rig.weights, most, &steps);
  cap.rows = limited.rows;
  cap.largest_share_dropped = limited.largest_share;
  if (cap.rows == 0) return cap;
  cap.posed = measure::posed_agreement(rig, limited.weights, progress);
  rig.weights = std::move(limited.weights);
  return cap;
}

void measure_twist(const TwistTrial& trial, const Rig& before, const Rig& after, double angle_rad, bool reduced,
                   TwistBoneResult& bone, Findings& findings) {
  bone.before = trial.measure(before);
  bone.after = trial.measure(after);
  const auto count = static_cast<int>(bone.joints.helpers.size());
  bone.formula_section = rigging::twist_section(angle_rad, count);
  bone.slbs_section = trial.thinnest_safe();
  const double possible = std::min(bone.formula_section, bone.slbs_section);
  if (reduced || bone.after.thinnest >= possible - kWideBlend) return;
  const auto& joints = after.skeleton.joints;
  findings.push_back(
      {"helpers.wide_blend", joints[bone.joints.bone.joint].name,
       fmt::format("A section of the bone to '{}' keeps {:.2f} of its area, where {} twist joints could keep "
                   "{:.2f}: the weights of the joints at its ends reach far along it.",
                   joints[bone.joints.bone.child].name, bone.after.thinnest, count, possible)});
}

/// What is to be added, in this order: bend joints come first, because twist joints take weight away from the joints
/// that bend.
struct HelperPlan {
  struct Bend {
    Index joint = kNone;
    Vec3 axis = Vec3::Zero();
  };
  struct Twist {
    rigging::TwistBone bone;
    std::vector<float> places;
    std::unique_ptr<TwistTrial> trial;
    std::vector<Index> rigid;  ///< Per vertex: the shell that moves with the bone's joint alone, or kNone.
  };
  std::vector<Bend> bends;
  std::vector<Twist> twists;
  int per_bone = 0;
  int most_influences = 0;
  std::vector<Mat4> frames;
};

/// A rig with helpers, before its rows are limited.
struct HelperBuild {
  Rig rig;
  std::vector<rigging::BendJoint> bends;
  std::vector<std::pair<std::size_t, rigging::TwistJoints>> twists;  ///< With their number in the plan.
};

HelperBuild build_helpers(const Rig& before, const HelperPlan& plan, const std::vector<HelperStrength>& strengths) {
  HelperBuild build{before, {}, {}};
  for (std::size_t i = 0; i < plan.bends.size(); ++i) {
    if (strengths[i].vertices.empty()) continue;
    rigging::BendJointOptions options;
    options.growth_share = strengths[i].growth;
    build.bends.push_back(rigging::add_bend_joint(build.rig, plan.bends[i].joint, plan.bends[i].axis, plan.frames,
                                                  options, strengths[i].vertices));
  }
  for (std::size_t i = 0; i < plan.twists.size(); ++i) {
    const std::vector<float>& strength = strengths[plan.bends.size() + i].vertices;
    if (strength.empty()) continue;
    const HelperPlan::Twist& twist = plan.twists[i];
    build.twists.emplace_back(i,
                              rigging::add_twist_joints(build.rig, twist.bone, plan.per_bone, twist.places, strength));
  }
  return build;
}

// Axes of ordinary bends in the frame in which a joint rotates: across the bone about which it twists, and those of the
// body that are nearly across it.
std::vector<Vec3> bend_axes(const Skeleton& skeleton, const motion::Recognition& recognition, Index joint,
                            const Vec3& bone) {
  const Mat3 frame = polar(rest_matrices(skeleton)[joint].topLeftCorner<3, 3>()).rotation;
  std::vector<Vec3> axes;
  const auto add = [&](const Vec3& axis) {
    if (std::none_of(axes.begin(), axes.end(), [&](const Vec3& a) { return std::abs(a.dot(axis)) > kSameAxis; }))
      axes.push_back(axis);
  };
  const Vec3 left = frame.transpose() * recognition.left, forward = frame.transpose() * recognition.forward;
  for (const Vec3& axis : {left, forward})
    if (const Vec3 across = axis - axis.dot(bone) * bone; across.norm() > kAcross) add(across.normalized());
  if (axes.size() == 1) add(bone.cross(axes.front()).normalized());
  for (const Vec3& axis : {left, forward, Vec3(frame.transpose() * recognition.up)})
    if (std::abs(axis.dot(bone)) < kNearlyAcross) add(axis);
  return axes;
}

// The subjects of the guard, in the order of the plan.
std::vector<HelperSubject> subjects_of(const Rig& before, const motion::Recognition& recognition,
                                       const HelperPlan& plan, double most_twist_rad) {
  std::vector<HelperSubject> subjects;
  std::vector<Index> joints;
  const auto add = [&](HelperSubject subject, Index joint) {
    const motion::BodyPart part = recognition.roles[subject.source].part;
    subject.most_bend_rad =
        part == motion::BodyPart::kHand || part == motion::BodyPart::kFoot ? kMostBendAtEnds : kMostBend;
    subject.bend_axes = bend_axes(before.skeleton, recognition, subject.source, subject.twist_axes.front());
    subjects.push_back(std::move(subject));
    joints.push_back(joint);
  };
  for (const HelperPlan::Bend& bend : plan.bends) {
    HelperSubject subject;
    subject.source = bend.joint;
    subject.joints = {bend.joint, before.skeleton.joints[bend.joint].parent};
    subject.twist_axes = {bone_axis(before.skeleton, bend.joint)};
    subject.most_twist_rad = std::min(most_twist_rad, kOrdinaryTwist);
    subject.grows = true;
    add(std::move(subject), bend.joint);
  }
  for (const HelperPlan::Twist& twist : plan.twists) {
    HelperSubject subject;
    subject.source = twist.bone.near ? twist.bone.joint : twist.bone.child;
    subject.joints = {twist.bone.joint, twist.bone.child};
    if (const Index parent = before.skeleton.joints[twist.bone.joint].parent; parent != kNone)
      subject.joints.push_back(parent);
    subject.twist_axes = {rigging::twist_axis(before.skeleton, twist.bone)};
    // A hand or a head is also rotated about its own bone.
    const Vec3 own = bone_axis(before.skeleton, subject.source);
    if (std::abs(own.dot(subject.twist_axes.front())) < kOneAxis) subject.twist_axes.push_back(own);
    subject.most_twist_rad = most_twist_rad;
    subject.trial = twist.trial.get();
    subject.rigid = twist.rigid;
    add(std::move(subject), twist.bone.joint);
  }
  for (std::size_t s = 0; s < subjects.size(); ++s)
    for (std::size_t t = 0; t < subjects.size(); ++t)
      if ((s < plan.bends.size()) == (t < plan.bends.size()) &&
          partner_of(before.skeleton, recognition, joints[s]) == joints[t])
        subjects[s].partner = static_cast<Index>(t);
  return subjects;
}

HelperReduction describe(const HelperStrength& strength, Index joint, bool twist) {
  const HelperHarm& harm = *strength.harm;
  const double effect = twist ? strength.mean : strength.mean * (1 + strength.growth) / 2;
  HelperReduction reduction{joint, twist, effect, harm.on_other_side, harm.pose, "", 0, 0};
  const auto put = [&](const char* figure, double before, double full) {
    reduction.figure = figure, reduction.before = before, reduction.full = full;
  };
  switch (harm.figure) {
    case SurfaceFigure::kStretch:
      put("stretch", harm.before.stretch, harm.after.stretch);
      break;
    case SurfaceFigure::kFolded:
      put("folded", harm.before.folded, harm.after.folded);
      break;
    case SurfaceFigure::kCuts:
      put("cuts", harm.before.cuts, harm.after.cuts);
      break;
    default:
      put("section", harm.before.thinnest, harm.after.thinnest);
  }
  return reduction;
}

Finding finding_of(const HelperReduction& reduction, const std::string& name) {
  const char* noun = reduction.twist ? "twist joints" : "a bend joint";
  std::string effect;
  if (reduction.figure == "section")
    effect = fmt::format("the thinnest section would fall from {:.3f} to {:.3f}", reduction.before, reduction.full);
  else if (reduction.figure == "stretch")
    effect = fmt::format("the longest edge would grow from {:.2f} to {:.2f} of its length at rest", reduction.before,
                         reduction.full);
  else if (reduction.figure == "folded")
    effect = fmt::format("{:.0f} edges would be folded instead of {:.0f}", reduction.full, reduction.before);
  else
    effect =
        fmt::format("{:.0f} pairs of triangles would intersect instead of {:.0f}", reduction.full, reduction.before);
  if (reduction.strength == 0)
    return {"helpers.left_out", name,
            fmt::format("The joint '{}' gets no {}: {}at {} {}.", name, reduction.twist ? noun : "bend joint",
                        reduction.on_other_side ? "on the other side of the body, " : "", reduction.pose, effect)};
  return {"helpers.reduced", name,
          fmt::format("The joint '{}' gets {} with {:.0f} % of the effect: with all of it, at {} {}.", name, noun,
                      100 * reduction.strength, reduction.pose, effect)};
}

// Leaves out reduced helpers that hardly improve anything any more.
void leave_out_idle(const Rig& before, const HelperPlan& plan, std::vector<HelperStrength>& strengths) {
  if (std::none_of(strengths.begin(), strengths.end(), [](const HelperStrength& s) { return s.harm.has_value(); }))
    return;
  const HelperBuild build = build_helpers(before, plan, strengths);
  const auto leave_out = [](HelperStrength& strength) { strength.vertices.clear(), strength.mean = 0; };
  for (const rigging::BendJoint& bend : build.bends)
    for (std::size_t i = 0; i < plan.bends.size(); ++i)
      if (plan.bends[i].joint == bend.joint && strengths[i].harm && bend.volume_after - bend.volume_before < kLeastGain)
        leave_out(strengths[i]);
  for (const auto& [i, joints] : build.twists) {
    HelperStrength& strength = strengths[plan.bends.size() + i];
    if (!strength.harm) continue;
    const TwistFigures was = plan.twists[i].trial->measure(before), is = plan.twists[i].trial->measure(build.rig);
    if (is.rms_rel > kLeastApproach * was.rms_rel && is.thinnest < was.thinnest + kLeastGain) leave_out(strength);
  }
}

// Finds the strengths of a plan, and reports those below 1.
std::vector<HelperStrength> find_strengths(const Rig& before, const motion::Recognition& recognition,
                                           const HelperPlan& plan, const HelpersOptions& options, HelpersResult& result,
                                           const Progress& progress) {
  const BuildHelpers build = [&](const std::vector<HelperStrength>& strengths) {
    Rig rig = build_helpers(before, plan, strengths).rig;
    const JointSteps steps(rig.skeleton);
    rig.weights = cap_influences(rig.weights, plan.most_influences, &steps).weights;
    return rig;
  };
  const std::vector<HelperSubject> subjects = subjects_of(before, recognition, plan, options.max_twist_rad);
  Rig base = before;
  const JointSteps steps(base.skeleton);
  base.weights = cap_influences(base.weights, plan.most_influences, &steps).weights;
  std::vector<HelperStrength> found = harmless_strengths(base, subjects, build, progress);
  leave_out_idle(before, plan, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].harm) continue;
    const bool twist = i >= plan.bends.size();
    const Index joint = twist ? plan.twists[i - plan.bends.size()].bone.joint : plan.bends[i].joint;
    result.reductions.push_back(describe(found[i], joint, twist));
    result.findings.push_back(finding_of(result.reductions.back(), before.skeleton.joints[joint].name));
  }
  return found;
}

// Adds built-in clips of the character without helpers, whose names alone tell the body.
void add_builtin_clips(const Skeleton& skeleton, const std::vector<std::string>& words, HelpersResult& result) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    const std::vector<std::string> meant =
        word == "builtin" ? motion::builtin_clip_names(skeleton) : std::vector<std::string>{word};
    for (const std::string& name : meant)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::vector<Clip>& clips = result.character.clips;
  for (const std::string& name : names) {
    Clip clip = motion::builtin_clip(skeleton, name);
    const auto taken = [&](const Clip& other) { return other.name == clip.name; };
    while (std::any_of(clips.begin(), clips.end(), taken)) clip.name += "_builtin";
    result.new_clips.push_back(static_cast<Index>(clips.size()));
    clips.push_back(std::move(clip));
  }
}

void bake(HelpersResult& result, const Progress& progress) {
  progress.step("baking", 0.8);
  std::vector<Clip>& clips = result.character.clips;
  for (Index c = 0; c < clips.size(); ++c) {
    progress.check();
    const std::size_t first = motion::bake_drivers(result.character.rig, clips[c]);
    const bool fresh = std::find(result.new_clips.begin(), result.new_clips.end(), c) != result.new_clips.end();
    if (first < clips[c].tracks.size() && !fresh) result.longer_clips.emplace_back(c, first);
  }
}

}  // namespace

std::vector<std::string> HelpersOptions::bake_clips_words() {
  std::vector<std::string> words = motion::all_builtin_clip_names();
  words.insert(words.begin(), "builtin");
  return words;
}

HelpersResult add_helpers(const Character& character, const HelpersOptions& options, const Progress& progress) {
  require_workable(character.rig);
  const Rig& before = character.rig;
  check_request(before, options);
  HelpersResult result;
  result.character = character;
  result.per_bone =
      options.per_bone ? *options.per_bone : rigging::twist_joints_needed(options.max_twist_rad, options.min_section);
  HelperPlan plan;
  plan.per_bone = result.per_bone;
  const motion::Recognition recognition = motion::recognize(before.skeleton);
  std::vector<rigging::TwistBone> bones;
  take_each(before, recognition, options.twist, "twist", result.findings,
            [&](Index joint) { bones.push_back(twist_bone(before, recognition, joint)); });
  plan.frames = binding_matrices(before, result.findings);
  progress.step("segmenting", 0.1);
  TwistKnowledge knowledge;
  if (!bones.empty()) knowledge = twist_knowledge(before, result.findings, progress);
  Rig scratch = before;
  take_each(before, recognition, options.bend, "bend", result.findings, [&](Index joint) {
    refuse_second_helper(before.skeleton, joint);
    const Vec3 axis = bend_axis(before, recognition, joint, plan.frames);
    rigging::add_bend_joint(scratch, joint, axis, plan.frames);
    plan.bends.push_back({joint, axis});
  });
  for (const rigging::TwistBone& bone : bones) {
    std::vector<float> places =
        rigging::twist_places(before, knowledge.segmentation, knowledge.share, bone, plan.frames);
    result.rigid_vertices += place_rigid_shells(before, knowledge, bone, plan.frames, places);
    auto trial = std::make_unique<TwistTrial>(before, knowledge, bone, options.max_twist_rad);
    std::vector<Index> rigid(knowledge.shell.size(), kNone);
    for (std::size_t v = 0; v < rigid.size(); ++v)
      if (const Index shell = knowledge.shell[v]; shell != kNone && knowledge.rigid_on[shell] == bone.joint)
        rigid[v] = shell;
    plan.twists.push_back({bone, std::move(places), std::move(trial), std::move(rigid)});
  }
  const Index usual = std::max(kUsualInfluences, before.weights.max_influences());
  plan.most_influences = options.max_influences.value_or(static_cast<int>(usual));
  progress.step("comparing", 0.3);
  const std::vector<HelperStrength> strengths = find_strengths(before, recognition, plan, options, result, progress);
  HelperBuild build = build_helpers(before, plan, strengths);
  Rig& rig = result.character.rig;
  rig = std::move(build.rig);
  result.bends = std::move(build.bends);
  for (auto& [i, joints] : build.twists) result.twists.push_back({std::move(joints), {}, {}, 1, 1});
  pair_sides(before.skeleton, recognition, result);
  result.joints_added = rig.skeleton.size() - before.skeleton.size();
  result.cap = limit_influences(rig, plan.most_influences, progress);
  progress.step("measuring", 0.7);
  for (std::size_t t = 0; t < result.twists.size(); ++t) {
    progress.check();
    const std::size_t number = build.twists[t].first;
    measure_twist(*plan.twists[number].trial, before, rig, options.max_twist_rad,
                  strengths[plan.bends.size() + number].harm.has_value(), result.twists[t], result.findings);
  }
  add_builtin_clips(before.skeleton, options.bake_clips, result);
  if (options.bake) bake(result, progress);
  return result;
}

}  // namespace sinew::pipeline
