// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

enum class Type { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };
enum class Layout { kText, kLittle, kBig };

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr std::array<TypeName, 16> kTypes = {{{"char", Type::kInt8},
                                              {"uchar", Type::kUint8},
                                              {"short", Type::kInt16},
                                              {"ushort", Type::kUint16},
                                              {"int", Type::kInt32},
                                              {"uint", Type::kUint32},
                                              {"float", Type::kFloat},
                                              {"double", Type::kDouble},
                                              {"int8", Type::kInt8},
                                              {"uint8", Type::kUint8},
                                              {"int16", Type::kInt16},
                                              {"uint16", Type::kUint16},
                                              {"int32", Type::kInt32},
                                              {"uint32", Type::kUint32},
                                              {"float32", Type::kFloat},
                                              {"float64", Type::kDouble}}};

std::size_t size_of(Type type) {
  constexpr std::array<std::size_t, 8> kSizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

bool is_whole(Type type) { return type != Type::kFloat && type != Type::kDouble; }

// What a number of a vertex is for.
enum Role { kX, kY, kZ, kNx, kNy, kNz, kRed, kGreen, kBlue, kAlpha, kU, kV, kRoleCount, kNoRole = kRoleCount };

Role role_of(std::string_view name) {
  struct Entry {
    std::string_view name;
    Role role;
  };
  constexpr std::array<Entry, 26> kRoles = {{{"x", kX},
                                             {"y", kY},
                                             {"z", kZ},
                                             {"nx", kNx},
                                             {"ny", kNy},
                                             {"nz", kNz},
                                             {"red", kRed},
                                             {"green", kGreen},
                                             {"blue", kBlue},
                                             {"alpha", kAlpha},
                                             {"r", kRed},
                                             {"g", kGreen},
                                             {"b", kBlue},
                                             {"a", kAlpha},
                                             {"diffuse_red", kRed},
                                             {"diffuse_green", kGreen},
                                             {"diffuse_blue", kBlue},
                                             {"diffuse_alpha", kAlpha},
                                             {"s", kU},
                                             {"t", kV},
                                             {"u", kU},
                                             {"v", kV},
                                             {"texture_u", kU},
                                             {"texture_v", kV},
                                             {"texture_s", kU},
                                             {"texture_t", kV}}};
  for (const Entry& entry : kRoles)
    if (entry.name == name) return entry.role;
  return kNoRole;
}

struct Property {
  std::string name;
  Type type = Type::kFloat;
  bool list = false;
  Type count_type = Type::kUint8;
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

class PlyParser {
 public:
  PlyParser(std::string_view text, std::string file_name, const Progress& progress, Asset& asset)
      : text_(text),
        file_name_(std::move(file_name)),
        progress_(progress),
        asset_(asset),
        mesh_(asset.character.rig.mesh),
        scan_(text, file_name_, TextRules{false, false}) {}

  void run() {
    header();
    at_ = scan_.offset();
    std::string passed_over;
    bool has_vertices = false, has_faces = false;
    for (const Element& element : elements_) {
      limit(element);
      current_ = &element;
      if (element.name == "vertex" && !has_vertices) {
        has_vertices = true;
        vertices(element);
      } else if ((element.name == "face" || element.name == "tristrips") && !has_faces) {
        has_faces = true;
        faces(element);
      } else {
        pass_over(element);
        if (element.count > 0) passed_over += (passed_over.empty() ? "" : ", ") + to_utf8(element.name);
      }
    }
    finish(passed_over);
  }

 private:
  // ---- The header.

  void header() {
    if (scan_.word() != "ply") scan_.fail("this is not a PLY file: it does not begin with 'ply'.");
    scan_.next_line();
    bool has_format = false;
    while (!scan_.at_end()) {
      const std::string_view key = scan_.word();
      if (key == "format") {
        format(scan_.word());
        has_format = true;
      } else if (key == "element") {
        element();
      } else if (key == "property") {
        property();
      } else if (key == "end_header") {
        if (!has_format) scan_.fail("the header has no format line.");
        scan_.next_line();
        return;
      } else if (key != "comment" && key != "obj_info" && !key.empty()) {
        scan_.fail(fmt::format("'{}' is not a valid keyword in the header.", to_utf8(key.substr(0, 40))));
      }
      scan_.next_line();
    }
    scan_.fail("the header does not end with 'end_header'.");
  }

  void format(std::string_view name) {
    if (name == "ascii") layout_ = Layout::kText;
    else if (name == "binary_little_endian") layout_ = Layout::kLittle;
    else if (name == "binary_big_endian") layout_ = Layout::kBig;
    else scan_.fail(fmt::format("'{}' is not a PLY format.", to_utf8(name.substr(0, 40))));
  }

  void element() {
    Element element;
    element.name = scan_.word();
    const std::int64_t count = scan_.integer(scan_.word());
    if (count < 0) scan_.fail("an element cannot have a negative count.");
    element.count = static_cast<std::uint64_t>(count);
    elements_.push_back(std::move(element));
  }

  void property() {
    if (elements_.empty()) scan_.fail("a property comes before the first element.");
    Property property;
    std::string_view word = scan_.word();
    if (word == "list") {
      property.list = true;
      property.count_type = type(scan_.word());
      if (!is_whole(property.count_type)) scan_.fail("the length of a list must be a whole number.");
      word = scan_.word();
    }
    property.type = type(word);
    property.name = scan_.word();
    elements_.back().properties.push_back(std::move(property));
  }

  Type type(std::string_view name) {
    for (const TypeName& entry : kTypes)
      if (entry.name == name) return entry.type;
    scan_.fail(fmt::format("'{}' is not a PLY type.", to_utf8(name.substr(0, 40))));
  }

  // ---- Values.

  bool is_text() const { return layout_ == Layout::kText; }
  std::size_t remaining() const { return is_text() ? scan_.remaining() : text_.size() - at_; }

  [[noreturn]] void fail(const std::string& what) const {
    if (is_text()) scan_.fail(what);
    throw Error(fmt::format("{}, {} {}: {}", file_name_, to_utf8(current_->name), row_, what));
  }
  [[noreturn]] void fail_short() const { fail("the file ends here; it was cut short."); }

  // Refuses a count that the rest of the file cannot hold.
  void limit(const Element& element) {
    std::size_t least = 0;
    for (const Property& property : element.properties)
      least += is_text() ? 2 : size_of(property.list ? property.count_type : property.type);
    if (least > 0 && element.count > (remaining() + (is_text() ? 1 : 0)) / least)
      throw Error(fmt::format("{} declares {} elements of '{}', but only {} bytes follow. It is damaged or cut short.",
                              file_name_, element.count, to_utf8(element.name), remaining()));
  }

  template <class T>
  T raw() {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    if ((layout_ == Layout::kBig) != (std::endian::native == std::endian::big))
      std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }

  double value(Type type) {
    if (is_text()) {
      const std::string_view word = scan_.word_anywhere();
      if (word.empty()) fail_short();
      return scan_.number(word);
    }
    if (remaining() < size_of(type)) fail_short();
    switch (type) {
      case Type::kInt8:
        return raw<std::int8_t>();
      case Type::kUint8:
        return raw<std::uint8_t>();
      case Type::kInt16:
        return raw<std::int16_t>();
      case Type::kUint16:
        return raw<std::uint16_t>();
      case Type::kInt32:
        return raw<std::int32_t>();
      case Type::kUint32:
        return raw<std::uint32_t>();
      case Type::kFloat:
        return finite(static_cast<double>(raw<float>()));
      case Type::kDouble:
        return finite(raw<double>());
    }
    return 0;
  }

  double finite(double number) const {
    if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max())))
      fail(fmt::format("{} is not a finite number of reasonable size.", number));
    return number;
  }

  void skip(Type type, std::size_t count = 1) {
    if (!is_text()) {
      if (remaining() / size_of(type) < count) fail_short();
      at_ += count * size_of(type);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if (scan_.word_anywhere().empty()) fail_short();
  }

  std::size_t list_length(const Property& property) {
    const double length = value(property.count_type);
    const double most = static_cast<double>(is_text() ? remaining() / 2 + 1 : remaining() / size_of(property.type));
    if (length < 0 || length != std::floor(length)) fail(fmt::format("a list cannot have {} entries.", length));
    if (length > most)
      fail(fmt::format("a list of {} entries does not fit into the rest of the file, which is damaged or cut short.",
                       length));
    return static_cast<std::size_t>(length);
  }

  void pass_over(const Property& property) { skip(property.type, property.list ? list_length(property) : 1); }

  void pass_over(const Element& element) {
    if (element.properties.empty()) return;
    for (row_ = 0; row_ < element.count; ++row_) {
      step(element);
      for (const Property& property : element.properties) pass_over(property);
    }
  }

  void step(const Element&) const {
    if (row_ % 65536 == 0)
      progress_.step("reading PLY", 1 - static_cast<double>(remaining()) / static_cast<double>(text_.size()));
  }

  // ---- Vertices.

  void vertices(const Element& element) {
    std::vector<Role> roles;
    std::array<bool, kRoleCount + 1> has{};
    std::array<double, 4> color_scale = {0, 0, 0, 0};  // 0: a float, linear already.
    for (const Property& property : element.properties) {
      Role role = property.list ? kNoRole : role_of(property.name);
      if (role != kNoRole && has[role]) role = kNoRole;  // The first of a kind holds.
      roles.push_back(role);
      has[role] = true;
      if (role >= kRed && role <= kAlpha && is_whole(property.type))
        color_scale[static_cast<std::size_t>(role - kRed)] = property.type == Type::kUint16 ? 65535 : 255;
    }
    if (element.count > 0 && !(has[kX] && has[kY] && has[kZ]))
      throw Error(fmt::format("{}: the vertices have no x, y and z.", file_name_));
    const bool normals = has[kNx] && has[kNy] && has[kNz], colors = has[kRed] && has[kGreen] && has[kBlue],
               uvs = has[kU] && has[kV];
    mesh_.positions.reserve(element.count);
    std::array<double, kRoleCount + 1> values{};
    for (row_ = 0; row_ < element.count; ++row_) {
      step(element);
      for (std::size_t p = 0; p < roles.size(); ++p) {
        if (roles[p] == kNoRole) pass_over(element.properties[p]);
        else values[roles[p]] = value(element.properties[p].type);
      }
      mesh_.positions.emplace_back(values[kX], values[kY], values[kZ]);
      if (normals) add_normal({values[kNx], values[kNy], values[kNz]});
      if (colors)
        add_color({values[kRed], values[kGreen], values[kBlue], has[kAlpha] ? values[kAlpha] : -1}, color_scale);
      if (uvs) mesh_.uvs.values.emplace_back(static_cast<float>(values[kU]), static_cast<float>(1 - values[kV]));
    }
  }

  void add_normal(const Vec3& normal) {
    const double length = normal.stableNorm();
    mesh_.normals.values.push_back(length > 0 ? Vec3f((normal / length).cast<float>()) : Vec3f(Vec3f::UnitY()));
  }

  void add_color(const Vec4& color, const std::array<double, 4>& scale) {
    Vec4f result;
    for (int i = 0; i < 3; ++i) {
      const double by = scale[static_cast<std::size_t>(i)];
      result[i] = by > 0 ? srgb_to_linear(color[i] / by) : static_cast<float>(color[i]);
    }
    const double alpha = color[3] < 0 ? 1 : scale[3] > 0 ? color[3] / scale[3] : color[3];
    result[3] = static_cast<float>(std::clamp(alpha, 0.0, 1.0));
    mesh_.colors.push_back(result);
  }

  // ---- Faces.

  void faces(const Element& element) {
    const bool strips = element.name == "tristrips";
    std::size_t indices = element.properties.size(), texture = indices;
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      if (property.list && (property.name == "vertex_indices" || property.name == "vertex_index")) indices = p;
      if (property.list && property.name == "texcoord" && !strips) texture = p;
    }
    if (indices == element.properties.size() && element.count > 0)
      throw Error(
          fmt::format("{}: the '{}' elements have no list of vertex_indices.", file_name_, to_utf8(element.name)));
    corner_uvs_ = texture < element.properties.size();
    for (row_ = 0; row_ < element.count; ++row_) {
      step(element);
      uvs_.clear();
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const Property& property = element.properties[p];
        if (p == indices) read_corners(property, strips);
        else if (p == texture) read_uvs(property);
        else pass_over(property);
      }
      if (strips) add_strip();
      else add_face();
    }
  }

  void read_corners(const Property& property, bool strip) {
    corners_.clear();
    const std::size_t length = list_length(property);
    for (std::size_t i = 0; i < length; ++i) {
      const double number = value(property.type);
      const bool restart = strip && number == -1;
      if (!restart && (number < 0 || number != std::floor(number) || number >= static_cast<double>(kNone)))
        fail(fmt::format("the face uses vertex {}, which does not exist.", number));
      const Index vertex = restart ? kNone : static_cast<Index>(number);
      if (!restart && vertex >= furthest_) {  // Checked at the end: vertices may come later.
        furthest_ = vertex + 1;
        furthest_place_ = is_text() ? scan_.line() : row_;
      }
      corners_.push_back(vertex);
    }
  }

  void read_uvs(const Property& property) {
    const std::size_t length = list_length(property);
    for (std::size_t i = 0; i < length; ++i) uvs_.push_back(value(property.type));
  }

  void add_face() {
    if (corners_.size() < 3) {
      ++short_faces_;
      return;
    }
    mesh_.add_face(corners_);
    if (!corner_uvs_) return;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      const bool given = uvs_.size() == 2 * corners_.size();
      uv_corners_.push_back(given ? static_cast<Index>(corner_uv_values_.size()) : kNone);
      if (given)
        corner_uv_values_.emplace_back(static_cast<float>(uvs_[2 * i]), static_cast<float>(1 - uvs_[2 * i + 1]));
    }
  }

  // Every other triangle of a strip turns the other way round; those that use a vertex twice only link two strips.
  void add_strip() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      if (corners_[i] == kNone) begin = i + 1;
      if (corners_[i] == kNone || i < begin + 2) continue;
      std::array<Index, 3> triangle = {corners_[i - 2], corners_[i - 1], corners_[i]};
      if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[0] == triangle[2]) continue;
      if ((i - begin) % 2 == 1) std::swap(triangle[0], triangle[1]);
      mesh_.add_face(triangle);
    }
  }

  void finish(const std::string& passed_over) {
    if (mesh_.positions.empty()) throw Error(fmt::format("{} contains no vertices, so it has no mesh.", file_name_));
    if (furthest_ > mesh_.positions.size())
      throw Error(fmt::format("{}, {}: the face uses vertex {}, but the file has only {} (counted from 0).", file_name_,
                              fmt::format("{} {}", is_text() ? "line" : "face", furthest_place_), furthest_ - 1,
                              mesh_.positions.size()));
    if (!corner_uv_values_.empty()) mesh_.uvs = {std::move(corner_uv_values_), std::move(uv_corners_)};
    const std::string name = to_utf8(asset_.path.filename().string());
    if (short_faces_ > 0)
      asset_.warnings.push_back({"ply.short_face", name,
                                 fmt::format("{} face(s) with fewer than three corners were left out.", short_faces_)});
    if (!passed_over.empty())
      asset_.warnings.push_back(
          {"ply.not_read", name, fmt::format("Only vertices and faces are read; ignored: {}.", passed_over)});
  }

  std::string_view text_;
  std::string file_name_;
  const Progress& progress_;
  Asset& asset_;
  Mesh& mesh_;
  TextScanner scan_;
  std::size_t at_ = 0;  // Of a binary file.
  Layout layout_ = Layout::kText;
  std::vector<Element> elements_;
  const Element* current_ = nullptr;
  std::uint64_t row_ = 0;

  std::vector<Index> corners_;  // Of the face being read.
  std::vector<double> uvs_;
  bool corner_uvs_ = false;
  std::vector<Vec2f> corner_uv_values_;
  std::vector<Index> uv_corners_;
  std::uint64_t furthest_ = 0;
  std::uint64_t furthest_place_ = 0;
  std::uint64_t short_faces_ = 0;
};

}  // namespace

Asset read_ply(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  Asset asset;
  asset.path = path;
  asset.format = "ply";
  asset.character.name = to_utf8(path.stem().string());
  PlyParser(as_text(bytes), to_utf8(path.string()), progress, asset).run();
  Mesh& mesh = asset.character.rig.mesh;
  MeshPart part;
  part.name = asset.character.name;
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts.push_back(std::move(part));
  return asset;
}

}  // namespace sinew::io
