// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/job.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Job : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_job_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    put("hero.glb", "first");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) {
    io::AtomicFiles files;
    files.add(folder_ / name, text);
    files.commit();
  }
  std::string get(const std::string& name) { return std::string(io::as_text(io::read_file(folder_ / name))); }
  JobRequest request() { return {{folder_ / "hero.glb"}, {}, false}; }

  fs::path folder_;
};

TEST_F(Job, TheOutputIsNamedAfterTheInput) {
  EXPECT_EQ(output_path(request(), "rigged", ".glb"), folder_ / "hero_rigged.glb");
  EXPECT_EQ(output_path(request(), "picture", "png"), folder_ / "hero_picture.png");
  EXPECT_EQ(output_path(request(), "", ".png"), folder_ / "hero.png");
  JobRequest rig = request();
  rig.inputs = {folder_ / "hero.rig.json"};
  EXPECT_EQ(output_path(rig, "rigged", ".glb"), folder_ / "hero_rigged.glb");
  rig.inputs.clear();
  EXPECT_THROW(output_path(rig, "rigged", ".glb"), Error);
}

TEST_F(Job, AnExistingFileIsKeptUnlessForcedOrTheInputItself) {
  JobRequest r = request();
  put("other.glb", "other");
  r.output = folder_ / "other.glb";
  EXPECT_THROW(output_path(r, "", ""), Error);
  r.force = true;
  EXPECT_EQ(output_path(r, "", ""), *r.output);
  r.force = false;
  r.output = folder_ / "." / "hero.glb";
  EXPECT_EQ(output_path(r, "", ""), *r.output);
  r.output = folder_;
  EXPECT_THROW(output_path(r, "", ""), Error);
  r.output = folder_ / "none" / "x.glb";
  EXPECT_THROW(output_path(r, "", ""), Error);
}

TEST_F(Job, BackupsAreKeptForTheInputAloneAndNeverReplaced) {
  const JobRequest r = request();
  keep_backup(r, folder_ / "elsewhere.glb");
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere.glb.bak"));
  keep_backup(r, folder_ / "hero.glb");
  keep_backup(r, folder_ / "hero.glb");
  EXPECT_EQ(get("hero.glb.bak"), "first");
  EXPECT_FALSE(fs::exists(folder_ / "hero.glb.bak2"));
  put("hero.glb", "second");
  keep_backup(r, folder_ / "hero.glb");
  EXPECT_EQ(get("hero.glb.bak"), "first");
  EXPECT_EQ(get("hero.glb.bak2"), "second");
}

TEST_F(Job, AConfigIsAnObjectOfOptionsOrAReportOfTheSameCommand) {
  put("plain.json", R"({"unit": "cm"})");
  EXPECT_EQ(read_config(folder_ / "plain.json", "convert").dump(), R"({"unit":"cm"})");
  Report report;
  report.command = "convert";
  report.options = {{"unit", "mm"}};
  put("report.json", report.to_json().dump());
  EXPECT_EQ(read_config(folder_ / "report.json", "convert").dump(), R"({"unit":"mm"})");
  EXPECT_THROW(read_config(folder_ / "report.json", "info"), Error);
  put("newer.json", R"({"schema": 99, "command": "convert", "options": {}})");
  EXPECT_THROW(read_config(folder_ / "newer.json", "convert"), Error);
  put("broken.json", "{");
  EXPECT_THROW(read_config(folder_ / "broken.json", "convert"), Error);
  EXPECT_THROW(read_config(folder_ / "none.json", "convert"), Error);
}

TEST(ShellWord, QuotesOnlyWhatAShellWouldSplit) {
  EXPECT_EQ(shell_word("a/b-c_1.glb"), "a/b-c_1.glb");
  EXPECT_EQ(shell_word("héros.glb"), "héros.glb");
  EXPECT_EQ(shell_word("my hero.glb"), "'my hero.glb'");
  EXPECT_EQ(shell_word("it's.glb"), "'it'\\''s.glb'");
  EXPECT_EQ(shell_word("$x"), "'$x'");
  EXPECT_EQ(shell_word(""), "''");
}

// One option name has one meaning: the same type, unit and sentence in every command that has it, apart from defaults.
TEST(Commands, HaveExamplesGroupsAndOptionsThatAreNotNamedLikeCommonFlags) {
  const std::set<std::string> taken = {"json", "config",  "threads", "quiet", "strict",
                                       "help", "version", "output",  "force"};
  const std::set<std::string> groups = {"Start", "Improve", "Move", "Deliver", "Lab"};
  ASSERT_FALSE(commands().entries().empty());
  for (const auto& entry : commands().entries()) {
    EXPECT_TRUE(groups.contains(entry.make.group)) << entry.id;
    EXPECT_FALSE(entry.when.empty());
    EXPECT_FALSE(entry.make.examples.empty());
    for (const std::string& example : entry.make.examples)
      EXPECT_TRUE(example.starts_with("sinew " + entry.id + " ")) << example;
    const auto bound = entry.make.bind();
    const OptionList list = bound->options();
    std::set<std::string> names;
    for (const Option& option : list.options()) {
      EXPECT_FALSE(taken.contains(option.field.name)) << entry.id << " " << option.field.name;
      EXPECT_TRUE(names.insert(option.field.name).second) << entry.id << " " << option.field.name;
      EXPECT_EQ(option.field.sentence.back(), '.') << entry.id << " " << option.field.name;
      EXPECT_NO_THROW(option.set(option.initial))
          << entry.id << " " << option.field.name << ": its own default is refused";
    }
  }
}

}  // namespace
}  // namespace sinew::jobs
