// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sinew/batch/claims.h"
#include "sinew/batch/manifest.h"
#include "sinew/batch/recipe.h"
#include "sinew/batch/runner.h"
#include "sinew/batch/slurm.h"
#include "sinew/batch/summary.h"
#include "sinew/core/error.h"

namespace sinew::batch {
namespace {

namespace fs = std::filesystem;

class Batch : public testing::Test {
 protected:
  Batch() : folder_(fs::path(testing::TempDir()) / fmt::format("sinew-batch-{}-{}", ::getpid(), number++)) {
    fs::create_directories(folder_);
  }
  ~Batch() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text, bool runs = false) const {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    if (runs) fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // A program that stands for sinew: writes its second word to the file after -o, and notes that it ran.
  fs::path stand_in() const {
    return write(
        "program",
        "#!/bin/sh\necho ran >> " + (folder_ / "runs").string() +
            "\ncase $1 in fail) exit 1;; die) kill -9 $$;; wait) sleep 60;; bad) echo 'sinew: No.' >&2; exit 2;; "
            "esac\n[ \"$3\" = -o ] && cp \"$2\" \"$4\"\necho '{\"metrics\": {\"size\": 1}}'\n",
        true);
  }
  std::size_t runs() const {
    const std::string text = text_of(folder_ / "runs");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Manifest manifest(const std::string& step, int rows) const {
    std::vector<std::string> inputs;
    for (int i = 0; i < rows; ++i)
      inputs.push_back(write(fmt::format("in{}.obj", i), fmt::format("v {} 0 0\n", i)).string());
    Manifest made;
    made.steps = {parse_step(step)};
    made.rows = make_rows(inputs);
    made.program = "1";
    made.thumbnails = false;
    made.limits = {5, std::uint64_t{1} << 30};
    return made;
  }
  RunSettings settings(int processes = 2) const {
    RunSettings s;
    s.program = stand_in();
    s.processes = processes;
    return s;
  }

  fs::path folder_;
  static inline int number = 0;
};

TEST(Recipe, IsSplitAsAShellWould) {
  EXPECT_EQ(parse_step("sinew rig {in} -o '{out} x.glb' --hint \"a=\\\"1\\\"\" a\\ b"),
            (Step{"rig", "{in}", "-o", "{out} x.glb", "--hint", "a=\"1\"", "a b"}));
  EXPECT_EQ(expanded({"{in}", "{out}.glb", "x{name}y{name}"}, {"a{out}", "o", "n"}), (Step{"a{out}", "o.glb", "xnyn"}));
  for (const char* bad : {"", "sinew", "rig 'x", "rig {input}"}) EXPECT_THROW(parse_step(bad), Error) << bad;
}

TEST_F(Batch, RowsHaveUniqueNames) {
  fs::create_directories(folder_ / "b");
  const auto rows =
      make_rows({write("a b.obj", "").string(), write("b/a b.obj", "").string(), write("A_b.obj", "").string()});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "a_b");
  EXPECT_EQ(rows[1].name, "a_b_2");
  EXPECT_EQ(rows[2].name, "A_b_3");
  EXPECT_EQ(make_rows({(folder_ / "*.obj").string()}).size(), 2u);
  EXPECT_EQ(make_rows({folder_.string()}).size(), 2u);
  EXPECT_THROW(make_rows({(folder_ / "*.fbx").string()}), Error);
  EXPECT_THROW(make_rows({(folder_ / "no.obj").string()}), Error);
}

TEST_F(Batch, RunsEachRowOnceAndResumes) {
  const Manifest m = manifest("copy {in} -o {out}.glb", 7);
  const BatchFolder out(folder_ / "out");
  out.create();
  EXPECT_EQ(run_rows(m, out, settings()).done, 7u);
  EXPECT_EQ(runs(), 7u);
  EXPECT_EQ(text_of(out.output / "in3.glb"), "v 3 0 0\n");
  RunCounts again = run_rows(m, out, settings());
  EXPECT_EQ(again.done, 0u);
  EXPECT_EQ(again.skipped, 7u);
  write("in3.obj", "v 33 0 0\n");      // Another input,
  fs::remove(out.output / "in4.glb");  // and a lost result.
  EXPECT_EQ(run_rows(m, out, settings()).done, 2u);
  EXPECT_EQ(text_of(out.output / "in3.glb"), "v 33 0 0\n");
  EXPECT_TRUE(fs::is_empty(out.own / "claims"));
  EXPECT_TRUE(fs::is_empty(out.own / "work"));
}

TEST_F(Batch, PartsTogetherAreTheWhole) {
  const Manifest m = manifest("copy {in} -o {out}.glb", 7);
  const BatchFolder whole(folder_ / "whole"), parts(folder_ / "parts");
  whole.create(), parts.create();
  run_rows(m, whole, settings());
  summarize(m, whole);
  for (std::size_t i = 0; i < 3; ++i) {
    RunSettings s = settings(1);
    s.index = i, s.of = 3;
    EXPECT_EQ(run_rows(m, parts, s).done, i == 0 ? 3u : 2u);
  }
  summarize(m, parts);
  for (const char* file : {"results.jsonl", "summary.csv", "index.html"})
    EXPECT_EQ(text_of(whole.output / file), text_of(parts.output / file)) << file;
}

TEST_F(Batch, ARowThatDiesDoesNotStopTheRest) {
  Manifest m = manifest("die {in}", 2);
  const BatchFolder out(folder_ / "out");
  out.create();
  EXPECT_EQ(run_rows(m, out, settings()).done, 2u);
  EXPECT_EQ(summarize(m, out).by_severity[4], 2u);
  m.steps = {parse_step("bad {in}"), parse_step("copy {in} -o {out}.glb")};
  run_rows(m, out, settings());
  EXPECT_EQ(summarize(m, out).by_severity[3], 2u);
  EXPECT_NE(text_of(out.output / "summary.csv").find("No."), std::string::npos);
  EXPECT_FALSE(fs::exists(out.output / "in0.glb"));  // An error stops the row.
  m.steps = {parse_step("fail {in}"), parse_step("copy {in} -o {out}.glb")};
  run_rows(m, out, settings());
  EXPECT_EQ(summarize(m, out).by_severity[2], 2u);
  EXPECT_TRUE(fs::exists(out.output / "in0.glb"));  // A doubt does not.
}

TEST_F(Batch, TimeIsLimited) {
  Manifest m = manifest("wait {in}", 1);
  m.limits.time_s = 0.2;
  const BatchFolder out(folder_ / "out");
  out.create();
  run_rows(m, out, settings());
  EXPECT_EQ(summarize(m, out).by_severity[4], 1u);
  EXPECT_NE(text_of(out.output / "summary.csv").find("longer than"), std::string::npos);
}

TEST_F(Batch, AClaimBelongsToOne) {
  const BatchFolder out(folder_ / "out");
  out.create();
  Claims mine(out, 120), other(out, 120);
  EXPECT_TRUE(mine.take("a"));
  EXPECT_FALSE(other.take("a"));
  EXPECT_TRUE(other.is_held("a"));
  mine.release("a");
  EXPECT_TRUE(other.take("a"));
  // A process that is not there any more,
  std::ifstream host_file("/proc/sys/kernel/hostname");
  std::string host;
  std::getline(host_file, host);
  std::ofstream(out.claim("b")) << host << " 999999999 1\n";
  EXPECT_FALSE(mine.is_held("b"));
  EXPECT_TRUE(mine.take("b"));
  // and another machine that was heard of just now, and long ago.
  std::ofstream(out.claim("c")) << "another-machine 1 1\n";
  EXPECT_FALSE(mine.take("c"));
  fs::last_write_time(out.claim("c"), fs::file_time_type::clock::now() - std::chrono::minutes(10));
  EXPECT_TRUE(mine.take("c"));
}

TEST_F(Batch, TheNextRunClearsWhatKilledProcessesLeft) {
  const Manifest m = manifest("copy {in} -o {out}.glb", 2);
  const BatchFolder out(folder_ / "out");
  out.create();
  std::ifstream host_file("/proc/sys/kernel/hostname");
  std::string host;
  std::getline(host_file, host);
  const auto leave = [&](const std::string& row, const std::string& owner) {
    fs::create_directories(out.work(row + ".999999999") / "out");
    std::ofstream(out.work(row + ".999999999") / "out" / "half.glb") << "half";
    if (!owner.empty()) std::ofstream(out.claim(row)) << owner << '\n';
  };
  leave("dead", host + " 999999999 1");
  leave("unclaimed.glb", "");
  leave("elsewhere", "another-machine 1 1");
  std::ofstream(out.work(".claim-x-1")) << "x";
  fs::last_write_time(out.work(".claim-x-1"), fs::file_time_type::clock::now() - std::chrono::hours(10));
  run_rows(m, out, settings());
  EXPECT_FALSE(fs::exists(out.work("dead.999999999")));
  EXPECT_FALSE(fs::exists(out.claim("dead")));
  EXPECT_FALSE(fs::exists(out.work("unclaimed.glb.999999999")));
  EXPECT_FALSE(fs::exists(out.work(".claim-x-1")));
  // Another machine may still work on its row.
  EXPECT_TRUE(fs::exists(out.work("elsewhere.999999999")));
  EXPECT_TRUE(fs::exists(out.claim("elsewhere")));
  EXPECT_EQ(summarize(m, out).missing, 0u);
}

TEST_F(Batch, NamesAreTextInThePage) { EXPECT_EQ(html_text("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;"); }

TEST_F(Batch, TheManifestIsReadBack) {
  const Manifest m = manifest("copy {in} -o {out}.glb", 2);
  const Manifest back = Manifest::from_json(m.to_json());
  EXPECT_EQ(back.to_json(), m.to_json());
  Json bad = m.to_json();
  bad["rows"][0]["name"] = "../x";
  EXPECT_THROW(Manifest::from_json(bad), Error);
  EXPECT_THROW(Manifest::from_json(Json::object()), Error);
}

TEST_F(Batch, TheScriptOfSlurmQuotesPaths) {
  const std::string script = slurm_script(BatchFolder(folder_ / "it's"), "/bin/a b", 3, "cpu");
  EXPECT_NE(script.find("--array=0-2\n"), std::string::npos);
  EXPECT_NE(script.find("--partition=cpu\n"), std::string::npos);
  EXPECT_NE(script.find("'/bin/a b' batch '"), std::string::npos);
  EXPECT_NE(script.find("it'\\''s"), std::string::npos);
}

}  // namespace
}  // namespace sinew::batch
