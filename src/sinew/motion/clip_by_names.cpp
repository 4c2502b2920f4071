// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/clip_by_names.h"

#include <set>

namespace sinew::motion {

NamedClip clip_by_names(const Clip& clip, const Rig& from, const Rig& to) {
  NamedClip result;
  result.clip.name = clip.name;
  std::set<std::string> missing;
  for (Track track : clip.tracks) {
    if (track.path == Track::Path::kMorphWeights) {
      const MeshPart& part = from.mesh.parts[track.target];
      track.target = kNone;
      for (Index p = 0; p < to.mesh.parts.size(); ++p)
        if (to.mesh.parts[p].name == part.name && to.mesh.parts[p].morphs.size() == part.morphs.size())
          track.target = p;
      if (track.target == kNone) missing.insert(part.name);
    } else {
      const std::string& name = from.skeleton.joints[track.target].name;
      track.target = to.skeleton.find(name);
      if (track.target == kNone) missing.insert(name);
      else ++result.joint_tracks;
    }
    if (track.target != kNone) result.clip.tracks.push_back(std::move(track));
  }
  result.missing.assign(missing.begin(), missing.end());
  return result;
}

}  // namespace sinew::motion
