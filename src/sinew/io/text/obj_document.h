// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/io/text/mtl.h"

namespace sinew::io {

/// An OBJ file as it was read. It is written again by changing numbers in its text, so that groups, smoothing groups,
/// comments and whatever else it holds stay as they are.
class ObjDocument : public Document {
 public:
  /// A material library that was found.
  struct MaterialFile {
    std::filesystem::path path;
    Bytes bytes;
    std::vector<TextReference> named_by;    ///< Where the OBJ text names it.
    std::vector<TextReference> references;  ///< Textures it names.
  };

  std::string_view text() const { return as_text(bytes); }

  Bytes bytes;
  std::filesystem::path folder;  ///< Relative to which it names files.
  std::vector<MaterialFile> material_files;
  Index vertex_count = 0;
  Index normal_count = 0;
  Index face_count = 0;  ///< Of the mesh that was made of it.
};

}  // namespace sinew::io
