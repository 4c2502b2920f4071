// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/obj_writer.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <set>
#include <unordered_map>

#include "sinew/io/reach.h"
#include "sinew/io/text/obj_document.h"
#include "sinew/io/text/obj_files.h"
#include "sinew/io/text/obj_rewriter.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

void report_dropped(const Character& character, const fs::path& path, Report& report) {
  const Rig& rig = character.rig;
  std::size_t morphs = 0;
  for (const MeshPart& part : rig.mesh.parts) morphs += part.morphs.size();
  std::vector<std::string> dropped;
  if (!rig.skeleton.empty()) dropped.push_back(fmt::format("the skeleton ({} joints)", rig.skeleton.size()));
  if (!rig.weights.empty()) dropped.push_back("the skin weights");
  if (!character.clips.empty()) dropped.push_back(fmt::format("{} clip(s)", character.clips.size()));
  if (morphs > 0) dropped.push_back(fmt::format("{} morph(s)", morphs));
  if (dropped.empty()) return;
  report.warn(
      "obj.dropped", to_utf8(path.filename().string()),
      fmt::format("OBJ stores only a mesh and its materials. Left out: {}. Write a .rig.json or .glb to keep them.",
                  fmt::join(dropped, ", ")));
}

// A name that stays one line; `fallback` for an empty one.
std::string one_line(std::string_view name, const std::string& fallback) {
  std::string result;
  for (const char c : name) result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  const std::size_t begin = result.find_first_not_of(' ');
  if (begin == std::string::npos) return fallback;
  result = result.substr(begin, result.find_last_not_of(' ') - begin + 1);
  return result;
}

// Different values of a layer, in order of first use, and where each value went.
template <class T>
struct Distinct {
  std::vector<T> values;
  std::vector<Index> index;  // Per value of the layer.
};

template <class T>
Distinct<T> distinct_values(const CornerLayer<T>& layer) {
  constexpr int kSize = T::RowsAtCompileTime;
  using Key = std::array<std::uint32_t, static_cast<std::size_t>(kSize)>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (const std::uint32_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL ^ (hash >> 29);
      return hash;
    }
  };
  Distinct<T> result;
  std::unordered_map<Key, Index, Hash> seen;
  seen.reserve(layer.values.size());
  result.index.reserve(layer.values.size());
  for (const T& value : layer.values) {
    Key key;
    for (int i = 0; i < kSize; ++i) key[static_cast<std::size_t>(i)] = std::bit_cast<std::uint32_t>(value[i]);
    const auto [entry, added] = seen.try_emplace(key, static_cast<Index>(result.values.size()));
    if (added) result.values.push_back(value);
    result.index.push_back(entry->second);
  }
  return result;
}

// v of OBJ grows upwards. The shortest text that the reader turns into the same float again.
void append_flipped(std::string& out, float v) {
  std::string text;
  append_number(text, static_cast<float>(1 - static_cast<double>(v)));
  double again = 0;
  std::from_chars(text.data(), text.data() + text.size(), again);
  if (static_cast<float>(1 - again) == v) out += text;
  else append_number(out, 1 - static_cast<double>(v));
}

class FreshObj {
 public:
  FreshObj(const Character& character, const fs::path& path, AtomicFiles& files, Report& report)
      : character_(character),
        mesh_(character.rig.mesh),
        path_(path),
        files_(files),
        report_(report),
        names_(path.parent_path()) {}

  void write() {
    text_ = "# Written by Sinew\n";
    if (!character_.materials.empty()) materials();
    const Distinct<Vec2f> uvs = distinct_values(mesh_.uvs);
    const Distinct<Vec3f> normals = distinct_values(mesh_.normals);
    if (mesh_.parts.empty()) {
      vertices(0, mesh_.vertex_count());
      layers(uvs.values, normals.values);
      faces(0, mesh_.face_count(), uvs.index, normals.index);
    }
    for (std::size_t p = 0; p < mesh_.parts.size(); ++p) {
      const MeshPart& part = mesh_.parts[p];
      text_ += "o " + one_line(part.name, fmt::format("part_{}", p)) + "\n";
      vertices(part.first_vertex, part.first_vertex + part.vertex_count);
      if (p == 0) layers(uvs.values, normals.values);
      faces(part.first_face, part.first_face + part.face_count, uvs.index, normals.index);
    }
    files_.add(path_, text_);
  }

