// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// deform_frames CHARACTER CLIP OUT.pc2: plays a built-in clip, such as walk, through the deformer that preserves
// volume, and writes the vertices of every frame to a vertex cache. It never holds more than one frame in memory. Copy
// it as a starting point.

#include <sinew/deform/pbd/pbd.h>
#include <sinew/io/caches/pc2.h>
#include <sinew/sinew.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: deform_frames CHARACTER CLIP OUT.pc2\n");
    return 2;
  }
  const sinew::io::Asset asset = sinew::io::load(argv[1]);
  const sinew::Rig& rig = asset.character.rig;

  sinew::deform::PbdOptions pbd;
  pbd.sweeps = 12;
  sinew::pipeline::PlaybackOptions options;
  options.fps = 10;
  sinew::pipeline::Playback play(asset.character, sinew::motion::builtin_clip(rig.skeleton, argv[2]),
                                 sinew::pipeline::deformer("pbd", pbd), options);
  for (const sinew::Finding& finding : play.findings()) std::fprintf(stderr, "warning: %s\n", finding.text.c_str());

  sinew::io::AtomicFiles files;
  sinew::io::AtomicFiles::Stream out = files.open(argv[3]);
  out.write(sinew::io::pc2_header(rig.mesh.vertex_count(), play.frames().times_s.size(), play.frames().first));
  while (play.next()) out.write(std::as_bytes(play.positions()));
  files.commit();
  std::printf("%zu frames of %u vertices\n", play.frames().times_s.size(), rig.mesh.vertex_count());
} catch (const sinew::Error& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 2;
}
