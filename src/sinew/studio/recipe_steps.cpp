// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_set>

#include "sinew/core/error.h"
#include "sinew/io/gltf/remove_nodes.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/animate.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/pipeline/edit_skeleton.h"
#include "sinew/pipeline/edit_weights.h"
#include "sinew/studio/clip_edit.h"
#include "sinew/studio/pins.h"

namespace sinew::studio {
namespace {

/// Where weights came from, and how sure they are.
void note_origins(const pipeline::BindingResult& result, Built& built) {
  const std::size_t count = built.asset.character.rig.mesh.positions.size();
  built.origin.assign(count, 0);
  built.sureness.assign(count, 1);
  built.origins.clear();
  for (const binding::BindResult::Origin& origin : result.rows.origins)
    built.origins.push_back(origin.method + ": " + origin.reason);
  for (std::size_t i = 0; i < result.vertices.size(); ++i) {
    if (i < result.rows.origin.size()) built.origin[result.vertices[i]] = result.rows.origin[i];
    if (i < result.rows.confidence.size()) built.sureness[result.vertices[i]] = result.rows.confidence[i];
  }
}

void apply_bind(const Json& step, Built& built, const Progress& progress) {
  pipeline::BindRequest request;
  OptionList(request).from_json(options_of(step));
  pipeline::BindingResult result = pipeline::bind(built.asset.character, request, progress);
  built.asset.character = std::move(result.character);
  built.save.changes.weights = true;
  if (result.skin_changes.any()) built.save.changes.skeleton = true;
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
  built.automatic = std::make_shared<const SkinWeights>(built.asset.character.rig.weights);
  note_origins(result, built);
}

void apply_edit(const Json& step, Built& built, const Progress& progress) {
  pipeline::EditWeightsOptions options;
  OptionList(options).from_json(options_of(step));
  pipeline::EditWeightsResult result = pipeline::edit_weights(built.asset.character, options, progress);
  built.asset.character = std::move(result.character);
  built.save.changes.weights = true;
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
}

Index joint_named(const Skeleton& skeleton, const Json& name) {
  const Index joint = name.is_string() ? skeleton.find(name.get<std::string>()) : kNone;
  if (joint == kNone) throw Error(fmt::format("The skeleton has no joint {}.", name.dump()));
  return joint;
}

std::vector<Index> vertices_from_text(const std::string& text) {
  const io::Bytes bytes = io::base64_decode(text);
  if (bytes.size() % sizeof(Index) != 0) throw Error("The vertices of a step are incomplete.");
  std::vector<Index> vertices(bytes.size() / sizeof(Index));
  std::memcpy(vertices.data(), bytes.data(), bytes.size());
  return vertices;
}

/// Applies painted weights or the joint of a piece, but not to `free` vertices, which were reset later.
void apply_rows(const Json& step, Built& built, const std::unordered_set<Index>& free = {}) {
  Rig& rig = built.asset.character.rig;
  std::vector<Index> locked;
  if (step.contains("lock"))
    for (const Json& name : step["lock"]) locked.push_back(joint_named(rig.skeleton, name));
  const auto put = [&](const Json& joint, std::vector<Pin> pins) {
    std::erase_if(pins, [&](const Pin& pin) { return free.contains(pin.vertex); });
    apply_pins(rig, joint_named(rig.skeleton, joint), pins, locked, step.value("open", Json(false)) == true);
  };
  if (is_step(step, "piece")) {
    std::vector<Pin> pins;
    const std::vector<char> chosen =
        pipeline::vertices_of_word(built.asset.character, step.at("what").get<std::string>());
    for (Index v = 0; v < chosen.size(); ++v)
      if (chosen[v] != 0) pins.push_back({v, 1.0F});
    put(step.at("joint"), std::move(pins));
  } else {
    put(step.at("joint"), pins_from_text(step.at("pins").get<std::string>()));
    if (const auto other = step.find("mirrored"); other != step.end())
      put(other->at("joint"), pins_from_text(other->at("pins").get<std::string>()));
  }
  built.save.changes.weights = true;
}

/// Gives vertices the weights back that they had before anything was painted.
void apply_reset(const Json& step, Built& built) {
  Rig& rig = built.asset.character.rig;
  if (!built.automatic || built.automatic->row_count() != rig.weights.row_count())
    throw Error("There are no computed weights to go back to. Compute weights first.");
  const std::vector<Index> vertices = vertices_from_text(step.at("vertices").get<std::string>());
  const std::unordered_set<Index> chosen(vertices.begin(), vertices.end());
  SkinWeights result;
  result.reserve(rig.weights.row_count(), rig.weights.influence_count());
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    result.add_row(chosen.contains(v) ? built.automatic->row(v) : rig.weights.row(v));
  rig.weights = std::move(result);
  built.save.changes.weights = true;
}

/// Removes or adds joints. Joints that Sinew placed keep what is known of them.
void apply_skeleton(const Json& step, Built& built, const Progress& progress) {
  pipeline::SkeletonOptions options;
  OptionList(options).from_json(options_of(step));
  std::map<std::string, PlacedJoint> placed;
  std::map<std::string, std::string> partners;
  const Skeleton before = built.asset.character.rig.skeleton;
  for (Index j = 0; j < built.placed.size(); ++j) {
    placed[before.joints[j].name] = built.placed[j];
    if (built.placed[j].partner != kNone) partners[before.joints[j].name] = before.joints[built.placed[j].partner].name;
  }
  pipeline::SkeletonResult result = pipeline::edit_skeleton(std::move(built.asset.character), options);
  built.asset.character = std::move(result.character);
  Report report;
  if (built.asset.document) io::remove_nodes(built.asset, result.removed_nodes, report);
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
  built.save.changes.skeleton = built.save.changes.weights = true;
  built.save.longer_clips.insert(built.save.longer_clips.end(), result.longer_clips.begin(), result.longer_clips.end());
  const Skeleton& skeleton = built.asset.character.rig.skeleton;
  if (built.rigged) {
    built.placed.assign(skeleton.size(), {});
    for (Index j = 0; j < skeleton.size(); ++j) {
      const auto known = placed.find(skeleton.joints[j].name);
      if (known == placed.end()) continue;
      built.placed[j] = known->second;
      const auto partner = partners.find(skeleton.joints[j].name);
      built.placed[j].partner = partner == partners.end() ? kNone : skeleton.find(partner->second);
    }
  }
  if (options.add.empty()) {
    built.automatic = std::make_shared<const SkinWeights>(built.asset.character.rig.weights);
    return;
  }
  // New joints move nothing yet: weights are computed for them and for all joints that moved the skin before.
  Json names = Json::array();
  for (const Joint& joint : skeleton.joints)
    if (joint.deforming) names.push_back(joint.name);
  for (const auto& entry : options.add) names.push_back(entry.first.substr(0, entry.first.find('@')));
  apply_bind({{"do", "bind"}, {"options", {{"joints", names}}}}, built, progress);
}

/// A name that no clip has.
std::string free_name(const Character& character, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(character.clips.begin(), character.clips.end(), [&](const Clip& c) { return c.name == name; });
  };
  std::string name = wanted;
  for (int number = 2; taken(name); ++number) name = fmt::format("{} {}", wanted, number);
  return name;
}

/// A clip of another file, retargeted.
void apply_clip_of_file(const Json& step, Built& built, const FileFinder& files, const Progress& progress) {
  const std::string name = step["file"].get<std::string>(), wanted = step.at("name").get<std::string>();
  const std::filesystem::path path = files ? files(name) : std::filesystem::path();
  if (path.empty())
    throw Error(fmt::format("The recipe uses clips of {}, which was not found. Put it beside the recipe.", name));
  const io::Asset source = io::load(path, {}, progress);
  if (source.files.empty() || source.files.front().sha256 != step.at("sha256"))
    throw Error(fmt::format("The recipe was made with another file {}: their contents differ.", name));
  const std::vector<Clip>& clips = source.character.clips;
  const auto clip = std::find_if(clips.begin(), clips.end(), [&](const Clip& c) { return c.name == wanted; });
  if (clip == clips.end()) throw Error(fmt::format("{} has no clip '{}'.", name, wanted));
  pipeline::AnimateOptions options;
  OptionList(options).from_json(options_of(step));
  Character& character = built.asset.character;
  const pipeline::AnimateResult result = pipeline::animate(character, source.character, *clip, options);
  built.save.new_clips.push_back(result.clip);
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
}

void apply_clip(const Json& step, Built& built, const FileFinder& files, const Progress& progress) {
  if (step.contains("file")) return apply_clip_of_file(step, built, files, progress);
  Character& character = built.asset.character;
  const std::string name = step.at("name").get<std::string>();
  const auto own = std::find_if(character.clips.begin(), character.clips.end(),
                                [&](const Clip& other) { return other.name == name; });
  const ClipChange change = clip_change(options_of(step));
  if (own != character.clips.end() && !change.any()) return;
  Clip clip = own != character.clips.end() ? *own : motion::builtin_clip(character.rig.skeleton, name);
  if (change.any()) clip = changed_clip(character.rig, clip, change);
  clip.name = free_name(character, name);
  built.save.new_clips.push_back(static_cast<Index>(character.clips.size()));
  character.clips.push_back(std::move(clip));
}

}  // namespace

