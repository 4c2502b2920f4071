// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/fbx_writer.h"

#include <zlib.h>

#include <cmath>
#include <cstring>

namespace sinew::test {
namespace {

constexpr double kFbxTicks = 46186158000.0;

template <class T>
void put_number(io::Bytes& out, T value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), begin, begin + sizeof value);
}

void put_text(io::Bytes& out, std::string_view text) {
  const auto bytes = io::as_bytes(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::vector<double> matrix(double y) { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1}; }

std::int64_t ticks(double seconds) { return std::llround(seconds * kFbxTicks); }

}  // namespace

FbxRecord& FbxRecord::integer(std::int32_t value) {
  put_text(values_, "I");
  put_number(values_, value);
  ++count_;
  return *this;
}

FbxRecord& FbxRecord::wide(std::int64_t value) {
  put_text(values_, "L");
  put_number(values_, value);
  ++count_;
  return *this;
}

FbxRecord& FbxRecord::real(double value) {
  put_text(values_, "D");
  put_number(values_, value);
  ++count_;
  return *this;
}

FbxRecord& FbxRecord::text(std::string_view value) {
  put_text(values_, "S");
  put_number(values_, static_cast<std::uint32_t>(value.size()));
  put_text(values_, value);
  ++count_;
  return *this;
}

FbxRecord& FbxRecord::raw(std::span<const std::byte> value) {
  put_text(values_, "R");
  put_number(values_, static_cast<std::uint32_t>(value.size()));
  values_.insert(values_.end(), value.begin(), value.end());
  ++count_;
  return *this;
}

template <class T>
FbxRecord& FbxRecord::array(char type, const std::vector<T>& values, bool deflated) {
  put_text(values_, std::string_view(&type, 1));
  put_number(values_, static_cast<std::uint32_t>(values.size()));
  put_number(values_, std::uint32_t{deflated});
  io::Bytes data(values.size() * sizeof(T));
  if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
  if (deflated) {
    uLongf size = compressBound(static_cast<uLong>(data.size()));
    io::Bytes packed(size);
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
             static_cast<uLong>(data.size()));
    packed.resize(size);
    data = std::move(packed);
  }
  put_number(values_, static_cast<std::uint32_t>(data.size()));
  values_.insert(values_.end(), data.begin(), data.end());
  ++count_;
  return *this;
}

FbxRecord& FbxRecord::reals(const std::vector<double>& values, bool deflated) { return array('d', values, deflated); }
FbxRecord& FbxRecord::floats(const std::vector<float>& values) { return array('f', values, false); }
FbxRecord& FbxRecord::integers(const std::vector<std::int32_t>& values, bool deflated) {
  return array('i', values, deflated);
}
FbxRecord& FbxRecord::wides(const std::vector<std::int64_t>& values) { return array('l', values, false); }

FbxRecord& FbxRecord::add(FbxRecord child) & {
  children_.push_back(std::move(child));
  return *this;
}

FbxRecord FbxRecord::add(FbxRecord child) && {
  children_.push_back(std::move(child));
  return std::move(*this);
}

void FbxRecord::remove(std::string_view child) {
  std::erase_if(children_, [&](const FbxRecord& record) { return record.name_ == child; });
}

FbxRecord* FbxRecord::find(std::string_view child) {
  for (FbxRecord& record : children_)
    if (record.name_ == child) return &record;
  return nullptr;
}

void FbxRecord::write(io::Bytes& out, bool wide_offsets) const {
  const auto put_offset = [&](std::uint64_t value) {
    if (wide_offsets) put_number(out, value);
    else put_number(out, static_cast<std::uint32_t>(value));
  };
  const std::size_t start = out.size();
  put_offset(0);
  put_offset(count_);
  put_offset(values_.size());
  put_number(out, static_cast<std::uint8_t>(name_.size()));
  put_text(out, name_);
  out.insert(out.end(), values_.begin(), values_.end());
  for (const FbxRecord& child : children_) child.write(out, wide_offsets);
  if (!children_.empty()) out.insert(out.end(), wide_offsets ? 25 : 13, std::byte{0});
  const std::uint64_t end = out.size();
  std::memcpy(out.data() + start, &end, wide_offsets ? 8 : 4);
}

FbxRecord fbx_property(std::string_view name, std::vector<double> values) {
  FbxRecord record("P");
  record.text(name).text("Number").text("").text("A");
  for (const double value : values) record.real(value);
  return record;
}

