// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/options.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"

namespace sinew {
namespace {

struct Inner {
  double height = 0;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("height", "How tall.").in("m").range(0, 3), self.height);
  }
};

struct Sample {
  bool ground = false;
  int max_influences = 4;
  std::int8_t small = 0;
  std::string view = "front";
  std::vector<std::string> show = {"skin"};
  std::optional<double> time_s;
  Inner inner;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("ground", "Puts it down."), self.ground);
    v(Field("max_influences", "Most joints.").range(1, 64), self.max_influences);
    v(Field("small", "A small number."), self.small);
    v(Field("view", "From where.").one_of({"", "front", "side"}), self.view);
    v(Field("show", "What to draw."), self.show);
    v(Field("time_s", "When.").in("s").range(0, std::numeric_limits<double>::infinity()), self.time_s);
    Inner::visit(self.inner, v);
  }
};

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

void give(OptionList& list, const std::string& name, const std::string& word) {
  const Option& option = *list.find(name);
  option.set(parse_option(option, word));
}

TEST(Options, OneVisitGivesFlagsKeysAndDefaults) {
  Sample sample;
  const OptionList list(sample);
  ASSERT_EQ(list.options().size(), 7u);
  EXPECT_EQ(list.find("max_influences")->flag(), "--max-influences");
  EXPECT_EQ(list.find("height")->field.unit, "m");
  EXPECT_EQ(
      list.to_json().dump(),
      R"({"ground":false,"max_influences":4,"small":0,"view":"front","show":["skin"],"time_s":null,"height":0.0})");
  EXPECT_EQ(list.find("nothing"), nullptr);
}

TEST(Options, WordsOfTheCommandLineSetTheMembers) {
  Sample sample;
  OptionList list(sample);
  give(list, "ground", "");
  give(list, "max_influences", "8");
  give(list, "view", "side");
  give(list, "show", "skin,wire,,skeleton");
  give(list, "time_s", "1.5");
  give(list, "height", "2");
  EXPECT_TRUE(sample.ground);
  EXPECT_EQ(sample.max_influences, 8);
  EXPECT_EQ(sample.view, "side");
  EXPECT_EQ(sample.show, (std::vector<std::string>{"skin", "wire", "skeleton"}));
  EXPECT_EQ(sample.time_s, 1.5);
  EXPECT_EQ(sample.inner.height, 2);
  give(list, "ground", "false");
  EXPECT_FALSE(sample.ground);
}

TEST(Options, WhatIsWrittenAndReadAgainIsTheSame) {
  Sample before, after;
  before.time_s = 0.25, before.show = {"wire"}, before.inner.height = 1.75, before.ground = true;
  OptionList(after).from_json(Json::parse(OptionList(before).to_json().dump()));
  EXPECT_EQ(OptionList(after).to_json(), OptionList(before).to_json());
}

TEST(Options, EveryWordThatDoesNotFitIsRefusedWithItsFlag) {
  Sample sample;
  OptionList list(sample);
  const std::string untouched = list.to_json().dump();
  const std::pair<const char*, const char*> wrong[] = {{"ground", "perhaps"},
                                                       {"max_influences", "four"},
                                                       {"max_influences", "4.5"},
                                                       {"max_influences", "0"},
                                                       {"max_influences", "65"},
                                                       {"max_influences", ""},
                                                       {"max_influences", "99999999999999999999"},
                                                       {"small", "300"},
                                                       {"view", "back"},
                                                       {"time_s", "-1"},
                                                       {"time_s", "nan"},
                                                       {"height", "inf"},
                                                       {"height", "3.5"},
                                                       {"height", "2 m"}};
  for (const auto& pair : wrong) {
    const std::string name = pair.first, word = pair.second;
    const std::string text = message([&] { give(list, name, word); });
    EXPECT_NE(text.find(list.find(name)->flag()), std::string::npos) << name << "=" << word << ": " << text;
    EXPECT_EQ(list.to_json().dump(), untouched) << name << "=" << word;
  }
}

TEST(Options, SentencesNameTheRangeAndTheChoices) {
  Sample sample;
  OptionList list(sample);
  EXPECT_EQ(message([&] { give(list, "max_influences", "65"); }),
            "--max-influences must lie between 1 and 64, and 65 does not.");
  EXPECT_EQ(message([&] { give(list, "time_s", "-1"); }), "--time-s must be at least 0, and -1.0 does not.");
  EXPECT_EQ(message([&] { give(list, "view", "sied"); }),
            "--view does not know 'sied'; it takes front, side. Did you mean 'side'?");
}

TEST(Options, AnObjectWithOneBadValueChangesNothing) {
  Sample sample;
  OptionList list(sample);
  const std::string untouched = list.to_json().dump();
  EXPECT_THROW(list.from_json({{"ground", true}, {"max_influences", "4"}}), Error);
  EXPECT_THROW(list.from_json({{"ground", true}, {"small", 1000}}), Error);
  EXPECT_THROW(list.from_json(Json::array({1, 2})), Error);
  EXPECT_EQ(list.to_json().dump(), untouched);
  const std::string text = message([&] { list.from_json({{"ground", true}, {"max_influence", 4}}); });
  EXPECT_EQ(text, "There is no option 'max_influence'. Did you mean 'max_influences'?");
  EXPECT_EQ(list.to_json().dump(), untouched);
}

TEST(Options, NullResetsAnOptionalAndNothingElse) {
  Sample sample;
  sample.time_s = 3;
  OptionList list(sample);
  list.from_json({{"time_s", nullptr}});
  EXPECT_FALSE(sample.time_s.has_value());
  EXPECT_THROW(list.from_json({{"height", nullptr}}), Error);
}

TEST(ClosestWord, FindsSlipsAndLeavesStrangersAlone) {
  const std::vector<std::string> known = {"info", "convert", "render"};
  EXPECT_EQ(closest_word("inof", known), "info");
  EXPECT_EQ(closest_word("convrt", known), "convert");
  EXPECT_EQ(closest_word("", known), "");
  EXPECT_EQ(closest_word("xyzzyx", known), "");
  EXPECT_EQ(closest_word("ab", {"cm", "mm"}), "");
}

}  // namespace
}  // namespace sinew
