// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Small files made in memory, for tests that need a glTF.

#include "sinew/io/gltf/accessor.h"

namespace sinew::test {

/// A quad strip of `rings` rings along y, skinned to two joints, with a morph, a clip of every interpolation, a
/// material, a rigid box under the second joint, extras and an unknown extension.
struct FixtureOptions {
  int rings = 5;
  bool sparse = false;
  bool quantized = false;  ///< KHR_mesh_quantization: positions as normalised shorts under a scaled node.
  bool meshopt = false;    ///< EXT_meshopt_compression with a fallback buffer.
  bool draco = false;      ///< KHR_draco_mesh_compression.
  bool interleaved = false;
};

/// The file as GLB.
io::Bytes make_fixture(const FixtureOptions& options = {});

/// The file as .gltf with its buffer as a data URI.
std::string make_text_fixture(const FixtureOptions& options = {});

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::filesystem::path path;
  std::filesystem::path operator/(const std::string& name) const { return path / name; }
};

/// The bytes of a text.
io::Bytes bytes_of(std::string_view text);

/// The JSON of what was read from a glTF.
const Json& json_of(const io::Asset& asset);

/// Writes bytes to a file.
void write(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace sinew::test
