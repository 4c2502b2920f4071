// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/binding/binder.h"
#include "sinew/core/error.h"
#include "sinew/core/workable.h"
#include "sinew/io/cache.h"
#include "sinew/motion/bake_drivers.h"
#include "sinew/pipeline/bind_names.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/transfer_drivers.h"
#include "sinew/pipeline/transfer_morphs.h"
#include "sinew/transfer/joints/added_joints.h"
#include "sinew/transfer/joints/carry_clips.h"
#include "sinew/transfer/relation/relation.h"
#include "sinew/transfer/rows.h"

namespace sinew::pipeline {
namespace {

void append(Findings& all, const Findings& more) { all.insert(all.end(), more.begin(), more.end()); }

void check_target(const Character& target, bool has_skeleton, const TransferOptions& options) {
  if (target.rig.mesh.face_count() == 0) throw Error("The target has no mesh to give weights to.");
  if (options.only.empty()) return;
  if (!has_skeleton)
    throw Error("The target has no skeleton, so there are no weights to keep besides those of the option 'only'.");
  if (target.rig.weights.empty() || target.rig.weights.influence_count() == 0)
    throw Error("The target has no weights to keep besides those of the option 'only'. Omit that option.");
}

// The named joints of the reference with their helpers, per joint; empty if none is named.
std::vector<char> named_joints(const TransferReference& reference, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const Skeleton& skeleton = reference.skeleton();
  std::vector<char> named(skeleton.joints.size(), 0);
  for (const std::string& name : names) {
    const Index joint = skeleton.find(name);
    if (joint == kNone) throw unknown_joint(skeleton, name);
    named[joint] = 1;
  }
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index parent = skeleton.joints[j].parent;
        parent != kNone && named[parent] != 0 && reference.joints().helper[j] != 0)
      named[j] = 1;
  return named;
}

transfer::Placement placement_of(HelperTransfer helpers) {
  return helpers == HelperTransfer::kCopy ? transfer::Placement::kCopied : transfer::Placement::kScaled;
}

/// The joints that new weights are for, and the parts of the mesh that get them.
struct TargetJoints {
  Skeleton skeleton;
  std::vector<Mat4> frames;  // Of the skeleton, at binding.
  transfer::JointMap map;
  std::vector<Index> of_reference;  // Per joint of the reference: the same joint, or kNone.
  std::vector<Index> weight_to;     // Per joint of the reference: the joint that gets its weight.
  std::vector<std::string> added;
  std::optional<transfer::FitSummary> fit;
  std::vector<PartPlan> parts;
  ChosenParts chosen;
  Findings findings, notes;

  transfer::TransferBody body() const { return {chosen.mesh, skeleton, frames}; }
};

// Joints of the target that may have partners.
std::vector<char> counting_joints(const Rig& rig) {
  const Skeleton& skeleton = rig.skeleton;
  std::vector<char> counts(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) counts[j] = skeleton.joints[j].deforming ? 1 : 0;
  if (std::none_of(counts.begin(), counts.end(), [](char c) { return c != 0; })) counts.assign(counts.size(), 1);
  counts = joints_of_skin(skeleton, std::move(counts));
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex;
         part.skin != kNone && !rig.weights.empty() && v < part.first_vertex + part.vertex_count; ++v)
      for (const Influence& influence : rig.weights.row(v)) counts[influence.joint] = 1;
  return counts;
}

// Helpers, and with joints from the reference all that have weight; if joints are named, only those.
std::vector<char> joints_to_add(const TransferReference& reference, const TransferOptions& options,
                                const std::vector<char>& named) {
  const Skeleton& skeleton = reference.skeleton();
  const transfer::ReferenceJoints& joints = reference.joints();
  std::vector<char> wanted(skeleton.joints.size(), 0);
  for (Index j = skeleton.size(); j-- > 0;) {
    const bool helper = joints.helper[j] != 0;
    const bool requested =
        helper ? options.helpers != HelperTransfer::kNone : options.joints_from == JointsFrom::kReference;
    if (!named.empty() && named[j] == 0) continue;
    if (requested && joints.moves_skin[j] != 0) wanted[j] = 1;
    // The parent of a helper, if that is one too.
    if (const Index parent = skeleton.joints[j].parent;
        wanted[j] != 0 && helper && parent != kNone && joints.helper[parent] != 0)
      wanted[parent] = 1;
  }
  return wanted;
}

