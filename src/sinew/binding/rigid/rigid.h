// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/binder.h"

namespace sinew::binding {

/// The binder `rigid`: every vertex follows one joint with weight 1, for robots, dolls and armour made of stiff pieces.
///
/// A shell goes as a whole to the joint that holds most of its area by heat (`heat_rows`), if that is at least 0.7 of
/// it or the shell is smaller than 0.05 of the mesh. Any other shell spans several joints, and each of its vertices
/// follows its own strongest one by heat: regions hang together and are cut where bones are equally warm. Vertices
/// without a triangle follow the nearest bone. Copies of a vertex, also in different parts, always follow the same
/// joint. As `bind_by_heat` in cost and in what it throws; `smooth` and `max_influences` have no
/// meaning here.
BindResult bind_rigid(const Subject& subject, const NoOptions& options = {}, const BindOptions& common = {},
                      const Progress& progress = {});

BinderMethod rigid_method();

}  // namespace sinew::binding
