// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "sinew/core/error.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

WorkerLimits short_limits(double wall_s = 20) {
  WorkerLimits limits;
  limits.wall_s = wall_s;
  limits.memory_bytes = std::uint64_t{256} << 20;
  return limits;
}

std::string sentence_of(const std::function<Bytes()>& job, const WorkerLimits& limits = short_limits()) {
  try {
    run_worker("The reader", job, limits);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

TEST(Worker, ReturnsWhatTheJobReturnsWhateverItsLength) {
  for (const std::size_t size : {0UL, 1UL, 65536UL, 5000001UL}) {
    const Bytes result = run_worker(
        "The reader",
        [&] {
          Bytes bytes(size);
          for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31);
          return bytes;
        },
        short_limits());
    ASSERT_EQ(result.size(), size);
    for (std::size_t i = 0; i < size; i += 997) ASSERT_EQ(result[i], static_cast<std::byte>(i * 31));
  }
}

TEST(Worker, ThrowsTheErrorOfTheJobHere) {
  EXPECT_EQ(sentence_of([]() -> Bytes { throw Error("The file is sad."); }), "The file is sad.");
  EXPECT_NE(sentence_of([]() -> Bytes { throw std::runtime_error("odd"); }).find("odd"), std::string::npos);
}

TEST(Worker, SentencesAreOneLineOfTextWhateverTheJobQuotes) {
  const std::string text = sentence_of([]() -> Bytes { throw Error("Bad\n\x1b token \xff\x83."); });
  EXPECT_EQ(text, "Bad   token \xc3\xbf\xc2\x83.");
  const std::string long_text = sentence_of([]() -> Bytes { throw Error(std::string(100000, 'x')); });
  EXPECT_LT(long_text.size(), 1000U);
}

TEST(Worker, MakesASentenceOfEveryDeath) {
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) {
    const std::string text = sentence_of([&]() -> Bytes {
      ::raise(number);
      return {};
    });
    EXPECT_NE(text.find("The reader crashed on the file"), std::string::npos) << number << ": " << text;
  }
  EXPECT_NE(sentence_of([]() -> Bytes { ::_exit(3); }).find("stopped without a result"), std::string::npos);
  EXPECT_NE(sentence_of([]() -> Bytes { throw 5; }).find("stopped without a result"), std::string::npos);
  EXPECT_NE(sentence_of([]() -> Bytes {
              ::raise(SIGKILL);
              return {};
            }).find("killed by the system"),
            std::string::npos);
}

TEST(Worker, StopsAJobThatHangs) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = sentence_of(
      []() -> Bytes {
        for (;;) ::pause();
      },
      short_limits(0.3));
  EXPECT_NE(text.find("did not finish within 0.3 s"), std::string::npos) << text;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_FALSE(has_children());
}

TEST(Worker, StopsAJobThatComputesTooLong) {
  WorkerLimits limits = short_limits(60);
  limits.cpu_s = 1;
  const std::string text = sentence_of(
      []() -> Bytes {
        std::atomic<int> n{0};
        for (;;) n.fetch_add(1);
      },
      limits);
  EXPECT_NE(text.find("did not finish within 1 s"), std::string::npos) << text;
}

TEST(Worker, StopsAJobThatTakesAllMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Sanitizers map more than any limit.";
#else
  const std::string text = sentence_of([]() -> Bytes {
    std::vector<Bytes> hoard;
    for (;;) hoard.emplace_back(std::size_t{16} << 20, std::byte{1});
  });
  EXPECT_NE(text.find("needed more memory"), std::string::npos) << text;
#endif
}

TEST(Worker, RefusesAResultThatIsTooLong) {
  WorkerLimits limits = short_limits();
  limits.max_result_bytes = 1000;
  EXPECT_NE(sentence_of([] { return Bytes(1001); }, limits).find("any character needs"), std::string::npos);
  EXPECT_EQ(sentence_of([] { return Bytes(1000); }, limits), "");
}

TEST(Worker, StopsWhenTheCallerCancels) {
  const Progress progress;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    progress.cancel();
  });
  EXPECT_THROW(run_worker(
                   "The reader",
                   []() -> Bytes {
                     for (;;) ::pause();
                   },
                   short_limits(60), progress),
               Cancelled);
  other.join();
  EXPECT_FALSE(has_children());
}

TEST(Worker, CannotWriteFilesOrSayAnything) {
  const test::TemporaryFolder folder;
  const std::string name = (folder / "trace").string();
  testing::internal::CaptureStderr();
  run_worker(
      "The reader",
      [&] {
        ::signal(SIGXFSZ, SIG_IGN);
        std::fputs("noise\n", stderr);
        std::fflush(stderr);
        if (std::FILE* file = std::fopen(name.c_str(), "w")) {
          std::fputs("trace\n", file);
          std::fclose(file);
        }
        return Bytes();
      },
      short_limits());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::error_code missing;
  const auto size = std::filesystem::file_size(name, missing);
  EXPECT_TRUE(missing || size == 0);
}

TEST(Worker, LeavesNoDescriptorsAndNoProcesses) {
  run_worker(
      "The reader", [] { return Bytes(3); }, short_limits());
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    sentence_of([&]() -> Bytes {
      if (i % 3 == 0) ::raise(SIGSEGV);
      if (i % 3 == 1) throw Error("No.");
      return Bytes(10);
    });
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(Worker, ManyAtOnceDoNotDisturbEachOther) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Sanitizers do not unlock their own memory in a child forked while another thread allocates; the C "
                  "library does.";
#endif
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const auto value = static_cast<std::byte>(16 * t + i);
        const Bytes result = run_worker(
            "The reader", [&] { return Bytes(100000, value); }, short_limits());
        if (result == Bytes(100000, value)) ++good;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

}  // namespace
}  // namespace sinew::io
