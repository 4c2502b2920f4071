// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/rigging/rigger.h"

namespace sinew::jobs {

struct RigJobOptions {
  std::string template_name = "auto";
  std::string preset;  ///< Empty: plain, or vrm for a .vrm file.
  std::string bind = "auto";
  std::optional<int> max_influences;   ///< Empty: the preset's.
  std::string rest;                    ///< Empty: the preset's.
  std::vector<std::string> demo_clip;  ///< Names of built-in clips, or "auto".
  std::vector<std::string> hint;       ///< NAME=x,y,z,…; see `read_hints`.
  std::string joints;                  ///< A JSON file of places; empty for none.
  bool replace = false;
  std::string root;  ///< Empty: the preset's.
  std::optional<bool> ends;
  std::string bone_axis;
  std::string skeleton_unit;
  rigging::RiggerOptions rigger;
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("template", "The body's plan: auto, " + template_names() + ", or a JSON file.").as("NAME|FILE"),
      self.template_name);
    v(Field("preset", "Names, axes and rest pose for a program: " + preset_names() +
                          ", or a JSON file; without it plain, or vrm for a .vrm file.")
          .as("NAME|FILE"),
      self.preset);
    v(Field("bind", "How weights are made: " + method_names() + ".").as("METHOD"), self.bind);
    v(Field("max_influences", "Most joints that may move one vertex; without it as the preset has it.").range(1, 64),
      self.max_influences);
    v(Field("rest",
            "The pose of mesh and skeleton in the file: keep it, or put it into a T or A pose; without it as the "
            "preset has it.")
          .one_of({"", "keep", "t", "a"}),
      self.rest);
    v(Field("demo_clip", "Add built-in clips, such as walk; auto is the one that fits the body.").as("NAME,…"),
      self.demo_clip);
    v(Field("hint", "Places near which joints lie, in metres, of joints named as the template does or by role.")
          .as("NAME=x,y,z,…"),
      self.hint);
    v(Field("joints", "Take joints exactly where this JSON file has them: {\"NAME\": [x, y, z], …}.").as("FILE"),
      self.joints);
    v(Field("replace", "Put the new skeleton in place of the one the file has."), self.replace);
    v(Field("root", "Name of a joint on the ground above the hips, or none; without it as the preset has it.")
          .as("NAME"),
      self.root);
    v(Field("ends", "Add end joints to leaves; without it as the preset has it."), self.ends);
    v(Field("bone_axis", "Axis of a joint that lies along its bone; without it as the preset has it.")
          .one_of({"", "+x", "-x", "+y", "-y", "+z", "-z"}),
      self.bone_axis);
    v(Field("skeleton_unit", "Length unit of the skeleton in the file; without it as the preset has it.")
          .one_of({"", "m", "cm"}),
      self.skeleton_unit);
    rigging::RiggerOptions::visit(self.rigger, v);
    io::PlacementOptions::visit(self.placement, v);
  }

  static std::string template_names();
  static std::string preset_names();
  static std::string method_names();
};

/// From bare meshes to a rigged character. Several files are one character. The mesh keeps its vertices, UVs, materials
/// and morphs. A file that has a skeleton needs `replace`: then joints, skins and weights go, clips are carried over to
/// the new joints, and what has no partner is dropped and listed. The output is `NAME_rigged.glb` unless named. If no
/// template fits, the file has a generic rig and the report's status is incomplete. \throws Error if a file has no
/// mesh, or a skeleton that is not to be replaced; if a template, preset, joint, clip or method is unknown; if the
/// output cannot hold a skeleton. Then nothing is written.
Report rig(const JobRequest& request, const RigJobOptions& options, const Progress& progress);

}  // namespace sinew::jobs
