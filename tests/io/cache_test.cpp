// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <set>

#include "tests/support/environment.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;
using test::Environment;

std::string key_of(std::string_view text) {
  KeyHasher hasher;
  hasher.add(text);
  return hasher.key();
}

Bytes filled(std::size_t size, int seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed));
  return bytes;
}

class CacheFolder : public testing::Test {
 protected:
  fs::path entry(const std::string& key) const { return cache_.folder() / (key + ".sinew-cache"); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(cache_.folder()), fs::directory_iterator()));
  }

  test::TemporaryFolder folder_;
  Cache cache_{folder_ / "deep" / "cache"};
};

TEST(KeyHasher, TellsListsApartThatAreTheSameBytesInARow) {
  const auto key = [](auto... pieces) {
    KeyHasher hasher;
    (hasher.add(pieces), ...);
    return hasher.key();
  };
  using std::string_view;
  std::set<std::string> keys;
  keys.insert(key(string_view("ab"), string_view("c")));
  keys.insert(key(string_view("a"), string_view("bc")));
  keys.insert(key(string_view("abc")));
  keys.insert(key(string_view("abc"), string_view("")));
  keys.insert(key(string_view(""), string_view("abc")));
  keys.insert(key(1, 2));
  keys.insert(key(2, 1));
  keys.insert(key(std::int64_t{1}, 2));
  keys.insert(key(0.0));
  keys.insert(key(-0.0));
  EXPECT_EQ(keys.size(), 10u);
  EXPECT_EQ(key(1, string_view("a")), key(1, string_view("a")));
  EXPECT_EQ(keys.begin()->size(), 64u);
}

TEST_F(CacheFolder, GivesBackWhatWasStored) {
  const std::string key = key_of("a");
  EXPECT_FALSE(cache_.load(key));
  for (const std::size_t size : {0u, 1u, 100000u}) {
    EXPECT_TRUE(cache_.store(key, filled(size, 1)));
    EXPECT_EQ(cache_.load(key), filled(size, 1));
    EXPECT_FALSE(cache_.load(key_of("b")));
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(CacheFolder, AnEntryWithAnyByteFlippedIsMissingAndRemoved) {
  const std::string key = key_of("a");
  ASSERT_TRUE(cache_.store(key, filled(60, 2)));
  const Bytes whole = read_file(entry(key));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes flipped = whole;
    flipped[i] ^= std::byte{4};
    test::write(entry(key), flipped);
    EXPECT_FALSE(cache_.load(key)) << i;
    EXPECT_FALSE(fs::exists(entry(key))) << i;
  }
  test::write(entry(key), whole);
  EXPECT_TRUE(cache_.load(key));
}

TEST_F(CacheFolder, AnEntryCutShortOrGrownIsMissing) {
  const std::string key = key_of("a");
  ASSERT_TRUE(cache_.store(key, filled(60, 2)));
  Bytes whole = read_file(entry(key));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::write(entry(key), std::span(whole).first(length));
    EXPECT_FALSE(cache_.load(key)) << length;
  }
  whole.push_back(std::byte{0});
  test::write(entry(key), whole);
  EXPECT_FALSE(cache_.load(key));
  EXPECT_TRUE(cache_.store(key, filled(60, 2)));
  EXPECT_EQ(cache_.load(key), filled(60, 2));
}

TEST_F(CacheFolder, AnEntryOfAnotherKeyIsMissing) {
  ASSERT_TRUE(cache_.store(key_of("a"), filled(60, 2)));
  fs::copy_file(entry(key_of("a")), entry(key_of("b")));
  EXPECT_FALSE(cache_.load(key_of("b")));
  EXPECT_TRUE(cache_.load(key_of("a")));
}

TEST_F(CacheFolder, WhatIsNoFileIsMissing) {
  const std::string pipe = key_of("pipe"), inner = key_of("folder"), link = key_of("link");
  ASSERT_TRUE(cache_.store(key_of("a"), filled(60, 2)));
  ASSERT_EQ(::mkfifo(entry(pipe).c_str(), 0600), 0);
  fs::create_directories(entry(inner) / "more");
  fs::create_symlink("/dev/zero", entry(link));
  for (const std::string& key : {pipe, inner, link}) EXPECT_FALSE(cache_.load(key));
  EXPECT_FALSE(cache_.store(inner, filled(60, 3)));
  EXPECT_TRUE(fs::exists(entry(inner) / "more"));
  EXPECT_EQ(files(), 2u);
}

