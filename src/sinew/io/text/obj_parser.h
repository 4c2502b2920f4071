// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The text of an OBJ file as plain lists. Opens no file; `read_obj` makes a character of it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/io/text/mtl.h"

namespace sinew::io {

/// From one `o` to the next; the first has no name and reaches to the first `o`.
struct ObjObject {
  std::string name;
  Index first_vertex = 0;  ///< Given from here on…
  Index first_face = 0;
  Index least_used = kNone;  ///< Of the vertices its faces use; kNone without faces.
  Index most_used = 0;
};

struct ObjText {
  Mesh mesh;  ///< Without parts. `face_materials` are indices into `material_names`.
  Index normal_count = 0;
  std::vector<std::string> material_names;  ///< In the order of first use by a face.
  std::vector<ObjObject> objects;
  std::vector<TextReference> material_files;  ///< What stands after each `mtllib`.
  std::vector<std::string> groups;            ///< Different names, in order.
  std::uint64_t smoothing_statements = 0;
  std::uint64_t lines = 0, points = 0, curves = 0;  ///< Statements that are not read.
  std::uint64_t unknown = 0, first_unknown_line = 0;
  std::uint64_t short_faces = 0, first_short_face_line = 0;
};

/// \throws Error as `read_obj` does, also for a text without vertices.
ObjText parse_obj(std::string_view text, const std::string& file_name, const Progress& progress);

/// The direction of a `vn` in unit length; zero for one that has none.
Vec3f obj_normal(const Vec3& written);

}  // namespace sinew::io
