// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/plans/legs.h"

namespace sinew::rigging {

/// Positions of joints by role, in a body's axes, and where the bones of leaves end.
struct JointPlaces {
  std::map<std::string, Vec3> joints, ends;

  /// A joint with its mirror image: "thigh" becomes "left_thigh" and "right_thigh".
  void set_pair(const std::string& part, const Vec3& left, const Vec3& right);
  void end_pair(const std::string& part, const Vec3& left, const Vec3& right);
};

/// A joint that a body has beside those of the template, on the way from one joint to another.
struct InsertedJoint {
  std::string above, below;  ///< Roles.
  std::string name, role;
};

/// A body plan that was recognised in a body.
struct PlanReading {
  std::string template_name;
  std::vector<InsertedJoint> inserted;
  BodyAxes frame;
  JointPlaces places;
  std::optional<Vec3> tail_root;    ///< Where a tail begins, in the body's axes.
  double cost = 0;                  ///< Comparable with the cost of an embedding.
  double facing = 1;                ///< How clear it is which end is the front: a logarithm of odds.
  std::vector<std::string> doubts;  ///< Proportions that no measured animal has.
  Json evidence = Json::object();
};

/// Reads the plan of a body that stands on legs or lies, from its topology first: what stands on the ground, in pairs
/// across the mirror plane. Proportions of artists' skeletons then place the joints. Nothing for bodies of two legs
/// that stand upright: those are left to the embedding of the human template. `keep_orientation`: y is up and z
/// forward.
std::optional<PlanReading> read_body_plan(const Interior& interior, bool keep_orientation);

/// The same kind of body read again as if it faced the other way. Nothing if it has no such reading.
std::optional<PlanReading> read_turned(const Interior& interior, const PlanReading& reading);

/// How far a reading is to be trusted, from 0 to 1: less with every doubt, with an unclear front, and for the plans
/// that fewer characters were measured of.
double confidence_of(const PlanReading& reading);

/// The template with one more joint.
Template with_joint(const Template& skeleton_template, const InsertedJoint& inserted);

/// The plan as joints with the names, roles and limits of a template, in model space. Joints that the reading has no
/// place for are left out.
SkeletonPlan skeleton_of(const PlanReading& reading, const Template& skeleton_template, const Interior& interior);

/// A tail that hangs down touches the body along its upper part, and what protrudes begins too low: its first joint is
/// moved up to where tails begin.
void raise_tail_root(const PlanReading& reading, const Interior& interior, SkeletonPlan& plan);

}  // namespace sinew::rigging
