// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/off.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

struct OffHeader {
  bool uvs = false, colors = false, normals = false;
  std::int64_t vertices = 0, faces = 0;
};

class OffParser {
 public:
  OffParser(std::string_view text, std::string file_name, const Progress& progress)
      : file_name_(std::move(file_name)), progress_(progress), scan_(text, file_name_, TextRules{true, false}) {}

  void run(Asset& asset) {
    header();
    if (header_.vertices == 0) throw Error(fmt::format("{} contains no vertices, so it has no mesh.", file_name_));
    Mesh& mesh = asset.character.rig.mesh;
    vertices(mesh);
    finish_colors(mesh);
    faces(mesh);
    if (short_faces_ > 0)
      asset.warnings.push_back({"off.short_face", fmt::format("line {}", first_short_face_line_),
                                fmt::format("{} face(s) with fewer than three corners were left out.", short_faces_)});
  }

 private:
  void header() {
    std::string_view word = scan_.word_anywhere();
    if (word.empty()) throw Error(fmt::format("{} is empty.", file_name_));
    if (word[0] < '0' || word[0] > '9' || word.size() >= 3) word = keyword(word);  // The keyword may be missing.
    header_.vertices = count(word, "vertices");
    header_.faces = count(scan_.word_anywhere(), "faces");
    // The number of edges, which nobody keeps right and some leave out.
    scan_.next_line();
    // "0 0 0" and a line's end; "0" and a line's end.
    limit(header_.vertices, 6, "vertices");
    limit(header_.faces, 2, "faces");
  }

  // Reads the keyword and returns the word after it; a number of three digits or more is no keyword.
  std::string_view keyword(std::string_view word) {
    std::string key;
    for (const char c : word.substr(0, 16))
      key += c >= 'a' && c <= 'z' && c != 'n' ? static_cast<char>(c - 'a' + 'A') : c;
    std::string_view rest = key;
    const auto take = [&](std::string_view prefix) {
      if (!rest.starts_with(prefix)) return false;
      rest.remove_prefix(prefix.size());
      return true;
    };
    header_.uvs = take("ST");
    header_.colors = take("C");
    header_.normals = take("N");
    header_.colors = take("C") || header_.colors;
    const bool more_dimensions = rest == "4OFF" || rest == "nOFF" || rest == "4nOFF";
    if (more_dimensions)
      throw Error(fmt::format("{} is a {} file whose points are not three-dimensional. Only 3D meshes can be read.",
                              file_name_, key));
    if (rest != "OFF") {
      header_ = {};
      if (std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) return word;
      scan_.fail("this is not an OFF file: it does not begin with OFF.");
    }
    const std::string_view next = scan_.word_anywhere();
    if (next == "BINARY")
      throw Error(fmt::format("{} is a binary OFF file, which Sinew does not read. Save it as text OFF, PLY or OBJ.",
                              file_name_));
    return next;
  }

  std::int64_t count(std::string_view word, const char* what) {
    if (word.empty()) scan_.fail(fmt::format("the number of {} is missing.", what));
    const std::int64_t value = scan_.integer(word);
    if (value < 0) scan_.fail(fmt::format("{} is not a valid number of {}.", value, what));
    return value;
  }

  void limit(std::int64_t value, std::size_t least_bytes, const char* what) {
    // The last line need not end.
    if (static_cast<std::uint64_t>(value) > (scan_.remaining() + 1) / least_bytes)
      scan_.fail(fmt::format("the file declares {} {}, but only {} bytes follow. It is damaged or cut short.", value,
                             what, scan_.remaining()));
  }

  double number(const char* what, std::int64_t index) {
    const std::string_view word = scan_.word_anywhere();
    if (word.empty()) scan_.fail(fmt::format("the file ends at {} {}; it was cut short.", what, index));
    return scan_.number(word);
  }

