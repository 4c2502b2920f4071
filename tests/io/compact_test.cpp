// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/compact.h"

#include <gtest/gtest.h>

namespace sinew::io::gltf {
namespace {

// Views of four bytes each; accessors 0 and 2, view 3 by a picture, and skin 1 are used.
Json document() {
  return Json::parse(R"({
    "asset": {"version": "2.0"},
    "buffers": [{"byteLength": 20}],
    "bufferViews": [{"buffer": 0, "byteLength": 4}, {"buffer": 0, "byteOffset": 4, "byteLength": 4},
                    {"buffer": 0, "byteOffset": 8, "byteLength": 4}, {"buffer": 0, "byteOffset": 12, "byteLength": 3},
                    {"buffer": 0, "byteOffset": 16, "byteLength": 4}],
    "accessors": [{"bufferView": 0}, {"bufferView": 1}, {"bufferView": 2, "sparse": {"values": {"bufferView": 4}}}],
    "images": [{"bufferView": 3}],
    "nodes": [{"mesh": 0, "skin": 1}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "targets": [{"POSITION": 2}]}]}],
    "skins": [{"joints": [0], "inverseBindMatrices": 1}, {"joints": [0], "inverseBindMatrices": 0}]
  })");
}

Bytes counted() {
  Bytes bytes;
  for (int i = 0; i < 20; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

TEST(Compact, WhatNothingUsesLeavesWithItsBytesAndReferencesFollow) {
  Json json = document();
  const Bytes bytes = compact(json, counted());
  EXPECT_EQ(json["skins"].size(), 1u);
  EXPECT_EQ(json["nodes"][0]["skin"], 0);
  ASSERT_EQ(json["accessors"].size(), 2u);
  EXPECT_EQ(json["skins"][0]["inverseBindMatrices"], 0);
  EXPECT_EQ(json["meshes"][0]["primitives"][0]["attributes"]["POSITION"], 1);
  EXPECT_EQ(json["meshes"][0]["primitives"][0]["targets"][0]["POSITION"], 1);
  ASSERT_EQ(json["bufferViews"].size(), 4u);
  EXPECT_EQ(json["images"][0]["bufferView"], 2);
  EXPECT_EQ(json["buffers"][0]["byteLength"], bytes.size());
  const auto first_byte = [&](const Json& view) {
    return static_cast<int>(bytes.at(json["bufferViews"][view.get<std::size_t>()]["byteOffset"].get<std::size_t>()));
  };
  EXPECT_EQ(first_byte(json["accessors"][0]["bufferView"]), 0);
  EXPECT_EQ(first_byte(json["accessors"][1]["bufferView"]), 8);
  EXPECT_EQ(first_byte(json["accessors"][1]["sparse"]["values"]["bufferView"]), 16);
  EXPECT_EQ(first_byte(json["images"][0]["bufferView"]), 12);
  EXPECT_EQ(bytes.size(), 16u);
}

TEST(Compact, NothingChangesWhereReferencesMayLieThatAreNotKnown) {
  Json unknown = document();
  unknown["extensionsUsed"] = {"EXT_mesh_gpu_instancing"};
  const Json before = unknown;
  EXPECT_EQ(compact(unknown, counted()), counted());
  EXPECT_EQ(unknown, before);
  Json packed = document();
  packed["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = Json::object();
  EXPECT_EQ(compact(packed, counted()), counted());
}

}  // namespace
}  // namespace sinew::io::gltf
