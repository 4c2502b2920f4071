// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/obj_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sinew/io/reach.h"
#include "sinew/io/text/obj_document.h"
#include "sinew/io/text/obj_files.h"
#include "sinew/io/text/obj_parser.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

MeshPart part_of(std::string name, Index first_vertex, Index first_face) {
  MeshPart part;
  part.name = std::move(name);
  part.first_vertex = first_vertex;
  part.first_face = first_face;
  return part;
}

// One part per object whose faces use only vertices given inside it; empty if there is an object that does otherwise.
std::vector<MeshPart> parts_by_section(const ObjText& text, const std::string& stem) {
  std::vector<MeshPart> parts;
  for (std::size_t i = 0; i < text.objects.size(); ++i) {
    const ObjObject& object = text.objects[i];
    const bool last = i + 1 == text.objects.size();
    const Index end_vertex = last ? text.mesh.vertex_count() : text.objects[i + 1].first_vertex;
    const Index end_face = last ? text.mesh.face_count() : text.objects[i + 1].first_face;
    if (object.first_vertex == end_vertex && object.first_face == end_face) continue;
    if (object.least_used != kNone && (object.least_used < object.first_vertex || object.most_used >= end_vertex))
      return {};
    parts.push_back(part_of(i == 0 ? stem : object.name, object.first_vertex, object.first_face));
  }
  return parts;
}

// One part per object with faces, where the vertices they use follow each other without overlap; unused vertices go to
// the part before them. Empty if they overlap.
std::vector<MeshPart> parts_by_use(const ObjText& text, const std::string& stem) {
  std::vector<MeshPart> parts;
  Index end = 0;
  for (std::size_t i = 0; i < text.objects.size(); ++i) {
    const ObjObject& object = text.objects[i];
    if (object.least_used == kNone) continue;
    if (!parts.empty() && object.least_used < end) return {};
    parts.push_back(part_of(i == 0 ? stem : object.name, parts.empty() ? 0 : object.least_used, object.first_face));
    end = object.most_used + 1;
  }
  return parts;
}

std::vector<MeshPart> make_parts(const ObjText& text, const std::string& stem) {
  std::vector<MeshPart> parts = parts_by_section(text, stem);
  if (parts.empty()) parts = parts_by_use(text, stem);
  if (parts.empty()) parts.push_back(part_of(stem, 0, 0));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i].name.empty()) parts[i].name = stem;
    parts[i].vertex_count = (last ? text.mesh.vertex_count() : parts[i + 1].first_vertex) - parts[i].first_vertex;
    parts[i].face_count = (last ? text.mesh.face_count() : parts[i + 1].first_face) - parts[i].first_face;
  }
  return parts;
}

void report_statements(const ObjText& text, const std::string& file_name, Findings& findings) {
  if (text.short_faces > 0)
    findings.push_back({"obj.short_face", fmt::format("line {}", text.first_short_face_line),
                        fmt::format("{} face(s) with fewer than three corners were left out.", text.short_faces)});
  if (text.lines + text.points + text.curves > 0)
    findings.push_back(
        {"obj.not_read", file_name,
         fmt::format("Only polygons are read; {} line, {} point and {} curve or surface statement(s) were ignored.",
                     text.lines, text.points, text.curves)});
  if (text.unknown > 0)
    findings.push_back({"obj.unknown_statement", fmt::format("line {}", text.first_unknown_line),
                        fmt::format("{} line(s) begin with a keyword that OBJ does not define.", text.unknown)});
}

// A broken file may name thousands of libraries; no more are looked for than this.
constexpr std::size_t kMostLookups = 100;

// Finds and reads the material libraries and textures of a file.
class Appearance {
 public:
  Appearance(Asset& asset, ObjDocument& document) : asset_(asset), document_(document) {}

  void read(const ObjText& text) {
    for (const TextReference& reference : text.material_files) find_libraries(reference);
    std::string missing;
    std::size_t missing_count = 0;
    for (const std::string& raw : text.material_names) {
      const std::string name = to_utf8(raw);
      const auto found = by_name_.find(name);
      if (found != by_name_.end()) {
        asset_.character.materials.push_back(material(found->second));
        continue;
      }
      asset_.character.materials.emplace_back().name = name;
      if (++missing_count <= 8) missing += (missing.empty() ? "'" : ", '") + name + "'";
    }
    if (missing_count > 0)
      warn("obj.missing_material",
           fmt::format("No material library describes {}{}; plain white is used instead.", missing,
                       missing_count > 8 ? fmt::format(" and {} more", missing_count - 8) : ""));
  }

 private:
  void warn(const char* code, std::string text) {
    asset_.warnings.push_back({code, to_utf8(asset_.path.filename().string()), std::move(text)});
  }

  // One name, which may have blanks in it, or several names.
  void find_libraries(const TextReference& reference) {
    if (!tried_.insert(reference.name).second) {
      add_reference(reference);
      return;
    }
    if (tried_.size() > kMostLookups) return;
    if (const auto path = find_beside(document_.folder, reference.name)) {
      library(*path, reference);
      return;
    }
    std::vector<std::string> missing;
    bool any = false;
    const std::string_view names = reference.name;
    for (std::size_t at = 0; at < names.size() && missing.size() < kMostLookups;) {
      const std::size_t end = std::min(names.find_first_of(" \t", at), names.size());
      const std::string word(names.substr(at, end - at));
      if (const auto path = word.empty() ? std::nullopt : find_beside(document_.folder, word)) {
        library(*path, {reference.offset + at, word});
        any = true;
      } else if (!word.empty()) {
        missing.push_back(word);
      }
      at = end + 1;
    }
    if (!any) missing = {reference.name.substr(0, 200)};
    for (const std::string& name : missing)
      warn("obj.missing_material_file",
           fmt::format("The material library '{}' {}.", to_utf8(name), lost_file_advice(document_.folder, name)));
  }

