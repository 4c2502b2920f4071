// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/obj_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

// Vertex, texture coordinate, normal of a corner.
enum Kind { kVertex = 0, kUv = 1, kNormal = 2 };
constexpr std::array<const char*, 3> kKindNames = {"vertex", "texture coordinate", "normal"};

using Corner = std::array<Index, 3>;

bool is_curve(std::string_view key) {
  for (const char* name : {"vp",   "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim",
                           "hole", "scrv",   "sp",  "end",  "con",  "bzp",  "bsp",   "cdc",  "cdp",  "res"})
    if (key == name) return true;
  return false;
}

// Statements that change nothing of the mesh; they stay in the text.
bool is_display_attribute(std::string_view key) {
  for (const char* name : {"mg", "bevel", "c_interp", "d_interp", "lod", "usemap", "maplib", "shadow_obj", "trace_obj",
                           "ctech", "stech", "call", "csh"})
    if (key == name) return true;
  return false;
}

class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& file_name, const Progress& progress)
      : text_(text), file_name_(file_name), progress_(progress), scan_(text, file_name, TextRules{true, true}) {
    out_.objects.emplace_back();
  }

  ObjText run() {
    // Most of a file is vertices and faces of some thirty characters each; the vectors grow if it is not so.
    out_.mesh.positions.reserve(text_.size() / 100);
    for (std::uint64_t count = 0; !scan_.at_end(); ++count) {
      if (count % 65536 == 0)
        progress_.step("reading OBJ", static_cast<double>(scan_.offset()) / static_cast<double>(text_.size()));
      const std::string_view key = scan_.word();
      if (!key.empty()) statement(key);
      scan_.next_line();
    }
    finish();
    return std::move(out_);
  }

 private:
  void statement(std::string_view key) {
    if (key == "v") vertex();
    else if (key == "f" || key == "fo") face();
    else if (key == "vt") uv();
    else if (key == "vn") normal();
    else if (key == "usemtl") use_material();
    else if (key == "o") begin_object();
    else if (key == "g") groups();
    else if (key == "s") ++out_.smoothing_statements;
    else if (key == "mtllib") material_file();
    else if (key == "l") ++out_.lines;
    else if (key == "p") ++out_.points;
    else if (is_curve(key)) ++out_.curves;
    else if (!is_display_attribute(key) && out_.unknown++ == 0) out_.first_unknown_line = scan_.line();
  }

  Vec3 three_numbers() {
    Vec3 result;
    for (int i = 0; i < 3; ++i) result[i] = scan_.number(scan_.word());
    return result;
  }

  void vertex() {
    Mesh& mesh = out_.mesh;
    mesh.positions.push_back(three_numbers());
    // x y z, x y z w, x y z r g b or x y z r g b a.
    Vec4 extra(0, 0, 0, 1);
    int count = 0;
    for (std::string_view word = scan_.word(); !word.empty() && count < 4; word = scan_.word())
      extra[count++] = scan_.number(word);
    if (count >= 3 && mesh.colors.empty()) mesh.colors.assign(mesh.positions.size() - 1, Vec4f::Ones());
    if (count >= 3) mesh.colors.emplace_back(extra.cast<float>());
    else if (!mesh.colors.empty()) mesh.colors.emplace_back(Vec4f::Ones());
  }

  void uv() {
    const double u = scan_.number(scan_.word());
    const std::string_view second = scan_.word();
    const double v = second.empty() ? 0 : scan_.number(second);
    out_.mesh.uvs.values.emplace_back(static_cast<float>(u), static_cast<float>(1 - v));
  }

  void normal() { out_.mesh.normals.values.push_back(obj_normal(three_numbers())); }

  std::size_t count_of(int kind) const {
    const Mesh& mesh = out_.mesh;
    return kind == kVertex ? mesh.positions.size() : kind == kUv ? mesh.uvs.values.size() : mesh.normals.values.size();
  }

  // "7", "7/1", "7//3" or "7/1/3"; negative numbers count back from the last one given.
  Corner corner(std::string_view word) {
    Corner result = {kNone, kNone, kNone};
    const char* at = word.data();
    const char* const end = at + word.size();
    for (int kind = 0; kind < 3; ++kind) {
      if (at != end && *at != '/') {
        std::int64_t number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc() || (next != end && *next != '/'))
          scan_.fail(fmt::format("'{}' is not a corner of a face.", to_utf8(word.substr(0, 40))));
        result[static_cast<std::size_t>(kind)] = resolve(number, kind);
        at = next;
      } else if (kind == kVertex) {
        scan_.fail("a corner of the face has no vertex number.");
      }
      if (at == end) return result;
      ++at;
    }
    return result;
  }

  Index resolve(std::int64_t number, int kind) {
    const auto count = static_cast<std::int64_t>(count_of(kind));
    const std::int64_t index = number > 0 ? number - 1 : count + number;
    if (number == 0 || index < 0 || index >= static_cast<std::int64_t>(kNone))
      scan_.fail(fmt::format("the face uses {} {}, which does not exist.", kKindNames[static_cast<std::size_t>(kind)],
                             number));
    // It may be given further down, so the largest is remembered and checked at the end.
    Furthest& furthest = furthest_[static_cast<std::size_t>(kind)];
    if (index >= count && index > furthest.index) furthest = {index, scan_.line()};
    return static_cast<Index>(index);
  }

  void face() {
    corners_.clear();
    const std::uint64_t line = scan_.line();
    for (std::string_view word = scan_.word(); !word.empty(); word = scan_.word()) corners_.push_back(corner(word));
    if (corners_.size() < 3) {
      if (out_.short_faces++ == 0) out_.first_short_face_line = line;
      return;
    }
    Mesh& mesh = out_.mesh;
    ObjObject& object = out_.objects.back();
    for (const Corner& corner : corners_) {
      mesh.face_vertices.push_back(corner[kVertex]);
      object.least_used = std::min(object.least_used, corner[kVertex]);
      object.most_used = std::max(object.most_used, corner[kVertex]);
    }
    add_layer(mesh.uvs.corners, kUv);
    add_layer(mesh.normals.corners, kNormal);
    mesh.face_offsets.push_back(static_cast<Index>(mesh.face_vertices.size()));
    add_material();
  }

  void add_layer(std::vector<Index>& layer, std::size_t kind) {
    const bool given = std::any_of(corners_.begin(), corners_.end(), [&](const Corner& c) { return c[kind] != kNone; });
    if (layer.empty() && !given) return;
    layer.resize(out_.mesh.face_vertices.size() - corners_.size(), kNone);
    for (const Corner& corner : corners_) layer.push_back(corner[kind]);
  }

  void add_material() {
    Mesh& mesh = out_.mesh;
    if (material_ == kNone && !material_name_.empty()) {
      const auto [entry, added] =
          material_index_.try_emplace(material_name_, static_cast<Index>(out_.material_names.size()));
      if (added) out_.material_names.emplace_back(material_name_);
      material_ = entry->second;
    }
    if (mesh.face_materials.empty() && material_ != kNone) mesh.face_materials.assign(mesh.face_count() - 1, kNone);
    if (material_ != kNone || !mesh.face_materials.empty()) mesh.face_materials.push_back(material_);
  }

  void use_material() {
    material_name_ = scan_.rest_of_line();
    material_ = kNone;
  }

  void begin_object() {
    ObjObject object;
    object.name = to_utf8(scan_.rest_of_line());
    object.first_vertex = out_.mesh.vertex_count();
    object.first_face = out_.mesh.face_count();
    out_.objects.push_back(std::move(object));
  }

  void groups() {
    for (std::string_view word = scan_.word(); !word.empty(); word = scan_.word())
      if (group_names_.insert(word).second) out_.groups.push_back(to_utf8(word));
  }

  void material_file() {
    const std::string_view name = scan_.rest_of_line();
    if (!name.empty())
      out_.material_files.push_back({static_cast<std::size_t>(name.data() - text_.data()), std::string(name)});
  }

  void finish() {
    Mesh& mesh = out_.mesh;
    for (int kind = 0; kind < 3; ++kind) {
      const Furthest& furthest = furthest_[static_cast<std::size_t>(kind)];
      if (furthest.index >= static_cast<std::int64_t>(count_of(kind)))
        scan_.fail_at(furthest.line,
                      fmt::format("the face uses {} {}, but the file has only {}.",
                                  kKindNames[static_cast<std::size_t>(kind)], furthest.index + 1, count_of(kind)));
    }
    if (mesh.positions.empty())
      throw Error(fmt::format("{} contains no vertices ('v' lines), so it has no mesh.", file_name_));
    out_.normal_count = static_cast<Index>(mesh.normals.values.size());
    finish_colors();
    if (mesh.uvs.corners.empty()) mesh.uvs.values.clear();
    else mesh.uvs.corners.resize(mesh.face_vertices.size(), kNone);
    for (Index& corner : mesh.normals.corners)
      if (corner != kNone && mesh.normals.values[corner].isZero()) corner = kNone;
    if (mesh.normals.corners.empty()) mesh.normals.values.clear();
    else mesh.normals.corners.resize(mesh.face_vertices.size(), kNone);
  }

  void finish_colors() {
    float most = 1;
    for (const Vec4f& color : out_.mesh.colors) most = std::max(most, color.maxCoeff());
    const double scale = most > 1 ? 255 : 1;  // Some programs write bytes.
    for (std::size_t i = 0; i < out_.mesh.colors.size(); ++i) {
      Vec4f& color = out_.mesh.colors[i];
      const bool unset = color == Vec4f::Ones();
      for (int k = 0; k < 3 && !unset; ++k) color[k] = srgb_to_linear(static_cast<double>(color[k]) / scale);
      color[3] = std::clamp(color[3] > 1 ? color[3] / 255 : color[3], 0.0F, 1.0F);
    }
  }

  struct Furthest {
    std::int64_t index = -1;
    std::uint64_t line = 0;
  };

  std::string_view text_;
  const std::string& file_name_;
  const Progress& progress_;
  TextScanner scan_;
  ObjText out_;
  std::vector<Corner> corners_;  // Of the face being read.
  std::array<Furthest, 3> furthest_;
  std::string_view material_name_;
  Index material_ = kNone;
  std::unordered_map<std::string_view, Index> material_index_;
  std::unordered_set<std::string_view> group_names_;
};

}  // namespace

ObjText parse_obj(std::string_view text, const std::string& file_name, const Progress& progress) {
  return ObjParser(text, file_name, progress).run();
}

Vec3f obj_normal(const Vec3& written) {
  const double length = written.stableNorm();
  return length > 0 ? Vec3f((written / length).cast<float>()) : Vec3f(Vec3f::Zero());
}

}  // namespace sinew::io
