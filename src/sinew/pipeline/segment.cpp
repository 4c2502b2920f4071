// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/segment.h"

#include "sinew/core/workable.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/pipeline/segment_rig.h"

namespace sinew::pipeline {

SegmentResult segment(const Character& character, const SegmentOptions& options, const Progress& progress) {
  require_workable(character.rig);
  if (character.rig.mesh.positions.empty()) throw Error("There is no mesh to segment.");
  if (character.rig.skeleton.empty())
    throw Error("There is no skeleton, so there are no bones that could own vertices.");
  SegmentResult result;
  result.segmentation = segment_rig(character.rig, result.findings, progress, options);
  return result;
}

PartSamples part_samples(const Character& character, bool by_shape, const Progress& progress) {
  require_workable(character.rig);
  const Rig& rig = character.rig;
  std::vector<Index> owners;
  if (by_shape) {
    Findings ignored;
    const Segmentation segmentation = segment_rig(rig, ignored, progress);
    for (const Index owner : segmentation.owner)
      owners.push_back(owner == kNone ? kNone : segmentation.segments[owner].joint);
  }
  PartSamples samples;
  for (const deform::ImplicitPart& part : deform::make_implicit_body(rig, {}, owners, {}, progress).parts)
    samples[rig.skeleton.joints[part.joint].name] = part.samples;
  return samples;
}

}  // namespace sinew::pipeline
