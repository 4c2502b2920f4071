// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Skins and clips of a glTF file.

#include <fmt/format.h>
#include <Eigen/LU>
#include <cmath>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {
namespace {

// A skinned mesh has no place of its own: only joints place it. Model space is where the bind pose's joints come
// nearest to those of the rest pose. Where both poses are one, each joint's rest · bind⁻¹ is the same exact answer.
Mat4 bind_to_model(const std::vector<Mat4>& rest, const std::vector<Mat4>& inverse_bind) {
  constexpr std::size_t kCandidates = 64;
  std::vector<Vec3> bind_points, rest_points;
  std::vector<Mat4> candidates;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    if (!is_invertible(inverse_bind[k])) continue;
    bind_points.push_back(inverse_bind[k].inverse().topRightCorner<3, 1>());
    rest_points.push_back(rest[k].topRightCorner<3, 1>());
    const Mat4 candidate = rest[k] * inverse_bind[k];
    if (candidates.size() < kCandidates && is_invertible(candidate)) candidates.push_back(candidate);
  }
  candidates.push_back(Mat4::Identity());
  Mat4 best = candidates.front();
  double best_distance = std::numeric_limits<double>::infinity();
  for (const Mat4& candidate : candidates) {
    double distance = 0;
    for (std::size_t k = 0; k < bind_points.size(); ++k)
      distance += (transform_point(candidate, bind_points[k]) - rest_points[k]).norm();
    // A later candidate must be better by more than rounding.
    if (distance < best_distance * (1 - 1e-6)) best = candidate, best_distance = distance;
  }
  return best;
}

Track::Interpolation interpolation_of(const std::string& word, const std::string& where) {
  if (word.empty() || word == "LINEAR") return Track::Interpolation::kLinear;
  if (word == "STEP") return Track::Interpolation::kStep;
  if (word == "CUBICSPLINE") return Track::Interpolation::kCubic;
  throw Error(fmt::format("{}: '{}' is not a known interpolation.", where, word));
}

// Which path and joint or part a channel moves; kNone target when we do not show it.
Track channel_target(const GltfDocument& document, const NodeGraph& graph, const Json& target,
                     const std::string& where) {
  Track track;
  const Index node = index_at(target, "node", graph.parent.size(), where);
  const std::string path = text_at(target, "path", where);
  if (path == "translation") track.path = Track::Path::kTranslation;
  else if (path == "rotation") track.path = Track::Path::kRotation;
  else if (path == "scale") track.path = Track::Path::kScale;
  else if (path == "weights") track.path = Track::Path::kMorphWeights;
  else return track;  // KHR_animation_pointer and its like.
  if (node == kNone) return track;
  if (track.path != Track::Path::kMorphWeights) {
    track.target = graph.joint[node];
    return track;
  }
  for (Index p = 0; p < document.parts.size(); ++p)
    if (document.parts[p].node == node) track.target = p;
  return track;
}

// Drops keys that do not come after the one before: players differ on them, and nothing can be read out of them.
std::size_t drop_falling_keys(Track& track, std::size_t width) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < track.times_s.size(); ++k) {
    if (!std::isfinite(track.times_s[k]) || (kept > 0 && !(track.times_s[k] > track.times_s[kept - 1]))) continue;
    if (kept != k) {
      track.times_s[kept] = track.times_s[k];
      std::copy_n(track.values.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  track.values.begin() + static_cast<std::ptrdiff_t>(kept * width));
    }
    ++kept;
  }
  const std::size_t dropped = track.times_s.size() - kept;
  track.times_s.resize(kept);
  track.values.resize(kept * width);
  return dropped;
}

