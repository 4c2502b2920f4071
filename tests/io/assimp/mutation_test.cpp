// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Damaged files of other formats: whatever Assimp does with them, the program gets a valid character or a sentence, and
// keeps no process and no descriptor.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <random>

#include "sinew/core/error.h"
#include "sinew/io/assimp/reader.h"
#include "sinew/io/iqm/iqm.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

#ifdef __SANITIZE_ADDRESS__
constexpr int kDamagedFiles = 100;  // A hundred times slower each.
#else
constexpr int kDamagedFiles = 500;
#endif

struct Seeds {
  const char* ending;
  std::vector<const char*> files;  // Of the package assimp-testmodels; small, for speed.
};

void PrintTo(const Seeds& seeds, std::ostream* out) { *out << seeds.ending; }

void damage(Bytes& bytes, std::mt19937& rng) {
  const auto pick = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(rng); };
  const std::size_t edits = 1 + pick(5);
  for (std::size_t e = 0; e < edits && !bytes.empty(); ++e) {
    // Every second place lies near the start, where headers are.
    const std::size_t at = pick(pick(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1024));
    const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t left = bytes.size() - at;
    switch (pick(8)) {
      case 0:
        bytes[at] = static_cast<std::byte>(pick(256));
        break;
      case 1:
        bytes[at] ^= static_cast<std::byte>(1U << pick(8));
        break;
      case 2:
        if (pick(4) == 0) bytes.resize(at);
        break;
      case 3:
        bytes.erase(here, here + static_cast<std::ptrdiff_t>(std::min<std::size_t>(left, 1 + pick(16))));
        break;
      case 4:
        bytes.insert(here, 1 + pick(16), static_cast<std::byte>(pick(256)));
        break;
      case 5:  // A large number.
        std::fill_n(here, std::min<std::size_t>(left, 1 + pick(4)), std::byte{255});
        break;
      case 6:  // Another digit.
        for (std::size_t k = at; k < std::min(bytes.size(), at + 200); ++k)
          if (bytes[k] >= std::byte{'0'} && bytes[k] <= std::byte{'9'}) {
            bytes[k] = static_cast<std::byte>('0' + pick(10));
            break;
          }
        break;
      default: {
        const std::size_t from = pick(bytes.size());
        const std::size_t length = std::min({pick(64) + 1, bytes.size() - from, left});
        const Bytes run(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                        bytes.begin() + static_cast<std::ptrdiff_t>(from + length));
        std::copy(run.begin(), run.end(), here);
      }
    }
  }
}

std::size_t descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

class DamagedFile : public testing::TestWithParam<Seeds> {};

TEST_P(DamagedFile, GivesAValidCharacterOrASentence) {
  const Seeds& parameter = GetParam();
  const std::string ending = parameter.ending;
  std::vector<Bytes> seeds;
  for (const char* name : parameter.files) {
    const fs::path path = fs::path("/usr/share/assimp/models") / name;
    if (!fs::exists(path)) GTEST_SKIP() << "The package assimp-testmodels is not installed: " << name;
    seeds.push_back(read_file(path));
    EXPECT_NO_THROW(load_bytes("seed" + ending, seeds.back())) << name;
  }
  WorkerLimits limits;
  limits.wall_s = 20;
  limits.cpu_s = 5;
  limits.memory_bytes = std::uint64_t{512} << 20;
  const std::size_t before = descriptors();
  std::map<std::string, int> verdicts;
  for (int i = 0; i < kDamagedFiles; ++i) {
    std::mt19937 rng(static_cast<unsigned>(104729 * i + 7));
    Bytes bytes = seeds[static_cast<std::size_t>(i) % seeds.size()];
    damage(bytes, rng);
    try {
      const Asset asset =
          ending == ".iqm" ? read_iqm("damaged.iqm", bytes, {}) : read_assimp("damaged" + ending, bytes, limits, {});
      // What `load` asks before it hands a character out.
      ++verdicts[validate(asset.character).empty() ? "accepted" : "not_valid"];
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_GT(text.size(), 15U);
      ++verdicts[text.find("crashed") != std::string::npos          ? "crashed"
                 : text.find("did not finish") != std::string::npos ? "too_long"
                 : text.find("more memory") != std::string::npos    ? "too_large"
                                                                    : "refused"];
    }
  }
  int sum = 0;
  for (const auto& [verdict, count] : verdicts) {
    RecordProperty(verdict, count);
    sum += count;
  }
  EXPECT_EQ(sum, kDamagedFiles);
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, DamagedFile,
    testing::Values(
        Seeds{".fbx", {"FBX/phong_cube.fbx", "FBX/box.fbx", "FBX/cubes_with_names.fbx", "FBX/huesitos.fbx"}},
        Seeds{".dae", {"Collada/cube_tristrips.dae", "Collada/box_nested_animation.dae", "Collada/cube_with_2UVs.DAE"}},
        Seeds{".zae", {"Collada/duck.zae"}},
        Seeds{".stl", {"STL/triangle_with_two_solids.stl", "STL/Spider_binary.stl"}},
        Seeds{".iqm", {"IQM/mrfixit.iqm"}}, Seeds{".3ds", {"3DS/test1.3ds", "3DS/RotatingCube.3DS"}},
        Seeds{".x", {"X/test_cube_text.x", "X/test_cube_binary.x"}}),
    [](const auto& info) { return "ending_" + std::string(info.param.ending + 1); });

}  // namespace
}  // namespace sinew::io
