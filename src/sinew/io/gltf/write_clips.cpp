// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

const char* path_word(Track::Path path) {
  switch (path) {
    case Track::Path::kTranslation:
      return "translation";
    case Track::Path::kRotation:
      return "rotation";
    case Track::Path::kScale:
      return "scale";
    case Track::Path::kMorphWeights:
      return "weights";
  }
  return "";
}

const char* interpolation_word(Track::Interpolation interpolation) {
  switch (interpolation) {
    case Track::Interpolation::kStep:
      return "STEP";
    case Track::Interpolation::kLinear:
      return "LINEAR";
    case Track::Interpolation::kCubic:
      return "CUBICSPLINE";
  }
  return "";
}

// Makes samplers of tracks; those with the same keys share one accessor of times.
class SamplerMaker {
 public:
  explicit SamplerMaker(DocumentEditor& editor) : editor_(editor) {}

  Json make(const Track& track) {
    Index input = kNone;
    for (const auto& [keys, accessor] : times_)
      if (*keys == track.times_s) input = accessor;
    if (input == kNone) {
      input = editor_.add_accessor(float_elements(track.times_s, "SCALAR", 0, true));
      times_.emplace_back(&track.times_s, input);
    }
    const char* type = track.path == Track::Path::kMorphWeights ? "SCALAR"
                       : track.path == Track::Path::kRotation   ? "VEC4"
                                                                : "VEC3";
    const Index output = editor_.add_accessor(float_elements(track.values, type, 0, false));
    return {{"input", input}, {"interpolation", interpolation_word(track.interpolation)}, {"output", output}};
  }

 private:
  DocumentEditor& editor_;
  std::vector<std::pair<const std::vector<float>*, Index>> times_;
};

Json track_target(const Track& track, const std::vector<PartSource>& parts, const std::vector<Index>& node_of_joint) {
  const Index node = track.path == Track::Path::kMorphWeights ? parts[track.target].node : node_of_joint[track.target];
  return {{"node", node}, {"path", path_word(track.path)}};
}

// The channel that moves what a track moves, or null. Extensions may target other things; those are no match.
Json* channel_of(Json& channels, const Json& target) {
  for (Json& channel : channels) {
    const auto found = channel.find("target");
    if (found != channel.end() && found->is_object() && found->value("node", Json()) == target["node"] &&
        found->value("path", Json()) == target["path"])
      return &channel;
  }
  return nullptr;
}

std::size_t sampler_uses(const Json& channels, const Json& sampler) {
  std::size_t uses = 0;
  for (const Json& channel : channels) uses += channel.value("sampler", Json()) == sampler;
  return uses;
}

// A channel for the same node and path gives way; its sampler too, if no other channel has it.
void put_track(Json& animation, Json sampler, Json target) {
  Json& channels = animation["channels"];
  Json& samplers = animation["samplers"];
  Json* old = channel_of(channels, target);
  if (old && sampler_uses(channels, (*old)["sampler"]) == 1) {
    samplers[(*old)["sampler"].get<std::size_t>()] = std::move(sampler);
    return;
  }
  const std::size_t number = samplers.size();
  samplers.push_back(std::move(sampler));
  if (old) (*old)["sampler"] = number;
  else channels.push_back({{"sampler", number}, {"target", std::move(target)}});
}

}  // namespace

void write_clips(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                 const std::vector<Index>& node_of_joint) {
  for (const Clip& clip : asset.character.clips) {
    Json animation = {{"name", clip.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
    SamplerMaker maker(editor);
    for (const Track& track : clip.tracks) {
      animation["channels"].push_back(
          {{"sampler", animation["samplers"].size()}, {"target", track_target(track, parts, node_of_joint)}});
      animation["samplers"].push_back(maker.make(track));
    }
    if (!clip.tracks.empty()) editor.list("animations").push_back(std::move(animation));
  }
}

void write_some_clips(DocumentEditor& editor, const Asset& asset, const std::vector<Index>& clips,
                      const std::vector<PartSource>& parts, const std::vector<Index>& node_of_joint) {
  Asset carrier;
  for (const Index clip : clips) {
    carrier.character.clips.push_back(asset.character.clips[clip]);
    for (const Track& track : asset.character.clips[clip].tracks)
      if (track.path != Track::Path::kMorphWeights && node_of_joint[track.target] != kNone)
        make_animatable(editor.list("nodes")[node_of_joint[track.target]],
                        asset.character.rig.skeleton.joints[track.target]);
  }
  write_clips(editor, carrier, parts, node_of_joint);
}

void write_longer_clips(DocumentEditor& editor, const Asset& asset,
                        const std::vector<std::pair<Index, std::size_t>>& clips, const std::vector<PartSource>& parts,
                        const std::vector<Index>& node_of_joint) {
  for (const auto& [number, first] : clips) {
    // Clips are read one for each animation, in their order, whether anything in it can be shown or not.
    if (number >= asset.character.clips.size() || number >= editor.list("animations").size())
      throw Error(fmt::format("The file has no animation {} to which channels could be added.", number));
    const Clip& clip = asset.character.clips[number];
    SamplerMaker maker(editor);
    for (std::size_t t = first; t < clip.tracks.size(); ++t) {
      const Track& track = clip.tracks[t];
      Json target = track_target(track, parts, node_of_joint);
      if (target["node"] == kNone)
        throw Error(fmt::format("The clip '{}' moves the joint '{}', which the file does not have.", clip.name,
                                asset.character.rig.skeleton.joints[track.target].name));
      if (track.path != Track::Path::kMorphWeights)
        make_animatable(editor.list("nodes")[node_of_joint[track.target]],
                        asset.character.rig.skeleton.joints[track.target]);
      Json sampler = maker.make(track);
      put_track(editor.list("animations")[number], std::move(sampler), std::move(target));
    }
  }
}

}  // namespace sinew::io::gltf
