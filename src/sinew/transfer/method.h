// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// Options of all ways to transfer weights; each looks at its own.
struct TransferOptions {
  int max_influences = 4;
  int smoothing = 0;
  // skeleton
  int rays = 32;
  double cone_rad = 0.2617993877991494;  // 15°
  double exponent = 3;
  std::string similarity = "canberra";
  std::string frames = "positions";
  std::string layers = "nearest";
  std::string candidates = "blend";
  bool cap_reach = true;
  int resolution = 128;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("max_influences", "Most joints that may move one vertex; 0 for as many as there are.").range(0, 64),
      self.max_influences);
    v(Field("smoothing", "Rounds in which weights are evened out along the surface.").range(0, 100), self.smoothing);
    v(Field("rays", "Rays from a bone towards the place that matches a vertex; the paper has 128.").range(1, 4096),
      self.rays);
    v(Field("cone", "Half of the opening angle of the cone they fill; the paper has 30°, 0.5236.")
          .in("rad")
          .range(0, 1.5707),
      self.cone_rad);
    v(Field("exponent", "How much more places count whose guide weights are alike; the paper's alpha.").range(0, 16),
      self.exponent);
    v(Field("similarity", "How guide weights are compared: canberra, as published, or braycurtis.")
          .one_of({"canberra", "braycurtis"}),
      self.similarity);
    v(Field("frames",
            "What tells how directions around bones correspond: positions of joints; joint-frames, for rigs whose axes "
            "agree; none, for equal poses.")
          .one_of({"positions", "joint-frames", "none"}),
      self.frames);
    v(Field("layers", "Of several skins over each other: the nearest to the bone, or all, for clothes and armour.")
          .one_of({"nearest", "all"}),
      self.layers);
    v(Field("candidates", "Blend what all rays find, or take the best one alone; the latter for comparison.")
          .one_of({"blend", "best"}),
      self.candidates);
    v(Field("cap_reach", "Narrow the cone on fat limbs, so that rays stay near along the bone."), self.cap_reach);
    v(Field("resolution", "Voxels along the longest side of the mesh, for guide weights.").range(16, 1024),
      self.resolution);
  }
};

/// How a row was made, from best to worst.
enum class Level : std::uint8_t {
  kMatched = 0,    ///< As it should be.
  kWidened = 1,    ///< By a cone of twice the angle.
  kInside = 2,     ///< From a place inside the reference, as the bone lies outside there.
  kInpainted = 3,  ///< Spread along the target's surface from rows around.
  kCopied = 4,     ///< From the nearest row of another shell.
};
inline constexpr std::size_t kLevels = 5;

/// New weights for a target.
struct Transferred {
  SkinWeights weights;  ///< A row per vertex of the target, of joints of the *reference*: positive, sum 1, capped.
  std::vector<Level> level;
  std::vector<float> confidence;   ///< 0 to 1; below 0.5 is worth a look.
  std::vector<float> hits;         ///< Per vertex: share of its rays that met something. Empty for methods without.
  std::uint64_t rays = 0;          ///< That were traced, counted by the tracer.
  std::uint64_t vertex_bones = 0;  ///< Pairs of vertex and bone that were looked at by the first cones.
  std::array<Index, kLevels> levels{};  ///< Vertices of each level.
  std::vector<Fallback> fallbacks;
  Findings warnings;
  Json metrics = Json::object();
};

/// \throws Error if nothing can be transferred, with the reason; Cancelled.
using Method = Transferred (*)(const Reference& reference, const Side& target, const Correspondence& correspondence,
                               const TransferOptions& options, const Progress& progress);

/// All ways: "skeleton", "closest", "inpaint", "guides".
const Registry<Registered<Method>>& methods();

Transferred transfer(std::string_view id, const Reference& reference, const Side& target,
                     const Correspondence& correspondence, const TransferOptions& options = {},
                     const Progress& progress = {});

}  // namespace sinew::transfer