FbxRecord fbx_integer_property(std::string_view name, std::int32_t value) {
  FbxRecord record("P");
  record.text(name).text("int").text("Integer").text("").integer(value);
  return record;
}

FbxRecord fbx_time_property(std::string_view name, double seconds) {
  FbxRecord record("P");
  record.text(name).text("KTime").text("Time").text("").wide(ticks(seconds));
  return record;
}

FbxRecord fbx_object(std::string_view kind, std::int64_t id, std::string_view name, std::string_view type,
                     std::vector<FbxRecord> properties) {
  FbxRecord record{std::string(kind)};
  record.wide(id).text(std::string(name) + std::string("\0\x01", 2) + std::string(kind)).text(type);
  if (!properties.empty()) {
    FbxRecord list("Properties70");
    for (FbxRecord& property : properties) list.add(std::move(property));
    record.add(std::move(list));
  }
  return record;
}

void FbxFile::connect(std::int64_t child, std::int64_t parent, std::string_view property) {
  FbxRecord record("C");
  record.text(property.empty() ? "OO" : "OP").wide(child).wide(parent);
  if (!property.empty()) record.text(property);
  connections.add(std::move(record));
}

io::Bytes FbxFile::bytes(std::uint32_t version) const {
  io::Bytes out;
  put_text(out, std::string_view("Kaydara FBX Binary  \0\x1A\0", 23));
  put_number(out, version);
  const bool wide = version >= 7500;
  FbxRecord properties("Properties70");
  std::vector<FbxRecord> all = settings;
  if (all.empty())
    all = {fbx_property("UnitScaleFactor", {1}),     fbx_integer_property("UpAxis", 1),
           fbx_integer_property("UpAxisSign", 1),    fbx_integer_property("FrontAxis", 2),
           fbx_integer_property("FrontAxisSign", 1), fbx_integer_property("CoordAxis", 0),
           fbx_integer_property("CoordAxisSign", 1)};
  for (const FbxRecord& property : all) properties.add(property);
  FbxRecord("GlobalSettings").add(properties).write(out, wide);
  objects.write(out, wide);
  connections.write(out, wide);
  out.insert(out.end(), wide ? 25 : 13, std::byte{0});
  return out;
}

FbxRecord fbx_curve(std::int64_t id, const std::vector<double>& times_s, const std::vector<float>& values,
                    std::int32_t flags, std::vector<float> data) {
  std::vector<std::int64_t> times;
  for (const double time : times_s) times.push_back(ticks(time));
  FbxRecord record = fbx_object("AnimationCurve", id, "", "");
  record.add(std::move(FbxRecord("KeyTime").wides(times)));
  record.add(std::move(FbxRecord("KeyValueFloat").floats(values)));
  record.add(std::move(FbxRecord("KeyAttrFlags").integers({flags})));
  record.add(std::move(FbxRecord("KeyAttrDataFloat").floats(data)));
  record.add(std::move(FbxRecord("KeyAttrRefCount").integers({static_cast<std::int32_t>(values.size())})));
  return record;
}

