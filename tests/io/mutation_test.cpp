// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Damaged files: whatever the bytes, a reader gives a valid character or a sentence, in little time and memory.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <random>

#include "sinew/io/asset.h"
#include "tests/support/fbx_writer.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::bytes_of;

constexpr int kMutations = 500;

std::string text_of(const Bytes& bytes) { return std::string(as_text(bytes)); }

// Seeds of one format; mutations are spread over them.
std::vector<Bytes> seeds_of(const std::string& ending) {
  if (ending == ".glb")
    return {test::make_fixture(), test::make_fixture({.sparse = true, .meshopt = true}),
            test::make_fixture({.draco = true}), test::make_fixture({.interleaved = true})};
  if (ending == ".fbx") return {test::make_fbx_strip().bytes(), test::make_fbx_strip(true).bytes(7700)};
  test::TemporaryFolder folder;
  const Asset asset = load_bytes("seed.glb", test::make_fixture());
  Report report;
  if (ending == ".off")
    return {bytes_of("OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n4 0 1 2 3\n"),
            bytes_of("COFF 3 1 0 # c\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2\n")};
  if (ending == ".bvh")
    return {
        bytes_of("HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
                 "Xrotation\nJOINT Leg\n{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
                 "Site\n{\nOFFSET 0 -1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.033\n0 1 0 0 0 0 1 2 3\n0 1 0.1 "
                 "10 20 30 4 5 6\n")};
  if (ending == ".ply") {
    std::string binary =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
        "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    binary += std::string(36, '\0') + std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
    return {bytes_of("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
                     "z\nproperty uchar red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0 "
                     "9\n1 0 0 9\n0 1 0 9\n0 0 1 9\n3 0 1 2\n4 0 1 2 3\n"),
            bytes_of(binary)};
  }
  if (ending == ".gltf") return {bytes_of(test::make_text_fixture())};
  const std::string name = "seed" + ending;
  save(asset, folder / name, {}, report);
  return {read_file(folder / name)};
}

Bytes mutate(Bytes bytes, std::mt19937& rng) {
  const auto pick = [&](std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(rng);
  };
  const std::size_t edits = 1 + pick(4);
  for (std::size_t e = 0; e < edits && !bytes.empty(); ++e) {
    const std::size_t at = pick(bytes.size());
    switch (pick(7)) {
      case 0:
        bytes[at] = static_cast<std::byte>(pick(256));
        break;
      case 1:
        bytes[at] ^= static_cast<std::byte>(1U << pick(8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 1 + pick(16))));
        break;
      case 4:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + pick(16), static_cast<std::byte>(pick(256)));
        break;
      case 5: {  // A digit becomes another: counts and indices go wrong where the text stays readable.
        for (std::size_t k = at; k < std::min(bytes.size(), at + 200); ++k)
          if (bytes[k] >= std::byte{'0'} && bytes[k] <= std::byte{'9'}) {
            bytes[k] = static_cast<std::byte>('0' + pick(10));
            break;
          }
        break;
      }
      default: {  // A run is copied elsewhere.
        const std::size_t from = pick(bytes.size()),
                          length = std::min({pick(64) + 1, bytes.size() - from, bytes.size() - at});
        const Bytes run(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                        bytes.begin() + static_cast<std::ptrdiff_t>(from + length));
        std::copy(run.begin(), run.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  return bytes;
}

class Mutation : public testing::TestWithParam<const char*> {};

TEST_P(Mutation, GivesAValidCharacterOrASentence) {
  const std::string ending = GetParam();
  const std::vector<Bytes> seeds = seeds_of(ending);
  for (const Bytes& seed : seeds) EXPECT_NO_THROW(load_bytes("seed" + ending, seed)) << text_of(seed).substr(0, 200);
  int refused = 0, accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::mt19937 rng(static_cast<unsigned>(7919 * i + 13));
    const Bytes bytes = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()], rng);
    const auto begin = std::chrono::steady_clock::now();
    try {
      const Asset asset = load_bytes("mutated" + ending, bytes);
      EXPECT_TRUE(validate(asset.character).empty()) << ending << " mutation " << i;
      ++accepted;
    } catch (const Error& error) {
      EXPECT_GT(std::string(error.what()).size(), 15u);
      ++refused;
    }
    // Not a measure of speed: a hang must fail the test instead of blocking it.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << ending << " mutation " << i;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(refused + accepted, kMutations);
#ifndef __SANITIZE_ADDRESS__
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20) << "KiB";
#endif
}

INSTANTIATE_TEST_SUITE_P(Formats, Mutation,
                         testing::Values(".glb", ".gltf", ".obj", ".off", ".ply", ".fbx", ".bvh", ".rig.json"),
                         [](const auto& info) {
                           std::string name = info.param + 1;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace sinew::io
