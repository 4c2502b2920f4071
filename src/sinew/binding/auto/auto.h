// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/binder.h"

namespace sinew::binding {

/// The binder `auto`: takes the mesh apart into shells (`find_shells`), binds the bodies together by `bind_bodies`,
/// and lets the rest move with them (`bind_layer`, `bind_small_shell`, `bind_strips`, `bind_loose`). Parts that the
/// file hangs rigidly on a bound joint, beside others that are skinned, stay on it. A vertex that no face uses follows
/// the nearest skin; a mesh without faces the nearest bones.
///
/// `origins`, `fallbacks` and `metrics` say what was done; warnings list loose shells. Every row is valid on any mesh.
/// \throws Error if no joint is bound; Cancelled.
Bound bind_auto(const Subject& subject, const BindOptions& options, const Progress& progress);

}  // namespace sinew::binding