namespace {

FbxRecord layer(const char* kind, const char* mapping, const char* reference, FbxRecord values) {
  FbxRecord record{std::string(kind)};
  record.integer(0);
  record.add(std::move(FbxRecord("MappingInformationType").text(mapping)));
  record.add(std::move(FbxRecord("ReferenceInformationType").text(reference)));
  record.add(std::move(values));
  return record;
}

FbxRecord strip_geometry(bool deflated) {
  FbxRecord geometry = fbx_object("Geometry", kStripGeometry, "strip", "Mesh");
  std::vector<double> points;
  for (const double y : {0.0, 100.0, 200.0})
    for (const double x : {0.0, 50.0}) points.insert(points.end(), {x, y, 0});
  points.insert(points.end(), {25, 220, 0, 7, 7, 7});
  geometry.add(std::move(FbxRecord("Vertices").reals(points, deflated)));
  // The last corner of each polygon is the complement of its vertex.
  geometry.add(std::move(FbxRecord("PolygonVertexIndex").integers({0, 1, 3, ~2, 2, 3, 5, ~4, 4, 5, ~6}, deflated)));
  geometry.add(layer("LayerElementNormal", "AllSame", "Direct", std::move(FbxRecord("Normals").reals({0, 0, 1}))));
  FbxRecord uvs = layer("LayerElementUV", "ByPolygonVertex", "IndexToDirect",
                        std::move(FbxRecord("UV").reals({0, 0, 1, 0, 1, 1, 0, 1, 0.5, 0.25})));
  uvs.add(std::move(FbxRecord("UVIndex").integers({0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 4})));
  geometry.add(std::move(uvs));
  geometry.add(layer("LayerElementMaterial", "ByPolygon", "IndexToDirect",
                     std::move(FbxRecord("Materials").integers({0, 1, 0}))));
  return geometry;
}

FbxRecord cluster(std::int64_t id, double height, const std::vector<std::int32_t>& vertices) {
  FbxRecord record = fbx_object("Deformer", id, "", "Cluster");
  record.add(std::move(FbxRecord("Indexes").integers(vertices)));
  record.add(std::move(FbxRecord("Weights").reals(std::vector<double>(vertices.size(), 1.0))));
  record.add(std::move(FbxRecord("Transform").reals(matrix(-height))));
  record.add(std::move(FbxRecord("TransformLink").reals(matrix(5 + height))));
  return record;
}

void add_blend_shape(FbxFile& file) {
  file.objects.add(fbx_object("Deformer", kStripBlendShape, "shapes", "BlendShape"));
  FbxRecord channel =
      fbx_object("Deformer", kStripChannel, "wide", "BlendShapeChannel", {fbx_property("DeformPercent", {25})});
  channel.add(std::move(FbxRecord("FullWeights").reals({100})));
  file.objects.add(std::move(channel));
  FbxRecord shape = fbx_object("Geometry", kStripShape, "wide", "Shape");
  shape.add(std::move(FbxRecord("Indexes").integers({1, 3, 5})));
  shape.add(std::move(FbxRecord("Vertices").reals({50, 0, 0, 50, 0, 0, 50, 0, 0})));
  file.objects.add(std::move(shape));
  file.connect(kStripBlendShape, kStripGeometry);
  file.connect(kStripChannel, kStripBlendShape);
  file.connect(kStripShape, kStripChannel);
}

void add_clip(FbxFile& file) {
  file.objects.add(fbx_object("AnimationStack", kStripStack, "bend", "", {fbx_time_property("LocalStop", 1)}));
  file.objects.add(fbx_object("AnimationLayer", kStripLayer, "base", ""));
  file.objects.add(fbx_object("AnimationCurveNode", kStripRotationNode, "R", "", {fbx_property("d|X", {0})}));
  file.objects.add(fbx_curve(kStripRotationCurve, {0, 1}, {0, 90}, 4));
  file.connect(kStripLayer, kStripStack);
  file.connect(kStripRotationNode, kStripLayer);
  file.connect(kStripRotationNode, kStripUpper, "Lcl Rotation");
  file.connect(kStripRotationCurve, kStripRotationNode, "d|Z");
}

}  // namespace

FbxFile make_fbx_strip(bool deflated) {
  FbxFile file;
  const auto at = [](double y) { return std::vector{fbx_property("Lcl Translation", {0, y, 0})}; };
  file.objects.add(fbx_object("Model", kStripArmature, "Armature", "Null", at(5)));
  file.objects.add(fbx_object("Model", kStripLower, "lower", "LimbNode", at(0)));
  file.objects.add(fbx_object("Model", kStripUpper, "upper", "LimbNode", at(100)));
  file.objects.add(fbx_object("Model", kStripMeshNode, "skin", "Mesh", at(5)));
  file.objects.add(strip_geometry(deflated));
  file.objects.add(fbx_object("Deformer", kStripSkin, "", "Skin"));
  file.objects.add(cluster(kStripLowerCluster, 0, {0, 1, 2, 3}));
  file.objects.add(cluster(kStripUpperCluster, 100, {4, 5, 6}));
  for (const std::int64_t number : {0, 1})
    file.objects.add(fbx_object("Material", 100 + number, number == 0 ? "cloth" : "leather", "",
                                {fbx_property("DiffuseColor", {0.5, 0.25, number == 0 ? 0.0 : 1.0})}));
  file.connect(kStripArmature, 0);
  file.connect(kStripLower, kStripArmature);
  file.connect(kStripUpper, kStripLower);
  file.connect(kStripMeshNode, 0);
  file.connect(kStripGeometry, kStripMeshNode);
  file.connect(100, kStripMeshNode);
  file.connect(101, kStripMeshNode);
  file.connect(kStripSkin, kStripGeometry);
  file.connect(kStripLowerCluster, kStripSkin);
  file.connect(kStripUpperCluster, kStripSkin);
  file.connect(kStripLower, kStripLowerCluster);
  file.connect(kStripUpper, kStripUpperCluster);
  add_blend_shape(file);
  add_clip(file);
  return file;
}

}  // namespace sinew::test
