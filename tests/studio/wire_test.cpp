// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/wire.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sinew/core/error.h"

namespace sinew::studio {
namespace {

TEST(Wire, MessagesHaveAKindAndANumber) {
  const Message message = read_message(R"({"t":"draw","id":7,"seq":3})");
  EXPECT_EQ(message.kind, "draw");
  EXPECT_EQ(message.id, 7);
  EXPECT_EQ(integer_of(message.body, "seq", 0, 10), 3);
}

TEST(Wire, WhatIsNoMessageIsRefusedWithASentence) {
  for (const char* const text : {"", "[]", "null", "{}", R"({"t":1})", R"({"t":"a","id":-1})", R"({"t":"a","id":1.5})",
                                 "{\"t\":\"\xFF\"}", R"({"t":"a")"})
    EXPECT_THROW(read_message(text), Error) << text;
  EXPECT_THROW(read_message(R"({"t":"a","x":)" + std::string(40, '[') + std::string(40, ']') + "}"), Error);
  EXPECT_THROW(read_message(std::string((1 << 20) + 1, ' ')), Error);
}

TEST(Wire, ValuesOfTheWrongTypeAreRefused) {
  const Json body = {{"a", "x"}, {"b", 1e300}, {"c", {1, 2}}, {"d", 2.5}};
  EXPECT_THROW(number_of(body, "a"), Error);
  EXPECT_THROW(number_of(body, "b"), Error);
  EXPECT_THROW(number_of(body, "missing"), Error);
  EXPECT_THROW(vector_of(body, "c"), Error);
  EXPECT_THROW(integer_of(body, "d", 0, 9), Error);
  EXPECT_THROW(flag_of(body, "a", true), Error);
  EXPECT_EQ(number_of(body, "missing", 4), 4);
}

TEST(Wire, HeadsComeBackAsTheyWent) {
  BinaryHead head;
  head.kind = BinaryKind::kField;
  head.slot = 1, head.generation = 2, head.sequence = 3, head.vertices = 5;
  const io::Bytes bytes = begin_binary(head, 0);
  ASSERT_EQ(bytes.size(), 32U);
  const BinaryHead again = read_head(bytes);
  EXPECT_EQ(again.vertices, 5U);
  EXPECT_EQ(again.sequence, 3U);
  EXPECT_THROW(read_head(std::span(bytes).first(31)), Error);
}

TEST(Wire, TenThousandMutatedMessagesAreReadOrRefused) {
  std::mt19937 random(2);
  const std::string seeds[] = {R"({"t":"draw","seq":1,"clip":0,"time":0.5,"posed":true,"edit":{"kind":"turn"}})",
                               R"({"t":"do","id":3,"step":{"do":"rig","options":{"hint":{"a":[1,2,3]}}}})",
                               R"({"t":"ask","id":9,"what":"snap","origin":[0,1,2],"direction":[0,0,1]})"};
  int read = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text = seeds[random() % 3];
    for (unsigned k = random() % 4; k > 0; --k) {
      const std::size_t at = random() % text.size();
      if (random() % 2) text[at] = static_cast<char>(random() % 256);
      else text.insert(at, text.substr(random() % text.size(), random() % 8));
    }
    try {
      const Message message = read_message(text);
      EXPECT_FALSE(message.body.is_discarded());
      ++read;
    } catch (const Error& problem) {
      EXPECT_NE(std::string(problem.what()), "");
    }
  }
  EXPECT_GT(read, 2000);
}

}  // namespace
}  // namespace sinew::studio
