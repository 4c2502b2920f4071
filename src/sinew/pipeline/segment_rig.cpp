// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/segment_rig.h"

#include "sinew/binding/segment/segmentation.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {

Segmentation segment_rig(const Rig& rig, Findings& findings, const Progress& progress) {
  const binding::Subject subject = bind_subject(rig, {}, findings);
  const Skeleton skeleton = with_leaf_ends(rig, subject.joints, subject.bound);
  Segmentation segmentation = binding::segment({rig.mesh, skeleton, subject.joints, subject.bound}, {}, progress);
  binding::respect_rigid_shells(segmentation, rig.mesh, rig.weights);
  return segmentation;
}

}  // namespace sinew::pipeline
