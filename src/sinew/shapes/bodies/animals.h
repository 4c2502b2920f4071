// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A four-legged animal that looks to +Z: 27 joints, all quads, 0.8 m high. Poses "t" and "a" are the same: it stands.
Made quadruped(const MakeOptions& options, const Progress& progress);

/// A bird with its wings spread ("t") or lowered ("a"): 17 joints, all quads, 0.5 m high.
Made bird(const MakeOptions& options, const Progress& progress);

/// An octopus with eight arms of six joints each and a mantle: all quads, 0.4 m high.
Made octopus(const MakeOptions& options, const Progress& progress);

}  // namespace sinew::shapes
