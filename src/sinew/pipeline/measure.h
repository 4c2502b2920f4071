// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How well a character deforms, in figures, and how far it is from another character with the same number of vertices.
/// docs/commands/measure.md defines the figures.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/deform/deformer.h"
#include "sinew/measure/meter.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/measure/weight_agreement.h"

namespace sinew::pipeline {

/// The motion in which a character is measured: frames of a clip, one pose, or neither, which is the rest pose and the
/// bind pose.
struct MeasureMotion {
  std::string name;  ///< Of the clip or pose.
  std::optional<Clip> clip;
  std::optional<Pose> pose;                                   ///< Without a clip.
  double fps = 30;                                            ///< At which the clip is sampled.
  std::optional<std::pair<std::size_t, std::size_t>> frames;  ///< First and last; absent: all of the clip.
};

/// Another character with the same number of vertices to compare with. It is posed by its own clip of the motion's
/// name, if it has one; otherwise by the same local transforms, joint by joint of the same name. Without a skeleton it
/// does not move.
struct MeasureReference {
  const Character& character;
  const deform::Deformer& deformer;  ///< Bound to its rig.
};

/// One frame and its figures.
struct FrameMeasurement {
  std::string name;  ///< "rest", "bind", the name of the pose, or the number of the frame.
  double time_s = 0;
  measure::FrameFigures figures;
  std::optional<measure::ShapeDistance> distance;  ///< From the reference.
};

/// The worst figures of one joint over all frames. Frames are numbers in `MeasureResult::frames`; kNone if the joint
/// has no such figure.
struct JointWorst {
  Index joint = kNone;
  Index section_frame = kNone;
  double thinnest_section = 1;
  Index bulge_frame = kNone;
  double bulge = 0;
};

/// How well the weights of two characters agree.
struct WeightAgreementFigures {
  measure::WeightAgreement weights;
  std::optional<measure::PosedAgreement> posed;  ///< Empty if the joints differ.
  Index unmatched = 0;  ///< Joints with weights whose names the measured character does not have.
};

struct MeasureResult {
  double size = 0;              ///< Diagonal of the bound shape's box, m.
  measure::FrameFigures bound;  ///< Of the mesh as it was bound, with which frames are compared.
  std::vector<measure::PartClosure> parts;
  std::vector<FrameMeasurement> frames;
  std::vector<JointWorst> joints;                   ///< Joints that have a figure, rising.
  std::optional<WeightAgreementFigures> agreement;  ///< If there is a reference and both have weights.
  Findings findings;
};

/// \throws Error if the meshes do not have the same number of vertices. `measure` checks this as well; this function
/// allows checking before the deformer is bound.
void require_comparable(const Rig& rig, const Rig& reference);

/// Measures every frame of a motion. `deformer` is bound to the character's rig; if it needs history, it plays the clip
/// from its start. \throws Error if there is no mesh, the clip does not have the frames, or the reference does not fit
/// or cannot be posed; Cancelled.
MeasureResult measure(const Character& character, const deform::Deformer& deformer, const MeasureMotion& motion,
                      const std::optional<MeasureReference>& reference = {}, const measure::MeterOptions& options = {},
                      const Progress& progress = {});

/// Applies a pose of one rig to another by the names of joints. A joint without a partner stays at rest. Empty if no
/// joint has a partner.
std::optional<Pose> pose_by_names(const Pose& pose, const Rig& from, const Rig& to);

}  // namespace sinew::pipeline
