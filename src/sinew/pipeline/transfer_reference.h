// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The reference of a transfer: read once, for all targets.

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/rigging/rigger.h"
#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/guides.h"

namespace sinew::pipeline {

class TransferReference {
 public:
  /// Reads a character and puts its parts into one pose, where its skin was bound. Parts without a skin, as swords and
  /// helmets, have no part in it unless they are the larger share. \throws Error if it has no skin with weights.
  TransferReference(const std::filesystem::path& path, Report& report, const Progress& progress);
  TransferReference(const TransferReference&) = delete;
  TransferReference& operator=(const TransferReference&) = delete;

  const io::Asset& asset() const { return asset_; }
  const Skeleton& skeleton() const { return asset_.character.rig.skeleton; }
  const transfer::Reference& side() const { return *side_; }
  const std::vector<char>& moves_skin() const { return moves_skin_; }  ///< Per joint: has weight.
  const std::vector<char>& helpers() const { return helpers_; }        ///< Per joint; see `transfer::helper_joints`.
  const std::vector<char>& primary() const { return primary_; }        ///< Per joint; see `transfer::primary_joints`.
  /// Joints in the order of the skins.
  const std::vector<Index>& skin_order() const { return skin_order_; }

  /// Guides of both as `transfer::make_guides` has them; its own are kept for the next target with the same pairs.
  transfer::Guides guides(const transfer::Side& target, const transfer::Correspondence& correspondence,
                          const transfer::GuideOptions& options, const Progress& progress);

  /// How a template of the rigger lies in it; kept. Nothing if that cannot be told.
  const std::optional<rigging::PlanResult>& plan(const Template& skeleton_template, const Progress& progress);

 private:
  using GuideKey = std::vector<std::array<Index, 3>>;  // Joint, parent, whether its end is known.

  io::Asset asset_;
  Mesh mesh_;
  std::optional<transfer::Reference> side_;
  std::vector<char> moves_skin_, helpers_, primary_;
  std::vector<Index> skin_order_;
  std::map<GuideKey, SkinWeights> guides_;
  std::map<std::string, std::optional<rigging::PlanResult>> plans_;
};

}  // namespace sinew::pipeline
