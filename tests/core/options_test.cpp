// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/options.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/text.h"

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
    EXPECT_NE(text.find("option '" + name + "'"), std::string::npos) << name << "=" << word << ": " << text;
    EXPECT_EQ(list.to_json().dump(), untouched) << name << "=" << word;
  }
}

TEST(Options, SentencesNameTheRangeAndTheChoices) {
  Sample sample;
  OptionList list(sample);
  EXPECT_EQ(message([&] { give(list, "max_influences", "65"); }),
            "The option 'max_influences' must be between 1 and 64; 65 is not.");
  EXPECT_EQ(message([&] { give(list, "time_s", "-1"); }), "The option 'time_s' must be at least 0; -1.0 is not.");
  EXPECT_EQ(message([&] { give(list, "view", "sied"); }),
            "'sied' is not a value of the option 'view', which takes front, side. Did you mean 'side'?");
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
  EXPECT_EQ(text, "Unknown option 'max_influence'. Did you mean 'max_influences'?");
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

enum class Area { kJoints, kBody };
constexpr auto option_words(Area) { return std::array{"joints", "body"}; }

struct Rich {
  Area area = Area::kJoints;
  std::optional<Area> other;
  double cone_rad = radians(15);
  Vec3 at = Vec3::Zero();
  std::map<std::string, double> factors;
  std::map<std::string, Vec3> hints;
  std::map<std::string, std::string> attach;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("area", "Where."), self.area);
    v(Field("other", "Where else."), self.other);
    v(Field("cone", "How wide.").degrees().range(0, 90), self.cone_rad);
    v(Field("at", "A position."), self.at);
    v(Field("factors", "Factors by name.").range(0, 10), self.factors);
    v(Field("hints", "Positions by name."), self.hints);
    v(Field("attach", "Names by name."), self.attach);
  }
};

TEST(Options, EnumsVectorsMapsAndAnglesComeFromWords) {
  Rich rich;
  OptionList list(rich);
  EXPECT_EQ(list.find("cone")->get(), 15.0);
  give(list, "area", "body");
  give(list, "other", "joints");
  give(list, "cone", "30");
  give(list, "at", "1,-2.5,3e-1");
  give(list, "factors", "LeftArm=2,a=b=0.5");
  give(list, "hints", "left_hand=0.7,1.4,0,head=0,1.7,0.1");
  give(list, "attach", "sword=RightHand,shield=LeftHand");
  EXPECT_EQ(rich.area, Area::kBody);
  EXPECT_EQ(rich.other, Area::kJoints);
  EXPECT_DOUBLE_EQ(rich.cone_rad, radians(30));
  EXPECT_EQ(rich.at, Vec3(1, -2.5, 0.3));
  EXPECT_EQ(rich.factors, (std::map<std::string, double>{{"LeftArm", 2}, {"a=b", 0.5}}));
  EXPECT_EQ(rich.hints.at("head"), Vec3(0, 1.7, 0.1));
  EXPECT_EQ(rich.attach.at("shield"), "LeftHand");
  Rich again;
  OptionList(again).from_json(Json::parse(list.to_json().dump()));
  EXPECT_EQ(OptionList(again).to_json(), list.to_json());
  EXPECT_EQ(again.area, Area::kBody);
}

TEST(Options, WordsThatDoNotFitTheseTypesAreRefused) {
  Rich rich;
  OptionList list(rich);
  const std::string untouched = list.to_json().dump();
  const std::pair<const char*, const char*> wrong[] = {{"area", "head"},       {"cone", "91"},     {"at", "1,2"},
                                                       {"at", "1,2,x"},        {"factors", "a"},   {"factors", "a=11"},
                                                       {"factors", "=1"},      {"hints", "a=1,2"}, {"hints", "1,2,3"},
                                                       {"hints", "a=1,2,3,4"}, {"attach", "sword"}};
  for (const auto& [name, word] : wrong)
    EXPECT_NE(message([&] { give(list, name, word); }).find("option '" + std::string(name) + "'"), std::string::npos)
        << name << "=" << word;
  EXPECT_THROW(list.from_json({{"hints", {{"a", {1, 2}}}}}), Error);
  EXPECT_EQ(list.to_json().dump(), untouched);
  rich.cone_rad = radians(100);
  EXPECT_THROW(list.validate(), Error);
}

struct Sweeps {
  int sweeps = 10;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("sweeps", "How many.").range(1, 100), self.sweeps);
  }
};

struct ToyMethod {
  std::string id, name, when;
  AnyOptions options;
};

struct WithMethod {
  MethodChoice method;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How."), self.method);
  }
};

TEST(MethodChoice, NestsTheOptionsOfTheChosenMethod) {
  Registry<ToyMethod> methods("method");
  methods.add({"plain", "simple", "Nothing to set.", NoOptions{}});
  methods.add({"pbd", "volume", "Slow.", Sweeps{}});
  WithMethod options{MethodChoice(methods, "plain")};
  OptionList list(options);
  EXPECT_EQ(list.to_json().dump(), R"({"method":"plain"})");
  EXPECT_EQ(list.find("sweeps"), nullptr);
  list.from_json({{"method", "volume"}, {"pbd", {{"sweeps", 12}}}});
  EXPECT_EQ(list.to_json().dump(), R"({"method":"pbd","pbd":{"sweeps":12}})");
  ASSERT_NE(list.find("sweeps"), nullptr);
  EXPECT_EQ(options.method.options().as<Sweeps>().sweeps, 12);
  EXPECT_EQ(message([&] {
              list.from_json({{"pbd", {{"sweep", 1}}}});
            }),
            "Unknown option 'sweep' of 'pbd'. Did you mean 'sweeps'?");
  EXPECT_THROW(list.from_json({{"pbd", {{"sweeps", 0}}}}), Error);
  EXPECT_THROW(list.from_json({{"method", "pdb"}}), Error);
  EXPECT_EQ(options.method.id(), "pbd");
  // A copy has options of its own.
  WithMethod copy = options;
  copy.method.options().as<Sweeps>().sweeps = 3;
  EXPECT_EQ(options.method.options().as<Sweeps>().sweeps, 12);
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