  void vertices(Mesh& mesh) {
    const auto size = static_cast<std::size_t>(header_.vertices);
    mesh.positions.reserve(size);
    for (std::int64_t v = 0; v < header_.vertices; ++v) {
      if (v % 65536 == 0) progress_.step("reading OFF", 0.5 * static_cast<double>(v) / static_cast<double>(size));
      Vec3 position;
      for (int i = 0; i < 3; ++i) position[i] = number("vertex", v);
      mesh.positions.push_back(position);
      if (header_.normals) {
        Vec3 normal;
        for (int i = 0; i < 3; ++i) normal[i] = number("vertex", v);
        const double length = normal.stableNorm();
        mesh.normals.values.push_back(length > 0 ? Vec3f((normal / length).cast<float>()) : Vec3f(Vec3f::UnitY()));
      }
      if (header_.colors) color(mesh);
      if (header_.uvs) {
        const double s = number("vertex", v);
        mesh.uvs.values.emplace_back(static_cast<float>(s), static_cast<float>(1 - number("vertex", v)));
      }
    }
  }

  // Three or four numbers: the rest of the line, but for the texture coordinate.
  void color(Mesh& mesh) {
    const std::size_t left = scan_.words_left(), needed = header_.uvs ? 2 : 0;
    if (left < 3 + needed) scan_.fail("a vertex has no colour, although the first line declares one.");
    Vec4f result = Vec4f::Ones();
    const std::size_t size = std::min<std::size_t>(4, left - needed);
    if (size == 3) result[3] = -1;  // Replaced by full opacity.
    for (std::size_t i = 0; i < size; ++i) result[static_cast<int>(i)] = static_cast<float>(scan_.number(scan_.word()));
    mesh.colors.push_back(result);
  }

  static void finish_colors(Mesh& mesh) {
    float most = 0;
    for (const Vec4f& color : mesh.colors) most = std::max(most, color.maxCoeff());
    for (Vec4f& color : mesh.colors) {
      if (color[3] < 0) color[3] = most > 1 ? 255.0F : 1.0F;
      if (most > 1) {
        for (int i = 0; i < 3; ++i) color[i] = srgb_to_linear(static_cast<double>(color[i]) / 255);
        color[3] /= 255;
      }
      color = color.cwiseMax(0.0F).cwiseMin(1.0F);
    }
  }

  void faces(Mesh& mesh) {
    std::vector<Index> corners;
    mesh.face_offsets.reserve(static_cast<std::size_t>(header_.faces) + 1);
    for (std::int64_t f = 0; f < header_.faces; ++f) {
      if (f % 65536 == 0)
        progress_.step("reading OFF", 0.5 + 0.5 * static_cast<double>(f) / static_cast<double>(header_.faces));
      const std::int64_t size = integer(f);
      if (size < 0 || static_cast<std::uint64_t>(size) > scan_.remaining() / 2 + 1)
        scan_.fail(fmt::format("a face cannot have {} corners.", size));
      corners.clear();
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t vertex = integer(f);
        if (vertex < 0 || vertex >= header_.vertices)
          scan_.fail(fmt::format("the face uses vertex {}, but the file has only {} (counted from 0).", vertex,
                                 header_.vertices));
        corners.push_back(static_cast<Index>(vertex));
      }
      if (size >= 3) mesh.add_face(corners);
      else if (short_faces_++ == 0) first_short_face_line_ = scan_.line();
      scan_.next_line();  // A colour may follow.
    }
  }

  std::int64_t integer(std::int64_t face) {
    const std::string_view word = scan_.word_anywhere();
    if (word.empty())
      scan_.fail(fmt::format("the file ends after {} of {} faces; it was cut short.", face, header_.faces));
    return scan_.integer(word);
  }

  std::string file_name_;
  const Progress& progress_;
  TextScanner scan_;
  OffHeader header_;
  std::uint64_t short_faces_ = 0, first_short_face_line_ = 0;
};

}  // namespace

Asset read_off(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  Asset asset;
  asset.path = path;
  asset.format = "off";
  asset.character.name = to_utf8(path.stem().string());
  OffParser(as_text(bytes), to_utf8(path.string()), progress).run(asset);
  Mesh& mesh = asset.character.rig.mesh;
  MeshPart part;
  part.name = asset.character.name;
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts.push_back(std::move(part));
  return asset;
}

}  // namespace sinew::io
