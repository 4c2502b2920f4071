// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <compare>
#include <map>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// Rough weights of both skins on the paired joints, made in the same way: they show which positions correspond.
struct Guides {
  SkinWeights reference;  ///< Rows of pairs, not of joints; sum 1, nothing below 1e-3.
  SkinWeights target;
};

struct GuideOptions {
  int resolution = 128;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("resolution", "Number of voxels along the longest side of the mesh, for guide weights.").range(16, 1024),
      self.resolution);
  }
};

/// Guides by distances inside the body (`binding::VoxelBinding`), with lengths relative to the mean length of the
/// paired bones and the falloff as published: w = 1/s², s = (1 − f)·D + f·D², D at least 1e-4. Distances by marching,
/// searched to the end: where the binder itself stops, at twice the nearest joint's distance, this falloff has a
/// quarter of its weight left. Rows are smoothed, capped at 8 without a jump, and weights below 1e-3 dropped. A joint
/// at the same position as the one above it, with nothing of its own to move, has no weight. The ends of heads, hands
/// and feet are those of the skeletons if both specify them, else where the bodies end, so that both sides are made in
/// one way. \throws Error as the binder does; Cancelled.
Guides make_guides(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                   const GuideOptions& options = {}, const Progress& progress = {});

/// The guides of one side alone: `of_reference` specifies which joints of the pairs are its own. Ends are its
/// skeleton's where it specifies them.
SkinWeights make_guide(const TransferBody& side, const Correspondence& correspondence, bool of_reference,
                       const GuideOptions& options = {}, const Progress& progress = {});

/// Makes guides as `make_guides` does, and keeps those of one reference for the next target with the same pairs.
class GuideCache {
 public:
  Guides make(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
              const GuideOptions& options, const Progress& progress);

 private:
  struct Key {
    int resolution = 0;
    std::vector<std::array<Index, 3>> pairs;  // Joint, parent, whether its end is known.

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  std::map<Key, SkinWeights> kept_;
};

}  // namespace sinew::transfer
