// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/resample.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/motion/drivers.h"

namespace sinew::motion {
namespace {

void add_key(Track& track, const Pose& pose) {
  const auto put = [&](double value) { track.values.push_back(static_cast<float>(value)); };
  if (track.path == Track::Path::kMorphWeights) {
    for (const double weight : pose.morph_weights[track.target]) put(weight);
    return;
  }
  const Transform& local = pose.local[track.target];
  if (track.path == Track::Path::kTranslation) {
    for (int c = 0; c < 3; ++c) put(local.translation[c]);
  } else if (track.path == Track::Path::kScale) {
    for (int c = 0; c < 3; ++c) put(local.scale[c]);
  } else {
    for (int c = 0; c < 4; ++c) put(local.rotation.coeffs()[c]);  // x, y, z, w.
  }
}

bool is_constant(const Track& track) {
  const std::size_t width = track.width();
  for (std::size_t i = width; i < track.values.size(); ++i)
    if (track.values[i] != track.values[i - width]) return false;
  return true;
}

}  // namespace

Clip resampled(const Rig& rig, const Player& player, std::span<const double> times_s, const std::string& name) {
  const Drivers drivers(rig.skeleton);
  std::set<std::pair<Track::Path, Index>> targets;
  for (const Track& track : player.clip().tracks) targets.emplace(track.path, track.target);
  for (const Index joint : drivers.order())
    for (const Track::Path path : {Track::Path::kTranslation, Track::Path::kRotation, Track::Path::kScale})
      targets.emplace(path, joint);
  Clip clip;
  clip.name = name;
  for (const auto& target : targets) {
    Track track;
    track.path = target.first;
    track.target = target.second;
    clip.tracks.push_back(std::move(track));
  }
  for (std::size_t f = 0; f < times_s.size(); ++f) {
    Pose pose = player.at(times_s[f]);
    drivers.apply(pose);
    for (Track& track : clip.tracks) {
      track.times_s.push_back(static_cast<float>(times_s[f] - times_s.front()));
      add_key(track, pose);
    }
  }
  for (Track& track : clip.tracks)
    if (is_constant(track)) {
      const std::size_t width = track.width();
      track.values.resize(width);
      track.times_s.resize(1);
    }
  return clip;
}

std::optional<double> key_rate(const Clip& clip) {
  std::set<float> all;
  for (const Track& track : clip.tracks) all.insert(track.times_s.begin(), track.times_s.end());
  if (all.size() < 2) return std::nullopt;
  const std::vector<float> times(all.begin(), all.end());
  const double begin = static_cast<double>(times.front()), length = static_cast<double>(times.back()) - begin;
  const double step = length / static_cast<double>(times.size() - 1);
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::abs(static_cast<double>(times[i]) - begin - static_cast<double>(i) * step) > 0.02 * step)
      return std::nullopt;
  return 1 / step;
}

std::vector<double> even_times(double duration_s, double rate) {
  constexpr double kMostFrames = 1e7;
  const double count = duration_s * rate;
  if (!(count < kMostFrames)) throw Error("The clip would have more than ten million frames. Choose a lower rate.");
  std::vector<double> times;
  for (double i = 0; i <= count + 0.05; ++i) times.push_back(std::min(duration_s, i / rate));
  return times;
}

}  // namespace sinew::motion
