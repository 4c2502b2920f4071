// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/retargeting/family.h"

#include <Eigen/LU>

#include <cmath>
#include <random>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/biharmonic/biharmonic.h"

namespace sinew::lab {

Character family_member(int seed, const std::string& pose, double vary, int vertices) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.seed = seed;
  options.vary = vary;
  options.made_pose = pose;
  return shapes::make("human", options).made.character;
}

RetargetPair::RetargetPair(Character a, Character b, SkinWeights rows)
    : from(std::move(a)),
      to(std::move(b)),
      truth(std::move(rows)),
      reference{{from.rig.mesh, from.rig.skeleton, rest_matrices(from.rig.skeleton)}, from.rig.weights.normalized()},
      target{to.rig.mesh, to.rig.skeleton, rest_matrices(to.rig.skeleton)} {
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < from.rig.skeleton.size(); ++j)
    if (const Index same = to.rig.skeleton.find(from.rig.skeleton.joints[j].name);
        same != kNone && from.rig.skeleton.joints[j].deforming)
      joints.emplace_back(j, same);
  pairs = transfer::correspond(from.rig.skeleton, to.rig.skeleton, joints);
}

std::vector<NamedTransfer> compared_methods() {
  const auto& all = transfer::methods();
  transfer::BiharmonicOptions paper;
  paper.mode = transfer::MatchRules::kPaper;
  return {{"closest point", {all, "closest"}},
          {"skeleton", {all, "skeleton"}},
          {"biharmonic, published", {all, "biharmonic", paper}},
          {"biharmonic", {all, "biharmonic"}}};
}

double mean_difference_of(const SkinWeights& a, const SkinWeights& b) {
  return measure::weight_agreement(a, b).mean_half_l1;
}

std::vector<Mat4> random_motion(const Skeleton& skeleton, unsigned seed) {
  std::mt19937 random(seed);
  // Plain numbers of the generator, because distributions differ between libraries.
  const auto next = [&] { return 2 * static_cast<double>(random()) / 4294967295.0 - 1; };
  std::vector<Transform> local;
  for (const Joint& joint : skeleton.joints) {
    Transform moved = joint.rest;
    const Vec3 axis(next(), next(), next());
    const double angle = joint.deforming && axis.norm() > 0 ? radians(45) * next() : 0;
    if (angle != 0) moved.rotation = moved.rotation * Quat(Eigen::AngleAxisd(angle, axis.normalized()));
    local.push_back(moved);
  }
  const std::vector<Mat4> rest = rest_matrices(skeleton), posed = model_matrices(skeleton, local);
  std::vector<Mat4> motion;
  for (std::size_t j = 0; j < rest.size(); ++j) motion.push_back(posed[j] * rest[j].inverse());
  return motion;
}

std::vector<Vec3> blended_positions(const Mesh& mesh, const SkinWeights& weights, const std::vector<Mat4>& motion) {
  std::vector<Vec3> result;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (const Influence& influence : weights.row(v)) {
      const Mat4& m = motion[influence.joint];
      const auto weight = static_cast<double>(influence.weight);
      sum += weight * (m.topLeftCorner<3, 3>() * mesh.positions[v] + m.topRightCorner<3, 1>());
      total += weight;
    }
    result.push_back(total > 0 ? Vec3(sum / total) : mesh.positions[v]);
  }
  return result;
}

double posed_difference(const Mesh& mesh, const Skeleton& skeleton, const SkinWeights& a, const SkinWeights& b,
                        int poses) {
  double sum = 0;
  for (int pose = 0; pose < poses; ++pose) {
    const std::vector<Mat4> motion = random_motion(skeleton, static_cast<unsigned>(pose + 1));
    const std::vector<Vec3> x = blended_positions(mesh, a, motion), y = blended_positions(mesh, b, motion);
    for (std::size_t v = 0; v < x.size(); ++v) sum += (x[v] - y[v]).squaredNorm();
  }
  return std::sqrt(sum / poses / static_cast<double>(mesh.vertex_count())) / mesh.size();
}

}  // namespace sinew::lab
