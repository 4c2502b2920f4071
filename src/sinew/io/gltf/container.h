// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/io/file.h"

namespace sinew::io::gltf {

/// A chunk of a GLB that is neither JSON nor the binary buffer; kept as it is.
struct Chunk {
  std::uint32_t type = 0;
  Bytes bytes;
};

/// A GLB or .gltf file taken apart.
struct Container {
  bool binary = false;  ///< It was a GLB.
  Json json;
  bool has_bin = false;
  std::span<const std::byte> bin;  ///< Into the file's bytes.
  std::vector<Chunk> others;
  Findings warnings;
};

/// Takes a file apart. A GLB is recognized by its signature, whatever its name. \pre `file` outlives the result.
/// \throws Error if it is cut short or its JSON cannot be read.
Container parse_container(std::span<const std::byte> file);

/// Puts a GLB together: JSON padded with spaces, buffer with zeros.
Bytes make_glb(const Json& json, bool has_bin, std::span<const std::byte> bin, const std::vector<Chunk>& others);

}  // namespace sinew::io::gltf
