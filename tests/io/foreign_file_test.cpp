// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/foreign_file.h"

#include <gtest/gtest.h>

#include <string>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/io/file.h"

namespace sinew::io {
namespace {

std::string kind(const char* name, const std::string& text) { return foreign_kind(name, as_bytes(text)); }

std::string failure(const char* name, const std::string& text) {
  const auto bytes = as_bytes(text);
  try {
    load_bytes(name, Bytes(bytes.begin(), bytes.end()));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignFile, IsNamedWhateverItsExtension) {
  for (const char* name : {"a.glb", "a.obj", "a.fbx", "a.stl"}) {
    EXPECT_EQ(kind(name, "\x89PNG\r\n\x1A\nrest"), "a PNG picture");
    EXPECT_EQ(kind(name, "\n<!DOCTYPE HTML><html>"), "a web page; download the file again");
    EXPECT_EQ(kind(name, ""), "empty");
    EXPECT_EQ(failure(name, "\xFF\xD8\xFF\xE0"), std::string(name) + ": It is a JPEG picture.");
  }
  EXPECT_EQ(kind("a.glb", "RIFF....WEBPVP8 "), "a WebP picture");
}

TEST(ForeignFile, ModelsAreNone) {
  EXPECT_EQ(kind("a.obj", "# made by hand\nv 0 0 0\n"), "");
  EXPECT_EQ(kind("a.glb", "glTF\x02"), "");
  EXPECT_EQ(kind("a.dae", "<?xml version=\"1.0\"?><COLLADA/>"), "");
  EXPECT_EQ(kind("a.zae", "PK\x03\x04"), "") << "these are ZIP archives";
  EXPECT_NE(kind("a.glb", "PK\x03\x04"), "");
}

}  // namespace
}  // namespace sinew::io