// Helpers of the reference that the target has already, by name: its joint, or kNone.
std::vector<Index> existing_helpers(const TransferReference& reference, const Skeleton& target,
                                    const std::vector<char>& wanted) {
  std::vector<Index> existing(wanted.size(), kNone);
  const std::vector<char> own = transfer::helper_joints(target);
  for (Index j = 0; j < wanted.size(); ++j) {
    if (wanted[j] == 0 || reference.joints().helper[j] == 0) continue;
    const Index same = target.find(reference.skeleton().joints[j].name);
    if (same != kNone && own[same] != 0) existing[j] = same;
  }
  return existing;
}

// Weight of a helper that the target lacks goes to what it helps, other weight as the map says.
std::vector<Index> weight_receivers(const TransferReference& reference, const std::vector<Index>& of_reference,
                                    const transfer::JointMap& map) {
  std::vector<Index> receivers;
  for (Index j = 0; j < of_reference.size(); ++j) {
    Index above = j;
    while (above != kNone && of_reference[above] == kNone && reference.joints().helper[above] != 0)
      above = reference.skeleton().joints[above].parent;
    receivers.push_back(above != kNone && of_reference[above] != kNone ? of_reference[above]
                                                                       : map.heir[above == kNone ? j : above]);
  }
  return receivers;
}

std::vector<char> paired_joints(const TransferReference& reference, const transfer::Correspondence& correspondence) {
  std::vector<char> paired(reference.skeleton().joints.size(), 0);
  for (const transfer::JointPair& pair : correspondence.pairs) paired[pair.reference] = 1;
  return paired;
}

// Joints to be added that others drive: helpers, and joints between two that have partners, such as the second half of
// a split bone.
std::vector<char> joints_to_drive(const TransferReference& reference, const std::vector<char>& wanted,
                                  const transfer::Correspondence& correspondence) {
  const Skeleton& skeleton = reference.skeleton();
  const std::vector<char> paired = paired_joints(reference, correspondence);
  std::vector<char> above(wanted.size(), 0), below(wanted.size(), 0), drive(wanted.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index parent = skeleton.joints[j].parent; parent != kNone)
      above[j] = above[parent] != 0 || paired[parent] != 0 ? 1 : 0;
  for (Index j = skeleton.size(); j-- > 0;)
    if (const Index parent = skeleton.joints[j].parent; parent != kNone && (below[j] != 0 || paired[j] != 0))
      below[parent] = 1;
  for (Index j = 0; j < skeleton.size(); ++j)
    drive[j] =
        wanted[j] != 0 && paired[j] == 0 && (reference.joints().helper[j] != 0 || (above[j] != 0 && below[j] != 0));
  return drive;
}

