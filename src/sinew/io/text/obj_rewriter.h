// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

#include "sinew/io/text/obj_document.h"

namespace sinew::io {

/// Writes an OBJ document with the positions and normals of the mesh if `changes.positions`, else as it is; copies the
/// files it names if the target lies in another folder. Part of `write_obj`.
/// \pre the mesh has as many vertices as the document.
void rewrite_obj(const ObjDocument& document, const Mesh& mesh, const std::filesystem::path& path,
                 const Changes& changes, AtomicFiles& files, Report& report);

}  // namespace sinew::io
