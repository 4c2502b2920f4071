// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/io/gltf/container.h"

namespace sinew::io::gltf {

inline constexpr const char* kMeshopt = "EXT_meshopt_compression";
inline constexpr const char* kDraco = "KHR_draco_mesh_compression";

/// The vertices of one or more primitives of a mesh that share all their accessors.
struct VertexBlock {
  Index first_primitive = 0;       ///< Any of them: they share their attributes.
  Index first_vertex = 0;          ///< Of the part, for element 0.
  Index count = 0;                 ///< Elements of the accessors.
  std::vector<Index> mesh_vertex;  ///< Element → vertex of the part, where that is not first_vertex + element.
  std::vector<Index> primitives;   ///< All that use this block.
};

/// Where a part of the mesh comes from.
struct PartSource {
  Index node = kNone;
  Index mesh = kNone;
  Index skin = kNone;
  std::vector<VertexBlock> blocks;
};

/// Elements of an accessor, wherever they are stored: in a buffer, decompressed, or nowhere (all zeros).
struct Elements {
  const std::byte* data = nullptr;  ///< Null: zeros.
  std::size_t stride = 0;
  std::size_t count = 0;
};

/// A glTF file in memory: its JSON as it was read, its buffers, and what was decompressed of them.
class GltfDocument : public Document {
 public:
  std::filesystem::path path;
  Bytes file;  ///< The bytes of the file; spans below point into it.
  Container container;
  std::vector<PartSource> parts;  ///< In the order of `Mesh::parts`.
  std::vector<ReportFile> files;  ///< What lay outside the file.
  std::vector<Vec4f> colors;      ///< Of the mesh as it was read: others are written.
  Findings warnings;

  const Json& json() const { return container.json; }

  /// A document with the same buffers and JSON of its own, for changes that other owners of this one must not see. It
  /// keeps this one alive.
  static std::shared_ptr<GltfDocument> own_copy(std::shared_ptr<const GltfDocument> document);

  /// Reads every buffer. \throws Error if one is missing or too short.
  void load_buffers();
  /// Bytes of buffer `index`; empty for a fallback buffer of compressed data.
  std::span<const std::byte> buffer(Index index) const { return buffers_[index].bytes; }
  bool buffer_is_fallback(Index index) const { return buffers_[index].fallback; }
  std::size_t buffer_count() const { return buffers_.size(); }

  /// Bytes of a buffer view, decompressed if they must be (once).
  std::span<const std::byte> view(Index index);
  /// Bytes of a buffer view as they lie in the file.
  std::span<const std::byte> raw_view(Index index) const;

  /// The bytes of image `index`, from a buffer view, a data URI or a file; empty (and a warning) when missing.
  Bytes image_bytes(Index index);

  /// What an extension (Draco) decoded for an accessor: tight elements of the accessor's own type.
  void set_decoded(Index accessor, Bytes bytes) { decoded_[accessor] = std::move(bytes); }
  const Bytes* decoded(Index accessor) const;
  void clear_decoded() { decoded_.clear(); }

  /// Frees what was decompressed; it can be made again.
  void release_decoded() { views_.clear(), decoded_.clear(), claimed_ = 0; }

  /// Counts bytes about to be allocated for decoded data. \throws Error if a small file requests far too much.
  void claim(std::uint64_t bytes);

 private:
  struct Buffer {
    std::span<const std::byte> bytes;
    Bytes owned;
    bool fallback = false;
  };
  Bytes decompress(Index view_index, const Json& extension) const;

  std::shared_ptr<const GltfDocument> source_;  ///< Whose bytes the spans of a copy point to.
  std::vector<Buffer> buffers_;
  std::map<Index, Bytes> views_;
  std::map<Index, Bytes> decoded_;
  std::uint64_t claimed_ = 0;
};

/// Bytes behind a URI: data URI, or a file beside the document (never an absolute path or one that climbs out of the
/// folder). std::nullopt if the file is missing. Appends the file that was read to `files`.
std::optional<Bytes> resolve_uri(const std::filesystem::path& document, const std::string& uri,
                                 std::vector<ReportFile>& files);

/// A URI with its percent escapes undone.
std::string unescape_uri(std::string_view uri);

}  // namespace sinew::io::gltf