TargetJoints matched_joints(const TransferReference& reference, const Rig& rig, const TransferOptions& options,
                            const std::vector<char>& named) {
  TargetJoints result;
  const std::vector<Mat4> frames = binding_matrices(rig, result.findings);
  const std::vector<char> counts = counting_joints(rig);
  result.parts = plan_parts(rig, counts);
  result.chosen = chosen_parts(rig.mesh, result.parts);
  if (result.chosen.vertices.empty())
    throw Error(
        "Every part of the target's mesh is attached rigidly to a joint, so there is nothing to give weights to.");
  const transfer::TransferBody target{result.chosen.mesh, rig.skeleton, frames};
  result.map = transfer::map_joints(
      reference.body(), reference.joints().primary, target,
      transfer::primary_joints(rig.skeleton, counts, transfer::helper_joints(rig.skeleton)), options.map);
  append(result.findings, result.map.warnings);

  std::vector<char> wanted = joints_to_add(reference, options, named);
  const std::vector<Index> existing = existing_helpers(reference, rig.skeleton, wanted);
  for (Index j = 0; j < wanted.size(); ++j)
    if (existing[j] != kNone) wanted[j] = 0;
  const Skeleton driven = with_learned_drivers(reference, joints_to_drive(reference, wanted, result.map.correspondence),
                                               paired_joints(reference, result.map.correspondence), result.findings);
  const transfer::TransferBody source{reference.body().mesh, driven, reference.body().joints};
  transfer::AddedJoints added =
      transfer::add_joints(source, target, result.map.correspondence, wanted, placement_of(options.helpers));
  append(result.findings, added.warnings);
  result.of_reference = std::move(added.of_reference);
  for (Index j = 0; j < existing.size(); ++j)
    if (existing[j] != kNone) result.of_reference[j] = existing[j];
  result.skeleton = std::move(added.skeleton);
  result.frames = std::move(added.joints);
  for (Index j = rig.skeleton.size(); j < result.skeleton.size(); ++j) {
    result.added.push_back(result.skeleton.joints[j].name);
    result.skeleton.joints[j].source = kNone;
  }
  result.weight_to = weight_receivers(reference, result.of_reference, result.map);
  return result;
}

TargetJoints fitted_joints(TransferReference& reference, const Rig& rig, const transfer::Relation& relation,
                           const TransferOptions& options, const Progress& progress) {
  const bool helpers = options.helpers != HelperTransfer::kNone;
  TargetJoints result;
  const Skeleton driven =
      helpers && !relation.same_place()
          ? with_learned_drivers(reference, reference.joints().helper,
                                 std::vector<char>(reference.skeleton().joints.size(), 1), result.findings)
          : reference.skeleton();
  transfer::SkeletonFit fit =
      transfer::fit_skeleton({reference.body().mesh, driven, reference.body().joints}, reference.joints(), rig.mesh,
                             {placement_of(options.helpers), helpers, &relation}, reference.plans(), progress);
  append(result.findings, fit.findings);
  result.notes = std::move(fit.notes);
  result.map = std::move(fit.map);
  result.skeleton = std::move(fit.skeleton);
  result.frames = std::move(fit.joints);
  result.of_reference = std::move(fit.of_reference);
  result.fit = std::move(fit.summary);
  result.parts.assign(rig.mesh.parts.size(), {});
  result.chosen = chosen_parts(rig.mesh, result.parts);
  for (Index j = 0; j < result.of_reference.size(); ++j) {
    Index above = j;
    // Helpers that shall have no weight leave it to what they help.
    while (above != kNone &&
           (result.of_reference[above] == kNone || (!helpers && reference.joints().helper[above] != 0)))
      above = reference.skeleton().joints[above].parent;
    result.weight_to.push_back(above == kNone ? result.map.joints.front().target : result.of_reference[above]);
  }
  return result;
}

std::vector<UnmatchedJoint> unmatched_joints(const TransferReference& reference, const TargetJoints& joints) {
  std::vector<UnmatchedJoint> unmatched;
  for (const Index j : joints.map.reference_alone)
    if (reference.joints().moves_skin[j] != 0 && joints.of_reference[j] == kNone)
      unmatched.push_back({j, joints.weight_to[j]});
  return unmatched;
}

SkinWeights rows_of(const SkinWeights& weights, const std::vector<Index>& vertices) {
  SkinWeights rows;
  for (const Index v : vertices)
    if (!weights.empty()) rows.add_row(weights.row(v));
    else rows.add_row({});
  return rows;
}

// Whether a row says what moves its vertex; one with a weight that is not finite does not.
bool is_weighted(std::span<const Influence> row) {
  const auto finite = [](const Influence& influence) { return std::isfinite(influence.weight); };
  const auto positive = [](const Influence& influence) { return influence.weight > 0; };
  return std::all_of(row.begin(), row.end(), finite) && std::any_of(row.begin(), row.end(), positive);
}

struct RowChoice {
  SkinWeights rows;
  Index count = 0;
};

