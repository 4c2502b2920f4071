// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/soft_skin.h"

#include <algorithm>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/curves/curve_motion.h"
#include "sinew/deform/pbd/joint_options.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/soft_body.h"

namespace sinew::deform {
namespace {

/// What lies outside of the tetrahedra, such as a shirt, follows them fully where it would fade out by this share.
constexpr float kFullRiderShare = 1.0F / 3;

SoftBody soft_body_of(const Rig& rig, const PbdBody& body, std::span<const Tissue> tissues, const PbdOptions& options) {
  std::map<Index, double> loose = loose_by_name(rig.skeleton);
  for (const auto& [name, factor] : options.loose) loose[named_joint(rig.skeleton, name, "loose")] = factor;
  return make_soft_body(body, rig.skeleton, tissues, metres_per_unit(rig.mesh, options.body_height), options.damping,
                        loose);
}

}  // namespace

SoftSkin::SoftSkin(const Rig& rig, const PbdBody& body, std::span<const Tissue> tissues, const PbdOptions& options)
    : motion_(soft_body_of(rig, body, tissues, options)), weights_(body.weights) {
  gravity_.y() = -options.gravity / metres_per_unit(rig.mesh, options.body_height);
  const geometry::Welding welding = geometry::weld(rig.mesh);
  std::vector<Index> number(welding.count(), kNone);
  const auto add = [&](PbdBody::Rider rider) {
    Index& own = number[welding.welded[rider.vertex]];
    if (own != kNone) return;
    own = static_cast<Index>(riders_.size());
    float sum = 0;
    for (const float share : rider.shares) sum += share;
    for (float& share : rider.shares) share /= std::max(sum, kFullRiderShare);
    riders_.push_back(rider);
  };
  for (const PbdBody::Rider& rider : body.riders) add(rider);
  for (const PbdBody::Rider& rider : body.resting_riders) add(rider);
  copies_.resize(riders_.size());
  for (Index v = 0; v < welding.welded.size(); ++v)
    if (number[welding.welded[v]] != kNone) copies_[number[welding.welded[v]]].push_back(v);
  normals_ = TurnedNormals(rig.mesh, welding, number);
}

void SoftSkin::deform(State& state, std::span<const Mat4> motions, double dt_s, std::span<Vec3f> positions,
                      std::span<Vec3f> normals) const {
  state.gravity.resize(state.targets.size());
  state.joint_gravity.resize(motions.size());
  for (std::size_t j = 0; j < motions.size(); ++j) {
    const Mat3 linear = motions[j].topLeftCorner<3, 3>();
    const bool turns = std::abs(linear.determinant()) > 1e-12;
    state.joint_gravity[j] = gravity_ - (turns ? Vec3(polar(linear).rotation * gravity_) : gravity_);
    if (state.joint_gravity[j].norm() <= 1e-9 * gravity_.norm()) state.joint_gravity[j].setZero();
  }
  parallel_for(state.targets.size(), [&](std::size_t p) {
    state.gravity[p].setZero();
    for (const Influence& influence : weights_.row(static_cast<Index>(p)))
      state.gravity[p] += static_cast<double>(influence.weight) * state.joint_gravity[influence.joint];
  });
  motion_.advance(state.motion, state.targets, state.gravity, dt_s);
  if (!state.motion.moving) return;
  if (!normals.empty()) normals_.measure(positions, state.before);
  state.on_skin.resize(riders_.size());
  parallel_for(riders_.size(), [&](std::size_t r) {
    Vec3f sum = Vec3f::Zero();
    for (std::size_t k = 0; k < 4; ++k) sum += riders_[r].shares[k] * state.motion.shown[riders_[r].corners[k]];
    state.on_skin[r] = sum;
  });
  for (std::size_t r = 0; r < riders_.size(); ++r)
    for (const Index v : copies_[r]) positions[v] += state.on_skin[r];
  if (normals.empty()) return;
  normals_.measure(positions, state.after);
  normals_.turn(state.before, state.after, normals);
}

}  // namespace sinew::deform
