// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/core/text.h"
#include "sinew/motion/sample.h"
#include "sinew/transfer/joints/learned_drivers.h"

namespace sinew::pipeline {
namespace {

constexpr int kMostPoses = 240;
constexpr std::size_t kNamed = 6;

// Evenly over all clips, by their durations.
std::vector<Pose> clip_poses(const Character& character) {
  double total = 0;
  for (const Clip& clip : character.clips) total += clip.duration_s();
  std::vector<Pose> poses;
  for (const Clip& clip : character.clips) {
    const double duration = clip.duration_s();
    const int count = total > 0 ? static_cast<int>(kMostPoses * duration / total) : 0;
    for (int i = 0; i < count; ++i) poses.push_back(motion::sample(character.rig, clip, duration * i / count));
  }
  return poses;
}

}  // namespace

Skeleton with_learned_drivers(const TransferReference& reference, const std::vector<char>& marked,
                              const std::vector<char>& sources, Findings& findings) {
  Skeleton skeleton = reference.skeleton();
  std::vector<Index> open;
  std::vector<char> driven(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const bool bare = marked[j] != 0 && !skeleton.joints[j].driver && reference.joints().moves_skin[j] != 0;
    if (bare) open.push_back(j);
    driven[j] = bare || skeleton.joints[j].driver || reference.joints().helper[j] != 0 || sources[j] == 0 ? 1 : 0;
  }
  if (open.empty()) return skeleton;
  const std::vector<Pose> poses = clip_poses(reference.character());
  std::vector<std::string> learned, still;
  double error = 0;
  for (const Index j : open) {
    const transfer::LearnedDriver found = transfer::learned_driver(reference.skeleton(), j, driven, poses);
    skeleton.joints[j].driver = found.driver;
    (found.driver ? learned : still).push_back(skeleton.joints[j].name);
    if (found.driver) error += found.error_rad;
  }
  if (!learned.empty())
    findings.push_back({"transfer.learned_driver", "",
                        fmt::format("{} of the reference without a driver got one learned from its clips, which leaves "
                                    "{:.1f}° on average: {}.",
                                    count_of(learned.size(), "helper joint"),
                                    degrees(error / static_cast<double>(learned.size())), join_some(learned, kNamed))});
  if (!still.empty())
    findings.push_back({"transfer.still", "",
                        fmt::format("{} of the reference without a driver will stand still in new poses, because {}: "
                                    "{}. Add drivers with `sinew helpers`, or set the option 'helpers' to none.",
                                    count_of(still.size(), "helper joint"),
                                    poses.empty() ? "it has no clips to learn one from"
                                                  : "no joint near by explains how they move in its clips",
                                    join_some(still, kNamed))});
  return skeleton;
}

}  // namespace sinew::pipeline
