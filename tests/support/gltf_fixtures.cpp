// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/gltf_fixtures.h"

#include <meshoptimizer.h>
#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#pragma GCC diagnostic pop

#include <cmath>
#include <cstring>

#include "sinew/core/angles.h"
#include "sinew/io/gltf/container.h"
#include "sinew/io/gltf/document.h"

namespace sinew::test {
namespace {

// Collects buffer views and accessors of a file under construction.
struct Builder {
  Json json = {{"asset", {{"version", "2.0"}, {"generator", "fixture"}, {"extras", {{"note", "kept"}}}}}};
  io::Bytes bin;

  template <class T>
  std::size_t view(const std::vector<T>& values) {
    bin.resize((bin.size() + 3) / 4 * 4);
    const auto bytes = std::as_bytes(std::span(values));
    json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", bin.size()}, {"byteLength", bytes.size()}});
    bin.insert(bin.end(), bytes.begin(), bytes.end());
    return json["bufferViews"].size() - 1;
  }
  std::size_t accessor(std::size_t view_index, int component, const char* type, std::size_t count) {
    json["accessors"].push_back(
        {{"bufferView", view_index}, {"componentType", component}, {"count", count}, {"type", type}});
    return json["accessors"].size() - 1;
  }
  std::size_t floats(const std::vector<float>& values, const char* type, std::size_t width, bool bounds = false) {
    const std::size_t index = accessor(view(values), 5126, type, values.size() / width);
    if (bounds) set_bounds(index, values, width);
    return index;
  }
  void set_bounds(std::size_t index, const std::vector<float>& values, std::size_t width) {
    Json low = Json::array(), high = Json::array();
    for (std::size_t c = 0; c < width; ++c) {
      float a = values[c], b = values[c];
      for (std::size_t i = c; i < values.size(); i += width) a = std::min(a, values[i]), b = std::max(b, values[i]);
      low.push_back(a), high.push_back(b);
    }
    json["accessors"][index]["min"] = low, json["accessors"][index]["max"] = high;
  }
  void use(const char* extension, bool required) {
    json["extensionsUsed"].push_back(extension);
    if (required) json["extensionsRequired"].push_back(extension);
  }
};

struct Tube {
  std::vector<float> positions, normals, uvs, weights, morph;
  std::vector<std::uint16_t> joints, indices;
  std::size_t count = 0;
};

Tube make_tube(int rings) {
  Tube tube;
  constexpr int kSides = 6;
  for (int r = 0; r < rings; ++r)
    for (int s = 0; s < kSides; ++s) {
      const float angle = static_cast<float>(kTwoPi) * static_cast<float>(s) / kSides,
                  y = static_cast<float>(r) / static_cast<float>(rings - 1);
      tube.positions.insert(tube.positions.end(), {0.2F * std::cos(angle), y, 0.2F * std::sin(angle)});
      tube.normals.insert(tube.normals.end(), {std::cos(angle), 0.0F, std::sin(angle)});
      tube.uvs.insert(tube.uvs.end(), {static_cast<float>(s) / kSides, y});
      tube.weights.insert(tube.weights.end(), {1 - y, y, 0, 0});
      tube.joints.insert(tube.joints.end(), {0, 1, 0, 0});
      tube.morph.insert(tube.morph.end(), {0.1F * y, 0, 0});
    }
  for (int r = 0; r + 1 < rings; ++r)
    for (int s = 0; s < kSides; ++s) {
      const auto at = [&](int ring, int side) { return static_cast<std::uint16_t>(ring * kSides + side % kSides); };
      for (const std::uint16_t i : {at(r, s), at(r + 1, s), at(r, s + 1), at(r, s + 1), at(r + 1, s), at(r + 1, s + 1)})
        tube.indices.push_back(i);
    }
  tube.count = tube.positions.size() / 3;
  return tube;
}

Json tube_attributes(Builder& b, const Tube& tube, const FixtureOptions& options) {
  Json attributes;
  if (options.interleaved) {
    std::vector<float> both;
    for (std::size_t i = 0; i < tube.count; ++i) {
      both.insert(both.end(), tube.positions.begin() + static_cast<std::ptrdiff_t>(3 * i),
                  tube.positions.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
      both.insert(both.end(), tube.normals.begin() + static_cast<std::ptrdiff_t>(3 * i),
                  tube.normals.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    }
    const std::size_t view = b.view(both);
    b.json["bufferViews"][view]["byteStride"] = 24;
    attributes["POSITION"] = b.accessor(view, 5126, "VEC3", tube.count);
    b.set_bounds(attributes["POSITION"], tube.positions, 3);
    attributes["NORMAL"] = b.accessor(view, 5126, "VEC3", tube.count);
    b.json["accessors"].back()["byteOffset"] = 12;
  } else if (options.quantized) {
    std::vector<std::int16_t> packed;
    for (std::size_t i = 0; i < tube.count; ++i) {
      for (std::size_t c = 0; c < 3; ++c)
        packed.push_back(static_cast<std::int16_t>(std::lround(tube.positions[3 * i + c] * 32767)));
      packed.push_back(0);
    }
    const std::size_t view = b.view(packed);
    b.json["bufferViews"][view]["byteStride"] = 8;
    attributes["POSITION"] = b.accessor(view, 5122, "VEC3", tube.count);
    b.json["accessors"].back()["normalized"] = true;
    b.json["accessors"].back()["min"] = {-32767, 0, -32767};
    b.json["accessors"].back()["max"] = {32767, 32767, 32767};
    b.use("KHR_mesh_quantization", true);
  } else {
    attributes["POSITION"] = b.floats(tube.positions, "VEC3", 3, true);
    attributes["NORMAL"] = b.floats(tube.normals, "VEC3", 3);
  }
  attributes["TEXCOORD_0"] = b.floats(tube.uvs, "VEC2", 2);
  attributes["JOINTS_0"] = b.accessor(b.view(tube.joints), 5123, "VEC4", tube.count);
  attributes["WEIGHTS_0"] = b.floats(tube.weights, "VEC4", 4);
  return attributes;
}

std::size_t tube_morph(Builder& b, const Tube& tube, bool sparse) {
  if (!sparse) return b.floats(tube.morph, "VEC3", 3, true);
  std::vector<std::uint16_t> elements;
  std::vector<float> values;
  for (std::size_t i = 0; i < tube.count; ++i)
    if (tube.morph[3 * i] != 0) {
      elements.push_back(static_cast<std::uint16_t>(i));
      values.insert(values.end(), {tube.morph[3 * i], 0, 0});
    }
  const std::size_t element_view = b.view(elements), value_view = b.view(values);
  b.json["accessors"].push_back({{"componentType", 5126},
                                 {"count", tube.count},
                                 {"type", "VEC3"},
                                 {"sparse",
                                  {{"count", elements.size()},
                                   {"indices", {{"bufferView", element_view}, {"componentType", 5123}}},
                                   {"values", {{"bufferView", value_view}}}}}});
  const std::size_t index = b.json["accessors"].size() - 1;
  b.set_bounds(index, tube.morph, 3);
  return index;
}

void add_clip(Builder& b) {
  const std::size_t times = b.floats({0, 0.5F, 1}, "SCALAR", 1, true);
  const float h = std::sqrt(0.5F);
  const std::size_t turns = b.floats({0, 0, 0, 1, 0, 0, h, h, 0, 0, 0, 1}, "VEC4", 4);
  const std::size_t moves =
      b.floats({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5F, 0, 0, 0, 0}, "VEC3", 3);
  const std::size_t sizes = b.floats({1, 1, 1, 2, 1, 1, 1, 1, 1}, "VEC3", 3);
  const std::size_t morphs = b.floats({0, 1, 0.25F}, "SCALAR", 1);
  const auto channel = [](int sampler, int node, const char* path) {
    return Json{{"sampler", sampler}, {"target", {{"node", node}, {"path", path}}}};
  };
  const auto sampler = [&](std::size_t output, const char* kind) {
    return Json{{"input", times}, {"output", output}, {"interpolation", kind}};
  };
  b.json["animations"] = {
      {{"name", "bend"},
       {"channels",
        {channel(0, 1, "rotation"), channel(1, 0, "translation"), channel(2, 1, "scale"), channel(3, 2, "weights")}},
       {"samplers",
        {sampler(turns, "LINEAR"), sampler(moves, "CUBICSPLINE"), sampler(sizes, "STEP"), sampler(morphs, "LINEAR")}}}};
}

void pack_meshopt(Builder& b) {
  // Every view whose elements are a multiple of four bytes goes into a packed buffer; the plain one becomes the
  // fallback.
  b.use("EXT_meshopt_compression", true);
  io::Bytes packed;
  std::vector<std::size_t> element(b.json["bufferViews"].size(), 0);
  for (const Json& accessor : b.json["accessors"])
    if (accessor.contains("bufferView") && accessor["componentType"] == 5126)
      element[accessor["bufferView"]] = accessor["type"] == "VEC3"   ? 12
                                        : accessor["type"] == "VEC4" ? 16
                                        : accessor["type"] == "VEC2" ? 8
                                        : accessor["type"] == "MAT4" ? 64
                                                                     : 4;
  io::Bytes plain;
  for (std::size_t v = 0; v < element.size(); ++v) {
    Json& view = b.json["bufferViews"][v];
    const std::size_t offset = view["byteOffset"], length = view["byteLength"];
    const std::size_t stride = view.value("byteStride", element[v]);
    if (stride == 0) {
      plain.resize((plain.size() + 3) / 4 * 4);
      view["byteOffset"] = plain.size();
      plain.insert(plain.end(), b.bin.begin() + static_cast<std::ptrdiff_t>(offset),
                   b.bin.begin() + static_cast<std::ptrdiff_t>(offset + length));
      continue;
    }
    std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(length / stride, stride));
    out.resize(meshopt_encodeVertexBuffer(out.data(), out.size(), b.bin.data() + offset, length / stride, stride));
    view["extensions"]["EXT_meshopt_compression"] = {
        {"buffer", 0},          {"byteOffset", packed.size()}, {"byteLength", out.size()},
        {"byteStride", stride}, {"mode", "ATTRIBUTES"},        {"count", length / stride}};
    view["buffer"] = 1;
    const auto bytes = std::as_bytes(std::span(out));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  }
  packed.resize((packed.size() + 15) / 16 * 16);
  for (Json& view : b.json["bufferViews"])
    if (view["buffer"] == 0) view["byteOffset"] = view["byteOffset"].get<std::size_t>() + packed.size();
  const std::size_t fallback = b.bin.size();
  b.bin = packed;
  b.bin.insert(b.bin.end(), plain.begin(), plain.end());
  b.json["buffers"] = {{{"byteLength", b.bin.size()}},
                       {{"byteLength", fallback}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}};
}

void pack_draco(Builder& b, const Tube& tube, Json& primitive) {
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(static_cast<int>(tube.indices.size() / 3));
  const int position = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
  const int weight = builder.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_FLOAT32);
  const int joint = builder.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT16);
  for (std::size_t f = 0; f < tube.indices.size() / 3; ++f) {
    const auto at = [&](std::size_t k) { return std::size_t{tube.indices[3 * f + k]}; };
    const draco::FaceIndex face(static_cast<std::uint32_t>(f));
    builder.SetAttributeValuesForFace(position, face, &tube.positions[3 * at(0)], &tube.positions[3 * at(1)],
                                      &tube.positions[3 * at(2)]);
    builder.SetAttributeValuesForFace(weight, face, &tube.weights[4 * at(0)], &tube.weights[4 * at(1)],
                                      &tube.weights[4 * at(2)]);
    builder.SetAttributeValuesForFace(joint, face, &tube.joints[4 * at(0)], &tube.joints[4 * at(1)],
                                      &tube.joints[4 * at(2)]);
  }
  const auto mesh = builder.Finalize();
  draco::Encoder encoder;
  encoder.SetSpeedOptions(5, 5);
  encoder.SetEncodingMethod(draco::MESH_SEQUENTIAL_ENCODING);
  draco::EncoderBuffer buffer;
  if (!encoder.EncodeMeshToBuffer(*mesh, &buffer).ok()) throw Error("draco");
  const std::size_t view = b.view(std::vector<char>(buffer.data(), buffer.data() + buffer.size()));
  const std::size_t points = mesh->num_points();
  const auto hollow = [&](int component, const char* type, std::size_t count) {
    b.json["accessors"].push_back({{"componentType", component}, {"count", count}, {"type", type}});
    return b.json["accessors"].size() - 1;
  };
  primitive = {{"attributes", {{"POSITION", hollow(5126, "VEC3", points)}}}, {"indices", 0}};
  b.set_bounds(primitive["attributes"]["POSITION"], tube.positions, 3);
  primitive["attributes"]["WEIGHTS_0"] = hollow(5126, "VEC4", points);
  primitive["attributes"]["JOINTS_0"] = hollow(5123, "VEC4", points);
  primitive["indices"] = hollow(5123, "SCALAR", tube.indices.size());
  primitive["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", view},
                                                           {"attributes",
                                                            {{"POSITION", mesh->attribute(position)->unique_id()},
                                                             {"WEIGHTS_0", mesh->attribute(weight)->unique_id()},
                                                             {"JOINTS_0", mesh->attribute(joint)->unique_id()}}}};
  b.use("KHR_draco_mesh_compression", true);
}

}  // namespace

