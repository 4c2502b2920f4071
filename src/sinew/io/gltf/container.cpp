// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/container.h"

#include <fmt/format.h>

#include <cstring>

namespace sinew::io::gltf {
namespace {

constexpr std::uint32_t kMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

std::uint32_t read_u32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void append_u32(Bytes& bytes, std::uint64_t value) {
  const auto narrow = static_cast<std::uint32_t>(value);
  const auto* begin = reinterpret_cast<const std::byte*>(&narrow);
  bytes.insert(bytes.end(), begin, begin + sizeof narrow);
}

Json parse_json(std::string_view text) {
  check_json_depth(text);
  try {
    Json json = Json::parse(text);
    if (!json.is_object()) throw Error("Its JSON is not an object, so it is not glTF.");
    return json;
  } catch (const Json::exception& problem) {
    // nlohmann's message begins with its own tag: "[json.exception.parse_error.101] ".
    std::string what = problem.what();
    if (const auto end = what.find("] "); end != std::string::npos) what = what.substr(end + 2);
    throw Error(fmt::format("It is not a valid glTF or GLB file; its JSON cannot be parsed: {}.", what));
  }
}

}  // namespace

Container parse_container(std::span<const std::byte> file) {
  Container result;
  if (file.empty()) throw Error("The file is empty.");
  if (file.size() < 4 || read_u32(file, 0) != kMagic) {
    result.json = parse_json(as_text(file));
    return result;
  }
  result.binary = true;
  if (file.size() < kHeaderBytes) throw Error("The GLB is cut short inside its header.");
  const std::uint32_t version = read_u32(file, 4), length = read_u32(file, 8);
  if (version != 2) throw Error(fmt::format("It is a GLB of version {}; only version 2 can be read.", version));
  if (length > file.size())
    throw Error(fmt::format("The GLB is cut short: it declares {} bytes, but the file has {}.", length, file.size()));
  if (length < file.size()) {
    result.warnings.push_back({"gltf.trailing_bytes", "",
                               fmt::format("{} bytes after the end of the GLB are ignored.", file.size() - length)});
    if (length < kHeaderBytes) throw Error("The GLB declares a length that is shorter than its own header.");
    file = file.first(length);
  }
  bool has_json = false;
  for (std::size_t offset = kHeaderBytes; offset < file.size();) {
    if (file.size() - offset < kChunkHeaderBytes) throw Error("The GLB is cut short inside the header of a chunk.");
    const std::uint32_t bytes = read_u32(file, offset), type = read_u32(file, offset + 4);
    offset += kChunkHeaderBytes;
    if (bytes > file.size() - offset)
      throw Error(fmt::format("The GLB is cut short: a chunk declares {} bytes, but {} are left.", bytes,
                              file.size() - offset));
    const auto data = file.subspan(offset, bytes);
    offset += bytes;
    if (!has_json) {
      if (type != kJsonChunk) throw Error("The first chunk of the GLB is not its JSON.");
      result.json = parse_json(as_text(data));
      has_json = true;
    } else if (type == kBinChunk && !result.has_bin) {
      result.bin = data;
      result.has_bin = true;
    } else if (type == kJsonChunk || type == kBinChunk) {
      result.warnings.push_back(
          {"gltf.extra_chunk", "", "The GLB has a second JSON or buffer chunk, which is ignored."});
    } else {
      result.others.push_back({type, Bytes(data.begin(), data.end())});
    }
  }
  if (!has_json) throw Error("The GLB has no JSON.");
  return result;
}

Bytes make_glb(const Json& json, bool has_bin, std::span<const std::byte> bin, const std::vector<Chunk>& others) {
  const std::string text = json.dump();
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  std::uint64_t length = kHeaderBytes + kChunkHeaderBytes + padded(text.size());
  if (has_bin) length += kChunkHeaderBytes + padded(bin.size());
  for (const Chunk& chunk : others) length += kChunkHeaderBytes + padded(chunk.bytes.size());
  if (length > 0xFFFFFFFFU)
    throw Error("The result is too large for a GLB, which is limited to 4 GiB; write a .gltf instead.");
  Bytes glb;
  glb.reserve(length);
  append_u32(glb, kMagic);
  append_u32(glb, 2);
  append_u32(glb, length);
  const auto append = [&](std::uint32_t type, std::span<const std::byte> bytes, std::byte fill) {
    append_u32(glb, padded(bytes.size()));
    append_u32(glb, type);
    glb.insert(glb.end(), bytes.begin(), bytes.end());
    glb.resize((glb.size() + 3) / 4 * 4, fill);
  };
  append(kJsonChunk, as_bytes(text), std::byte{' '});
  if (has_bin) append(kBinChunk, bin, std::byte{0});
  for (const Chunk& chunk : others) append(chunk.type, chunk.bytes, std::byte{0});
  return glb;
}

}  // namespace sinew::io::gltf
