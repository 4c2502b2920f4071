// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "memory_end.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>

#include "sinew/io/atomic_files.h"

namespace sinew::app {
namespace {

namespace fs = std::filesystem;

template <class Thrown>
void fail(const Thrown& thrown) {
  throw thrown;
}

// What the destructor of a JSON value does when its vector finds no memory.
void fail_where_nothing_can_be_thrown() noexcept { fail(std::bad_alloc()); }

std::size_t file_count(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(MemoryEnd, ADestructorWithoutMemoryEndsWithASentenceAndNoTemporaryFile) {
  std::string name = (fs::temp_directory_path() / "sinew-memory-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path folder(name);
  EXPECT_EXIT(
      {
        end_well_without_memory(3, 1);
        io::AtomicFiles files;
        files.add(folder / "new.txt", "half");
        if (file_count(folder) == 1) fail_where_nothing_can_be_thrown();
      },
      testing::ExitedWithCode(3), "sinew: There is not enough memory for this. Nothing was written.");
  EXPECT_EQ(file_count(folder), 0U);
  EXPECT_EXIT(
      {
        end_well_without_memory(3, 1);
        io::AtomicFiles first;
        io::AtomicFiles second;
        first.add(folder / "whole.txt", "whole");
        first.commit();
        second.add(folder / "new.txt", "half");
        if (file_count(folder) == 2) fail_where_nothing_can_be_thrown();
      },
      testing::ExitedWithCode(1), "The files that were written before are complete");
  EXPECT_EQ(file_count(folder), 1U);
  EXPECT_TRUE(fs::exists(folder / "whole.txt"));
  fs::remove_all(folder);
}

TEST(MemoryEnd, OtherExceptionsStillAbort) {
  EXPECT_EXIT(
      {
        end_well_without_memory(3, 1);
        []() noexcept { fail(1); }();
      },
      testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace sinew::app
