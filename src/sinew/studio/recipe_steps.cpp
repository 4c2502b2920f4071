// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "sinew/core/error.h"
#include "sinew/io/gltf/remove_nodes.h"
#include "sinew/io/gltf/rotate_nodes.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/animate.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/bind_pinned.h"
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

/// `weights`, with the rows of `others` at the vertices of `pins`.
std::shared_ptr<const SkinWeights> with_rows_of(const SkinWeights& weights, const SkinWeights& others,
                                                const std::vector<binding::PinnedRow>& pins) {
  std::unordered_set<Index> chosen;
  for (const binding::PinnedRow& pin : pins) chosen.insert(pin.vertex);
  auto result = std::make_shared<SkinWeights>();
  result->reserve(weights.row_count(), weights.influence_count());
  for (Index v = 0; v < weights.row_count(); ++v) result->add_row(chosen.contains(v) ? others.row(v) : weights.row(v));
  return result;
}

/// `pins`: painted rows.
void apply_bind(const Json& step, Built& built, const std::vector<binding::PinnedRow>& pins, const Progress& progress) {
  pipeline::BindRequest request;
  OptionList(request).from_json(options_of(step));
  built.painted_vertices = pins.size();
  built.paint = pins.empty()                          ? Built::Paint::kNone
                : binding::takes_pins(request.method) ? Built::Paint::kSolved
                                                      : Built::Paint::kPutBack;
  const bool solved = built.paint == Built::Paint::kSolved;
  pipeline::BindingResult result = solved ? pipeline::bind(built.asset.character, request, pins, progress)
                                          : pipeline::bind(built.asset.character, request, progress);
  // What "automatic" means for a painted vertex does not depend on what was painted there.
  if (solved) {
    const SkinWeights plain = pipeline::bind(built.asset.character, request, progress).character.rig.weights;
    built.automatic = with_rows_of(result.character.rig.weights, plain, pins);
  }
  built.asset.character = std::move(result.character);
  built.save.changes.weights = true;
  if (result.skin_changes.any()) built.save.changes.skeleton = true;
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
  if (!solved) built.automatic = std::make_shared<const SkinWeights>(built.asset.character.rig.weights);
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

/// Painted weights or the joint of a piece, for a step that is applied for the first time or once more.
struct RowsAgain {
  const std::map<std::string, std::string>& renamed;  ///< Of joints, since the step.
  const std::unordered_set<Index>& free;              ///< Vertices that were reset since the step.
};

/// `again`: joints that are gone by now are left out; otherwise they are an error.
void apply_rows(const Json& step, Character& character, const std::optional<RowsAgain>& again = {}) {
  Rig& rig = character.rig;
  const auto find = [&](const Json& name) {
    if (!again) return joint_named(rig.skeleton, name);
    const std::string text = name.is_string() ? name.get<std::string>() : std::string();
    const auto now = again->renamed.find(text);
    return rig.skeleton.find(now == again->renamed.end() ? text : now->second);
  };
  std::vector<Index> locked;
  if (step.contains("lock"))
    for (const Json& name : step["lock"])
      if (const Index joint = find(name); joint != kNone) locked.push_back(joint);
  const auto put = [&](const Json& name, std::vector<Pin> pins) {
    const Index joint = find(name);
    if (joint == kNone) return;
    if (again) std::erase_if(pins, [&](const Pin& pin) { return again->free.contains(pin.vertex); });
    apply_pins(rig, joint, pins, locked, step.value("open", Json(false)) == true);
  };
  if (is_step(step, "piece")) {
    std::vector<Pin> pins;
    const std::vector<char> chosen = pipeline::vertices_of_word(character, step.at("what").get<std::string>());
    for (Index v = 0; v < chosen.size(); ++v)
      if (chosen[v] != 0) pins.push_back({v, 1.0F});
    put(step.at("joint"), std::move(pins));
  } else {
    put(step.at("joint"), pins_from_text(step.at("pins").get<std::string>()));
    if (const auto other = step.find("mirrored"); other != step.end())
      put(other->at("joint"), pins_from_text(other->at("pins").get<std::string>()));
  }
}

/// Vertices that were reset after a step.
std::unordered_set<Index> reset_after(const std::vector<const Json*>& steps, std::size_t at) {
  std::unordered_set<Index> free;
  for (std::size_t k = at + 1; k < steps.size(); ++k)
    if (is_step(*steps[k], "reset"))
      for (const Index vertex : vertices_from_text(steps[k]->at("vertices").get<std::string>())) free.insert(vertex);
  return free;
}

/// The rows of all painted vertices, as they were painted; the joints that were not painted share the rest as they do
/// now.
std::vector<binding::PinnedRow> painted_rows(const std::vector<const Json*>& before, const Built& built) {
  const Character& now = built.asset.character;
  std::set<Index> vertices;
  std::optional<Character> painted;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_step(*before[i], "paint")) continue;
    if (!painted) painted = now;
    const std::unordered_set<Index> free = reset_after(before, i);
    apply_rows(*before[i], *painted, RowsAgain{built.renamed, free});
    const auto add = [&](const Json& step) {
      for (const Pin& pin : pins_from_text(step.at("pins").get<std::string>()))
        if (!free.contains(pin.vertex)) vertices.insert(pin.vertex);
    };
    add(*before[i]);
    if (const auto other = before[i]->find("mirrored"); other != before[i]->end()) add(*other);
  }
  std::vector<binding::PinnedRow> pins;
  if (!painted) return pins;
  const SkinWeights weights = painted->rig.weights.normalized();
  for (const Index vertex : vertices) {
    const auto row = weights.row(vertex);
    if (!row.empty()) pins.push_back({vertex, {row.begin(), row.end()}});
  }
  return pins;
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

