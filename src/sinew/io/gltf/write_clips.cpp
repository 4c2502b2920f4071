// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

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

}  // namespace

void write_clips(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                 const std::vector<Index>& node_of_joint) {
  for (const Clip& clip : asset.character.clips) {
    Json animation = {{"name", clip.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
    // Tracks with the same keys share one accessor of times.
    std::vector<std::pair<const std::vector<float>*, Index>> times;
    for (const Track& track : clip.tracks) {
      Index input = kNone;
      for (const auto& [keys, accessor] : times)
        if (*keys == track.times_s) input = accessor;
      if (input == kNone) {
        input = editor.add_accessor(float_elements(track.times_s, "SCALAR", 0, true));
        times.emplace_back(&track.times_s, input);
      }
      const bool morph = track.path == Track::Path::kMorphWeights;
      const char* type = morph ? "SCALAR" : track.path == Track::Path::kRotation ? "VEC4" : "VEC3";
      const Index output = editor.add_accessor(float_elements(track.values, type, 0, false));
      const Index node = morph ? parts[track.target].node : node_of_joint[track.target];
      animation["channels"].push_back(
          {{"sampler", animation["samplers"].size()}, {"target", {{"node", node}, {"path", path_word(track.path)}}}});
      animation["samplers"].push_back(
          {{"input", input}, {"interpolation", interpolation_word(track.interpolation)}, {"output", output}});
    }
    if (!clip.tracks.empty()) editor.list("animations").push_back(std::move(animation));
  }
}

void write_some_clips(DocumentEditor& editor, const Asset& asset, const std::vector<Index>& clips,
                      const std::vector<PartSource>& parts, const std::vector<Index>& node_of_joint) {
  Asset carrier;
  for (const Index clip : clips) carrier.character.clips.push_back(asset.character.clips[clip]);
  write_clips(editor, carrier, parts, node_of_joint);
}

}  // namespace sinew::io::gltf