 private:
  void materials() {
    const std::string stem = path_.stem().string();
    const std::string marker = "# Written by Sinew for " + path_.filename().string() + "\n";
    const std::set<std::string> earlier = earlier_run(stem, marker);
    std::unordered_map<std::string, int> uses;
    for (std::size_t i = 0; i < character_.materials.size(); ++i) {
      std::string name = one_line(character_.materials[i].name, fmt::format("material_{}", i));
      while (uses[name]++ > 0) name += fmt::format("_{}", uses[name]);
      material_names_.push_back(name);
    }
    for (plain_name_ = "none"; uses.contains(plain_name_);) plain_name_ += "_";
    std::vector<Material> materials = character_.materials;
    bool plain = false;
    for (const Index material : mesh_.face_materials) plain = plain || material == kNone;
    if (plain) {
      materials.emplace_back();
      material_names_.push_back(plain_name_);
    }
    const std::string text = marker + format_mtl(materials, material_names_, image_files(stem));
    const TargetNames::Target target = names_.pick(stem + ".mtl", as_bytes(text));
    if (target.write) files_.add(names_.folder() / target.name, text);
    text_ += "mtllib " + target.name + "\n";
    for (const std::string& name : earlier)
      if (!names_.taken(name)) files_.remove_afterwards(names_.folder() / name);
  }

  // Libraries that Sinew wrote for this very file, and their pictures. They stay as they are until the new file is in
  // its place, and go then.
  std::set<std::string> earlier_run(const std::string& stem, const std::string& marker) const {
    std::set<std::string> names;
    std::string name = stem + ".mtl";
    for (int number = 2;; ++number) {
      const auto old = find_beside(names_.folder(), name);
      if (!old) return names;
      const Bytes bytes = read_file(*old);
      if (as_text(bytes).starts_with(marker)) {
        names.insert(name);
        for (const TextReference& reference : parse_mtl(as_text(bytes), old->string()).references)
          if (reference.name.starts_with(stem + "_") && is_safe_name(reference.name) && is_picture_name(reference.name))
            names.insert(reference.name);
      }
      name = fmt::format("{}_{}.mtl", stem, number);
    }
  }

  std::vector<std::string> image_files(const std::string& stem) {
    std::vector<bool> used(character_.images.size(), false);
    for (const Material& material : character_.materials)
      for (const Index image : {material.base_color_image, material.normal_image, material.emissive_image})
        if (image != kNone) used[image] = true;
    std::vector<std::string> result(character_.images.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Image& image = character_.images[i];
      if (!used[i]) continue;
      if (image.bytes.empty()) {
        report_.warn("obj.missing_texture", image.name,
                     fmt::format("The image '{}' is missing, so it was not written.",
                                 image.uri.empty() ? image.name : image.uri));
        continue;
      }
      const TargetNames::Target target = names_.pick(stem + "_" + image_name(image, i), image.bytes);
      if (target.write) files_.add(names_.folder() / target.name, image.bytes);
      result[i] = target.name;
    }
    return result;
  }