io::Bytes make_fixture(const FixtureOptions& options) {
  Builder b;
  const Tube tube = make_tube(options.rings);
  Json primitive = {{"attributes", Json()}, {"indices", 0}, {"material", 0}};
  if (options.draco) {
    pack_draco(b, tube, primitive);
  } else {
    primitive["attributes"] = tube_attributes(b, tube, options);
    primitive["indices"] = b.accessor(b.view(tube.indices), 5123, "SCALAR", tube.indices.size());
    primitive["targets"] = {{{"POSITION", tube_morph(b, tube, options.sparse)}}};
  }
  const std::vector<float> box = {-0.1F, 0, 0, 0.1F, 0, 0, 0, 0.2F, 0.05F};
  const std::size_t box_positions = b.floats(box, "VEC3", 3, true);
  const std::size_t binds = b.floats(
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5F, 0, 1}, "MAT4", 16);
  Json tube_mesh = {{"name", "tube"}, {"primitives", {primitive}}};
  if (!options.draco) tube_mesh["weights"] = {0.0}, tube_mesh["extras"] = {{"targetNames", {"lean"}}};
  b.json["meshes"] = {tube_mesh, {{"name", "box"}, {"primitives", {{{"attributes", {{"POSITION", box_positions}}}}}}}};
  b.json["nodes"] = {{{"name", "hip"}, {"children", {1}}},
                     {{"name", "knee"}, {"translation", {0, 0.5, 0}}, {"children", {3}}},
                     {{"name", "tube"}, {"mesh", 0}, {"skin", 0}, {"extras", {{"kept", true}}}},
                     {{"name", "box"}, {"mesh", 1}, {"scale", {-1, 1, 1}}}};
  b.json["skins"] = {{{"joints", {0, 1}}, {"inverseBindMatrices", binds}}};
  b.json["scenes"] = {{{"nodes", {0, 2}}}};
  b.json["scene"] = 0;
  b.json["materials"] = {{{"name", "skin"},
                          {"pbrMetallicRoughness", {{"baseColorFactor", {0.8, 0.6, 0.5, 1}}}},
                          {"extensions", {{"SINEW_unknown", {{"deep", {1, 2, {{"x", nullptr}}}}}}}}}};
  b.use("SINEW_unknown", false);
  if (!options.draco) add_clip(b);
  b.json["buffers"] = {{{"byteLength", b.bin.size()}}};
  if (options.meshopt) pack_meshopt(b);
  return io::gltf::make_glb(b.json, true, b.bin, {});
}

std::string make_text_fixture(const FixtureOptions& options) {
  const io::Bytes glb = make_fixture(options);
  const io::gltf::Container container = io::gltf::parse_container(glb);
  Json json = container.json;
  json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + io::base64_encode(container.bin);
  return json.dump();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sinew-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw Error("mkdtemp");
  path = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

io::Bytes bytes_of(std::string_view text) {
  const auto bytes = io::as_bytes(text);
  return io::Bytes(bytes.begin(), bytes.end());
}

const Json& json_of(const io::Asset& asset) {
  return dynamic_cast<const io::gltf::GltfDocument&>(*asset.document).json();
}

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  io::AtomicFiles files;
  files.add(path, bytes);
  files.commit();
}

}  // namespace sinew::test