  // The same name again: a copy under another name must change it here too.
  void add_reference(const TextReference& reference) {
    for (ObjDocument::MaterialFile& file : document_.material_files)
      if (file.named_by.front().name == reference.name) file.named_by.push_back(reference);
  }

  void library(const fs::path& path, const TextReference& reference) {
    const std::string key = path.lexically_normal().string();
    const auto [entry, added] = library_index_.try_emplace(key, document_.material_files.size());
    if (!added) {
      document_.material_files[entry->second].named_by.push_back(reference);
      return;
    }
    ObjDocument::MaterialFile file;
    file.path = path;
    file.named_by.push_back(reference);
    const std::string name = to_utf8(path.filename().string());
    try {
      file.bytes = read_file(path);
      MtlFile parsed = parse_mtl(as_text(file.bytes), name);
      file.references = std::move(parsed.references);
      for (MtlMaterial& entry_material : parsed.materials)
        by_name_.try_emplace(entry_material.material.name, std::move(entry_material));
      asset_.warnings.insert(asset_.warnings.end(), parsed.findings.begin(), parsed.findings.end());
      asset_.files.push_back(describe(path, file.bytes));
    } catch (const Error& error) {
      warn("obj.missing_material_file", error.what());
    }
    document_.material_files.push_back(std::move(file));
  }

  Material material(const MtlMaterial& source) {
    Material result = source.material;
    result.base_color_image = image(source.base_color_file, result.name);
    result.normal_image = image(source.normal_file, result.name);
    result.emissive_image = image(source.emissive_file, result.name);
    if (!source.alpha_file.empty() && source.alpha_file != source.base_color_file) {
      asset_.warnings.push_back(
          {"obj.alpha_texture", result.name,
           fmt::format("Its transparency is a separate image, {}, which is not kept.", to_utf8(source.alpha_file))});
      if (result.base_color[3] >= 1) result.alpha = Material::Alpha::kOpaque;
    }
    return result;
  }

  Index image(const std::string& name, const std::string& material_name) {
    if (name.empty()) return kNone;
    const auto known = image_index_.find(name);
    if (known != image_index_.end()) return known->second;
    const Index index = load_image(name, material_name);
    image_index_.emplace(name, index);
    return index;
  }

  Index load_image(const std::string& name, const std::string& material_name) {
    const auto missing = [&](const std::string& text) {
      asset_.warnings.push_back({"obj.missing_texture", material_name, text});
      return kNone;
    };
    auto path = find_given_texture(name);
    if (!path) path = find_beside(document_.folder, name);
    if (!path)
      return missing(fmt::format("The texture '{}' {}.", to_utf8(name), lost_file_advice(document_.folder, name)));
    const std::string key = path->lexically_normal().string();
    if (const auto known = image_by_path_.find(key); known != image_by_path_.end()) return known->second;
    Image image;
    try {
      image.bytes = read_file(*path);
    } catch (const Error& error) {
      return missing(error.what());
    }
    image.mime_type = sniff_image_type(image.bytes);
    if (image.mime_type.empty())
      asset_.warnings.push_back({"obj.texture_type", material_name,
                                 fmt::format("The texture '{}' is not a PNG, a JPEG or another image type that Sinew "
                                             "knows; other file formats may not be able to store it.",
                                             to_utf8(name))});
    image.name = to_utf8(path->stem().string());
    image.uri = to_utf8(name);
    asset_.files.push_back(describe(*path, image.bytes));
    const auto index = static_cast<Index>(asset_.character.images.size());
    asset_.character.images.push_back(std::move(image));
    image_by_path_.emplace(key, index);
    return index;
  }

  Asset& asset_;
  ObjDocument& document_;
  std::unordered_map<std::string, MtlMaterial> by_name_;
  std::unordered_set<std::string> tried_;
  std::map<std::string, std::size_t> library_index_;
  std::map<std::string, Index> image_index_, image_by_path_;
};

}  // namespace

Asset read_obj(const fs::path& path, Bytes bytes, const Progress& progress) {
  auto document = std::make_shared<ObjDocument>();
  document->bytes = std::move(bytes);
  document->folder = path.parent_path();
  const std::string file_name = to_utf8(path.string());
  ObjText text = parse_obj(document->text(), file_name, progress);

  Asset asset;
  asset.path = path;
  asset.format = "obj";
  asset.character.name = to_utf8(path.stem().string());
  document->vertex_count = text.mesh.vertex_count();
  document->normal_count = text.normal_count;
  document->face_count = text.mesh.face_count();
  report_statements(text, to_utf8(path.filename().string()), asset.warnings);
  Appearance(asset, *document).read(text);

  Mesh& mesh = asset.character.rig.mesh;
  std::vector<MeshPart> parts = make_parts(text, asset.character.name);
  mesh = std::move(text.mesh);
  mesh.parts = std::move(parts);
  asset.contents["objects"] = text.objects.size() - 1;
  asset.contents["groups"] = text.groups;
  asset.contents["smoothing_statements"] = text.smoothing_statements;
  Json libraries = Json::array();
  for (const TextReference& reference : text.material_files) libraries.push_back(to_utf8(reference.name));
  asset.contents["material_files"] = std::move(libraries);
  asset.document = std::move(document);
  return asset;
}

}  // namespace sinew::io
