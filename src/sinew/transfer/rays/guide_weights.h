// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The parts that guide weights are made of: the paired joints as a body of their own, and weights from distances.

#include <functional>
#include <span>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// A body with the paired joints alone, numbered as the pairs are.
struct PairedBody {
  Skeleton skeleton;
  std::vector<Mat4> joints;
  double unit = 1;  ///< Mean length of its bones.

  binding::Subject subject(const Mesh& mesh) const {
    return {mesh, skeleton, joints, std::vector<char>(joints.size(), 1)};
  }
};

/// `of_reference` says which joints of the pairs are the body's own. The ends of joints with `known_ends` are those of
/// its skeleton.
PairedBody paired_body(const TransferBody& side, const std::vector<JointPair>& pairs, bool of_reference,
                       const std::vector<char>& known_ends);

/// Per pair: whether the skeletons state where the joint ends. Where only one of the two bodies does, both ends are
/// found by the bodies. Null for a body that does not matter.
std::vector<char> known_ends(const TransferBody* reference, const TransferBody* target,
                             const std::vector<JointPair>& pairs);

/// How distances become guide weights.
struct GuideFalloff {
  double falloff = 0.2;
  int max_influences = 8;
  int smooth = 3;
};

/// The published falloff of distances (`distances(vertex)`: one per column), relative to `unit`; smoothed, capped, and
/// without weights below 1e-3.
SkinWeights guide_weights(const Mesh& mesh, std::span<const Index> columns,
                          const std::function<std::vector<float>(Index vertex)>& distances, double unit,
                          const GuideFalloff& options = {});

}  // namespace sinew::transfer
