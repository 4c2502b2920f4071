// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_apply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/LU>

#include <algorithm>

#include "sinew/binding/binder.h"
#include "sinew/core/error.h"
#include "sinew/io/gltf/strip_rig.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/rig_merge.h"
#include "sinew/pipeline/rig_pose.h"
#include "sinew/pipeline/rig_replace.h"
#include "sinew/pipeline/rig_symmetry.h"
#include "sinew/rigging/anatomy/symmetry.h"

namespace sinew::pipeline {
namespace {

/// One character on its way.
class Applier {
 public:
  Applier(io::Asset asset, const rigging::Rigged& rigged, const RigSettings& settings, bool moved, Report& report,
          const Progress& progress)
      : rigged_(rigged), settings_(settings), moved_(moved), report_(report), progress_(progress) {
    result_.asset = std::move(asset);
    result_.plan = rigged.plan;
    result_.skeleton = rigging::build_skeleton(result_.plan, settings.preset);
  }

  RiggedAsset run() {
    take_out_old();
    rig().skeleton = result_.skeleton.skeleton;
    set_sources();
    bind();
    change_rest();
    give_skin();
    carry_clips();
    add_clips();
    name_bones();
    result_.save.changes.skeleton = result_.save.changes.weights = true;
    result_.save.changes.positions = result_.save.changes.shape = moved_;
    return std::move(result_);
  }

 private:
  Rig& rig() { return result_.asset.character.rig; }
  Character& character() { return result_.asset.character; }

  void take_out_old();
  void strip_document(const std::vector<char>& keep);
  void set_sources();
  void bind();
  void tell_bound(const binding::BindResult& bound);
  void mirror(SkinWeights& weights);
  void change_rest();
  void give_skin();
  void carry_clips();
  void add_clips();
  void name_bones();

