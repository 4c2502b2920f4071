// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/template.h"
#include "sinew/rigging/anatomy/ways.h"
#include "sinew/rigging/embed/refinement.h"
#include "sinew/rigging/embed/search.h"

namespace sinew::rigging {

/// A character as the embedding sees it, whatever the template. Made once.
struct Body {
  Interior interior;
  std::vector<MedialSample> samples;
  SphereGraph graph;
};

struct BodyOptions {
  InteriorOptions interior;
  double most_voxels = 220000;  ///< Solid ones; a body that would have more gets a coarser grid. Time grows with them.
  MedialOptions medial;
  PackingOptions packing;
};

/// \throws Error if the mesh encloses nothing; Cancelled.
Body make_body(const Mesh& mesh, const BodyOptions& options = {}, const Progress& progress = {});

/// The template as the search sees it: where limbs leave the body, the joint they hang on is moved to the mean of their
/// first joints, which is where ways through the body meet: between the shoulders, not in the middle of the chest.
Template search_template(const Template& skeleton_template);

/// One way to put a template into a body.
struct Fit {
  Mat3 turn = Mat3::Identity();  ///< From the interior's frame to the template's.
  ReducedTemplate reduced;       ///< Of `search_template`.
  SearchResult found;
  std::vector<Vec3> places;  ///< Per joint of the template that takes part, in the interior's frame.

  bool ok() const { return !found.match.empty(); }
};

/// Searches, and puts the joints between back in. `hints`: by joint of the template.
Fit fit(const Body& body, const Template& skeleton_template, const Mat3& turn, const std::vector<Hint>& hints = {},
        const SearchOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::rigging
