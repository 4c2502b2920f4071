// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>

#include "sinew/core/json.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// How near the weights of a rig are to those that bone heat computes for it.
struct HeatLikeness {
  double mean_half_l1 = 0;  ///< ½ Σ |a − b| of a row, averaged.
  double near = 0;          ///< Share of the rows that are within 0.05.

  /// Whether the weights look like plain bone heat, which no one has painted: at least half of the rows are that near,
  /// and the mean is below 0.15.
  bool looks_like_heat() const { return near >= 0.5 && mean_half_l1 < 0.15; }
  /// "57 % of the rows are within 0.05 of …"
  std::string sentence() const;
  Json json() const;
};

/// Compares the skinned vertices with the binder `heat` at its defaults. Costs what that does, about 10 µs of a
/// processor per vertex. Empty if there are no weights, more than 30,000 vertices, or heat cannot bind the character.
/// Programs differ in how they draw bones and treat shells, so that weights of another program's heat may not be
/// recognised: docs/commands/info.md has the figures. \throws Cancelled.
std::optional<HeatLikeness> heat_likeness(const Rig& rig, const Progress& progress = {});

}  // namespace sinew::pipeline
