// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Writes binary FBX files for tests: records as given, and a small character that uses most of what the reader knows.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/file.h"

namespace sinew::test {

/// A record to be written. Values are added in order; `add` returns the new child.
class FbxRecord {
 public:
  explicit FbxRecord(std::string name) : name_(std::move(name)) {}

  FbxRecord& integer(std::int32_t value);
  FbxRecord& wide(std::int64_t value);
  FbxRecord& real(double value);
  FbxRecord& text(std::string_view value);
  FbxRecord& raw(std::span<const std::byte> value);
  FbxRecord& reals(const std::vector<double>& values, bool deflated = false);
  FbxRecord& floats(const std::vector<float>& values);
  FbxRecord& integers(const std::vector<std::int32_t>& values, bool deflated = false);
  FbxRecord& wides(const std::vector<std::int64_t>& values);
  FbxRecord add(FbxRecord child) &&;
  FbxRecord& add(FbxRecord child) &;
  /// Removes the children of that name.
  void remove(std::string_view child);
  FbxRecord* find(std::string_view child);

  void write(io::Bytes& out, bool wide_offsets) const;

 private:
  template <class T>
  FbxRecord& array(char type, const std::vector<T>& values, bool deflated);
  std::string name_;
  io::Bytes values_;
  std::uint64_t count_ = 0;
  std::vector<FbxRecord> children_;
};

/// One property of a Properties70 record.
FbxRecord fbx_property(std::string_view name, std::vector<double> values);
FbxRecord fbx_integer_property(std::string_view name, std::int32_t value);
FbxRecord fbx_time_property(std::string_view name, double seconds);

/// An object of a class ("Model") and a type ("LimbNode") with properties.
FbxRecord fbx_object(std::string_view kind, std::int64_t id, std::string_view name, std::string_view type,
                     std::vector<FbxRecord> properties = {});

/// Objects and connections that make a file.
struct FbxFile {
  FbxRecord objects{"Objects"};
  FbxRecord connections{"Connections"};
  std::vector<FbxRecord> settings;  ///< Properties; centimetres and y up unless given.

  void connect(std::int64_t child, std::int64_t parent, std::string_view property = {});
  io::Bytes bytes(std::uint32_t version = 7400) const;
};

/// Numbers of the objects of `make_fbx_strip`.
enum FbxStripId : std::int64_t {
  kStripArmature = 10,
  kStripLower,
  kStripUpper,
  kStripMeshNode,
  kStripGeometry,
  kStripSkin,
  kStripLowerCluster,
  kStripUpperCluster,
  kStripMaterial,
  kStripStack,
  kStripLayer,
  kStripRotationNode,
  kStripRotationCurve,
  kStripBlendShape,
  kStripChannel,
  kStripShape
};

/// Two quads and a triangle up the y axis, 200 cm high, on two bones, with two materials, a blend shape ("wide", at
/// 25 %) and one clip, "bend", that rotates the upper bone about z from 0° to 90° in one second. The last vertex
/// belongs to no face.
FbxFile make_fbx_strip(bool deflated = false);

/// The curve of `make_fbx_strip`, with other keys.
FbxRecord fbx_curve(std::int64_t id, const std::vector<double>& times_s, const std::vector<float>& values,
                    std::int32_t flags, std::vector<float> data = {0, 0, 0, 0});

}  // namespace sinew::test