  const rigging::Rigged& rigged_;
  const RigSettings& settings_;
  bool moved_;
  Report& report_;
  const Progress& progress_;
  RiggedAsset result_;
  OldMotion old_;
  JointPairs pairs_;
  std::vector<Index> node_of_old_;  // Per old joint.
  std::vector<Index> part_of_old_;  // Per old part.
  std::vector<Index> own_clips_;    // Of the old clips: those that have to be written anew.
  std::vector<Mat4> moves_;         // Per joint of the skeleton, into the rest pose; empty for none.
};

// Skeleton, skins, weights and clips of the file. What they moved is remembered.
void Applier::take_out_old() {
  const Rig& rig_before = rig();
  part_of_old_.resize(rig_before.mesh.parts.size());
  for (Index p = 0; p < part_of_old_.size(); ++p) part_of_old_[p] = p;
  const bool document = result_.asset.format == "gltf" && result_.asset.document;
  if (rig_before.skeleton.empty()) {
    // Clips of morphs alone stay in a document, and are written with a new one.
    return;
  }
  Findings told_before;
  old_.frames = binding_matrices(rig_before, told_before);
  old_.rig.skeleton = rig_before.skeleton;
  old_.rig.mesh.parts = rig_before.mesh.parts;
  old_.clips = character().clips;
  pairs_ = pair_joints(old_.rig.skeleton, result_.skeleton.skeleton);
  node_of_old_.assign(old_.rig.skeleton.joints.size(), kNone);
  std::vector<char> keep;
  for (const Index partner : pairs_.partner) keep.push_back(partner != kNone ? 1 : 0);
  if (document) {
    strip_document(keep);
    return;
  }
  take_out_rig(character());
  character().clips.clear();
  for (Index c = 0; c < old_.clips.size(); ++c) own_clips_.push_back(c);
}

void Applier::strip_document(const std::vector<char>& keep) {
  io::StrippedRig stripped = io::strip_rig(result_.asset, keep, report_);
  result_.asset = std::move(stripped.asset);
  node_of_old_ = std::move(stripped.node_of_joint);
  own_clips_ = std::move(stripped.lost_clips);
  for (Index p = 0; p < stripped.parts.size(); ++p) part_of_old_[stripped.parts[p]] = p;
  take_out_rig(character());
}

void Applier::set_sources() {
  for (Joint& joint : rig().skeleton.joints) joint.source = kNone;
  for (Index o = 0; o < node_of_old_.size(); ++o)
    if (pairs_.partner[o] != kNone) rig().skeleton.joints[pairs_.partner[o]].source = node_of_old_[o];
}

void Applier::bind() {
  const StageTimer timer(report_, "bind");
  progress_.step("binding", 0.5);
  std::vector<char> bound;
  for (const Joint& joint : rig().skeleton.joints) bound.push_back(joint.deforming ? 1 : 0);
  const binding::Subject subject{rig().mesh, rig().skeleton, rest_matrices(rig().skeleton), std::move(bound)};
  binding::BindOptions options;
  options.max_influences = settings_.preset.max_influences;
  binding::BindResult made =
      binding::bind(MethodChoice(binding::binders(), settings_.bind), subject, options, progress_);
  tell_bound(made);
  if (result_.plan.symmetric) mirror(made.weights);
  rig().weights = std::move(made.weights);
  report_.metrics["max_influences"] = rig().weights.max_influences();
}

void Applier::tell_bound(const binding::BindResult& bound) {
  report_.warn(bound.findings);
  report_.fallbacks.insert(report_.fallbacks.end(), bound.fallbacks.begin(), bound.fallbacks.end());
  Json origins = Json::array();
  for (std::size_t o = 0; o < bound.origins.size(); ++o) {
    const auto count = std::count(bound.origin.begin(), bound.origin.end(), o);
    if (count == 0) continue;
    origins.push_back({{"method", bound.origins[o].method}, {"reason", bound.origins[o].reason}, {"vertices", count}});
    report_.text += fmt::format("bound      {} {} by {}: {}\n", count, count == 1 ? "vertex" : "vertices",
                                bound.origins[o].method, bound.origins[o].reason);
  }
  report_.metrics["weights"] = {{"method", binding::binders().find(settings_.bind).id},
                                {"origins", std::move(origins)}};
}

void Applier::mirror(SkinWeights& weights) {
  const std::vector<Index> partner = rigging::mirror_vertices(rig().mesh, result_.plan.mirror_point, result_.plan.left);
  const Index mirrored =
      mirror_rows(rig().mesh, rig().skeleton, partner, static_cast<Index>(settings_.preset.max_influences), weights);
  report_.metrics["mirrored_vertices"] = mirrored;
  report_.text += fmt::format("mirrored   {} of {} vertices have the same weights on both sides\n", mirrored,
                              rig().mesh.vertex_count());
}

void Applier::change_rest() {
  std::string rest = settings_.preset.rest;
  report_.metrics["rest"] = rest;
  if (rest == "keep") return;
  const std::vector<Mat4> moves = settings_.keep_mesh ? std::vector<Mat4>() : moves_to_pose(result_.plan, rest);
  if (moves.empty()) {
    report_.metrics["rest"] = "keep";
    report_.warn("rig.rest_kept", "",
                 settings_.keep_mesh
                     ? "A rig file holds no mesh that could be put into another pose; it stays as it is."
                     : "The body is not one that stands on two legs and has arms, so that T and A are no "
                       "poses for it; it stays as it is.");
    return;
  }
  progress_.step("rest pose", 0.85);
  // Root and ends, which the plan does not have, move with what they hang on.
  moves_.assign(rig().skeleton.joints.size(), Mat4::Identity());
  std::vector<char> planned(moves_.size(), 0);
  for (std::size_t k = 0; k < moves.size(); ++k) {
    moves_[result_.skeleton.joints[k]] = moves[k];
    planned[result_.skeleton.joints[k]] = 1;
  }
  for (Index j = 0; j < rig().skeleton.size(); ++j)
    if (const Index parent = rig().skeleton.joints[j].parent; planned[j] == 0 && parent != kNone)
      moves_[j] = moves_[parent];
  move_vertices(rig().mesh, blended_moves(rig().weights, moves_));
  moved_ = true;
  result_.plan = moved_plan(std::move(result_.plan), moves);
  // Built anew, for the axes that the preset wants in this pose.
  result_.skeleton = rigging::build_skeleton(result_.plan, settings_.preset);
  rig().skeleton = result_.skeleton.skeleton;
  set_sources();
  report_.text += fmt::format("rest       put into {} pose\n", rest == "t" ? "a T" : "an A");
}

void Applier::give_skin() {
  const std::vector<Mat4> frames = rest_matrices(rig().skeleton);
  Skin skin;
  skin.name = "skin";
  for (Index j = 0; j < rig().skeleton.size(); ++j) {
    if (!rig().skeleton.joints[j].deforming) continue;
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(frames[j].inverse());
  }
  rig().skins = {std::move(skin)};
  for (MeshPart& part : rig().mesh.parts) {
    part.skin = 0;
    part.joint = kNone;
  }
}

void Applier::carry_clips() {
  if (own_clips_.empty()) return;
  std::vector<Mat4> frames = rest_matrices(rig().skeleton);
  for (std::size_t j = 0; j < moves_.size(); ++j) frames[j] = moves_[j].inverse() * frames[j];
  std::vector<std::string> carried;
  Json lost = Json::array();
  for (const Index c : own_clips_) {
    DroppedTracks dropped;
    Clip clip = carried_clip(old_, old_.clips[c], rig().skeleton, frames, pairs_, part_of_old_, dropped);
    if (!dropped.joints.empty()) {
      lost.push_back({{"clip", dropped.clip}, {"joints", dropped.joints}});
      report_.warn("rig.dropped_tracks", dropped.clip,
                   fmt::format("{} of the joints it moved have no partner in the new skeleton: {}.",
                               dropped.joints.size(), fmt::join(dropped.joints, ", ")));
    }
    if (clip.tracks.empty()) {
      report_.warn("rig.dropped_clip", dropped.clip, "Nothing of the clip could be carried over; it is left out.");
      continue;
    }
    carried.push_back(clip.name);
    result_.save.new_clips.push_back(static_cast<Index>(character().clips.size()));
    character().clips.push_back(std::move(clip));
  }
  report_.metrics["carried_clips"] = carried;
  report_.metrics["dropped_tracks"] = std::move(lost);
  if (!carried.empty())
    report_.text += fmt::format("carried    {} {} over to the new joints\n", carried.size(),
                                carried.size() == 1 ? "clip" : "clips");
}

void Applier::add_clips() {
  std::vector<std::string> added;
  const std::vector<std::string> possible = motion::builtin_clip_names(rig().skeleton);
  for (std::string name : settings_.demo_clip) {
    if (name == "auto") name = fitting_clip(rig().skeleton);
    if (!rigged_.fits && std::find(possible.begin(), possible.end(), name) == possible.end()) {
      report_.warn("rig.no_clip", name, "A generic skeleton cannot play it; it is left out.");
      continue;
    }
    Clip clip = motion::builtin_clip(rig().skeleton, name);
    const auto same = [&](const Clip& other) { return other.name == clip.name; };
    while (std::any_of(character().clips.begin(), character().clips.end(), same)) clip.name += "_demo";
    added.push_back(clip.name);
    result_.save.new_clips.push_back(static_cast<Index>(character().clips.size()));
    character().clips.push_back(std::move(clip));
  }
  report_.metrics["demo_clips"] = added;
  if (!added.empty()) report_.text += fmt::format("clips      {} added\n", fmt::join(added, ", "));
}

void Applier::name_bones() {
  const Json& contents = result_.asset.contents;
  const bool was_avatar = contents.contains("vrm");
  if (!settings_.avatar && !was_avatar) return;
  std::vector<std::string> missing;
  io::Humanoid humanoid = humanoid_of(rig().skeleton, character().name, missing);
  if (!missing.empty()) {
    const std::string text =
        fmt::format("VRM wants bones that this skeleton does not have: {}", fmt::join(missing, ", "));
    if (settings_.avatar && !was_avatar) throw Error(text + ". Write a .glb file.");
    report_.warn("rig.vrm_bones", "", text + ". Programs may refuse the file as an avatar.");
  }
  humanoid.create = settings_.avatar;
  result_.save.humanoid = std::move(humanoid);
}

std::string vrm_bone(const std::string& role) {
  static const std::vector<std::pair<std::string, std::string>> middle = {
      {"hips", "hips"},          {"spine", "spine"}, {"spine_2", "chest"},
      {"spine_3", "upperChest"}, {"chest", "chest"}, {"chest_2", "upperChest"},
      {"neck", "neck"},          {"head", "head"},   {"jaw", "jaw"}};
  static const std::vector<std::pair<std::string, std::string>> sided = {
      {"eye", "Eye"},   {"shoulder", "Shoulder"},       {"upper_arm", "UpperArm"},    {"forearm", "LowerArm"},
      {"hand", "Hand"}, {"thigh", "UpperLeg"},          {"shin", "LowerLeg"},         {"foot", "Foot"},
      {"toes", "Toes"}, {"thumb_1", "ThumbMetacarpal"}, {"thumb_2", "ThumbProximal"}, {"thumb_3", "ThumbDistal"}};
  static const std::vector<std::pair<std::string, std::string>> fingers = {
      {"index", "Index"}, {"middle", "Middle"}, {"ring", "Ring"}, {"little", "Little"}};
  for (const auto& [from, to] : middle)
    if (role == from) return to;
  for (const std::string side : {"left", "right"}) {
    if (!role.starts_with(side + "_")) continue;
    const std::string part = role.substr(side.size() + 1);
    for (const auto& [from, to] : sided)
      if (part == from) return side + to;
    for (const auto& [from, to] : fingers)
      for (const auto& [number, word] :
           {std::pair{"_1", "Proximal"}, std::pair{"_2", "Intermediate"}, std::pair{"_3", "Distal"}})
        if (part == from + number) return side + to + word;
  }
  return "";
}

}  // namespace

bool gather_parts(io::Asset& asset, Report& report) {
  Rig& rig = asset.character.rig;
  if (rig.skeleton.empty()) return false;
  const bool moved = gather_in_bind_pose(rig, binding_matrices(rig, report.warnings));
  if (moved)
    report.warn("rig.gathered", "",
                "Parts of the mesh lay in different poses and were brought into the one in which the skin with most "
                "vertices was bound.");
  return moved;
}

RiggedAsset apply_rigged(io::Asset asset, const rigging::Rigged& rigged, const RigSettings& settings, bool moved,
                         Report& report, const Progress& progress) {
  return Applier(std::move(asset), rigged, settings, moved, report, progress).run();
}

io::Humanoid humanoid_of(const Skeleton& skeleton, const std::string& name, std::vector<std::string>& missing) {
  io::Humanoid humanoid;
  humanoid.name = name.empty() ? "character" : name;
  const auto has = [&](const std::string& bone) {
    return std::any_of(humanoid.bones.begin(), humanoid.bones.end(), [&](const auto& b) { return b.first == bone; });
  };
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const std::string bone = vrm_bone(skeleton.joints[j].role); !bone.empty() && !has(bone))
      humanoid.bones.emplace_back(bone, j);
  for (const char* bone :
       {"hips", "spine", "head", "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm",
        "rightHand", "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg", "rightFoot"})
    if (!has(bone)) missing.emplace_back(bone);
  return humanoid;
}

std::string fitting_clip(const Skeleton& skeleton) {
  const std::vector<std::string> made = motion::builtin_clip_names(skeleton);
  for (const char* name : {"walk", "flap"})
    if (std::find(made.begin(), made.end(), name) != made.end()) return name;
  return "exercise";
}

}  // namespace sinew::pipeline
