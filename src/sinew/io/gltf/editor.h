// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/document.h"

namespace sinew::io::gltf {

/// New elements for an accessor.
struct NewElements {
  Bytes bytes;  ///< Tight.
  Component component = Component::kF32;
  std::string type = "SCALAR";
  std::size_t count = 0;
  bool normalized = false;
  int target = 0;                        ///< 34962 for vertex attributes, 34963 for indices, 0 for neither.
  std::vector<double> minimum, maximum;  ///< Written when not empty.
};

NewElements float_elements(std::span<const float> values, const std::string& type, int target, bool bounds);

/// A copy of a document's JSON under change, and the bytes that come to its buffers. Numbers of nodes, meshes,
/// accessors and views never change: new ones are put at the end.
class DocumentEditor {
 public:
  explicit DocumentEditor(const GltfDocument& document);

  Json json;

  /// A list of the document, made if it is not there.
  Json& list(const char* name);

  Index add_view(std::span<const std::byte> bytes, int target);
  Index add_accessor(const NewElements& elements);
  /// Gives an accessor new elements; keeps its name and extras.
  void replace_accessor(Index accessor, const NewElements& elements);
  /// Sets an attribute of primitives that share it: in its own accessor where nothing else uses that, else in a new
  /// one.
  void set_attribute(Index mesh, std::span<const Index> primitives, const std::string& name,
                     const NewElements& elements);
  void remove_attribute(Index mesh, Index primitive, const std::string& name);
  Index attribute(Index mesh, Index primitive, const std::string& name) const;
  void use_extension(const char* name);
  /// How many things of the document use an accessor.
  std::size_t accessor_uses(Index accessor) const;

  /// Embeds pictures that lie in files of their own.
  void embed_images(const GltfDocument& document, Report& report);

  /// Joins all buffers to one and returns its bytes. `uri` is where they will lie; empty in a GLB.
  Bytes join_buffers(const std::string& uri);

 private:
  bool overwrite(const Json& accessor, const NewElements& elements);
  Json describe(const NewElements& elements);

  const GltfDocument& document_;
  struct Patch {
    Index buffer;
    std::size_t offset;
    Bytes bytes;
  };
  std::vector<Patch> patches_;    // New bytes for old places.
  Bytes added_;                   // New bytes, behind all old buffers.
  std::vector<Index> new_views_;  // Views whose bytes are in added_, with offsets from its start.
};

}  // namespace sinew::io::gltf