const Json& options_of(const Json& step) {
  static const Json none = Json::object();
  const auto found = step.find("options");
  return found == step.end() ? none : *found;
}

bool is_step(const Json& step, const char* kind) { return step.at("do") == kind; }

void apply_step(const Json& step, const std::vector<const Json*>& before, Built& built, const FileFinder& files,
                const Progress& progress) {
  built.changed = true;
  if (is_step(step, "bind")) {
    apply_bind(step, built, progress);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!is_step(*before[i], "paint") && !is_step(*before[i], "piece")) continue;
      std::unordered_set<Index> free;
      for (std::size_t k = i + 1; k < before.size(); ++k)
        if (is_step(*before[k], "reset"))
          for (const Index vertex : vertices_from_text(before[k]->at("vertices").get<std::string>()))
            free.insert(vertex);
      apply_rows(*before[i], built, free);
    }
  } else if (is_step(step, "weights")) {
    apply_edit(step, built, progress);
  } else if (is_step(step, "clip")) {
    apply_clip(step, built, files, progress);
  } else if (is_step(step, "reset")) {
    apply_reset(step, built);
  } else if (is_step(step, "skeleton")) {
    apply_skeleton(step, built, progress);
  } else {
    apply_rows(step, built);
  }
}

}  // namespace sinew::studio
