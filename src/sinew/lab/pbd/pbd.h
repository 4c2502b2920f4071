// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments of J. Pan, L. Chen, Y. Yang, H. Qin, "Automatic skinning and weight retargeting of articulated
/// characters using extended position-based dynamics", 2017, on characters of known truth and on real ones.

#include <string>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/rig.h"
#include "sinew/deform/deformer.h"
#include "sinew/lab/experiments.h"
#include "sinew/measure/meter.h"

namespace sinew::lab {

/// A limb's joint turned, in its own frame.
struct LimbTurn {
  std::string name;
  Index joint = kNone;
  bool twist = false;
  Vec3 axis = Vec3::UnitY();  ///< Of the joint's own frame.
  double degrees = 0;
};

/// The names of what `limb_turns` tries, in its order: wrist and ankle twisted by 120°, elbow and knee bent by 90°.
const std::vector<std::string>& limb_turn_names();
/// Those of a character's left limbs that were recognised; none for a body without. A bend is left out where the rest
/// of the limb does not hang on the joint that bends.
std::vector<LimbTurn> limb_turns(const Rig& rig);
/// Every joint where the skin was bound, which need not be where it rests; morphs as at rest.
ModelPose bound_pose(const Rig& rig);
/// The same with a joint turned, and all that hangs on it.
ModelPose turned_pose(const Rig& rig, const LimbTurn& turn);

/// One frame, from a state of its own.
std::vector<Vec3> posed_skin(const deform::Deformer& deformer, const Rig& rig, const ModelPose& pose,
                             deform::FrameReport* report = nullptr);

/// Volumes, sections and bulges, but no contacts.
measure::MeterOptions without_contacts();

/// Fig. 7: volume against stiffness, on a bar: the energy as printed, with compliance, and corotated.
void pbd_stiffness(const Progress& progress, Reproduction& result);
/// The order and the stiffness of the constraints, on the same bar.
void pbd_orders(const Progress& progress, Reproduction& result);
/// Fig. 15: volume and bulge of bends and twists, by method, on the limbs of a made human.
void pbd_limbs(const Progress& progress, Reproduction& result, int vertices = 10000);
/// The thinnest section of a twisted cylinder, by what pbd starts from and by material.
void pbd_sections(const Progress& progress, Reproduction& result);
/// Real characters of a folder: volume recovered, random poses, and with `runs` the time of the set-up.
void pbd_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result, int poses = 200);
/// Table 2: time of a frame at the paper's numbers of vertices and tetrahedra, or at a share of them, for the first of
/// its models.
void pbd_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result, double share = 1,
               std::size_t models = 4);

/// Fig. 10: intersections and penetrated volume of a knee bent from 0° to 150°, contact off and on.
void pbd_folds(const Progress& progress, Reproduction& result, int vertices = 10000);
/// Fig. 11: the roughness of an armpit, by the paper's weights and by better ones.
void pbd_armpit(const Progress& progress, Reproduction& result, int vertices = 10000);
/// Fig. 16: bends by the constraints without energy and contact, and by ours.
void pbd_rival(const Progress& progress, Reproduction& result, int vertices = 10000);
/// Dynamics over a long clip, at 24, 30 and 60 frames per second.
void pbd_swings(const ReproduceOptions& options, const Progress& progress, Reproduction& result, int frames = 10000);
/// Fig. 17: clips, by stage, at the paper's numbers of vertices and tetrahedra, or at a share of them.
void pbd_clips(const ReproduceOptions& options, const Progress& progress, Reproduction& result, double share = 1);

Reproduction pbd_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
