// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/tissue.h"
#include "sinew/deform/pbd/tissues.h"
#include "sinew/deform/pbd/turned_normals.h"

namespace sinew::deform {

/// Skin that keeps its shape because it is made of bone. The skin of a joint of bone moves rigidly with that joint. A
/// painted region of bone moves as the best rigid motion of its vertices (M. Müller et al., "Meshless deformations
/// based on shape matching", 2005), so that it may be painted across joints. Around it, the motion fades into that of
/// the soft skin over a few rings.
class RigidParts {
 public:
  RigidParts(const Rig& rig, const TissueMap& tissues);

  /// What a frame works on.
  struct Scratch {
    std::vector<Vec3f> steps, before, after;
  };

  /// Changes `positions`, one per vertex of the mesh in model space, and normals if there are any. `unposed` are the
  /// positions at binding, morphs included; `motions` those of joints, from binding to model space; `size` the scale of
  /// the body.
  void apply(Scratch& scratch, std::span<const Vec3f> unposed, std::span<const Mat4> motions, double size,
             std::span<Vec3f> positions, std::span<Vec3f> normals) const;

 private:
  struct Member {
    Index vertex;
    float share;  ///< Of the rigid motion in the vertex's.
  };
  struct Part {
    Index joint = kNone;  ///< That it moves with, or is turned by most.
    bool painted = false;
    std::vector<Member> members;
  };

  Mat4 fitted_motion(const Part& part, std::span<const Vec3f> unposed, std::span<const Mat4> motions, double size,
                     std::span<const Vec3f> positions) const;
  void add_joint_parts(const Rig& rig, const std::map<Index, Tissue>& by_joint);
  void add_painted_parts(const Rig& rig, std::span<const std::optional<Tissue>> painted);

  std::vector<Part> parts_;
  std::vector<float> total_;  ///< Per vertex: the sum of its shares.
  TurnedNormals normals_;
};

}  // namespace sinew::deform
