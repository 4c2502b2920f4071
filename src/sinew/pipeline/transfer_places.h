// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Where the joints of one body lie in another.

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/template.h"
#include "sinew/pipeline/transfer_reference.h"
#include "sinew/transfer/match/joint_body.h"

namespace sinew::pipeline {

struct FittedPlaces {
  std::vector<std::optional<Vec3>> place;  ///< Per joint of the reference.
  std::vector<std::string> origin;
  std::vector<double> confidence;
  Mat3 turn = Mat3::Identity();  ///< The target's directions to the reference's.
  double scale = 1;              ///< Of the target to the reference.
  std::string how, template_name;
  double overall = 1;
  Findings warnings;
};

/// Places for some joints, at least two, by the first way of `fit_skeleton` that works.
FittedPlaces first_places(TransferReference& reference, const transfer::JointBody& body, const Mesh& mesh,
                          const Progress& progress);

/// Places for all others, from those that are there.
void fill_places(const transfer::JointBody& body, const Mesh& mesh, FittedPlaces& places);

/// A template of the reference's own primary joints: those where chains begin, end or branch are searched, named "J"
/// and their number. Nothing if there are too few or too many of them.
std::optional<Template> own_template(const transfer::JointBody& body);

}  // namespace sinew::pipeline
