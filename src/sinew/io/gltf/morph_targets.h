// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Accessors of morph targets: whole numbers where they do, and only what moves where that is shorter.

#include "sinew/io/gltf/editor.h"

namespace sinew::io::gltf {

/// Adds displacements as an accessor. Whole numbers are normalised: ±1 is the largest, so all values must lie between.
/// `bounds` are written where asked for (positions need them). Elements that are zero as written are left out if the
/// list of the others is shorter (`sparse` then tells so).
Index add_displacements(DocumentEditor& editor, std::span<const Vec3f> values, Component component, bool bounds,
                        bool* sparse = nullptr);

/// Displacements that turn unit normals `from` into the direction of `to`, in normalised bytes (every number in ±1) if
/// that can be, else as floats. A shorter `to` is as good, since normals are made unit length after blending; it is
/// shortened to half at most, so that no shape outweighs another by much. Where `to` is zero nothing changes.
Component normal_displacements(std::span<const Vec3f> from, std::span<const Vec3f> to, std::vector<Vec3f>& values);

}  // namespace sinew::io::gltf