void read_channel(GltfDocument& document, const Character& character, const Json& samplers, const Json& channel,
                  Track track, Clip& clip, const std::string& where) {
  const std::size_t accessors = array_at(document.json(), "accessors", "file").size();
  const Json& sampler = element_at(samplers, required_index(channel, "sampler", samplers.size(), where), where);
  track.interpolation = interpolation_of(text_at(sampler, "interpolation", where), where);
  track.times_s = read_floats(document, required_index(sampler, "input", accessors, where), 1);
  track.values = read_floats(document, required_index(sampler, "output", accessors, where));
  std::size_t width = track.path == Track::Path::kRotation ? 4 : 3;
  if (track.path == Track::Path::kMorphWeights) width = character.rig.mesh.parts[track.target].morphs.size();
  if (track.interpolation == Track::Interpolation::kCubic) width *= 3;
  if (width == 0 || track.times_s.empty()) return;
  if (track.values.size() < track.times_s.size() * width)
    throw Error(fmt::format("{}: it has {} values for {} keys.", where, track.values.size(), track.times_s.size()));
  track.values.resize(track.times_s.size() * width);
  if (const std::size_t dropped = drop_falling_keys(track, width); dropped > 0)
    document.warnings.push_back(
        {"gltf.key_times", where,
         fmt::format("{} keys that are not later than the previous one are left out.", dropped)});
  for (const float value : track.values)
    if (!std::isfinite(value)) {
      document.warnings.push_back({"gltf.key_values", where, "A channel with values that are not finite is left out."});
      return;
    }
  if (!track.times_s.empty()) clip.tracks.push_back(std::move(track));
}

}  // namespace

std::vector<Mat4> read_skins(GltfDocument& document, const NodeGraph& graph, Character& character) {
  const Json& skins = array_at(document.json(), "skins", "file");
  const std::size_t accessors = array_at(document.json(), "accessors", "file").size();
  std::vector<Mat4> to_model;
  for (std::size_t s = 0; s < skins.size(); ++s) {
    const std::string where = place("skin", s);
    Skin skin;
    skin.name = name_of(skins[s], "skin", s);
    std::vector<Mat4> rest;
    for (const Json& joint : array_at(skins[s], "joints", where)) {
      skin.joints.push_back(graph.joint[joint.get<std::size_t>()]);
      rest.push_back(graph.world[joint.get<std::size_t>()]);
    }
    if (skin.joints.empty()) throw Error(where + " has no joints.");
    skin.inverse_bind.assign(skin.joints.size(), Mat4::Identity());
    if (const Index accessor = index_at(skins[s], "inverseBindMatrices", accessors, where); accessor != kNone) {
      const std::vector<float> values = read_floats(document, accessor, 16);
      if (values.size() < skin.joints.size() * 16)
        throw Error(
            fmt::format("{}: it has {} bind matrices for {} joints.", where, values.size() / 16, skin.joints.size()));
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        for (int i = 0; i < 16; ++i)
          skin.inverse_bind[k](i) = static_cast<double>(values[16 * k + static_cast<std::size_t>(i)]);
        if (!skin.inverse_bind[k].allFinite()) throw Error(fmt::format("{}: bind matrix {} is not finite.", where, k));
        skin.inverse_bind[k].row(3) = Eigen::RowVector4d(0, 0, 0, 1);
      }
    }
    to_model.push_back(bind_to_model(rest, skin.inverse_bind));
    const Mat4 from_model = to_model.back().inverse();
    for (Mat4& bind : skin.inverse_bind) bind = bind * from_model;
    character.rig.skins.push_back(std::move(skin));
  }
  return to_model;
}

void read_clips(GltfDocument& document, const NodeGraph& graph, Character& character) {
  const Json& animations = array_at(document.json(), "animations", "file");
  for (std::size_t a = 0; a < animations.size(); ++a) {
    const std::string animation = place("animation", a);
    Clip clip;
    clip.name = name_of(animations[a], "clip", a);
    const Json& samplers = array_at(animations[a], "samplers", animation);
    const Json& channels = array_at(animations[a], "channels", animation);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const std::string where = fmt::format("{} channel {}", animation, c);
      const Json& channel = element_at(channels, c, where);
      Track track = channel_target(document, graph, object_at(channel, "target", where), where);
      if (track.target == kNone) continue;
      read_channel(document, character, samplers, channel, std::move(track), clip, where);
    }
    character.clips.push_back(std::move(clip));
  }
}

}  // namespace sinew::io::gltf
