// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Control points, polygons and layers, all in the order of the file.

#include <fmt/format.h>

#include "sinew/io/fbx/import.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::fbx {
namespace {

using assimp::SceneMesh;

enum class Mapping { kNothing, kCorner, kVertex, kFace, kAll };

Mapping mapping_of(const Record& layer) {
  const Value* value = layer.child_value("MappingInformationType");
  const std::string_view word = value == nullptr ? std::string_view() : value->text();
  if (word == "ByPolygonVertex") return Mapping::kCorner;
  if (word == "ByVertice" || word == "ByVertex" || word == "ByControlPoint") return Mapping::kVertex;
  if (word == "ByPolygon") return Mapping::kFace;
  if (word == "AllSame") return Mapping::kAll;
  return Mapping::kNothing;
}

bool is_indexed(const Record& layer) {
  const Value* value = layer.child_value("ReferenceInformationType");
  const std::string_view word = value == nullptr ? std::string_view() : value->text();
  return word == "IndexToDirect" || word == "Index";
}

// The layer of a kind with the lowest number: the first set.
const Record* first_layer(const Record& geometry, std::string_view name) {
  const Record* first = nullptr;
  std::int64_t lowest = 0;
  for (const Record& record : geometry.children) {
    if (record.name != name) continue;
    const std::int64_t number = record.values.empty() ? 0 : record.values[0].integer().value_or(0);
    if (first == nullptr || number < lowest) first = &record, lowest = number;
  }
  return first;
}

// A layer's value for a corner: its row among the values, or kNone.
class LayerRows {
 public:
  LayerRows(Mapping mapping, std::vector<std::int64_t> indices, bool indexed, std::size_t rows)
      : mapping_(mapping), indices_(std::move(indices)), indexed_(indexed), rows_(rows) {}

  Index row(Index corner, Index vertex, Index face) const {
    std::int64_t at = 0;
    switch (mapping_) {
      case Mapping::kCorner:
        at = corner;
        break;
      case Mapping::kVertex:
        at = vertex;
        break;
      case Mapping::kFace:
        at = face;
        break;
      case Mapping::kAll:
        break;
      case Mapping::kNothing:
        return kNone;
    }
    if (indexed_) {
      if (at >= static_cast<std::int64_t>(indices_.size())) return kNone;
      at = indices_[static_cast<std::size_t>(at)];
    }
    return at >= 0 && at < static_cast<std::int64_t>(rows_) ? static_cast<Index>(at) : kNone;
  }

 private:
  Mapping mapping_;
  std::vector<std::int64_t> indices_;
  bool indexed_;
  std::size_t rows_;
};

std::vector<Index> corner_rows(const SceneMesh& mesh, const LayerRows& layer) {
  std::vector<Index> rows;
  rows.reserve(mesh.face_vertices.size());
  for (Index f = 0; f + 1 < mesh.face_offsets.size(); ++f)
    for (Index c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c)
      rows.push_back(layer.row(c, mesh.face_vertices[c], f));
  return rows;
}

// Reads the values of a layer into `values` and returns the row of each corner; no rows if there is no such layer.
template <class Vector>
std::vector<Index> read_layer(const Record& geometry, const char* name, const char* data, const char* index,
                              const SceneMesh& mesh, Arrays& arrays, std::vector<Vector>& values) {
  constexpr int kWidth = Vector::RowsAtCompileTime;
  const Record* layer = first_layer(geometry, name);
  if (layer == nullptr) return {};
  const std::vector<double> numbers = arrays.reals(layer->child_value(data));
  for (std::size_t at = 0; at + kWidth <= numbers.size(); at += kWidth) {
    Vector& value = values.emplace_back();
    for (int i = 0; i < kWidth; ++i) value[i] = static_cast<float>(numbers[at + static_cast<std::size_t>(i)]);
  }
  std::vector<std::int64_t> indices = arrays.integers(layer->child_value(index));
  const bool indexed = is_indexed(*layer) && !indices.empty();
  std::vector<Index> rows =
      corner_rows(mesh, LayerRows(mapping_of(*layer), std::move(indices), indexed, values.size()));
  if (rows.empty()) values.clear();
  return rows;
}

void read_polygons(const Record& geometry, const std::string& name, Arrays& arrays, SceneMesh& mesh) {
  const std::vector<std::int64_t> list = arrays.integers(geometry.child_value("PolygonVertexIndex"));
  mesh.face_offsets.push_back(0);
  for (const std::int64_t entry : list) {
    // The last corner of a polygon is stored as its complement.
    const bool last = entry < 0;
    const std::int64_t vertex = last ? -(entry + 1) : entry;
    if (vertex >= static_cast<std::int64_t>(mesh.positions.size()))
      throw Error(
          fmt::format("The mesh '{}' uses vertex {} but has only {}.", to_utf8(name), vertex, mesh.positions.size()));
    mesh.face_vertices.push_back(static_cast<Index>(vertex));
    if (last) mesh.face_offsets.push_back(static_cast<Index>(mesh.face_vertices.size()));
  }
  if (mesh.face_offsets.back() != mesh.face_vertices.size())
    mesh.face_offsets.push_back(static_cast<Index>(mesh.face_vertices.size()));
}

// The number of a material for each face, among those of the node.
void read_face_materials(const Record& geometry, Arrays& arrays, SceneMesh& mesh) {
  const Record* layer = first_layer(geometry, "LayerElementMaterial");
  if (layer == nullptr) return;
  const std::vector<std::int64_t> numbers = arrays.integers(layer->child_value("Materials"));
  const LayerRows rows(mapping_of(*layer), {}, false, numbers.size());
  for (Index f = 0; f + 1 < mesh.face_offsets.size(); ++f) {
    const Index corner = mesh.face_offsets[f];
    const Index row = rows.row(corner, corner < mesh.face_vertices.size() ? mesh.face_vertices[corner] : 0, f);
    const std::int64_t number = row == kNone ? -1 : numbers[row];
    mesh.face_materials.push_back(number >= 0 && number < kNone ? static_cast<Index>(number) : kNone);
  }
}

}  // namespace

SceneMesh read_geometry(Index geometry, Import& import) {
  const Object& object = import.objects[geometry];
  const Record& record = *object.record;
  Arrays& arrays = import.arrays;
  SceneMesh mesh;
  mesh.name = object.name;
  const std::vector<double> points = arrays.reals(record.child_value("Vertices"));
  if (points.size() / 3 >= kNone) throw Error("One of its meshes has too many vertices.");
  for (std::size_t at = 0; at + 3 <= points.size(); at += 3)
    mesh.positions.push_back(Vec3(points[at], points[at + 1], points[at + 2]).cast<float>());
  read_polygons(record, object.name, arrays, mesh);
  mesh.normal_corners = read_layer(record, "LayerElementNormal", "Normals", "NormalsIndex", mesh, arrays, mesh.normals);
  mesh.uv_corners = read_layer(record, "LayerElementUV", "UV", "UVIndex", mesh, arrays, mesh.uvs);
  mesh.color_corners = read_layer(record, "LayerElementColor", "Colors", "ColorIndex", mesh, arrays, mesh.colors);
  read_face_materials(record, arrays, mesh);
  return mesh;
}

}  // namespace sinew::io::fbx