/// The options of `sinew skeleton`, whose preset is a name.
pipeline::SkeletonOptions skeleton_options(const Json& step) {
  pipeline::SkeletonOptions options;
  Json fields = options_of(step);
  if (const auto preset = fields.find("preset"); preset != fields.end()) {
    options.preset = preset->get<std::string>();
    fields.erase("preset");
  }
  OptionList(options).from_json(fields);
  return options;
}

/// What is known of placed joints, after a skeleton was edited.
void carry_placed(const std::vector<pipeline::JointNaming>& naming, Built& built) {
  const std::vector<PlacedJoint> before = std::move(built.placed);
  const Skeleton& skeleton = built.asset.character.rig.skeleton;
  const auto now = [&](Index j) { return j < naming.size() ? skeleton.find(naming[j].after) : kNone; };
  built.placed.assign(skeleton.size(), {});
  for (Index j = 0; j < before.size(); ++j) {
    const Index joint = now(j);
    if (joint == kNone) continue;
    built.placed[joint] = before[j];
    if (before[j].partner != kNone) built.placed[joint].partner = now(before[j].partner);
  }
}

/// Removes or adds joints, or gives them the names, the hierarchy and the axes of a preset. Joints that Sinew placed
/// keep what is known of them.
void apply_skeleton(const Json& step, Built& built, const Progress& progress) {
  const pipeline::SkeletonOptions options = skeleton_options(step);
  pipeline::SkeletonResult result = pipeline::edit_skeleton(std::move(built.asset.character), options);
  built.asset.character = std::move(result.character);
  Report report;
  if (built.asset.document) {
    io::remove_nodes(built.asset, result.removed_nodes, report);
    io::rotate_nodes(built.asset, result.rotated_nodes);
  }
  built.findings.insert(built.findings.end(), result.findings.begin(), result.findings.end());
  built.save.changes.skeleton = built.save.changes.weights = true;
  built.save.longer_clips.insert(built.save.longer_clips.end(), result.longer_clips.begin(), result.longer_clips.end());
  const Skeleton& skeleton = built.asset.character.rig.skeleton;
  if (built.rigged) carry_placed(result.naming, built);
  for (const pipeline::JointNaming& joint : result.naming) {
    if (joint.after == joint.before) continue;
    for (auto& entry : built.renamed)
      if (entry.second == joint.before) entry.second = joint.after;
    built.renamed[joint.before] = joint.after;
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
  apply_bind({{"do", "bind"}, {"options", {{"joints", names}}}}, built, {}, progress);
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
    apply_bind(step, built, painted_rows(before, built), progress);
    // Also after a solution with painted rows: smoothing and the limit of influences come after it.
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!is_step(*before[i], "paint") && !is_step(*before[i], "piece")) continue;
      const std::unordered_set<Index> free = reset_after(before, i);
      apply_rows(*before[i], built.asset.character, RowsAgain{built.renamed, free});
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
    apply_rows(step, built.asset.character);
    built.save.changes.weights = true;
  }
}

}  // namespace sinew::studio
