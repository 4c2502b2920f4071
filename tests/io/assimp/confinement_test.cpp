// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

bool opens(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}

bool runs_a_program() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What a confined process can still do, one bit each; it is forked, since confinement lasts.
enum Right : int {
  kReadInside = 1,
  kReadOutside = 2,
  kWrite = 4,
  kSocket = 8,
  kProgram = 16,
  kFiles = 32,
  kCalls = 64
};

int rights_of(const std::filesystem::path& folder, const std::filesystem::path& inside,
              const std::filesystem::path& outside) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Confinement means = confine_reader(folder);
    int rights = (means.files ? kFiles : 0) | (means.calls ? kCalls : 0);
    if (opens(inside, O_RDONLY)) rights |= kReadInside;
    if (opens(outside, O_RDONLY)) rights |= kReadOutside;
    if (opens(inside, O_WRONLY) || opens(inside.parent_path() / "new", O_WRONLY | O_CREAT)) rights |= kWrite;
    if (::socket(AF_INET, SOCK_STREAM, 0) >= 0 || ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0) rights |= kSocket;
    if (runs_a_program()) rights |= kProgram;
    ::_exit(rights);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class ConfinementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "model");
    std::ofstream(inside_) << "inside";
    std::ofstream(outside_) << "outside";
  }
  test::TemporaryFolder folder_;
  std::filesystem::path inside_ = folder_ / "model" / "a.txt";
  std::filesystem::path outside_ = folder_ / "b.txt";
};

TEST_F(ConfinementTest, AReaderSeesItsOwnFolderAlone) {
  const int rights = rights_of(folder_ / "model", inside_, outside_);
  ASSERT_GE(rights, 0);
  EXPECT_TRUE(rights & kReadInside);
  if ((rights & kFiles) == 0) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_FALSE(rights & kReadOutside);
  EXPECT_FALSE(rights & kWrite);
  EXPECT_FALSE(rights & kProgram);
}

TEST_F(ConfinementTest, AReaderHasNeitherSocketsNorPrograms) {
  const int rights = rights_of(folder_ / "model", inside_, outside_);
  if ((rights & kCalls) == 0) GTEST_SKIP() << "this kernel has no seccomp filters";
  EXPECT_FALSE(rights & kSocket);
  EXPECT_FALSE(rights & kProgram);
}

TEST_F(ConfinementTest, WithoutAFolderEverythingCanBeReadButNothingWritten) {
  const int rights = rights_of({}, inside_, outside_);
  EXPECT_TRUE(rights & kReadInside);
  EXPECT_TRUE(rights & kReadOutside);
  EXPECT_FALSE((rights & kFiles) != 0 && (rights & kWrite) != 0);
}

}  // namespace
}  // namespace sinew::io