// Only the rows' shares of named joints are new; counts the rows that differ.
RowChoice rows_of_named_joints(const SkinWeights& made, const SkinWeights& before, const TargetJoints& joints,
                               const std::vector<char>& named, int limit) {
  std::vector<char> taken(joints.skeleton.joints.size(), 0);
  for (Index j = 0; j < joints.weight_to.size(); ++j)
    if (named[j] != 0) taken[joints.weight_to[j]] = 1;
  RowChoice choice{transfer::blended_rows(made, before, taken, limit), 0};
  for (Index i = 0; i < made.row_count(); ++i) {
    const auto a = choice.rows.row(i), b = before.row(i);
    choice.count += std::equal(a.begin(), a.end(), b.begin(), b.end()) ? 0 : 1;
  }
  return choice;
}

// Rows that were weighted before stay; counts them.
RowChoice rows_with_existing(const SkinWeights& made, const SkinWeights& before) {
  RowChoice choice;
  choice.rows.reserve(made.row_count(), made.influence_count());
  for (Index i = 0; i < made.row_count(); ++i) {
    const bool keep = is_weighted(before.row(i));
    choice.rows.add_row(keep ? before.row(i) : made.row(i));
    choice.count += keep ? 1 : 0;
  }
  return choice;
}

// Joints that a skin lists whether or not a vertex has their weight, so that all levels of detail list the same.
std::vector<char> listed_joints(const TransferReference& reference, const TargetJoints& joints) {
  std::vector<char> listed(joints.skeleton.joints.size(), 0);
  if (joints.fit) {
    for (const Index j : reference.skin_order())
      if (joints.of_reference[j] != kNone) listed[joints.of_reference[j]] = 1;
    return listed;
  }
  for (const transfer::MappedJoint& joint : joints.map.joints) listed[joint.target] = 1;
  for (Index j = 0; j < joints.of_reference.size(); ++j)
    if (joints.of_reference[j] != kNone && reference.joints().moves_skin[j] != 0) listed[joints.of_reference[j]] = 1;
  return listed;
}

// Adds joints to the skins of the parts that get weights. Returns whether any was missing.
bool list_in_skins(Rig& rig, const TargetJoints& joints, const std::vector<char>& listed) {
  bool changed = false;
  std::vector<char> used(rig.skins.size(), 0);
  for (std::size_t p = 0; p < joints.parts.size(); ++p)
    if (joints.parts[p].treatment == PartTreatment::kBind && rig.mesh.parts[p].skin != kNone)
      used[rig.mesh.parts[p].skin] = 1;
  for (std::size_t s = 0; s < used.size(); ++s) {
    if (used[s] == 0) continue;
    Skin& skin = rig.skins[s];
    for (Index j = 0; j < listed.size(); ++j) {
      if (listed[j] == 0 || std::find(skin.joints.begin(), skin.joints.end(), j) != skin.joints.end()) continue;
      const Mat4 inverse = joints.frames[j].inverse();
      if (!inverse.allFinite()) continue;
      skin.joints.push_back(j);
      skin.inverse_bind.push_back(inverse);
      rig.skeleton.joints[j].deforming = true;
      changed = true;
    }
  }
  return changed;
}

// One skin for all parts, with joints in the reference's order.
void set_single_skin(Rig& rig, const TransferReference& reference, const TargetJoints& joints) {
  Skin skin;
  skin.name = "skin";
  for (const Index j : reference.skin_order()) {
    const Index own = joints.of_reference[j];
    if (own == kNone) continue;
    skin.joints.push_back(own);
    skin.inverse_bind.push_back(joints.frames[own].inverse());
  }
  rig.skins = {std::move(skin)};
  for (MeshPart& part : rig.mesh.parts) part.skin = 0, part.joint = kNone;
}

// Puts joints and rows into a rig. Returns whether joints or skins differ from before.
bool apply(Rig& rig, const TransferReference& reference, const TargetJoints& joints, const SkinWeights& rows) {
  bool changed = joints.fit.has_value() || joints.skeleton.size() > rig.skeleton.size();
  rig.skeleton = joints.skeleton;
  const std::vector<char> listed = listed_joints(reference, joints);
  if (joints.fit) set_single_skin(rig, reference, joints);
  else if (list_in_skins(rig, joints, listed)) changed = true;
  return put_weights(rig, joints.parts, joints.chosen.vertices, rows, joints.frames, listed).any() || changed;
}

