// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/binder.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/binding/voxel/voxel.h"

namespace sinew::binding {

/// Options of the methods that auto uses for bodies.
struct AutoOptions {
  HeatOptions heat;
  VoxelOptions voxel;  ///< Of the resolution at most 128 is used: voxels are for what heat cannot do.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    VoxelOptions::visit(self.voxel, v);
    HeatOptions::visit(self.heat, v);
  }
};

/// The binder `auto`: takes the mesh apart into shells (`find_shells`), binds the bodies together by `bind_bodies`,
/// and lets the rest move with them (`bind_layer`, `bind_small_shell`, `bind_strips`, `bind_loose`). Parts that the
/// file hangs rigidly on a bound joint, beside others that are skinned, stay on it. A vertex that no face uses follows
/// the nearest skin; a mesh without faces the nearest bones.
///
/// `origins`, `fallbacks` and `metrics` say what was done; `findings` list loose shells. Every row is valid on any
/// mesh. \throws Error if no joint is bound; Cancelled.
BindResult bind_auto(const Subject& subject, const AutoOptions& options = {}, const BindOptions& common = {},
                     const Progress& progress = {});

BinderMethod auto_method();

}  // namespace sinew::binding
