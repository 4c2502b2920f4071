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
/// target that faces the same way. The rows of the nearest points count a little as well, so that every vertex of the
/// target is determined. Negative weights are cut off, and rows scaled to the sum 1.
///
/// n log n and one sparse factorisation of the target's size. The same bytes for any number of threads. \throws Error
/// if the reference has no faces with weights; Cancelled.
WeightTransfer transfer_detail(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                               const Progress& progress = {});

/// The method `detail`; it has no options of its own.
TransferMethod detail_method();

}  // namespace sinew::transfer
