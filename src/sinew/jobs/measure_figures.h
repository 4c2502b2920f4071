// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What `measure` tells of its frames: for people, for machines and for spreadsheets.

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/rig.h"
#include "sinew/jobs/measure_frames.h"
#include "sinew/measure/meter.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/measure/weight_agreement.h"

namespace sinew::jobs {

/// A frame and all that was found in it.
struct MeasuredFrame {
  FrameRequest request;
  measure::FrameFigures figures;
  std::optional<measure::ShapeDistance> distance;
};

/// How two sets of weights agree.
struct Agreement {
  measure::WeightAgreement weights;
  std::optional<measure::PosedAgreement> posed;  ///< Empty if the joints differ.
  Index unmatched = 0;                           ///< Joints with weights that the other file does not have.
};

struct Measurement {
  const Rig* rig = nullptr;
  double size = 0;
  std::vector<MeasuredFrame> frames;
  measure::FrameFigures bound;
  std::vector<measure::PartClosure> parts;
  std::optional<Agreement> agreement;
};

Json measure_json(const Measurement& measurement);

/// Summary over the frames, the worst of each, the thinnest joints; every frame if there are few.
std::string measure_text(const Measurement& measurement);

/// A line per frame, with a column for the section of every joint.
std::string measure_csv(const Measurement& measurement);

}  // namespace sinew::jobs