TEST_F(CacheFolder, AFolderThatCannotBeWrittenKeepsNothingAndHarmsNothing) {
  test::write(folder_ / "file", filled(10, 1));
  const std::string key = key_of("a");
  for (const fs::path& path : {folder_ / "file", folder_ / "file" / "below", fs::path("/proc/nowhere"), fs::path()}) {
    const Cache nowhere(path);
    EXPECT_FALSE(nowhere.store(key, filled(60, 2))) << path;
    EXPECT_FALSE(nowhere.load(key)) << path;
  }
  EXPECT_EQ(read_file(folder_ / "file"), filled(10, 1));
  if (::geteuid() == 0) return;  // To whom everything is writable.
  ASSERT_TRUE(cache_.store(key, filled(60, 2)));
  fs::permissions(cache_.folder(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(cache_.store(key_of("b"), filled(60, 2)));
  EXPECT_EQ(cache_.load(key), filled(60, 2));
  fs::permissions(cache_.folder(), fs::perms::owner_all);
}

// A limit on the size of files is what a full disk is like: a write fails half-way.
TEST_F(CacheFolder, AFullDiskKeepsNothingAndLeavesNothing) {
  ASSERT_TRUE(cache_.store(key_of("before"), filled(60, 2)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    ::_exit(cache_.store(key_of("large"), filled(20000, 2)) ? 1 : 0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(cache_.load(key_of("large")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(CacheFolder, WhatWasNotUsedForLongestMakesRoom) {
  const Cache small(cache_.folder(), 4000);
  const auto age = [&](const std::string& key, int minutes) {
    fs::last_write_time(entry(key), fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  const std::string a = key_of("a"), b = key_of("b"), c = key_of("c"), d = key_of("d");
  for (const std::string& key : {a, b, c}) ASSERT_TRUE(small.store(key, filled(1000, 1)));
  age(a, 30), age(b, 20), age(c, 10);
  EXPECT_TRUE(small.load(a));  // So b is the oldest now.
  EXPECT_TRUE(small.store(d, filled(1000, 1)));
  EXPECT_TRUE(small.load(a));
  EXPECT_FALSE(small.load(b));
  EXPECT_TRUE(small.load(c));
  EXPECT_TRUE(small.load(d));
  std::uint64_t sum = 0;
  for (const auto& file : fs::directory_iterator(cache_.folder())) sum += file.file_size();
  EXPECT_LE(sum, 4000u);
  EXPECT_FALSE(small.store(b, filled(4000, 1)));
  EXPECT_EQ(files(), 3u);
}

TEST_F(CacheFolder, FilesOfOthersDoNotCount) {
  const Cache small(cache_.folder(), 4000);
  ASSERT_TRUE(small.store(key_of("a"), filled(10, 1)));
  test::write(cache_.folder() / "diary.txt", filled(10000, 1));
  ASSERT_TRUE(small.store(key_of("b"), filled(10, 1)));
  EXPECT_TRUE(small.load(key_of("a")));
}

TEST_F(CacheFolder, MakingRoomTakesAwayForsakenTemporaryFilesAndNothingElse) {
  const Cache small(cache_.folder(), 4000);
  ASSERT_TRUE(small.store(key_of("a"), filled(10, 1)));
  const fs::path old_one = entry(key_of("b")).string() + ".abcdef", fresh = entry(key_of("c")).string() + ".abcdef";
  const fs::path others[] = {cache_.folder() / "diary.txt", cache_.folder() / key_of("d"),
                             cache_.folder() / "x.sinew-cache"};
  for (const fs::path& path : {old_one, fresh, others[0], others[1], others[2]}) test::write(path, filled(500, 1));
  for (const fs::path& path : {old_one, others[0], others[1], others[2]})
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(5));
  ASSERT_TRUE(small.store(key_of("e"), filled(3300, 1)));
  EXPECT_FALSE(fs::exists(old_one));
  EXPECT_TRUE(fs::exists(fresh));
  for (const fs::path& path : others) EXPECT_TRUE(fs::exists(path)) << path;
  EXPECT_FALSE(small.load(key_of("a")));
  EXPECT_TRUE(small.load(key_of("e")));
}

// Each writer stores its own bytes under the same keys; a reader sees one or the other, whole.
TEST_F(CacheFolder, SeveralProcessesCanUseItAtOnce) {
  constexpr int kRounds = 40;
  constexpr std::size_t kSize = 3000;
  const Cache small(cache_.folder(), 3 * (kSize + 400));
  const auto key = [](int round) { return key_of(std::to_string(round % 5)); };
  std::vector<pid_t> children;
  for (int seed = 1; seed <= 3; ++seed) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < kRounds; ++round) {
        good = small.store(key(round * seed), filled(kSize, seed)) && good;
        if (const auto bytes = small.load(key(round)))
          good = good && (*bytes == filled(kSize, 1) || *bytes == filled(kSize, 2) || *bytes == filled(kSize, 3));
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  ASSERT_TRUE(small.store(key_of("last"), filled(kSize, 1)));
  EXPECT_LE(files(), 3u);
}

TEST(UserCache, IsWhereTheEnvironmentSays) {
  const Environment cache("SINEW_CACHE", "/somewhere/own"), caches("XDG_CACHE_HOME", "/caches"),
      home("HOME", "/my/own");
  ASSERT_TRUE(Cache::of_user());
  EXPECT_EQ(Cache::of_user()->folder(), "/somewhere/own");
  for (const auto& unset : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const Environment no_cache("SINEW_CACHE", unset);
    EXPECT_EQ(Cache::of_user()->folder(), "/caches/sinew");
    for (const auto& useless : {unset, std::optional<std::string>("relative")}) {
      const Environment no_caches("XDG_CACHE_HOME", useless);
      EXPECT_EQ(Cache::of_user()->folder(), "/my/own/.cache/sinew");
      const Environment no_home("HOME", unset);
      EXPECT_FALSE(Cache::of_user());
    }
  }
}

TEST(UserCache, CanBeTurnedOff) {
  const Environment cache("SINEW_CACHE", "off");
  EXPECT_FALSE(Cache::of_user());
}

}  // namespace
}  // namespace sinew::io
