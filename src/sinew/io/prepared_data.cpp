// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/prepared_data.h"

#include <fmt/format.h>

#include <utility>

#include "sinew/core/error.h"
#include "sinew/core/hash.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/write_prepared.h"

namespace sinew::io {
namespace {

PreparedPiece read_piece(const gltf::GltfDocument& document, const Json& entry) {
  const std::string where = "prepared data";
  const std::size_t views = gltf::array_at(document.json(), "bufferViews", "file").size();
  const auto bytes = document.raw_view(gltf::required_index(entry, "bufferView", views, where));
  if (sha256_hex(bytes) != gltf::text_at(entry, "sha256", where)) throw Error("the checksum differs.");
  PreparedPiece piece{gltf::text_at(entry, "key", where), gltf::text_at(entry, "method", where), {}};
  piece.bytes.assign(bytes.begin(), bytes.end());
  return piece;
}

}  // namespace

std::vector<PreparedPiece> stored_prepared(const Asset& asset, Findings& findings) {
  const auto* document = dynamic_cast<const gltf::GltfDocument*>(asset.document.get());
  if (document == nullptr) return {};
  const Json* block = gltf::prepared_block(document->json());
  if (block == nullptr) return {};
  std::vector<PreparedPiece> pieces;
  try {
    if (gltf::size_at(*block, "version", 0, "prepared data") != gltf::kPreparedVersion)
      throw Error("it has another version.");
    const Json& entries = gltf::array_at(*block, "entries", "prepared data");
    for (std::size_t i = 0; i < entries.size(); ++i)
      pieces.push_back(read_piece(*document, gltf::element_at(entries, i, "prepared data")));
  } catch (const Error& error) {
    findings.push_back(
        {"gltf.prepared", asset.path.filename().string(),
         fmt::format("Prepared data that it holds is not used and is computed again: {}", error.what())});
  }
  return pieces;
}

}  // namespace sinew::io
