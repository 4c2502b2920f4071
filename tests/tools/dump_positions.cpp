// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Tells where Sinew puts the vertices of a glTF file, in the format of tests/gltf/FORMAT.md:
//   dump_positions FILE OUT

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "sinew/deform/blend/linear.h"
#include "sinew/io/gltf/document.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace {

using namespace sinew;

struct Dump {
  Json blocks = Json::array();
  std::vector<double> data;

  void add(const io::gltf::GltfDocument& document, const Mesh& mesh, const std::vector<Vec3>& positions,
           const std::string& pose) {
    for (std::size_t p = 0; p < document.parts.size(); ++p)
      for (const io::gltf::VertexBlock& block : document.parts[p].blocks)
        for (const Index primitive : block.primitives) {
          blocks.push_back({{"node", document.parts[p].node},
                            {"primitive", primitive},
                            {"pose", pose},
                            {"count", block.count},
                            {"offset", data.size() * sizeof(double)}});
          for (Index i = 0; i < block.count; ++i)
            for (int c = 0; c < 3; ++c)
              data.push_back(positions[mesh.parts[p].first_vertex + block.first_vertex + i][c]);
        }
  }
};

// In the bind pose of its skin a part is the mesh, in the part's own coordinates.
std::vector<Vec3> bind_positions(const Rig& rig) {
  std::vector<Vec3> result = rig.mesh.positions;
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    std::vector<Vec3> posed = rig.mesh.positions;
    if (part.skin != kNone) {
      ModelPose pose;
      pose.joints = bind_pose_matrices(rig, part.skin);
      posed = deform::linear_positions(rig, pose);
    }
    const Mat4 back = part.to_model.inverse();
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      result[v] = transform_point(back, posed[v]);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const io::Asset asset = io::load(argv[1]);
    const Rig& rig = asset.character.rig;
    const auto& document = dynamic_cast<const io::gltf::GltfDocument&>(*asset.document);
    Dump dump;
    const auto add = [&](const Pose& pose, const std::string& name) {
      dump.add(document, rig.mesh, deform::linear_positions(rig, motion::resolve(rig.skeleton, pose)), name);
    };
    dump.add(document, rig.mesh, bind_positions(rig), "bind");
    add(rest_pose(rig), "rest");
    for (std::size_t c = 0; c < asset.character.clips.size(); ++c) {
      const Clip& clip = asset.character.clips[c];
      for (const double share : {0.0, 0.5, 0.8}) {
        const double time = share * clip.duration_s();
        add(motion::sample(rig, clip, time), fmt::format("clip:{}:{:.17g}", c, time));
      }
    }
    std::string header = Json{{"format", "sinew-positions"}, {"version", 1}, {"blocks", dump.blocks}}.dump();
    header.resize((header.size() + 1 + 7) / 8 * 8 - 1, ' ');
    header += '\n';
    io::Bytes bytes(header.size() + dump.data.size() * sizeof(double));
    std::memcpy(bytes.data(), header.data(), header.size());
    std::memcpy(bytes.data() + header.size(), dump.data.data(), dump.data.size() * sizeof(double));
    io::AtomicFiles files;
    files.add(argv[2], bytes);
    files.commit();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
