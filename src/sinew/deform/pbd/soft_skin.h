// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/tissue.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/soft_motion.h"
#include "sinew/deform/pbd/turned_normals.h"

namespace sinew::deform {

struct PbdOptions;

/// The secondary motion of a skin: that of the soft tissue below it (`soft_motion.h`), carried to the skin. Gravity
/// acts as far as it differs from that at binding: the shape at binding is one that hangs, as it was made. A belly sags
/// when the body leans forward, and not before.
class SoftSkin {
 public:
  /// `tissues` is per particle of the body. \throws Error if the options name unknown joints.
  SoftSkin(const Rig& rig, const PbdBody& body, std::span<const Tissue> tissues, const PbdOptions& options);

  struct State {
    SoftMotion::State motion;
    std::vector<Vec3> targets, gravity, joint_gravity;
    std::vector<Vec3f> on_skin, before, after;
  };

  /// Moves the skin of a frame. `targets` of the state are where particles are without secondary motion, in model
  /// space; `motions` are those of joints, from binding to model space.
  void deform(State& state, std::span<const Mat4> motions, double dt_s, std::span<Vec3f> positions,
              std::span<Vec3f> normals) const;

  const SoftMotion& motion() const { return motion_; }

 private:
  SoftMotion motion_;
  SkinWeights weights_;                 ///< Per particle.
  Vec3 gravity_ = Vec3::Zero();         ///< At binding, in units of the rig.
  std::vector<PbdBody::Rider> riders_;  ///< One per welded vertex that may move.
  std::vector<std::vector<Index>> copies_;
  TurnedNormals normals_;
};

}  // namespace sinew::deform
