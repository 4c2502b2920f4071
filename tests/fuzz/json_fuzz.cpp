// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// JSON files of poses, templates, profiles, owners and samples: the first byte chooses the reader.

#include <span>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "sinew/io/parts_json.h"
#include "sinew/motion/pose_file.h"
#include "sinew/pipeline/check/check.h"
#include "sinew/rigging/templates/template_file.h"
#include "tests/fuzz/weird_character.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  static const sinew::Character character = sinew::test::weird_character({});
  try {
    switch (data[0] % 5) {
      case 0:
        sinew::motion::pose_from_json(sinew::io::parse_json(bytes, "fuzz.json"), character.rig);
        break;
      case 1:
        sinew::rigging::read_template(sinew::io::parse_json(bytes, "fuzz.json"), "fuzz.json");
        break;
      case 2:
        sinew::pipeline::check_profile_from_json(sinew::io::parse_json(bytes, "fuzz.json"));
        break;
      case 3:
        sinew::io::read_owners_json(bytes, "fuzz.json", character.rig.skeleton, character.rig.mesh.vertex_count());
        break;
      default:
        sinew::io::read_samples_json(bytes, "fuzz.json");
        break;
    }
  } catch (const sinew::Error&) {
  }
  return 0;
}
