// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The groups of checks, for `check`.

#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/edit/weight_repair.h"
#include "sinew/binding/subject.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/check/check.h"
#include "sinew/pipeline/inspect.h"

namespace sinew::pipeline {

/// The skin and what weights are judged by.
struct CheckedSkin {
  binding::Subject subject;
  binding::EditScope scope;
  binding::EditSurface surface;
  SkinWeights rows;          ///< One per welded vertex of the surface; each sums to 1 or is empty.
  std::vector<Index> owner;  ///< Per welded vertex: the joint with the largest weight, or kNone.
};

struct CheckInput {
  const Character& character;
  CharacterFacts facts;
  motion::Recognition recognition;
  std::vector<Index> partner;  ///< Per joint: the one on the other side by name, or kNone.
  std::optional<CheckedSkin> skin;
  double size = 0;

  const std::string& joint_name(Index joint) const { return character.rig.skeleton.joints[joint].name; }
};

/// Collects rows.
class CheckRows {
 public:
  explicit CheckRows(const CheckProfile& profile) : profile_(profile) {}

  /// Adds a row and returns it. \pre `id` is a kind.
  CheckRow& add(const char* id, double value, std::string text, std::string where = "");
  std::vector<CheckRow>& rows() { return rows_; }

 private:
  const CheckProfile& profile_;
  std::vector<CheckRow> rows_;
};

/// Vertices of the mesh that belong to welded vertices of an edit surface for which `marked` is set.
std::vector<Index> mesh_vertices(const binding::EditSurface& surface, const std::vector<char>& marked);

void check_mesh(const CheckInput& input, CheckRows& rows);
void check_skeleton(const CheckInput& input, CheckRows& rows);
void check_weights(const CheckInput& input, CheckRows& rows);
void check_weight_places(const CheckInput& input, CheckRows& rows);
void check_range(const CheckInput& input, CheckRows& rows, const Progress& progress);
void check_clips(const CheckInput& input, CheckRows& rows, const Progress& progress);

}  // namespace sinew::pipeline