Vec3 landmark_position(const Mesh& mesh, const LandmarkPlace& place, const std::string& name, const char* whose) {
  if (place.vertex == kNone) return place.position;
  if (place.vertex >= mesh.vertex_count())
    throw Error(fmt::format("The landmark '{}' is vertex {}, but the {} has {} vertices.", name, place.vertex, whose,
                            mesh.vertex_count()));
  return mesh.positions[place.vertex];
}

std::vector<transfer::LandmarkPair> landmark_pairs(const TransferReference& reference, const Mesh& target,
                                                   const std::vector<GivenLandmark>& given) {
  std::vector<transfer::LandmarkPair> pairs;
  for (const GivenLandmark& one : given)
    pairs.push_back({one.name, landmark_position(reference.character().rig.mesh, one.reference, one.name, "reference"),
                     landmark_position(target, one.target, one.name, "target")});
  return pairs;
}

SkinWeights bound_anew(const Mesh& mesh, const Rig& rig, const std::vector<Mat4>& frames,
                       const std::vector<char>& bound, const Progress& progress) {
  const Skeleton skeleton = with_leaf_ends(rig, frames, bound);
  return binding::bind(MethodChoice(binding::binders(), "auto"), {mesh, skeleton, frames, bound}, {}, progress).weights;
}

// The user's cache; without one nothing is kept.
transfer::PreparedStore prepared_store() {
  const std::optional<io::Cache> cache = io::Cache::of_user();
  return {.load = [cache](const std::string& key) -> std::optional<std::vector<std::byte>> {
            if (!cache) return std::nullopt;
            if (auto bytes = cache->load(key)) return std::vector<std::byte>(bytes->begin(), bytes->end());
            return std::nullopt;
          },
          .store =
              [cache](const std::string& key, std::span<const std::byte> bytes) {
                if (cache) cache->store(key, bytes);
              }};
}

// Carries the reference's clips over, under names that are new. Returns their numbers.
std::vector<Index> carry_clips(Character& character, const TransferReference& reference, const TargetJoints& joints) {
  std::vector<Index> numbers;
  const transfer::TransferBody target{joints.chosen.mesh, character.rig.skeleton, joints.frames};
  for (const Clip& clip : reference.character().clips) {
    Clip carried =
        transfer::carried_clip(clip, reference.body(), target, joints.map.correspondence, joints.of_reference);
    if (carried.tracks.empty()) continue;
    const auto taken = [&](const std::string& name) {
      return std::any_of(character.clips.begin(), character.clips.end(),
                         [&](const Clip& other) { return other.name == name; });
    };
    for (int number = 2; taken(carried.name); ++number) carried.name = fmt::format("{}_{}", clip.name, number);
    motion::bake_drivers(character.rig, carried);
    numbers.push_back(static_cast<Index>(character.clips.size()));
    character.clips.push_back(std::move(carried));
  }
  return numbers;
}

}  // namespace

