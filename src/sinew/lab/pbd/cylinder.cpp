// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/pbd/cylinder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/geometry/voxels/tets.h"

namespace sinew::lab {

deform::PbdBody pbd_cylinder() {
  constexpr int kLong = 56, kAcross = 8;
  constexpr double kRadius = 0.2;
  deform::PbdBody body;
  const auto number = [](int i, int j, int k) {
    return static_cast<Index>((i * (kAcross + 1) + j) * (kAcross + 1) + k);
  };
  for (int i = 0; i <= kLong; ++i)
    for (int j = 0; j <= kAcross; ++j)
      for (int k = 0; k <= kAcross; ++k) {
        const double u = 2.0 * j / kAcross - 1, v = 2.0 * k / kAcross - 1;
        body.tets.positions.emplace_back(-1 + 2.0 * i / kLong, kRadius * u * std::sqrt(1 - v * v / 2),
                                         kRadius * v * std::sqrt(1 - u * u / 2));
      }
  std::array<int, 3> order = {0, 1, 2};
  std::vector<std::array<int, 3>> paths;
  do paths.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  for (int i = 0; i < kLong; ++i)
    for (int j = 0; j < kAcross; ++j)
      for (int k = 0; k < kAcross; ++k)
        for (const auto& path : paths) {
          std::array<int, 3> at = {i, j, k};
          std::array<Index, 4> tet{number(i, j, k), 0, 0, 0};
          for (std::size_t step = 0; step < 3; ++step) {
            ++at[static_cast<std::size_t>(path[step])];
            tet[step + 1] = number(at[0], at[1], at[2]);
          }
          body.tets.tets.push_back(tet);
          if (geometry::tet_volume(body.tets, static_cast<Index>(body.tets.tets.size() - 1)) < 0)
            std::swap(body.tets.tets.back()[2], body.tets.tets.back()[3]);
        }
  body.cell = 2.0 / kLong;
  body.mass.assign(body.tets.positions.size(), 0);
  double all = 0;
  for (Index t = 0; t < body.tets.tets.size(); ++t)
    for (const Index v : body.tets.tets[t]) {
      body.mass[v] += geometry::tet_volume(body.tets, t) / 4;
      all += geometry::tet_volume(body.tets, t) / 4;
    }
  for (double& m : body.mass) m *= static_cast<double>(body.mass.size()) / all;
  for (const Vec3& p : body.tets.positions) {
    body.free.push_back(std::abs(p.x()) < 0.35 - 1e-9 ? 1 : 0);
    body.owner.push_back(p.x() > 0 ? 1 : 0);
    const Vec3 foot(p.x(), 0, 0);
    const double distance = (p - foot).norm();
    const bool bound = distance >= 0.5 * body.cell;
    body.anchors.push_back({bound ? body.owner.back() : kNone, foot, distance});
  }
  body.bind.assign(2, Mat4::Identity());
  return body;
}

std::vector<Mat4> cylinder_motions(const Vec3& axis, double angle_rad) {
  Mat4 turn = Mat4::Identity();
  turn.topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle_rad, axis).toRotationMatrix();
  return {Mat4::Identity(), turn};
}

std::vector<Vec3f> blended_cylinder(const deform::PbdBody& body, const Vec3& axis, double angle_rad) {
  const std::vector<Mat4> motions = cylinder_motions(axis, angle_rad);
  std::vector<Vec3f> positions;
  for (const Vec3& p : body.tets.positions) {
    const double t = std::clamp((p.x() + 0.25) / 0.5, 0.0, 1.0), w = t * t * (3 - 2 * t);
    positions.push_back(((1 - w) * p + w * transform_point(motions[1], p)).cast<float>());
  }
  return positions;
}

CylinderState cylinder_state(const deform::PbdBody& body, const std::vector<Vec3f>& positions) {
  TetMesh posed = body.tets;
  for (std::size_t p = 0; p < positions.size(); ++p) posed.positions[p] = positions[p].cast<double>();
  CylinderState state;
  double rest = 0;
  for (Index t = 0; t < posed.tets.size(); ++t) {
    const auto& tet = posed.tets[t];
    if (std::none_of(tet.begin(), tet.end(), [&](Index v) { return body.free[v] != 0; })) continue;
    const double now = geometry::tet_volume(posed, t);
    rest += geometry::tet_volume(body.tets, t);
    state.volume += now;
    state.inverted += now <= 0 ? 1 : 0;
  }
  state.volume /= rest;
  return state;
}

}  // namespace sinew::lab
