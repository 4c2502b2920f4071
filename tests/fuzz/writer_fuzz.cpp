// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Read, write, read: what a writer accepts, its reader accepts too, with the same number of vertices where the format
// keeps them. The first byte chooses between weird characters and bytes of a binary glTF file.

#include <cstdlib>
#include <filesystem>

#include "sinew/io/asset.h"
#include "tests/fuzz/weird_character.h"

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "sinew-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name);
  }();
  return path;
}

void write_and_read(const sinew::io::Asset& asset) {
  for (const char* ending : {".glb", ".gltf", ".rig.json", ".obj"}) {
    const std::filesystem::path path = folder() / (std::string("out") + ending);
    for (const auto& old : std::filesystem::directory_iterator(folder())) std::filesystem::remove(old.path());
    try {
      sinew::Report report;
      sinew::io::save(asset, path, {}, report);
    } catch (const sinew::Error&) {
      continue;  // A sentence, and nothing written.
    }
    try {
      sinew::io::load(path);
    } catch (const sinew::Error&) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  sinew::io::Asset asset;
  if (data[0] % 2 == 0) {
    asset.character = sinew::test::weird_character({data + 1, size - 1});
    if (!validate(asset.character).empty()) return 0;
  } else {
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    try {
      asset = sinew::io::load_bytes("fuzz.glb", sinew::io::Bytes(begin + 1, begin + size));
    } catch (const sinew::Error&) {
      return 0;
    }
  }
  write_and_read(asset);
  return 0;
}
