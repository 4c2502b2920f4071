// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/transfer/fit/fit_skeleton.h"
#include "sinew/transfer/method.h"

namespace sinew::pipeline {

/// A character to transfer from, prepared once for many targets. It caches what transfers compute from it, so only one
/// thread may use it at a time.
class TransferReference {
 public:
  /// See `prepare_reference`.
  explicit TransferReference(Character character);
  TransferReference(const TransferReference&) = delete;
  TransferReference& operator=(const TransferReference&) = delete;

  /// The character with all parts in the pose in which its skin was bound.
  const Character& character() const { return character_; }
  const Skeleton& skeleton() const { return character_.rig.skeleton; }
  /// The parts that are used, with normalized weights.
  const transfer::Reference& body() const { return body_; }
  const transfer::ReferenceJoints& joints() const { return joints_; }
  /// Joints in the order of the skins, those of the largest skin first.
  const std::vector<Index>& skin_order() const { return skin_order_; }
  const Findings& findings() const { return findings_; }

  /// Kept for the next target.
  transfer::ReferenceCache& cache() { return cache_; }
  transfer::TemplatePlans& plans() { return plans_; }

 private:
  Character character_;
  Findings findings_;
  Mesh mesh_;
  transfer::Reference body_;
  transfer::ReferenceJoints joints_;
  std::vector<Index> skin_order_;
  transfer::ReferenceCache cache_;
  transfer::TemplatePlans plans_;
};

/// Brings all parts of a character into the pose in which its skin was bound. Parts without a skin, such as swords and
/// helmets, are ignored unless they make up most of it. \throws Error if it has no skin with weights.
TransferReference prepare_reference(const Character& character);

}  // namespace sinew::pipeline
