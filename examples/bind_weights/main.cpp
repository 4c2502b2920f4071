// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// bind_weights IN OUT: loads a character with a skeleton, computes new weights from distances inside the body, prints
// findings about them, and saves the character. Copy it as a starting point.

#include <sinew/binding/voxel/voxel.h>
#include <sinew/core/error.h>
#include <sinew/io/asset.h>
#include <sinew/pipeline/bind.h>

#include <cstdio>
#include <utility>

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bind_weights IN OUT\n");
    return 2;
  }
  sinew::io::Asset asset = sinew::io::load(argv[1]);

  sinew::binding::VoxelOptions voxel;
  voxel.resolution = 128;
  voxel.falloff = 0.4;
  sinew::pipeline::BindRequest request;
  request.method = sinew::MethodChoice(sinew::binding::binders(), "voxel", voxel);
  request.common.max_influences = 3;

  sinew::pipeline::BindingResult result = sinew::pipeline::bind(asset.character, request);
  std::printf("%zu vertices, %u joints\n", result.vertices.size(), result.bound_joint_count());
  for (const sinew::Finding& finding : result.findings) std::printf("%s\n", finding.text.c_str());
  for (const sinew::Fallback& fallback : result.fallbacks) std::printf("%s\n", fallback.text.c_str());

  asset.character = std::move(result.character);
  sinew::io::SaveOptions save_options;
  save_options.changes.weights = true;
  save_options.changes.skeleton = result.skin_changes.any();
  sinew::Report report;
  sinew::io::save(asset, argv[2], save_options, report);
} catch (const sinew::Error& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 2;
}
