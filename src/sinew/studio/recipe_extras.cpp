// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe_extras.h"

#include <algorithm>
#include <cstring>

#include "sinew/core/error.h"

namespace sinew::studio {
namespace {

constexpr const char* kKey = "sinew_recipe";
constexpr std::size_t kHead = 20;  // Of the file (12 bytes) and of its first chunk (8), which holds the document.
constexpr std::uint32_t kMagic = 0x46546C67, kDocument = 0x4E4F534A;

std::uint32_t word_at(const io::Bytes& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

/// The length of the document; 0 if the bytes are no GLB file.
std::size_t document_length(const io::Bytes& glb) {
  if (glb.size() < kHead || word_at(glb, 0) != kMagic || word_at(glb, 16) != kDocument) return 0;
  const std::size_t length = word_at(glb, 12);
  return length <= glb.size() - kHead ? length : 0;
}

Json document_of(const io::Bytes& glb) {
  const std::size_t length = document_length(glb);
  if (length == 0) return {};
  const char* const text = reinterpret_cast<const char*>(glb.data() + kHead);
  return parse_json_text({text, length});
}

}  // namespace

io::Bytes with_recipe(io::Bytes glb, const Json& recipe) {
  Json document = document_of(glb);
  if (!document.is_object()) throw Error("Only .glb and .vrm files can hold their recipe.");
  document["asset"]["extras"][kKey] = recipe;
  std::string text = document.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::size_t rest = kHead + document_length(glb);
  io::Bytes result(kHead + text.size() + glb.size() - rest);
  std::memcpy(result.data(), glb.data(), kHead);
  std::memcpy(result.data() + kHead, text.data(), text.size());
  std::copy(glb.begin() + static_cast<std::ptrdiff_t>(rest), glb.end(),
            result.begin() + static_cast<std::ptrdiff_t>(kHead + text.size()));
  const auto put = [&](std::size_t at, std::size_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    std::memcpy(result.data() + at, &word, 4);
  };
  put(8, result.size());
  put(12, text.size());
  return result;
}

Json recipe_of(const io::Asset& asset) {
  if (asset.format != "gltf" || asset.path.empty()) return {};
  try {
    const Json document = document_of(io::read_file(asset.path));
    const Json& recipe = document.at("asset").at("extras").at(kKey);
    return recipe.is_object() ? recipe : Json();
  } catch (const std::exception&) {
    return {};  // No document, or none with a recipe.
  }
}

}  // namespace sinew::studio
