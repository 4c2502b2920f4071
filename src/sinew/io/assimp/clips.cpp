// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/io/assimp/build.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::assimp {
namespace {

// Ticks of files that do not say how long one is.
constexpr double kUsualTicksPerSecond = 25;

// Keys of one property, made into a track; keys that do not come after the one before are left out.
struct TrackMaker {
  double ticks_per_second;
  double first_tick;
  std::uint64_t dropped = 0;

  template <class Convert>
  void make(const SceneKeys& keys, Track track, std::size_t width, Clip& clip, Convert&& convert) {
    for (std::size_t k = 0; k < keys.times.size(); ++k) {
      const auto time = static_cast<float>((keys.times[k] - first_tick) / ticks_per_second);
      const std::size_t begin = track.values.size();
      convert(keys.values.data() + k * width, track.values);
      bool good = std::isfinite(time) && (track.times_s.empty() || time > track.times_s.back());
      for (std::size_t i = begin; i < track.values.size(); ++i) good = good && std::isfinite(track.values[i]);
      if (!good) {
        track.values.resize(begin);
        ++dropped;
        continue;
      }
      track.times_s.push_back(time);
    }
    if (track.times_s.empty()) return;
    shorten(track);
    clip.tracks.push_back(std::move(track));
  }

  // A property that never changes needs its first and last key only.
  static void shorten(Track& track) {
    const std::size_t width = track.width(), keys = track.times_s.size();
    for (std::size_t i = width; i < track.values.size(); ++i)
      if (track.values[i] != track.values[i % width]) return;
    if (keys < 3) return;
    track.times_s = {track.times_s.front(), track.times_s.back()};
    track.values.resize(2 * width);
  }
};

// How the values of a node's channel change on the way to its joint's frame; see `Layout`.
struct FrameChange {
  Mat3 turn = Mat3::Identity();  // Of a root: what `to_model` turns.
  Mat4 move = Mat4::Identity();  // For translations.
  bool mirror = false;
  double scale = 1;

  FrameChange(const Layout& layout, Index node) {
    const Mat3 frame = layout.frame[node].topLeftCorner<3, 3>();
    mirror = frame(0, 0) < 0;
    move = layout.frame[node].inverse();
    if (!layout.is_root[node]) return;
    const Mat3 linear = layout.to_model.topLeftCorner<3, 3>();
    const double unit = std::cbrt(std::abs(linear.determinant()));
    move = layout.to_model;
    scale = unit * frame(1, 1);
    turn = linear / unit;
    if (mirror) turn.col(0) *= -1;
  }

  void translation(const float* v, std::vector<float>& out) const {
    const Vec3 t = transform_point(move, Vec3f(v[0], v[1], v[2]).cast<double>());
    for (const double value : t) out.push_back(static_cast<float>(value));
  }
  void rotation(const float* v, std::vector<float>& out) const {
    Quat q(static_cast<double>(v[3]), static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]));
    // A key without length cannot be read; the others say what the rotation is.
    if (!(q.norm() > 1e-12)) q.coeffs().setConstant(std::numeric_limits<double>::quiet_NaN());
    if (mirror) q = Quat(q.w(), q.x(), -q.y(), -q.z());
    q = Quat(turn) * q.normalized();
    for (const double value : q.coeffs()) out.push_back(static_cast<float>(value));
  }
  void scaling(const float* v, std::vector<float>& out) const {
    for (int i = 0; i < 3; ++i) out.push_back(static_cast<float>(scale * static_cast<double>(v[i])));
  }
};

double first_tick_of(const SceneClip& clip) {
  double first = 0;
  const auto look = [&](const SceneKeys& keys) {
    for (const double time : keys.times)
      if (std::isfinite(time)) first = std::min(first, time);
  };
  for (const SceneChannel& channel : clip.channels)
    look(channel.translation), look(channel.rotation), look(channel.scale);
  for (const SceneMorphChannel& channel : clip.morphs) look(channel.weights);
  return first;
}

// FBX's channels are named after the mesh with "*" and a number.
bool names_mesh(const std::string& target, const Scene& scene, const PartOfMesh& entry) {
  const std::string plain = target.substr(0, target.rfind('*'));
  for (const std::string& name : {target, plain})
    if (!name.empty() && (name == scene.meshes[entry.mesh].name || name == scene.nodes[entry.node].name)) return true;
  return false;
}

void add_morph_tracks(const Scene& scene, const SceneMorphChannel& channel, const std::vector<PartOfMesh>& parts,
                      const Asset& asset, TrackMaker& maker, Clip& clip) {
  const std::size_t keys = channel.weights.times.size();
  if (keys == 0) return;
  const std::size_t given = channel.weights.values.size() / keys;
  for (const PartOfMesh& entry : parts) {
    const std::size_t wanted = asset.character.rig.mesh.parts[entry.part].morphs.size();
    const bool meant = channel.mesh != kNone ? channel.mesh == entry.mesh : names_mesh(channel.target, scene, entry);
    if (wanted == 0 || !meant) continue;
    const bool known = std::any_of(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
      return track.path == Track::Path::kMorphWeights && track.target == entry.part;
    });
    if (known) continue;
    Track track;
    track.path = Track::Path::kMorphWeights;
    track.target = entry.part;
    maker.make(channel.weights, std::move(track), given, clip, [&](const float* v, std::vector<float>& out) {
      for (std::size_t m = 0; m < wanted; ++m) out.push_back(m < given ? v[m] : 0.0F);
    });
  }
}

}  // namespace

void build_clips(const Scene& scene, const Layout& layout, const std::vector<PartOfMesh>& parts, Asset& asset) {
  for (std::size_t c = 0; c < scene.clips.size(); ++c) {
    const SceneClip& source = scene.clips[c];
    Clip clip;
    clip.name = to_utf8(source.name);
    if (clip.name.empty()) clip.name = fmt::format("clip_{}", c);
    const bool timed = std::isfinite(source.ticks_per_second) && source.ticks_per_second > 1e-9;
    TrackMaker maker{timed ? source.ticks_per_second : kUsualTicksPerSecond, first_tick_of(source)};
    for (const SceneChannel& channel : source.channels) {
      Track track;
      track.target = layout.joint[channel.node];
      if (track.target == kNone) continue;
      const FrameChange change(layout, channel.node);
      const auto add = [&](Track::Path path, const SceneKeys& keys, std::size_t width, auto convert) {
        track.path = path;
        maker.make(keys, track, width, clip, convert);
      };
      add(Track::Path::kTranslation, channel.translation, 3,
          [&](const float* v, std::vector<float>& out) { change.translation(v, out); });
      add(Track::Path::kRotation, channel.rotation, 4,
          [&](const float* v, std::vector<float>& out) { change.rotation(v, out); });
      add(Track::Path::kScale, channel.scale, 3,
          [&](const float* v, std::vector<float>& out) { change.scaling(v, out); });
    }
    for (const SceneMorphChannel& channel : source.morphs) add_morph_tracks(scene, channel, parts, asset, maker, clip);
    if (!timed)
      asset.warnings.push_back(
          {"assimp.clip_speed", clip.name, "It does not specify its speed; 25 frames per second are assumed."});
    if (maker.dropped > 0)
      asset.warnings.push_back(
          {"assimp.keys", clip.name,
           fmt::format("{} keys that are not finite or not later than the previous one are left out.", maker.dropped)});
    asset.character.clips.push_back(std::move(clip));
  }
}

}  // namespace sinew::io::assimp
