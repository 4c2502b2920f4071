// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/skeleton.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace sinew {

Index Skeleton::find(std::string_view name) const {
  for (Index j = 0; j < size(); ++j)
    if (joints[j].name == name) return j;
  return kNone;
}

std::vector<std::vector<Index>> Skeleton::children() const {
  std::vector<std::vector<Index>> result(joints.size());
  for (Index j = 0; j < size(); ++j)
    if (joints[j].parent != kNone) result[joints[j].parent].push_back(j);
  return result;
}

std::vector<Mat4> model_matrices(const Skeleton& skeleton, const std::vector<Transform>& local) {
  assert(local.size() == skeleton.joints.size());
  std::vector<Mat4> model(local.size());
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    Mat4 m = local[j].matrix();
    m.topLeftCorner<3, 3>() *= joint.shear;
    model[j] = joint.parent == kNone ? m : Mat4(model[joint.parent] * m);
  }
  return model;
}

std::vector<Mat4> rest_matrices(const Skeleton& skeleton) {
  std::vector<Transform> local(skeleton.joints.size());
  for (Index j = 0; j < skeleton.size(); ++j) local[j] = skeleton.joints[j].rest;
  return model_matrices(skeleton, local);
}

Findings validate(const Skeleton& skeleton) {
  Findings found;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const std::string where = fmt::format("joint {} '{}'", j, joint.name);
    if (joint.parent != kNone && joint.parent >= j)
      found.push_back({"skeleton.order", where, "Its parent is not listed before it."});
    const Transform& rest = joint.rest;
    if (!rest.translation.allFinite() || !rest.rotation.coeffs().allFinite() || !rest.scale.allFinite() ||
        !joint.shear.allFinite())
      found.push_back({"skeleton.not_finite", where, "Its rest transform is not finite."});
    else if (std::abs(rest.rotation.norm() - 1.0) > 1e-4)
      found.push_back({"skeleton.rotation", where, "Its rest rotation is not a unit quaternion."});
    if (joint.mirror != kNone && (joint.mirror >= skeleton.size() || skeleton.joints[joint.mirror].mirror != j))
      found.push_back({"skeleton.mirror", where, "Its mirror partner does not point back to it."});
    if (joint.driver && joint.driver->kind != Driver::Kind::kOpaque && joint.driver->source >= skeleton.size())
      found.push_back({"skeleton.driver", where, "Its driver has no source joint."});
  }
  return found;
}

}  // namespace sinew
