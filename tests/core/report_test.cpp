// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/core/options.h"

namespace sinew {
namespace {

Report full_report() {
  Report report;
  report.command = "convert";
  report.options = {{"max_influences", 4}};
  report.inputs = {{"a.glb", "00ff", 12}};
  report.outputs = {{"b.glb", "ff00", 13}};
  report.warn("obj.texture_missing", "skin.png", "The picture is not there.");
  report.fallbacks = {{"weights.empty_row", "nearest bone", 3, "Three rows were empty."}};
  report.metrics = {{"vertices", 8}};
  report.text = "for people";
  report.next = "sinew info b.glb";
  return report;
}

TEST(Report, HasEveryKeyOfTheSchemaInOrder) {
  std::vector<std::string> keys;
  const Json json = full_report().to_json();
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "command", "options", "inputs", "outputs", "status", "isa",
                                            "findings", "fallbacks", "metrics", "timing"}));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["inputs"][0]["sha256"], "00ff");
  EXPECT_EQ(json["findings"][0]["code"], "obj.texture_missing");
  EXPECT_EQ(json["findings"][0]["level"], "warning");
  EXPECT_EQ(json["fallbacks"][0]["count"], 3);
}

TEST(Report, AnEmptyOneHasTheSameKeysAndTypes) {
  const Json full = full_report().to_json(), empty = Report().to_json();
  ASSERT_EQ(full.size(), empty.size());
  for (const auto& [key, value] : full.items()) EXPECT_EQ(value.type(), empty[key].type()) << key;
}

TEST(Report, AnIncompleteResultSaysSo) {
  Report report;
  report.status = Report::Status::kIncomplete;
  EXPECT_EQ(report.to_json()["status"], "incomplete");
}

TEST(Report, OnlyTimingDiffersBetweenTwoEqualRuns) {
  Report a = full_report(), b = full_report();
  { const StageTimer timer(a, "read"); }
  { const StageTimer timer(b, "read"); }
  EXPECT_GE(a.timing["read"].get<double>(), 0);
  Json x = a.to_json(), y = b.to_json();
  x.erase("timing"), y.erase("timing");
  EXPECT_EQ(x.dump(), y.dump());
}

TEST(Report, TimersOfOneStageAddUp) {
  Report report;
  report.timing["read"] = 100.0;
  { const StageTimer timer(report, "read"); }
  EXPECT_GE(report.timing["read"].get<double>(), 100.0);
}

struct CapOptions {
  int max_influences = 8;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("max_influences", "Most joints."), self.max_influences);
  }
};

TEST(Report, ItsOptionsCanBePassedBack) {
  CapOptions options;
  OptionList(options).from_json(Json::parse(full_report().to_json().dump())["options"]);
  EXPECT_EQ(options.max_influences, 4);
}

}  // namespace
}  // namespace sinew
