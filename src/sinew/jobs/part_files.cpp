// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/part_files.h"

#include "sinew/io/file.h"
#include "sinew/io/part_shapes.h"
#include "sinew/io/parts_json.h"

namespace sinew::jobs {

void read_part_files(const PartFiles& files, const io::Asset& asset, pipeline::DeformerOptions& options,
                     Report& report) {
  const Rig& rig = asset.character.rig;
  if (!files.owners.empty()) {
    const io::Bytes bytes = io::read_file(files.owners);
    report.inputs.push_back(io::describe(files.owners, bytes));
    options.owners = io::read_owners_json(bytes, files.owners, rig.skeleton, rig.mesh.vertex_count());
  }
  if (!files.samples.empty()) {
    const io::Bytes bytes = io::read_file(files.samples);
    report.inputs.push_back(io::describe(files.samples, bytes));
    options.samples = io::read_samples_json(bytes, files.samples);
  } else if (pipeline::uses_parts(options)) {
    options.samples = io::stored_part_samples(asset, report.warnings);
  }
}

}  // namespace sinew::jobs
