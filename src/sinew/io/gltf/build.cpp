// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/build.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "sinew/io/gltf/ngon.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

constexpr int kVertexTarget = 34962;
constexpr int kIndexTarget = 34963;

// A vertex as an accessor holds it: one position, one texture coordinate, one normal.
struct Split {
  Index vertex, uv, normal;
  bool operator==(const Split&) const = default;
};
struct SplitHash {
  std::size_t operator()(const Split& s) const {
    std::uint64_t h = s.vertex * 0x9E3779B97F4A7C15U;
    h = (h ^ (h >> 31) ^ s.uv) * 0xBF58476D1CE4E5B9U;
    return (h ^ (h >> 29) ^ s.normal) * 0x94D049BB133111EBU;
  }
};

template <class T>
Index corner_value(const CornerLayer<T>& layer, const Mesh& mesh, Index corner) {
  if (layer.empty()) return kNone;
  return layer.corners.empty() ? mesh.face_vertices[corner] : layer.corners[corner];
}

struct PartBuilder {
  const Mesh& mesh;
  const MeshPart& part;
  std::vector<Split> elements;           // Of the accessors.
  std::vector<Index> element_of_corner;  // Per corner of the part.
  Index first_corner;

  PartBuilder(const Mesh& whole, const MeshPart& run)
      : mesh(whole), part(run), first_corner(whole.face_offsets[run.first_face]) {
    split();
  }

  // Elements in order of the vertices, so that a mesh without seams keeps its vertex numbers.
  void split() {
    const Index last_corner = mesh.face_offsets[part.first_face + part.face_count];
    std::unordered_map<Split, Index, SplitHash> known;
    std::vector<std::vector<Split>> variants(part.vertex_count);
    for (Index c = first_corner; c < last_corner; ++c) {
      const Split s = {mesh.face_vertices[c], corner_value(mesh.uvs, mesh, c), corner_value(mesh.normals, mesh, c)};
      auto& list = variants[s.vertex - part.first_vertex];
      if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(s);
    }
    for (Index v = 0; v < part.vertex_count; ++v) {
      const Index vertex = part.first_vertex + v;
      const auto value = [&](const auto& layer) { return layer.corners.empty() && !layer.empty() ? vertex : kNone; };
      if (variants[v].empty()) variants[v].push_back({vertex, value(mesh.uvs), value(mesh.normals)});
      for (const Split& s : variants[v]) {
        known.emplace(s, static_cast<Index>(elements.size()));
        elements.push_back(s);
      }
    }
    for (Index c = first_corner; c < last_corner; ++c)
      element_of_corner.push_back(
          known.at({mesh.face_vertices[c], corner_value(mesh.uvs, mesh, c), corner_value(mesh.normals, mesh, c)}));
  }

  template <class Pick>
  NewElements attribute(const char* type, bool bounds, Pick&& pick) const {
    std::vector<float> values;
    for (const Split& s : elements)
      for (const float value : pick(s)) values.push_back(value);
    return float_elements(values, type, kVertexTarget, bounds);
  }

  Json attributes(DocumentEditor& editor) const {
    const Mat4 from_model = part.to_model.inverse();
    Json json;
    json["POSITION"] = editor.add_accessor(attribute("VEC3", true, [&](const Split& s) {
      const Vec3f p = transform_point(from_model, mesh.positions[s.vertex]).cast<float>();
      return std::array{p.x(), p.y(), p.z()};
    }));
    if (!mesh.normals.empty()) {
      const Mat3 back = part.to_model.topLeftCorner<3, 3>().transpose();
      json["NORMAL"] = editor.add_accessor(attribute("VEC3", false, [&](const Split& s) {
        const Vec3 n =
            s.normal == kNone ? Vec3(Vec3::UnitY()) : Vec3(back * mesh.normals.values[s.normal].cast<double>());
        const Vec3f unit = n.norm() > 0 ? Vec3f(n.normalized().cast<float>()) : Vec3f(Vec3f::UnitY());
        return std::array{unit.x(), unit.y(), unit.z()};
      }));
    }
    if (!mesh.uvs.empty())
      json["TEXCOORD_0"] = editor.add_accessor(attribute("VEC2", false, [&](const Split& s) {
        const Vec2f uv = s.uv == kNone ? Vec2f(Vec2f::Zero()) : mesh.uvs.values[s.uv];
        return std::array{uv.x(), uv.y()};
      }));
    if (!mesh.colors.empty())
      json["COLOR_0"] = editor.add_accessor(attribute("VEC4", false, [&](const Split& s) {
        const Vec4f& c = mesh.colors[s.vertex];
        return std::array{c.x(), c.y(), c.z(), c.w()};
      }));
    return json;
  }

