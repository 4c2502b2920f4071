// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/linear.h"

#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::deform {

std::vector<Vec3> morphed_positions(const Mesh& mesh, const std::vector<std::vector<double>>& morph_weights) {
  std::vector<Vec3> positions = mesh.positions;
  for (std::size_t p = 0; p < mesh.parts.size() && p < morph_weights.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    for (std::size_t m = 0; m < part.morphs.size() && m < morph_weights[p].size(); ++m) {
      const double weight = morph_weights[p][m];
      if (weight == 0) continue;
      for (Index i = 0; i < part.vertex_count; ++i)
        positions[part.first_vertex + i] += weight * part.morphs[m].deltas[i].cast<double>();
    }
  }
  return positions;
}

std::vector<Vec3> linear_positions(const Rig& rig, const ModelPose& pose) {
  std::vector<Vec3> positions = morphed_positions(rig.mesh, pose.morph_weights);
  if (rig.weights.empty()) return positions;
  std::vector<Mat4> palette(pose.joints.size());
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const std::vector<Mat4> inverse_bind = inverse_bind_of_part(rig, p);
    for (std::size_t j = 0; j < palette.size(); ++j) palette[j] = pose.joints[j] * inverse_bind[j];
    parallel_for(part.vertex_count, [&](std::size_t i) {
      const Index v = part.first_vertex + static_cast<Index>(i);
      Eigen::Matrix<double, 3, 4> blend = Eigen::Matrix<double, 3, 4>::Zero();
      double sum = 0;
      for (const auto& [joint, weight] : rig.weights.row(v)) {
        if (!(weight > 0) || !std::isfinite(weight)) continue;
        blend += static_cast<double>(weight) * palette[joint].topRows<3>();
        sum += static_cast<double>(weight);
      }
      if (sum <= 0) return;
      const Vec3 p0 = positions[v];
      positions[v] = (blend.leftCols<3>() * p0 + blend.col(3)) / sum;
    });
  }
  return positions;
}

}  // namespace sinew::deform
