// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/implicit/field_grid.h"
#include "sinew/deform/implicit/hrbf.h"

namespace sinew::deform {

/// When a sample is added beyond the end of a bone, so that an open part closes like a ball about the joint.
enum class EndSamples { kNeeded, kAlways, kNever };
constexpr auto option_words(EndSamples) { return std::array{"needed", "always", "never"}; }

struct ImplicitBodyOptions {
  int samples = 80;         ///< Per part.
  double threshold = 0.75;  ///< Weight from which on a vertex belongs to a part.
  EndSamples end_samples = EndSamples::kNeeded;
  int grid_nodes = 24000;  ///< At most about as many per part.
};

/// The rigid shape that one joint moves, as a function of space.
struct ImplicitPart {
  Index joint = kNone;
  Index parent = kNone;                ///< The part that it is joined to; before this one.
  std::vector<SurfaceSample> samples;  ///< At binding, in model space.
  Index end_samples = 0;               ///< How many of them, at the end of the list, are beyond ends of bones.
  double radius = 0;                   ///< Of the support.
  Hrbf function;
  FieldGrid grid;
};

/// The implicit surfaces of a character.
struct ImplicitBody {
  std::vector<Mat4> bind;  ///< Per joint: its frame to model space, at binding.
  std::vector<ImplicitPart> parts;
  std::vector<Index> part_of_joint;  ///< Of the joint itself or of the nearest one above with a part; kNone: none.
  std::vector<char> own;             ///< Per joint: it has a part of its own.
  std::vector<Index> merged;         ///< Joints that move skin, but have no part of their own.
};

/// Functions by the name of the joint.
using PartFunctions = std::map<std::string, Hrbf>;

/// Divides the skin into parts (`make_partition`), samples them (`poisson_samples`), fits a function to the samples of
/// each part (`Hrbf`), adds samples beyond the ends of bones that would otherwise lie too close to the surface, and
/// tabulates the functions. `owners` are joints per vertex of the mesh, or none. Joints that `samples` names have these
/// samples; the others are sampled as usual. `fitted` has functions that are already known for such samples, which
/// saves most of the time. The same for any number of threads and any order of vertices. Seconds. \throws Error for a
/// rig without weights, or samples for an unknown joint; Cancelled.
ImplicitBody make_implicit_body(const Rig& rig, const ImplicitBodyOptions& options = {},
                                std::span<const Index> owners = {}, const PartSamples& samples = {},
                                const Progress& progress = {}, const PartFunctions& fitted = {});

}  // namespace sinew::deform
