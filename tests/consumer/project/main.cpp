// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Makes a small rig, bends it and prints where a vertex goes, and how large the types are: both must not depend on the
// instruction set that a user of the library compiles for.

#include <sinew/core/character.h>
#include <sinew/deform/blend/linear.h>
#include <sinew/io/asset.h>
#include <sinew/motion/resolve.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

int main() {
  using namespace sinew;
  std::printf("Vec3 %zu Quat %zu Transform %zu Joint %zu MeshPart %zu Mesh %zu Rig %zu Character %zu\n", sizeof(Vec3),
              sizeof(Quat), sizeof(Transform), sizeof(Joint), sizeof(MeshPart), sizeof(Mesh), sizeof(Rig),
              sizeof(Character));
  std::printf("align Vec4 %zu Mat4 %zu Joint %zu\n", alignof(Vec4), alignof(Mat4), alignof(Joint));

  Rig rig;
  rig.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
  rig.mesh.add_face(std::vector<Index>{0, 1, 2, 3});
  MeshPart part;
  part.name = "sheet";
  part.vertex_count = 4, part.face_count = 1, part.skin = 0;
  rig.mesh.parts = {part};
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "lower";
  rig.skeleton.joints[1].name = "upper";
  rig.skeleton.joints[1].parent = 0;
  rig.skeleton.joints[1].rest.translation = {0, 1, 0};
  Mat4 inverse_bind = Mat4::Identity();
  inverse_bind(1, 3) = -1;
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), inverse_bind}}};
  for (int v = 0; v < 4; ++v) {
    if (v < 2) rig.weights.add_row({{0, 1.0F}});
    else rig.weights.add_row({{0, 0.25F}, {1, 0.75F}});
  }
  if (!validate(rig).empty()) throw std::runtime_error("the rig is not valid");

  Pose pose = rest_pose(rig);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
  const auto positions = deform::linear_positions(rig, motion::resolve(rig.skeleton, pose));
  for (const Vec3& p : positions) std::printf("%.9f %.9f %.9f\n", p.x(), p.y(), p.z());
  std::printf("%zu file formats\n", io::formats().entries().size());
}
