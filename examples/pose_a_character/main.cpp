// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// pose_a_character FILE [CLIP [SECONDS]]: loads a character, poses it with a clip, and prints the box around it. Copy
// it as a starting point.

#include <sinew/core/error.h>
#include <sinew/deform/blend/linear.h>
#include <sinew/io/asset.h>
#include <sinew/motion/resolve.h>
#include <sinew/motion/sample.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: pose_a_character FILE [CLIP [SECONDS]]\n");
    return 2;
  }
  const sinew::io::Asset asset = sinew::io::load(argv[1]);
  const sinew::Character& character = asset.character;

  sinew::Pose pose = sinew::rest_pose(character.rig);
  if (argc > 2)
    for (const sinew::Clip& clip : character.clips)
      if (clip.name == argv[2]) pose = sinew::motion::sample(character.rig, clip, argc > 3 ? std::atof(argv[3]) : 0.0);

  sinew::Box box;
  for (const auto& p :
       sinew::deform::linear_positions(character.rig, sinew::motion::resolve(character.rig.skeleton, pose)))
    box.extend(p);
  std::printf("%.3f x %.3f x %.3f m\n", box.extent().x(), box.extent().y(), box.extent().z());
} catch (const sinew::Error& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 2;
}
