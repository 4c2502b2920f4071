// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/write_prepared.h"

#include <algorithm>
#include <utility>

#include "sinew/core/hash.h"

namespace sinew::io::gltf {
namespace {

constexpr const char* kPreparedKey = "prepared";

/// The list of the block that can be added to, or a new one.
Json& writable_entries(Json& json) {
  Json& extras = json["extras"];
  if (!extras.is_object()) extras = extras.is_null() ? Json::object() : Json({{"extras", extras}});
  if (!extras["sinew"].is_object()) extras["sinew"] = Json::object();
  Json& block = extras["sinew"][kPreparedKey];
  const bool known = block.is_object() && block.contains("version") && block["version"] == kPreparedVersion &&
                     block.contains("entries") && block["entries"].is_array();
  if (!known) block = {{"version", kPreparedVersion}, {"entries", Json::array()}};
  return block["entries"];
}

}  // namespace

const Json* prepared_block(const Json& json) {
  const Json* at = &json;
  for (const char* key : {"extras", "sinew", kPreparedKey}) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at->is_object() ? at : nullptr;
}

void write_prepared(DocumentEditor& editor, const std::vector<PreparedPiece>& pieces) {
  if (pieces.empty()) return;
  for (const PreparedPiece& piece : pieces) {
    Json entry = {{"key", piece.key}, {"method", piece.method}, {"sha256", sha256_hex(piece.bytes)}};
    Json& entries = writable_entries(editor.json);
    // An equal key with other bytes is a damaged entry.
    std::erase_if(entries.get_ref<Json::array_t&>(), [&](const Json& old) {
      return old.is_object() && old.value("key", Json()) == piece.key && old.value("sha256", Json()) != entry["sha256"];
    });
    if (std::any_of(entries.begin(), entries.end(),
                    [&](const Json& old) { return old.is_object() && old.value("key", Json()) == piece.key; }))
      continue;
    entry["bufferView"] = editor.add_view(piece.bytes, 0);
    writable_entries(editor.json).push_back(std::move(entry));
  }
}

void remove_prepared(Json& json) {
  if (prepared_block(json) == nullptr) return;
  Json& extras = json["extras"];
  extras["sinew"].erase(kPreparedKey);
  if (extras["sinew"].empty()) extras.erase("sinew");
  if (extras.empty()) json.erase("extras");
}

}  // namespace sinew::io::gltf
