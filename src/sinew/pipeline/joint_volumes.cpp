// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_volumes.h"

#include "sinew/geometry/mesh/weld.h"
#include "sinew/measure/joint_volume.h"
#include "sinew/pipeline/play.h"

namespace sinew::pipeline {

std::vector<JointVolumeSeries> joint_volumes(const Character& character, const Clip& clip, double fps,
                                             const DeformerOptions& deformer, const Progress& progress) {
  const Rig& rig = character.rig;
  PlaybackOptions options;
  options.fps = fps;
  Playback play(character, clip, deformer, options, progress);
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const measure::Limbs limbs = measure::limbs(rig, measure::bound_shape(rig));
  const measure::JointVolumes volumes(rig, welding, limbs);
  std::vector<measure::JointVolumes::Region> regions;
  std::vector<JointVolumeSeries> series;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    if (limbs.moves[j] == 0) continue;
    measure::JointVolumes::Region region = volumes.region(j, false);
    if (!(region.rest_volume > 0)) continue;
    regions.push_back(std::move(region));
    series.push_back({j, {}});
  }
  std::vector<Vec3> positions;
  while (play.next()) {
    progress.check();
    positions.clear();
    for (const Vec3f& p : play.positions()) positions.push_back(p.cast<double>());
    for (std::size_t r = 0; r < regions.size(); ++r)
      series[r].volumes.push_back(regions[r].volume(positions) / regions[r].rest_volume);
  }
  return series;
}

}  // namespace sinew::pipeline
