// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/io/gltf/document.h"

namespace sinew::io::gltf {

enum class Component : int { kI8 = 5120, kU8 = 5121, kI16 = 5122, kU16 = 5123, kU32 = 5125, kF32 = 5126 };

/// What an accessor says about its elements.
struct AccessorInfo {
  Component component = Component::kF32;
  std::string type;               ///< "SCALAR", "VEC3", …
  std::size_t components = 1;     ///< Numbers per element.
  std::size_t element_bytes = 0;  ///< Tight, columns of matrices padded to four bytes.
  std::size_t count = 0;
  bool normalized = false;
};

std::size_t component_bytes(Component component);

/// \throws Error if the accessor's description makes no sense.
AccessorInfo accessor_info(const GltfDocument& document, Index accessor);

/// All numbers of an accessor as float: normalised integers divided, other integers as they are, sparse values put in.
/// \throws Error if it reaches outside its buffer or has another number of components than `components` (0: any).
std::vector<float> read_floats(GltfDocument& document, Index accessor, std::size_t components = 0);

/// The same as integers, for indices and joints. \throws Error for floats.
std::vector<std::uint32_t> read_integers(GltfDocument& document, Index accessor, std::size_t components = 0);

}  // namespace sinew::io::gltf
