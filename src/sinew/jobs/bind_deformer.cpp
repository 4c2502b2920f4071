// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind_deformer.h"

#include "sinew/binding/segmentation.h"
#include "sinew/jobs/bind_subject.h"

namespace sinew::jobs {

std::unique_ptr<deform::Deformer> bind_deformer(std::string_view method, const Rig& rig,
                                                const deform::DeformOptions& options, Findings& warnings,
                                                const Progress& progress) {
  // Without a mesh or joints there is nothing to segment, and every method does the same.
  const bool anything = !rig.mesh.positions.empty() && !rig.skeleton.empty();
  Segmentation segmentation;
  // What pbd starts from may need it as well.
  const auto& found = deform::deformers().find(method);
  const bool needed = found.make.needs_segmentation ||
                      (found.id == "pbd" && (options.base == "auto" || options.base == "slbs"));
  if (needed && anything) {
    progress.step("segmenting");
    const binding::Subject subject = bind_subject(rig, {}, warnings);
    const Skeleton skeleton = with_leaf_ends(rig, subject.joints, subject.bound);
    segmentation = binding::segment({rig.mesh, skeleton, subject.joints, subject.bound}, {}, progress);
    binding::respect_rigid_shells(segmentation, rig.mesh, rig.weights);
  }
  deform::RigKnowledge knowledge;
  knowledge.segmentation = &segmentation;
  return deform::bind(method, rig, options, progress, knowledge);
}

}  // namespace sinew::jobs