  Json targets(DocumentEditor& editor) const {
    const Mat3 linear = part.to_model.topLeftCorner<3, 3>().inverse();
    Json json = Json::array();
    for (const Morph& morph : part.morphs)
      json.push_back({{"POSITION", editor.add_accessor(attribute("VEC3", true, [&](const Split& s) {
                         const Vec3f d =
                             (linear * morph.deltas[s.vertex - part.first_vertex].cast<double>()).cast<float>();
                         return std::array{d.x(), d.y(), d.z()};
                       }))}});
    return json;
  }

  // Triangles of the faces of one material. Polygons stay recognisable when `ngons` is set.
  std::vector<std::uint32_t> indices(Index material, bool ngons, std::size_t& broken) const {
    std::vector<std::uint32_t> list;
    std::vector<std::uint32_t> corners;
    std::vector<Vec3> points;
    for (Index f = part.first_face; f < part.first_face + part.face_count; ++f) {
      if ((mesh.face_materials.empty() ? kNone : mesh.face_materials[f]) != material) continue;
      const Index begin = mesh.face_offsets[f], end = mesh.face_offsets[f + 1];
      if (end - begin < 3) continue;
      corners.clear();
      points.clear();
      for (Index c = begin; c < end; ++c) {
        corners.push_back(element_of_corner[c - first_corner]);
        points.push_back(mesh.positions[mesh.face_vertices[c]]);
      }
      if (ngons) encode_ngon(corners, points, list, broken);
      else list.insert(list.end(), corners.begin(), corners.end());
    }
    return list;
  }
};

NewElements index_elements(const std::vector<std::uint32_t>& indices, std::size_t element_count) {
  NewElements elements;
  // 65535 itself means "restart" in a list of 16-bit indices.
  const bool small = element_count <= 65535;
  elements.component = small ? Component::kU16 : Component::kU32;
  elements.count = indices.size();
  elements.target = kIndexTarget;
  const std::size_t size = component_bytes(elements.component);
  elements.bytes.resize(indices.size() * size);
  for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(elements.bytes.data() + i * size, &indices[i], size);
  return elements;
}

void write_pictures(DocumentEditor& editor, const Character& character, std::vector<Index>& texture_of_image,
                    Report& report) {
  for (const Image& image : character.images) {
    if (image.bytes.empty() || (image.mime_type != "image/png" && image.mime_type != "image/jpeg")) {
      if (!image.bytes.empty())
        report.warn(
            "gltf.image_type", image.name,
            fmt::format("Images of type '{}' cannot be stored in a glTF file; it is left out.", image.mime_type));
      texture_of_image.push_back(kNone);
      continue;
    }
    Json& images = editor.list("images");
    images.push_back({{"name", image.name}, {"mimeType", image.mime_type}, {"bufferView", 0}});
    const std::size_t number = images.size() - 1;
    const Index view = editor.add_view(image.bytes, 0);
    editor.json["images"][number]["bufferView"] = view;
    Json& textures = editor.list("textures");
    textures.push_back({{"source", number}});
    texture_of_image.push_back(static_cast<Index>(textures.size() - 1));
  }
}

void write_materials(DocumentEditor& editor, const Character& character, Report& report) {
  std::vector<Index> texture_of_image;
  write_pictures(editor, character, texture_of_image, report);
  const auto texture = [&](Index image) { return image == kNone ? kNone : texture_of_image[image]; };
  for (const Material& m : character.materials) {
    Json pbr;
    if (m.base_color != Vec4f::Ones())
      pbr["baseColorFactor"] = {m.base_color[0], m.base_color[1], m.base_color[2], m.base_color[3]};
    if (const Index t = texture(m.base_color_image); t != kNone) pbr["baseColorTexture"] = {{"index", t}};
    pbr["metallicFactor"] = m.metallic;
    pbr["roughnessFactor"] = m.roughness;
    Json json = {{"name", m.name}, {"pbrMetallicRoughness", std::move(pbr)}};
    if (const Index t = texture(m.normal_image); t != kNone) json["normalTexture"] = {{"index", t}};
    if (const Index t = texture(m.emissive_image); t != kNone) json["emissiveTexture"] = {{"index", t}};
    if (m.emissive != Vec3f::Zero())
      json["emissiveFactor"] = {std::min(1.0F, m.emissive[0]), std::min(1.0F, m.emissive[1]),
                                std::min(1.0F, m.emissive[2])};
    if (m.alpha == Material::Alpha::kBlend) json["alphaMode"] = "BLEND";
    if (m.alpha == Material::Alpha::kMask) json["alphaMode"] = "MASK", json["alphaCutoff"] = m.alpha_cutoff;
    if (m.double_sided) json["doubleSided"] = true;
    editor.list("materials").push_back(std::move(json));
  }
}

