// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/rigging/embed/embedding.h"

namespace sinew::rigging {

/// A template, or what is left of one, and how it lies in a body.
struct Candidate {
  Template skeleton_template;
  std::string without;  ///< What was left out of it because the body does not have it; empty for a whole one.
  Fit fit;
  double cost = 0;       ///< With the shape of what was found; 0 until someone looks.
  bool searched = true;  ///< False: read off the shape without a search.
};

struct Choice {
  std::vector<Candidate>
      ranked;  ///< All that fit, the best first; of one template and what is left of it only the best.
  std::size_t searches = 0;
  std::size_t entries = 0;  ///< Of all searches together.
  bool proven = true;
};

struct ChoiceOptions {
  SearchOptions search;
  bool keep_orientation = false;
  bool whole_only = false;  ///< Don't try without arms, legs or head.
};

/// A template without limbs of some kinds, and without what hangs on them: "arms", "legs", "head", "tail", "wings",
/// "ears". \throws Error for another word, or if nothing would be left to search.
Template without_limbs(const Template& skeleton_template, const std::vector<std::string>& kinds);

/// The rotations that are tried, from the body's frame to the template's: as it stands, then turned round, the two
/// quarter turns, and the same for bodies with +z up; for a template without feet all 24 of a cube.
std::vector<Mat3> orientations(const Template& skeleton_template);

/// Fits every template in every orientation and ranks them by penalty. In four rounds, each only if the one before
/// found nothing good: as the body stands and turned round; all orientations; in other poses (`pose_variants`); all,
/// with worse fits and without arms, legs or head. Searches of a round run on all threads and do not know of each
/// other, so that the result does not depend on their order. `hints` by template: see `fit`.
Choice choose(const Body& body, const std::vector<Template>& templates, const std::vector<std::vector<Hint>>& hints,
              const ChoiceOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::rigging
