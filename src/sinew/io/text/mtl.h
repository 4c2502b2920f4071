// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Material libraries beside an OBJ file (.mtl): as text in, as text out. Opens no file.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/appearance.h"
#include "sinew/core/error.h"

namespace sinew::io {

/// A file name that stands in a text, byte for byte as it stands there.
struct TextReference {
  std::size_t offset = 0;
  std::string name;
};

/// A material with its textures by file name; empty where it has none.
struct MtlMaterial {
  Material material;  ///< Without images; its name is UTF-8.
  std::string base_color_file;
  std::string alpha_file;
  std::string normal_file;
  std::string emissive_file;
};

struct MtlFile {
  std::vector<MtlMaterial> materials;     ///< In the order of the file.
  std::vector<TextReference> references;  ///< Every texture the file names, those Sinew has no use for too.
  Findings findings;                      ///< Values that could not be read, texture options that are not kept.
};

/// Reads Kd, d, Tr, Ke, Ns, Pr, Pm, map_Kd, map_d, map_Ke, norm, map_Bump and bump; what else there is is passed over.
/// A value that cannot be read is left at its default and reported. Ns becomes the roughness √(2/(Ns+2)) unless Pr says
/// it. \throws Error only if the text is UTF-16.
MtlFile parse_mtl(std::string_view text, const std::string& file_name);

/// Materials as text. `names[i]` is what material i is called there, `image_files[k]` the file of image k (empty: left
/// out). Both Ns and the more exact Pr are written.
std::string format_mtl(const std::vector<Material>& materials, const std::vector<std::string>& names,
                       const std::vector<std::string>& image_files);

}  // namespace sinew::io
