// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/core/character.h"
#include "sinew/core/method.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/pipeline/bind_parts.h"

namespace sinew::pipeline {

/// Which vertices are bound, and how.
struct BindRequest {
  MethodChoice method{binding::binders(), "auto"};
  std::vector<std::string> joints;   ///< If empty, `joints_to_bind` chooses them.
  std::vector<std::string> rigid;    ///< WHAT=JOINT; see `select_vertices`.
  std::vector<std::string> exclude;  ///< WHAT; these vertices keep their rows.
  bool keep_springs = true;          ///< See `keep_spring_skin`.
  binding::BindOptions common;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "The method that computes the weights."), self.method);
    v(Field("joints",
            "Joints that may move the skin. Default: those with weights in the file; if there are none, all except "
            "ends, controls and sockets.")
          .as("NAME,…"),
      self.joints);
    v(Field("rigid",
            "Attach vertices to one joint: a mesh node, material:NAME or shell:N, and the joint that moves it.")
          .as("NODE=JOINT,…"),
      self.rigid);
    v(Field("exclude", "Vertices that keep their weights: mesh nodes, material:NAME or shell:N.").as("NODE,…"),
      self.exclude);
    v(Field("keep_springs", "Vertices that spring bones of a VRM file move keep their weights: hair, ribbons, tails."),
      self.keep_springs);
    binding::BindOptions::visit(self.common, v);
  }
};

/// A character with new weights, and where they came from.
struct BindingResult {
  Character character;
  binding::BindResult rows;        ///< A row for each of `vertices`; vertices attached to one joint come last.
  std::vector<Index> vertices;     ///< Of the character's mesh, in the order of the rows.
  std::vector<char> bound;         ///< Per joint: whether it may move the skin.
  std::vector<PartPlan> parts;     ///< Per part of the mesh: whether it was bound.
  Index excluded_vertices = 0;     ///< Vertices that keep their rows because the request excludes them.
  Index spring_vertices = 0;       ///< Of these, vertices that spring bones move.
  std::vector<Index> lost_skin;    ///< Joints that lost nearly all the skin that they had.
  std::vector<Index> idle_joints;  ///< Bound joints without a vertex of noticeable weight.
  Index doubtful_vertices = 0;     ///< Vertices with a confidence below 0.5.
  SkinChanges skin_changes;
  std::vector<Fallback> fallbacks;
  Findings findings;

  Index bound_joint_count() const;
};

/// Computes new weights for the skeleton of a character, in its bind pose. Skins keep their joints and bind matrices;
/// missing joints are added to them. Parts that no joint moves get a skin. Parts that are attached rigidly to a joint,
/// and excluded vertices, do not change. \throws Error if there is no mesh, no skeleton or nothing to bind, if a joint,
/// node, material or shell is unknown, or as the binder does; Cancelled.
BindingResult bind(const Character& character, const BindRequest& request = {}, const Progress& progress = {});

}  // namespace sinew::pipeline
