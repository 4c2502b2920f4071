// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// An image as stored in the file, not decoded.
struct Image {
  std::string name;
  std::string uri;               ///< Location of an image that is stored outside the file.
  std::string mime_type;         ///< "image/png", "image/jpeg", …
  std::vector<std::byte> bytes;  ///< Empty when the image is missing.
};

/// The appearance of a surface, limited to what formats have in common: the metallic-roughness model of glTF.
struct Material {
  std::string name;
  Vec4f base_color = Vec4f::Ones();
  float metallic = 0;
  float roughness = 1;
  Vec3f emissive = Vec3f::Zero();
  enum class Alpha { kOpaque, kMask, kBlend } alpha = Alpha::kOpaque;
  float alpha_cutoff = 0.5F;
  bool double_sided = false;
  Index base_color_image = kNone;  ///< Index into `Character::images`.
  Index normal_image = kNone;
  Index emissive_image = kNone;
};

}  // namespace sinew
