// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// rig_a_mesh MESH OUT.glb [PRESET]: gives a skeleton and weights to a bare mesh, such as an OBJ file, and writes it as
// glTF. It exits with 1 if no template fits the body. Copy it as a starting point.

#include <sinew/core/error.h>
#include <sinew/io/asset.h>
#include <sinew/pipeline/rig.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: rig_a_mesh MESH OUT.glb [PRESET]\n");
    return 2;
  }
  const sinew::io::Asset mesh = sinew::io::load(argv[1]);

  sinew::pipeline::RigOptions options;
  if (argc > 3) options.preset = argv[3];
  const sinew::pipeline::RigResult result = sinew::pipeline::rig(mesh.character, options);

  for (const sinew::Finding& finding : result.findings) std::fprintf(stderr, "warning: %s\n", finding.text.c_str());
  std::printf("%s, confidence %.2f, %zu joints\n", result.plan.template_name.c_str(), result.confidence,
              result.character.rig.skeleton.joints.size());

  sinew::io::Asset asset;  // A new file: nothing of the mesh's own document is kept.
  asset.character = result.character;
  sinew::Report report;
  sinew::io::save(asset, argv[2], {}, report);
  return result.fits ? 0 : 1;
} catch (const sinew::Error& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 2;
}
