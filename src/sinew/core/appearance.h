// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// A picture as it lies in the file, not decoded.
struct Image {
  std::string name;
  std::string uri;               ///< Where it came from, for a picture outside the file.
  std::string mime_type;         ///< "image/png", "image/jpeg", …
  std::vector<std::byte> bytes;  ///< Empty when the picture is missing.
};

/// What a surface looks like, as far as formats agree: the metallic-roughness model of glTF.
struct Material {
  std::string name;
  Vec4f base_color = Vec4f::Ones();
  float metallic = 0;
  float roughness = 1;
  Vec3f emissive = Vec3f::Zero();
  enum class Alpha { kOpaque, kMask, kBlend } alpha = Alpha::kOpaque;
  float alpha_cutoff = 0.5F;
  bool double_sided = false;
  Index base_color_image = kNone;  ///< Of `Character::images`.
  Index normal_image = kNone;
  Index emissive_image = kNone;
};

}  // namespace sinew
