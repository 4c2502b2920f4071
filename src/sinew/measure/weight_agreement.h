// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/weights.h"

namespace sinew::measure {

/// The similarity of two sets of weights.
struct WeightAgreement {
  double mean_half_l1 = 0;  ///< ½ Σ |a − b| of a row, averaged: 0 for equal rows, 1 for rows without a common joint.
  double worst_half_l1 = 0;
  double same_dominant = 1;  ///< Share of vertices whose strongest joint is the same.
  Index empty_rows = 0;      ///< Vertices with weights in only one of the sets; each counts as 1.
};

/// Compares rows scaled to sum 1. Linear. \pre both have the same number of rows and the same joints.
WeightAgreement weight_agreement(const SkinWeights& a, const SkinWeights& b);

}  // namespace sinew::measure
