// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// make_seeds FOLDER: small files of every format, for the fuzzers to start from.

#include "tests/support/fbx_writer.h"
#include "tests/support/gltf_fixtures.h"
#include "tests/support/iqm_fixture.h"

int main(int argc, char** argv) {
  using namespace sinew;
  if (argc != 2) return 2;
  const std::filesystem::path folder(argv[1]);
  const auto put = [&](const std::string& format, const std::string& name, std::span<const std::byte> bytes) {
    std::filesystem::create_directories(folder / format);
    test::write(folder / format / name, bytes);
  };
  int number = 0;
  for (const test::FixtureOptions& options :
       {test::FixtureOptions{.rings = 2}, test::FixtureOptions{.rings = 2, .sparse = true},
        test::FixtureOptions{.rings = 2, .quantized = true}, test::FixtureOptions{.rings = 2, .meshopt = true},
        test::FixtureOptions{.rings = 2, .draco = true}, test::FixtureOptions{.rings = 2, .interleaved = true}})
    put("glb", std::to_string(number++) + ".glb", test::make_fixture(options));
  const io::Asset asset = io::load_bytes("seed.glb", test::make_fixture({.rings = 2}));
  put("gltf", "seed.gltf", io::as_bytes(test::make_text_fixture({.rings = 2})));
  for (const char* ending : {"obj", "rig.json"}) {
    std::filesystem::create_directories(folder / ending);
    Report report;
    io::save(asset, folder / ending / (std::string("seed.") + ending), {}, report);
  }
  put("off", "seed.off", io::as_bytes("OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n4 0 1 2 3\n"));
  put("ply", "seed.ply",
      io::as_bytes(
          "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face "
          "1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
  put("ply", "binary.ply",
      io::as_bytes(std::string("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty "
                               "float y\nproperty float z\nelement face 1\nproperty list uchar uchar "
                               "vertex_indices\nend_header\n") +
                   std::string(36, '\0') + std::string("\3\0\1\2", 4)));
  put("iqm", "seed.iqm", test::IqmFixture().bytes());
  put("bvh", "seed.bvh",
      io::as_bytes(
          "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
          "Xrotation\n JOINT Chest\n {\n  OFFSET 0 40 0\n  CHANNELS 3 Yrotation Xrotation Zrotation\n  End Site\n  "
          "{\n   OFFSET 0 20 1e0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: .0333\n1 2 3 10 20 30 4 5 6\n0 90 0 0 0 "
          "0 -4 5e1 6.5\n"));
  for (const std::uint32_t version : {7400U, 7501U})  // Odd: the fuzzer takes 64-bit offsets.
    for (const bool deflated : {false, true})
      put("fbx", std::to_string(version) + (deflated ? "d" : "") + ".fbx",
          test::make_fbx_strip(deflated).bytes(version));
  return 0;
}