Json write_primitives(DocumentEditor& editor, const PartBuilder& builder, Report& report) {
  const Mesh& mesh = builder.mesh;
  const MeshPart& part = builder.part;
  const Json attributes = builder.attributes(editor), targets = builder.targets(editor);
  std::vector<Index> materials;
  bool polygons = false;
  for (Index f = part.first_face; f < part.first_face + part.face_count; ++f) {
    const Index material = mesh.face_materials.empty() ? kNone : mesh.face_materials[f];
    if (std::find(materials.begin(), materials.end(), material) == materials.end()) materials.push_back(material);
    polygons = polygons || mesh.face(f).size() > 3;
  }
  Json primitives = Json::array();
  std::size_t broken = 0;
  for (const Index material : materials) {
    const auto indices = builder.indices(material, polygons, broken);
    if (indices.empty()) continue;
    Json primitive = {{"attributes", attributes},
                      {"indices", editor.add_accessor(index_elements(indices, builder.elements.size()))}};
    if (material != kNone) primitive["material"] = material;
    if (!targets.empty()) primitive["targets"] = targets;
    if (polygons) {
      primitive["extensions"]["FB_ngon_encoding"] = Json::object();
      editor.use_extension("FB_ngon_encoding");
    }
    primitives.push_back(std::move(primitive));
  }
  if (primitives.empty()) primitives.push_back({{"attributes", attributes}, {"mode", 0}});
  if (broken > 0)
    report.warn("gltf.triangulated", part.name,
                fmt::format("{} polygons that cannot be stored as a fan of triangles were triangulated.", broken));
  return primitives;
}

}  // namespace

std::shared_ptr<GltfDocument> build_document(const Asset& asset, Report& report) {
  const Character& character = asset.character;
  auto document = std::make_shared<GltfDocument>();
  document->container.json = {
      {"asset", {{"version", "2.0"}, {"generator", "Sinew"}}}, {"scene", 0}, {"scenes", {{{"nodes", Json::array()}}}}};
  DocumentEditor editor(*document);
  write_materials(editor, character, report);
  for (const MeshPart& part : character.rig.mesh.parts) {
    if (part.vertex_count == 0) {
      // A mesh of no vertices is not valid glTF; its node stays.
      report.warn("gltf.empty_part", part.name, "It has no vertices; only its node is written.");
      PartSource empty;
      empty.node = static_cast<Index>(editor.list("nodes").size());
      editor.list("nodes").push_back({{"name", part.name}});
      if (part.joint == kNone || part.skin != kNone) editor.json["scenes"][0]["nodes"].push_back(empty.node);
      document->parts.push_back(std::move(empty));
      continue;
    }
    const PartBuilder builder(character.rig.mesh, part);
    PartSource source;
    source.node = static_cast<Index>(editor.list("nodes").size());
    source.mesh = static_cast<Index>(editor.list("meshes").size());
    VertexBlock block;
    block.count = static_cast<Index>(builder.elements.size());
    for (const Split& s : builder.elements) block.mesh_vertex.push_back(s.vertex - part.first_vertex);
    Json mesh = {{"name", part.name}, {"primitives", write_primitives(editor, builder, report)}};
    for (Index k = 0; k < mesh["primitives"].size(); ++k) block.primitives.push_back(k);
    if (!part.morphs.empty()) {
      mesh["weights"] = part.morph_weights;
      for (const Morph& morph : part.morphs) mesh["extras"]["targetNames"].push_back(morph.name);
    }
    editor.list("meshes").push_back(std::move(mesh));
    Json node = {{"name", part.name}, {"mesh", source.mesh}};
    if (part.to_model != Mat4::Identity() && part.skin == kNone && part.joint == kNone)
      node["matrix"] = std::vector<double>(part.to_model.data(), part.to_model.data() + 16);
    editor.list("nodes").push_back(std::move(node));
    if (part.joint == kNone || part.skin != kNone) editor.json["scenes"][0]["nodes"].push_back(source.node);
    source.blocks.push_back(std::move(block));
    document->parts.push_back(std::move(source));
  }
  document->file = editor.join_buffers("");
  document->container.json = std::move(editor.json);
  document->container.has_bin = !document->file.empty();
  document->container.bin = document->file;
  document->container.binary = true;
  document->load_buffers();
  return document;
}

}  // namespace sinew::io::gltf
