// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads a rig as RigNet, Puppeteer and MagicArticulate write it, and the OBJ file of the same name beside it. Lines
/// are `joints NAME x y z`, `root NAME`, `hier PARENT CHILD` and `skin VERTEX JOINT WEIGHT …`. The joints get no
/// rotation. Of a name that ends with `_rig`, that ending is left out where no OBJ file has it.
///
/// Findings: rignet.no_mesh if there is no OBJ file (the skeleton alone is read), rignet.weights if some vertices have
/// no weights, and those of `read_obj`.
/// \throws Error naming the line for a line of another kind, a name that is no joint, a joint with two parents or none,
/// and a vertex that the OBJ file does not have.
Asset read_rignet(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

/// True for an existing file whose first line with words is none of a RigNet rig: a licence, a note. Such files lie in
/// many folders of characters.
bool is_other_text(const std::filesystem::path& path);

}  // namespace sinew::io