  static std::string image_name(const Image& image, std::size_t number) {
    std::string name;
    for (const char c : image.name.substr(0, 80)) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
      name += plain ? c : '_';
    }
    if (name.find_first_not_of('_') == std::string::npos) name = fmt::format("image{}", number);
    if (image.mime_type == "image/jpeg") return name + ".jpg";
    if (image.mime_type.starts_with("image/")) return name + "." + image.mime_type.substr(6);
    const std::string ending = fs::path(image.uri).extension().string();
    return name + (ending.size() >= 2 && ending.size() <= 5 ? ending : ".bin");
  }

  void vertices(Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      text_ += 'v';
      for (int i = 0; i < 3; ++i) number(mesh_.positions[v][i]);
      for (int i = 0; i < 3 && !mesh_.colors.empty(); ++i)
        number(static_cast<float>(linear_to_srgb(mesh_.colors[v][i])));
      text_ += '\n';
    }
  }

  void layers(const std::vector<Vec2f>& uvs, const std::vector<Vec3f>& normals) {
    for (const Vec2f& uv : uvs) {
      text_ += "vt";
      number(uv.x());
      text_ += ' ';
      append_flipped(text_, uv.y());
      text_ += '\n';
    }
    for (const Vec3f& normal : normals) {
      text_ += "vn";
      for (int i = 0; i < 3; ++i) number(normal[i]);
      text_ += '\n';
    }
  }

  template <class T>
  static Index value_of(const CornerLayer<T>& layer, const std::vector<Index>& index, Index corner, Index vertex) {
    if (layer.empty()) return kNone;
    const Index value = layer.corners.empty() ? vertex : layer.corners[corner];
    return value == kNone ? kNone : index[value];
  }

  void faces(Index begin, Index end, const std::vector<Index>& uvs, const std::vector<Index>& normals) {
    for (Index f = begin; f < end; ++f) {
      use_material(f);
      // All corners of a face have a texture coordinate, or none has; so with normals.
      bool with_uvs = true, with_normals = true;
      for (Index c = mesh_.face_offsets[f]; c < mesh_.face_offsets[f + 1]; ++c) {
        const Index vertex = mesh_.face_vertices[c];
        with_uvs = with_uvs && value_of(mesh_.uvs, uvs, c, vertex) != kNone;
        with_normals = with_normals && value_of(mesh_.normals, normals, c, vertex) != kNone;
      }
      text_ += 'f';
      for (Index c = mesh_.face_offsets[f]; c < mesh_.face_offsets[f + 1]; ++c) {
        const Index vertex = mesh_.face_vertices[c];
        text_ += ' ';
        index(vertex);
        if (with_uvs || with_normals) text_ += '/';
        if (with_uvs) index(value_of(mesh_.uvs, uvs, c, vertex));
        if (with_normals) {
          text_ += '/';
          index(value_of(mesh_.normals, normals, c, vertex));
        }
      }
      text_ += '\n';
    }
  }

  void use_material(Index face) {
    if (mesh_.face_materials.empty() || material_names_.empty()) return;
    const Index material = mesh_.face_materials[face];
    if (material == current_material_ && any_material_) return;
    current_material_ = material;
    any_material_ = true;
    text_ += "usemtl " + (material == kNone ? plain_name_ : material_names_[material]) + "\n";
  }

  template <class T>
  void number(T value) {
    text_ += ' ';
    append_number(text_, value);
  }

  void index(Index zero_based) {
    char buffer[16];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, std::uint64_t{zero_based} + 1);
    text_.append(buffer, result.ptr);
  }

  const Character& character_;
  const Mesh& mesh_;
  const fs::path& path_;
  AtomicFiles& files_;
  Report& report_;
  TargetNames names_;
  std::string text_;
  std::vector<std::string> material_names_;
  std::string plain_name_;
  Index current_material_ = kNone;
  bool any_material_ = false;
};

}  // namespace

void write_obj(const Asset& asset, const fs::path& path, const SaveOptions& options, AtomicFiles& files,
               Report& report) {
  const Mesh& mesh = asset.character.rig.mesh;
  if (mesh.positions.empty())
    throw Error(
        fmt::format("There is no mesh to write to {}. An OBJ file stores only meshes.", to_utf8(path.string())));
  report_dropped(asset.character, path, report);
  const auto* document = dynamic_cast<const ObjDocument*>(asset.document.get());
  if (document && document->vertex_count == mesh.vertex_count() && document->face_count == mesh.face_count()) {
    Changes changes = options.changes;
    changes.positions = changes.positions || asset.placement != Mat4::Identity();
    rewrite_obj(*document, mesh, path, changes, files, report);
  } else {
    FreshObj(asset.character, path, files, report).write();
  }
}

}  // namespace sinew::io
