// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/json.h"

#include <gtest/gtest.h>

#include <string>

#include "sinew/core/error.h"

namespace sinew {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonText, NestingIsLimited) {
  EXPECT_TRUE(parse_json_text(nested(kMaxJsonDepth)).is_array());
  EXPECT_THROW(parse_json_text(nested(kMaxJsonDepth + 1)), Error);
  EXPECT_THROW(parse_json_text(std::string(200000, '[')), Error);
  EXPECT_THROW(parse_json_text(std::string(200000, '{')), Error);
}

TEST(JsonText, BracketsInStringsDoNotCount) {
  const std::string brackets(1000, '[');
  EXPECT_EQ(parse_json_text("\"" + brackets + "\"").get<std::string>(), brackets);
  EXPECT_EQ(parse_json_text("\"\\\"" + brackets + "\"").get<std::string>(), "\"" + brackets);
}

TEST(JsonText, TextThatIsNotJsonIsDiscarded) {
  EXPECT_TRUE(parse_json_text("{\"a\":").is_discarded());
  EXPECT_TRUE(parse_json_text("").is_discarded());
}

}  // namespace
}  // namespace sinew
