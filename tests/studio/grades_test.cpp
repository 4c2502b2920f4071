// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/grades.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace sinew::studio {
namespace {

TEST(Grades, AFileThatCannotBeReadHasThatAsItsGrade) {
  const FileGrade grade = grade_file("there is no such file.glb");
  EXPECT_EQ(grade.state, FileGrade::State::kUnreadable);
  EXPECT_NE(grade.text.find("there is no such file.glb"), std::string::npos);
}

TEST(Grades, FilesWaitWhileTheStudioIsBusyAndEndWithIt) {
  std::atomic<bool> busy = true;
  std::atomic<int> messages = 0;
  {
    Grades grades(
        {"a.glb", "b.glb"}, [&](const Json&) { ++messages; }, [&] { return busy.load(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(messages, 0);
    EXPECT_EQ(grades.at(0).state, FileGrade::State::kWaiting);
    busy = false;
    for (int i = 0; i < 500 && messages < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(messages, 4);  // Each file: it begins, it has a grade.
    EXPECT_EQ(grades.json(1)["done"], 2);
  }
  busy = true;
  const Grades unfinished(
      {"a.glb"}, [](const Json&) {}, [&] { return busy.load(); });
  // Its end does not wait until the studio is idle.
}

}  // namespace
}  // namespace sinew::studio