TransferResult transfer(TransferReference& reference, const Character& target, const TransferOptions& options,
                        const Progress& progress, const StageListener& on_stage) {
  const auto check = [](const Character& character, const char* which) {
    if (character.rig.mesh.face_count() == 0) return;  // Refused below, in better words.
    if (const auto found = unworkable(character.rig))
      throw Error(fmt::format("The {} cannot be used. {}{}", which, found->where.empty() ? "" : found->where + ": ",
                              found->text));
  };
  check(reference.character(), "reference");
  check(target, "target");
  const auto begin = [&](const char* stage) {
    if (on_stage) on_stage(stage);
  };
  TransferOptions checked = options;
  OptionList(checked).validate();
  const bool has_skeleton = has_rig(target);
  check_target(target, has_skeleton, options);
  const std::vector<char> named = named_joints(reference, options.only);
  TransferResult result;
  result.character = target;
  if (!has_skeleton) remove_rig(result.character);
  Rig& rig = result.character.rig;

  begin(has_skeleton ? "map" : "skeleton");
  progress.step(has_skeleton ? "matching joints" : "fitting the skeleton", 0.1);
  std::optional<transfer::Relation> relation;
  if (!has_skeleton) relation = transfer::relate(reference.body().mesh, rig.mesh);
  TargetJoints joints = has_skeleton ? matched_joints(reference, rig, options, named)
                                     : fitted_joints(reference, rig, *relation, options, progress);
  append(result.findings, joints.findings);
  append(result.notes, joints.notes);
  result.unmatched = unmatched_joints(reference, joints);

  progress.step("transferring weights", 0.4);
  const transfer::TransferBody body = joints.body();
  const std::vector<transfer::LandmarkPair> landmarks = landmark_pairs(reference, rig.mesh, options.landmarks);
  const transfer::PreparedStore store = prepared_store();
  transfer::TransferInput input{reference.body(),   body,     joints.map.correspondence,
                                &reference.cache(), on_stage, relation ? &*relation : nullptr,
                                &landmarks,         &store};
  input.weight_to = &joints.weight_to;
  input.bind_reference = [&](const Progress& p) {
    return bound_anew(reference.body().mesh, reference.character().rig, reference.body().joints,
                      reference.joints().moves_skin, p);
  };
  // As the command bind does it: only joints that the target itself binds to, and not those that were added.
  if (has_skeleton)
    input.bind_target = [&](const Progress& p) {
      Findings told;
      const binding::Subject own = bind_subject(rig, {}, told);
      return bound_anew(joints.chosen.mesh, rig, own.joints, own.bound, p);
    };
  result.weights = transfer::transfer(options.method, input, options.weights, progress);
  // A method that uses landmarks names those it used.
  if (!landmarks.empty() && !result.weights.metrics.contains("landmarks"))
    throw Error(fmt::format("The method '{}' does not use landmarks. Omit them, or choose the method 'biharmonic'.",
                            options.method.id()));
  append(result.findings, result.weights.warnings);
  result.fallbacks = result.weights.fallbacks;

  begin("rows");
  SkinWeights rows = result.weights.target_rows.empty()
                         ? transfer::with_joints(result.weights.weights, joints.weight_to)
                         : result.weights.target_rows;
  const SkinWeights before = rows_of(rig.weights, joints.chosen.vertices);
  if (!named.empty()) {
    RowChoice choice = rows_of_named_joints(rows, before, joints, named, options.weights.influence_limit());
    rows = std::move(choice.rows);
    result.changed_vertices = choice.count;
  }
  if (options.keep_existing) {
    RowChoice choice = rows_with_existing(rows, before);
    rows = std::move(choice.rows);
    result.kept_vertices = choice.count;
  }
  result.skeleton_changed = apply(rig, reference, joints, rows);

  if (options.morphs) {
    begin("morphs");
    if (!(relation ? *relation : transfer::relate(reference.body().mesh, body.mesh)).same_place())
      throw Error(
          "Morphs can be carried over only to a target that lies on the reference's body, such as a garment. Omit the "
          "option 'morphs'.");
    result.new_morphs = carry_morphs(reference, result.character, result.findings);
  }
  if (options.clips) {
    begin("clips");
    progress.step("carrying clips", 0.8);
    result.new_clips = carry_clips(result.character, reference, joints);
  }
  result.joints = std::move(joints.map);
  result.joint_of_reference = std::move(joints.of_reference);
  result.added_joints = std::move(joints.added);
  result.fit = std::move(joints.fit);
  result.vertices = std::move(joints.chosen.vertices);
  return result;
}

TransferResult transfer(const Character& reference, const Character& target, const TransferOptions& options,
                        const Progress& progress, const StageListener& on_stage) {
  TransferReference prepared(reference);
  TransferResult result = transfer(prepared, target, options, progress, on_stage);
  result.findings.insert(result.findings.begin(), prepared.findings().begin(), prepared.findings().end());
  return result;
}

}  // namespace sinew::pipeline
