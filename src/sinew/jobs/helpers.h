// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/jobs/job.h"

namespace sinew::jobs {

struct HelpersOptions {
  std::vector<std::string> twist;
  std::vector<std::string> bend;
  std::string per_bone = "auto";
  double max_twist = 180;
  double min_section = 0.85;
  int max_influences = 0;
  bool bake = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("twist",
            "Bones that get twist joints: forearm, upperarm, thigh, shin, neck, …, of one side as left_forearm, or "
            "joints by name.")
          .as("BONE,…"),
      self.twist);
    v(Field("bend",
            "Joints that get a helper which keeps the volume when they bend: elbow, knee, …, or joints by name.")
          .as("JOINT,…"),
      self.bend);
    v(Field("per_bone",
            "Twist joints on each bone; auto is the fewest that keep --min-section at --max-twist by the formula.")
          .as("N|auto"),
      self.per_bone);
    v(Field("max_twist", "The twist that auto plans for, and at which all is measured.").in("degrees").range(1, 720),
      self.max_twist);
    v(Field("min_section", "What auto keeps of a bone's cross-sections.").range(0.01, 0.999), self.min_section);
    v(Field("max_influences",
            "Most joints that may move one vertex, cut at the end without jumps; 0 for 4, or as many as the file has.")
          .range(0, 64),
      self.max_influences);
    v(Field("bake", "Write what the helpers do into the file's clips, so that every program shows it."), self.bake);
  }
};

/// Adds helper joints with drivers to a rigged character: twist joints along bones, and joints that keep the volume
/// where limbs bend. Weights move onto them; the rest pose shows the same shape, and materials, textures and clips
/// stay. The output is `NAME_helpers.glb` (or `.gltf`, `.vrm`, `.rig.json`, as the input) unless named. The report has
/// the thinnest section of each bone before and after, and how far the skin is from that of the twist-safe deformer.
/// \throws Error if there is nothing to do, no skin, a word that finds no joint, a bone that has twist joints already,
/// or the output cannot be written; then nothing is.
Report helpers(const JobRequest& request, const HelpersOptions& options, const Progress& progress);

}  // namespace sinew::jobs
