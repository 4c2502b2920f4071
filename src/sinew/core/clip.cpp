// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

double Clip::duration_s() const {
  double last = 0;
  for (const Track& track : tracks)
    if (!track.times_s.empty()) last = std::max(last, static_cast<double>(track.times_s.back()));
  return last;
}

Findings validate(const Clip& clip, Index joint_count, Index part_count) {
  Findings found;
  for (std::size_t i = 0; i < clip.tracks.size(); ++i) {
    const Track& track = clip.tracks[i];
    const std::string where = fmt::format("clip '{}' track {}", clip.name, i);
    const bool morph = track.path == Track::Path::kMorphWeights;
    if (track.target >= (morph ? part_count : joint_count))
      found.push_back({"clip.target", where, "It moves a joint or part that does not exist."});
    if (track.times_s.empty()) found.push_back({"clip.keys", where, "It has no keys."});
    bool rising = true;
    for (std::size_t k = 0; k < track.times_s.size(); ++k)
      rising = rising && std::isfinite(track.times_s[k]) && (k == 0 || track.times_s[k] > track.times_s[k - 1]);
    if (!rising) found.push_back({"clip.times", where, "The times of its keys do not increase."});
    if (!std::all_of(track.values.begin(), track.values.end(), [](float v) { return std::isfinite(v); }))
      found.push_back({"clip.values", where, "It has values that are not finite."});
    const std::size_t width = track.path == Track::Path::kRotation ? 4 : morph ? track.width() : 3;
    const std::size_t keys = track.times_s.size() * (track.interpolation == Track::Interpolation::kCubic ? 3 : 1);
    if (track.values.size() != keys * width)
      found.push_back({"clip.count", where, "The number of its values does not match the number of its keys."});
  }
  return found;
}

}  // namespace sinew
