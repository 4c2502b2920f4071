// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/document.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <charconv>

#include "sinew/io/gltf/json_access.h"
#include "sinew/io/reach.h"

namespace sinew::io::gltf {
namespace {

std::span<const std::byte> slice(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t length,
                                 const std::string& where) {
  if (offset > bytes.size() || length > bytes.size() - offset)
    throw Error(
        fmt::format("{} extends to byte {} of a buffer, which has only {}.", where, offset + length, bytes.size()));
  return bytes.subspan(offset, length);
}

}  // namespace

std::string unescape_uri(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, value, 16).ptr == uri.data() + i + 3) {
      text += static_cast<char>(value);
      i += 2;
    } else {
      text += uri[i];
    }
  }
  return text;
}

std::optional<Bytes> resolve_uri(const std::filesystem::path& document, const std::string& uri,
                                 std::vector<ReportFile>& files) {
  if (uri.starts_with("data:")) {
    const auto comma = uri.find(',');
    if (comma == std::string::npos || uri.substr(0, comma).find(";base64") == std::string::npos)
      throw Error("A data URI is not base64.");
    return base64_decode(std::string_view(uri).substr(comma + 1));
  }
  const std::filesystem::path relative(unescape_uri(uri));
  if (uri.find("://") != std::string::npos) return std::nullopt;
  if (relative.is_absolute())
    throw Error(fmt::format("'{}' is an absolute path; files must be in the folder of the glTF.", uri));
  const std::filesystem::path full = document.parent_path() / relative;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(full, problem)) {
    for (const auto& step : relative.lexically_normal())
      if (step == "..") throw Error(fmt::format("'{}' is outside the folder of the glTF.", uri));
    return std::nullopt;
  }
  if (!may_read_for(document.parent_path(), full))
    throw Error(fmt::format("'{}' is outside the folder of the glTF. Allow it with the option 'allow-outside'.", uri));
  Bytes bytes = read_file(full);
  for (const ReportFile& known : files)
    if (known.path == full.string()) return bytes;
  files.push_back(describe(full, bytes));
  return bytes;
}

void GltfDocument::claim(std::uint64_t bytes) {
  constexpr std::uint64_t kSmallFileLimit = std::uint64_t{256} << 20;
  std::uint64_t held = file.size();
  for (const Buffer& buffer : buffers_) held += buffer.owned.size();
  if (bytes > kSmallFileLimit * 64 || claimed_ + bytes > std::max(kSmallFileLimit, 64 * held))
    throw Error("It requests far more memory than its size can justify, so it is damaged or malicious.");
  claimed_ += bytes;
}

std::shared_ptr<GltfDocument> GltfDocument::own_copy(std::shared_ptr<const GltfDocument> document) {
  auto copy = std::make_shared<GltfDocument>(*document);
  copy->source_ = std::move(document);
  return copy;
}

void GltfDocument::load_buffers() {
  const Json& list = array_at(json(), "buffers", "file");
  buffers_.resize(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = place("buffer", i);
    const Json& json_buffer = element_at(list, i, where);
    Buffer& buffer = buffers_[i];
    const std::uint64_t length = size_at(json_buffer, "byteLength", 0, where);
    const std::string uri = text_at(json_buffer, "uri", where);
    const Json& extension = object_at(object_at(json_buffer, "extensions", where), kMeshopt, where);
    buffer.fallback = flag_at(extension, "fallback", false, where);
    if (!uri.empty()) {
      auto bytes = resolve_uri(path, uri, files);
      if (!bytes) {
        if (buffer.fallback) continue;
        throw Error(fmt::format("{}: its file '{}' is missing.", where, uri));
      }
      buffer.owned = std::move(*bytes);
      buffer.bytes = buffer.owned;
    } else if (i == 0 && container.has_bin) {
      buffer.bytes = container.bin;
    } else if (!buffer.fallback) {
      throw Error(fmt::format("{} has neither a file nor data in the GLB.", where));
    }
    if (buffer.bytes.size() < length && !(buffer.fallback && buffer.bytes.empty()))
      throw Error(fmt::format("{} declares {} bytes, but has only {}.", where, length, buffer.bytes.size()));
  }
}

