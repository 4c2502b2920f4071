// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/transfer/method.h"

namespace sinew::transfer {

/// Weights for a level of detail or a remeshed copy: the same surface with other faces.
///
/// The row of the nearest point alone ignores what a coarse mesh leaves out between its vertices. Here the rows of the
/// target are chosen so that they, interpolated over its triangles, are as near as possible to the rows of all vertices
/// of the reference: least squares, each vertex of the reference counting by its area, at the nearest point of the
/// target that faces the same way. The rows of the nearest points count as well, the less the coarser the target is.
/// One row after the other is improved, each exactly among the rows without negative weights, of sum 1 and with at most
/// `max_influences` joints, so the sum of squares never grows beyond that of the nearest points' rows.
///
/// n log n, and twenty sweeps over the target's vertices. The same bytes for any number of threads. \throws Error if
/// the reference has no faces with weights; Cancelled.
WeightTransfer transfer_detail(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                               const Progress& progress = {});

/// The method `detail`; it has no options of its own.
TransferMethod detail_method();

}  // namespace sinew::transfer
