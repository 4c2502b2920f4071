// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/options.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::jobs {

/// Files with what a person decides about the parts of the method `implicit`, shapes for the method `ode`, and
/// materials for the method `pbd`.
struct PartFiles {
  std::string owners;
  std::string samples;
  std::string poses;
  std::string materials;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("owners", "A file of owners, as sinew segment writes it, that divides the skin into parts (implicit).")
          .as("FILE.json"),
      self.owners);
    v(Field("samples_file", "A file of samples, as sinew segment writes it, that shapes the parts (implicit).")
          .as("FILE.json"),
      self.samples);
    v(Field("poses", "A folder of files with shapes of the mesh in poses, which the skin takes in these poses (ode).")
          .as("FOLDER"),
      self.poses);
    v(Field("material_file", "A file that paints materials on vertices, such as fat or bone (pbd).").as("FILE.json"),
      self.materials);
  }
};

/// Reads the files into the options of a deformer, and the data that the character's file holds prepared; `collect` is
/// that of `PreparedStore`. Without a file of samples, a method that uses them gets those that
/// the character's file holds, as sinew fit-joints writes them. \throws Error if a file cannot be read or does not fit
/// the rig.
void read_part_files(const PartFiles& files, const io::Asset& asset, pipeline::DeformerOptions& options, Report& report,
                     bool collect = false);

/// What was read for the vertices of one mesh, for another one: `vertices` names the vertex of the first for each of
/// the second. Nothing changes if it is empty.
void follow_vertices(const std::vector<Index>& vertices, pipeline::DeformerOptions& options);

}  // namespace sinew::jobs