std::span<const std::byte> GltfDocument::raw_view(Index index) const {
  const std::string where = place("buffer view", index);
  const Json& list = array_at(json(), "bufferViews", "file");
  const Json& view_json = element_at(list, index, where);
  const Index buffer_index = required_index(view_json, "buffer", buffers_.size(), where);
  return slice(buffers_[buffer_index].bytes, size_at(view_json, "byteOffset", 0, where),
               size_at(view_json, "byteLength", 0, where), where);
}

std::span<const std::byte> GltfDocument::view(Index index) {
  const std::string where = place("buffer view", index);
  const Json& view_json = element_at(array_at(json(), "bufferViews", "file"), index, where);
  const Json& extensions = object_at(view_json, "extensions", where);
  if (!extensions.contains(kMeshopt)) return raw_view(index);
  if (const auto known = views_.find(index); known != views_.end()) return known->second;
  const Json& extension = object_at(extensions, kMeshopt, where);
  const std::uint64_t count = size_at(extension, "count", 0, where),
                      stride = size_at(extension, "byteStride", 0, where);
  if (stride > 256 || count > (std::uint64_t{1} << 32))
    throw Error(where + ": its compressed data has invalid counts.");
  claim(count * stride);
  return views_.emplace(index, decompress(index, extension)).first->second;
}

Bytes GltfDocument::decompress(Index view_index, const Json& extension) const {
  const std::string where = place("buffer view", view_index);
  const Index buffer_index = required_index(extension, "buffer", buffers_.size(), where);
  const auto packed = slice(buffers_[buffer_index].bytes, size_at(extension, "byteOffset", 0, where),
                            size_at(extension, "byteLength", 0, where), where);
  const std::size_t count = size_at(extension, "count", 0, where);
  const std::size_t stride = size_at(extension, "byteStride", 0, where);
  const std::string mode = text_at(extension, "mode", where);
  std::string filter = text_at(extension, "filter", where);
  if (filter.empty()) filter = "NONE";
  Bytes bytes(count * stride);
  const auto* source = reinterpret_cast<const unsigned char*>(packed.data());
  int failure = 0;
  if (mode == "ATTRIBUTES") {
    if (stride == 0 || stride % 4 != 0) throw Error(where + ": a compressed stride must be a multiple of 4.");
    failure = meshopt_decodeVertexBuffer(bytes.data(), count, stride, source, packed.size());
  } else if (mode == "TRIANGLES" || mode == "INDICES") {
    if ((stride != 2 && stride != 4) || (mode == "TRIANGLES" && count % 3 != 0))
      throw Error(where + ": its compressed indices have invalid counts.");
    failure = mode == "TRIANGLES" ? meshopt_decodeIndexBuffer(bytes.data(), count, stride, source, packed.size())
                                  : meshopt_decodeIndexSequence(bytes.data(), count, stride, source, packed.size());
  } else {
    throw Error(fmt::format("{}: '{}' is not a known compression mode.", where, mode));
  }
  if (failure != 0) throw Error(where + ": its compressed data is damaged.");
  if (filter == "OCTAHEDRAL" && (stride == 4 || stride == 8)) meshopt_decodeFilterOct(bytes.data(), count, stride);
  else if (filter == "QUATERNION" && stride == 8) meshopt_decodeFilterQuat(bytes.data(), count, stride);
  else if (filter == "EXPONENTIAL" && stride % 4 == 0) meshopt_decodeFilterExp(bytes.data(), count, stride);
  else if (filter != "NONE") throw Error(fmt::format("{}: the filter '{}' does not fit its data.", where, filter));
  return bytes;
}

const Bytes* GltfDocument::decoded(Index accessor) const {
  const auto found = decoded_.find(accessor);
  return found == decoded_.end() ? nullptr : &found->second;
}

Bytes GltfDocument::image_bytes(Index index) {
  const std::string where = place("image", index);
  const Json& image = element_at(array_at(json(), "images", "file"), index, where);
  const Index view_index = index_at(image, "bufferView", array_at(json(), "bufferViews", "file").size(), where);
  if (view_index != kNone) {
    const auto bytes = view(view_index);
    return Bytes(bytes.begin(), bytes.end());
  }
  const std::string uri = text_at(image, "uri", where);
  if (uri.empty()) return {};
  auto bytes = resolve_uri(path, uri, files);
  if (!bytes) {
    warnings.push_back({"gltf.missing_image", where, fmt::format("The image '{}' is missing.", uri)});
    return {};
  }
  return std::move(*bytes);
}

}  // namespace sinew::io::gltf
