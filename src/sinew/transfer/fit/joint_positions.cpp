// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/fit/joint_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/rigging/build/bone_frames.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::transfer {
namespace {

/// A reference's joints this far from where the template has their like, in the median, are not what the template takes
/// them for.
constexpr double kPlanFails = 0.12;
/// Below this a skeleton is worth a look.
constexpr double kDoubtfulFit = 0.3;
constexpr std::size_t kFewestSearched = 3, kMostSearched = 14;

std::string fitting_template(const JointBody& body) {
  switch (body.known.build) {
    case motion::Build::kHumanoid:
      return "human";
    case motion::Build::kQuadruped:
      return "quadruped";
    case motion::Build::kBird:
      return "bird";
    default:
      return "";
  }
}

/// Which points lie inside a mesh.
class Inside {
 public:
  explicit Inside(const Mesh& mesh) {
    const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(mesh);
    const geometry::TriangleSoup soup{mesh.positions, triangles};
    winding_ = geometry::FastWinding(soup, geometry::solid_facing(soup).signs);
  }
  bool operator()(const Vec3& point) const { return winding_.at(point) > 0.5; }

 private:
  geometry::FastWinding winding_;
};

// Length of a planned joint's bone: to the child that goes on, else its end, else the bone before it.
double bone_length(const rigging::SkeletonPlan& plan, const std::vector<Index>& next, Index joint) {
  const rigging::PlannedJoint& planned = plan.joints[joint];
  if (next[joint] != kNone) return (plan.joints[next[joint]].position - planned.position).norm();
  if (planned.parent != kNone) return (planned.position - plan.joints[planned.parent].position).norm();
  return planned.end ? (*planned.end - planned.position).norm() : 0;
}

/// The same template in both bodies.
struct TwoPlans {
  const rigging::PlanResult& reference;
  const rigging::PlanResult& target;
  std::vector<Index> of_joint;  // Per joint of the reference's skeleton: that of its plan.
  std::vector<Index> partner;   // Per joint of the reference's plan: that of the target's.
};

Index planned_like(const rigging::SkeletonPlan& plan, const std::string& name) {
  for (Index p = 0; p < plan.joints.size(); ++p)
    if (plan.joints[p].name == name) return p;
  return kNone;
}

// How far the joints lie from where the template has them, in the median.
double median_distance(const JointBody& body, const TwoPlans& plans, double size) {
  std::vector<double> distances;
  for (Index j = 0; j < body.count(); ++j)
    if (plans.of_joint[j] != kNone)
      distances.push_back((body.side.position(j) - plans.reference.plan.joints[plans.of_joint[j]].position).norm() /
                          size);
  if (distances.empty()) return 1;
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2),
                   distances.end());
  return distances[distances.size() / 2];
}

Mat3 plan_axes(const rigging::SkeletonPlan& plan) {
  Mat3 axes;
  axes << plan.left, plan.up, plan.forward;
  return axes;
}

JointPositions no_positions(const JointBody& body) {
  JointPositions positions;
  positions.position.resize(body.count());
  positions.origin.resize(body.count());
  positions.confidence.assign(body.count(), 1);
  return positions;
}

JointPositions positions_by_plans(const JointBody& body, const Mesh& mesh, const TwoPlans& plans) {
  const rigging::SkeletonPlan &ours = plans.reference.plan, &theirs = plans.target.plan;
  const std::vector<Mat3> our_axes = rigging::bone_frames(ours), their_axes = rigging::bone_frames(theirs);
  const std::vector<Index> our_next = rigging::next_joints(ours), their_next = rigging::next_joints(theirs);
  const double reference_size = body.side.mesh.size();
  const bool trusted = median_distance(body, plans, reference_size) < kPlanFails;
  const Inside inside(mesh);
  JointPositions result = no_positions(body);
  result.turn = plan_axes(ours) * plan_axes(theirs).transpose();
  result.scale = mesh.size() / reference_size;
  for (Index j = 0; j < body.count(); ++j) {
    const Index r = plans.of_joint[j], t = r == kNone ? kNone : plans.partner[r];
    if (t == kNone) continue;
    const rigging::PlannedJoint& planned = theirs.joints[t];
    const double here = bone_length(ours, our_next, r), there = bone_length(theirs, their_next, t);
    const double scale = here > 0 && there > 0 ? there / here : result.scale;
    Vec3 offset = scale * (their_axes[t] * our_axes[r].transpose() * (body.side.position(j) - ours.joints[r].position));
    // A joint that is more than half a bone away was found in another position than it has.
    const double most = 0.5 * there;
    if (!trusted || !offset.allFinite()) offset.setZero();
    else if (offset.norm() > most) offset *= most / offset.norm();
    for (int tries = 0; tries < 4 && !inside(planned.position + offset); ++tries) offset *= tries < 3 ? 0.5 : 0.0;
    result.position[j] = planned.position + offset;
    result.origin[j] = planned.origin;
    result.confidence[j] = planned.confidence * (trusted ? 1.0 : 0.7);
  }
  result.overall = plans.target.confidence * (trusted ? 1.0 : 0.7);
  return result;
}

/// The joint of the plan that each joint of the reference corresponds to.
std::vector<Index> planned_joints(const JointBody& body, const rigging::SkeletonPlan& plan, bool own) {
  std::vector<Index> of_joint(body.count(), kNone);
  for (Index j = 0; j < body.count(); ++j) {
    if (body.counts[j] == 0) continue;
    const std::string role = motion::role_name(body.known.roles[j]);
    if (own) of_joint[j] = planned_like(plan, fmt::format("J{}", j));
    else if (!role.empty()) of_joint[j] = plan.find_role(role);
  }
  return of_joint;
}

/// Positions by one method, or the reason why that method gives none.
struct Attempt {
  std::optional<JointPositions> positions;
  std::string problem;
};

Attempt positions_by_template(const JointBody& body, const Mesh& mesh, const Template& skeleton_template, bool own,
                              TemplatePlans& reference_plans, const Progress& progress) {
  rigging::RiggerOptions options;
  options.extras = "rigid";
  const TemplatePlan there = plan_template(mesh, skeleton_template, options, progress);
  if (!there.plan) return {std::nullopt, there.problem};
  const TemplatePlan& here = reference_plans.of(body.side.mesh, skeleton_template, progress);
  // Without a plan of the reference, a joint is assumed where the template has its counterpart.
  const rigging::PlanResult& ours = here.plan ? *here.plan : *there.plan;
  TwoPlans plans{ours, *there.plan, planned_joints(body, ours.plan, own), {}};
  for (const rigging::PlannedJoint& planned : ours.plan.joints)
    plans.partner.push_back(planned_like(there.plan->plan, planned.name));
  const auto found =
      std::count_if(plans.of_joint.begin(), plans.of_joint.end(), [](Index planned) { return planned != kNone; });
  if (found < 2) return {std::nullopt, "It contains fewer than two joints of the reference."};
  JointPositions result = positions_by_plans(body, mesh, plans);
  result.method = own ? FitMethod::kOwnTemplate : FitMethod::kTemplate;
  result.template_name = own ? "" : skeleton_template.name;
  result.findings = there.plan->warnings;
  if (!here.plan)
    result.notes.push_back({"transfer.reference_plan", skeleton_template.name,
                            fmt::format("The template could not be located in the reference, so its joints are assumed "
                                        "to be where the template has them. {}",
                                        here.problem)});
  return {std::move(result), ""};
}

JointPositions positions_by_boxes(const JointBody& body, const Mesh& mesh) {
  const Box ours = body.side.mesh.bounds(), theirs = mesh.bounds();
  JointPositions result = no_positions(body);
  result.scale = theirs.diagonal() / ours.diagonal();
  Vec3 factor;
  for (int c = 0; c < 3; ++c)
    factor[c] = ours.extent()[c] > 1e-9 * ours.diagonal() ? theirs.extent()[c] / ours.extent()[c] : result.scale;
  for (Index j = 0; j < body.count(); ++j) {
    if (body.counts[j] == 0) continue;
    result.position[j] = theirs.center() + factor.cwiseProduct(body.side.position(j) - ours.center());
    result.origin[j] = "box";
    result.confidence[j] = 0.2;
  }
  result.method = FitMethod::kBox;
  result.overall = 0.2;
  return result;
}

JointPositions copied_positions(const JointBody& body, const Relation& relation) {
  JointPositions result = no_positions(body);
  result.method = relation.kind == RelationKind::kGarment ? FitMethod::kShared : FitMethod::kCopied;
  for (Index j = 0; j < body.count(); ++j) result.position[j] = body.side.position(j), result.origin[j] = "copied";
  return result;
}

/// The first of the templates that works, else the boxes.
JointPositions searched_positions(const JointBody& body, const Mesh& mesh, TemplatePlans& reference_plans,
                                  const Progress& progress) {
  Findings notes;
  const auto failed = [&](const std::string& name, const std::string& problem) {
    notes.push_back(
        {"transfer.template_failed", name,
         fmt::format("The template {} could not be used. {}", name.empty() ? "of the reference" : name, problem)});
  };
  std::optional<JointPositions> result;
  if (const std::string name = fitting_template(body); !name.empty()) {
    Attempt attempt = positions_by_template(body, mesh, rigging::find_template(name), false, reference_plans, progress);
    if (!attempt.positions) failed(name, attempt.problem);
    result = std::move(attempt.positions);
  }
  if (!result) {
    const OwnTemplate own = own_template(body);
    Attempt attempt = own.made ? positions_by_template(body, mesh, *own.made, true, reference_plans, progress)
                               : Attempt{std::nullopt, own.problem};
    if (!attempt.positions) failed("", attempt.problem);
    result = std::move(attempt.positions);
  }
  if (!result) result = positions_by_boxes(body, mesh);
  result->notes.insert(result->notes.begin(), notes.begin(), notes.end());
  return *std::move(result);
}

/// Bones between placed joints: how the body turned and grew there.
struct PlacedBone {
  Mat3 turn = Mat3::Identity();
  double scale = 1;
};

PlacedBone placed_bone(const JointBody& body, const JointPositions& known, Index from, Index to) {
  const Vec3 here = body.side.position(to) - body.side.position(from),
             there = *known.position[to] - *known.position[from];
  PlacedBone bone{known.turn, known.scale};
  if (!(here.norm() > 1e-9 * body.size) || !(there.norm() > 1e-9 * body.size * known.scale)) return bone;
  bone.turn = smallest_turn(known.turn * there, here, Vec3::UnitZ()) * known.turn;
  bone.scale = std::clamp(there.norm() / here.norm(), 0.2 * known.scale, 5 * known.scale);
  return bone;
}

Index placed_above(const JointBody& body, const std::vector<char>& first, Index joint) {
  for (Index j = body.parent[joint]; j != kNone; j = body.parent[j])
    if (first[j] != 0) return j;
  return kNone;
}

// A root: as far above the ground, and as far to the side of the first joint.
Vec3 root_position(const JointBody& body, const Mesh& mesh, const JointPositions& known, Index top, Index joint) {
  const double ground = mesh.bounds().lower.y(), own_ground = body.side.mesh.bounds().lower.y();
  const Vec3 own = body.side.position(joint);
  const Vec3 offset = known.scale * (known.turn.transpose() * (own - body.side.position(top)));
  Vec3 there = *known.position[top] + offset;
  there.y() = ground + known.scale * (own.y() - own_ground);
  return there;
}

// The candidate to whose bone from `above` a joint is nearest, or kNone.
Index nearest_bone_end(const JointBody& body, const std::vector<Index>& candidates, Index above, Index joint) {
  Index best = kNone;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Index candidate : candidates) {
    const Vec3 bone = body.side.position(candidate) - body.side.position(above),
               x = body.side.position(joint) - body.side.position(above);
    const double length2 = bone.squaredNorm();
    const double along = length2 > 0 ? std::clamp(x.dot(bone) / length2, 0.0, 1.0) : 0;
    if (const double distance = (x - along * bone).norm(); distance < nearest) nearest = distance, best = candidate;
  }
  return best;
}

Vec3 position_between(const JointBody& body, const JointPositions& known, Index a, Index b, Index joint) {
  const PlacedBone bone = placed_bone(body, known, a, b);
  const Vec3 offset = body.side.position(joint) - body.side.position(a);
  const Vec3 own = body.side.position(b) - body.side.position(a), other = *known.position[b] - *known.position[a];
  const double along = own.squaredNorm() > 0 ? offset.dot(own) / own.squaredNorm() : 0;
  return *known.position[a] + along * other + bone.scale * (bone.turn.transpose() * (offset - along * own));
}

// Below the last known joint `a`, as the bone from `before` to it; `before` may be kNone.
Vec3 position_beyond(const JointBody& body, const JointPositions& known, Index before, Index a, Index joint) {
  const PlacedBone bone = before != kNone ? placed_bone(body, known, before, a) : PlacedBone{known.turn, known.scale};
  return *known.position[a] +
         bone.scale * (bone.turn.transpose() * (body.side.position(joint) - body.side.position(a)));
}

}  // namespace

const char* fit_name(FitMethod method) {
  constexpr std::array kNames = {"copied", "shared", "template", "own template", "box"};
  return kNames[static_cast<std::size_t>(method)];
}

JointPositions first_positions(const JointBody& body, const Mesh& mesh, const Relation& relation,
                               TemplatePlans& reference_plans, const Progress& progress) {
  if (relation.same_place()) return copied_positions(body, relation);
  JointPositions result = searched_positions(body, mesh, reference_plans, progress);
  if (result.overall < kDoubtfulFit)
    result.findings.push_back(
        {"transfer.skeleton_doubtful", "",
         result.method == FitMethod::kBox
             ? std::string("No template fits the mesh, so the reference's joints were only scaled to its bounding box. "
                           "Check the picture, or rig the mesh first.")
             : fmt::format(
                   "The joint positions are uncertain (confidence {:.2f}). Check the picture, or rig the mesh first.",
                   result.overall)});
  return result;
}

JointPositions filled_positions(const JointBody& body, const Mesh& mesh, JointPositions known) {
  JointPositions result = std::move(known);
  std::vector<char> first(body.count(), 0);
  for (Index j = 0; j < body.count(); ++j) first[j] = result.position[j].has_value() ? 1 : 0;
  std::vector<std::vector<Index>> below(body.count());  // Known ones next below.
  Index top = kNone;
  for (Index j = 0; j < body.count(); ++j) {
    if (first[j] == 0) continue;
    if (top == kNone || body.above(j, top)) top = j;
    for (Index a = body.parent[j]; a != kNone; a = body.parent[a]) {
      below[a].push_back(j);
      if (first[a] != 0) break;
    }
  }
  for (Index j = 0; j < body.count(); ++j) {
    if (first[j] != 0) continue;
    const Index a = placed_above(body, first, j);
    if (a == kNone) {
      result.position[j] = root_position(body, mesh, result, top, j);
      result.origin[j] = "above";
      continue;
    }
    const Index b = nearest_bone_end(body, below[j], a, j);
    result.position[j] = b != kNone ? position_between(body, result, a, b, j)
                                    : position_beyond(body, result, placed_above(body, first, a), a, j);
    result.origin[j] = b != kNone ? "between" : "beyond";
    result.confidence[j] = result.confidence[a];
  }
  return result;
}

OwnTemplate own_template(const JointBody& body) {
  if (body.tops.size() != 1) return {std::nullopt, "The reference's joints do not form one tree."};
  Template made;
  made.name = "reference";
  std::size_t searched = 0;
  // Parents first, in the body; joints at one place are one.
  std::vector<std::pair<Index, Index>> open = {{body.tops.front(), kNone}};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [joint, parent] = open[i];
    Index self = parent;
    const Vec3 place = body.axes().transpose() * body.side.position(joint);
    const bool apart = parent == kNone || (made.joints[parent].position - place).norm() > 1e-4 * body.size;
    if (apart) {
      Template::Joint planned;
      planned.name = fmt::format("J{}", joint);
      planned.parent = parent;
      planned.position = place;
      const bool key = parent == kNone || body.below[joint].size() != 1;
      planned.placement = key ? Template::Placement::kSearched : Template::Placement::kRatio;
      searched += key ? 1 : 0;
      planned.fat = parent == kNone;
      self = static_cast<Index>(made.joints.size());
      made.joints.push_back(std::move(planned));
    }
    for (const Index child : body.below[joint]) open.emplace_back(child, self);
  }
  if (searched < kFewestSearched || searched > kMostSearched)
    return {std::nullopt,
            fmt::format("The reference has {} where chains begin, end or branch; a template supports {} to {}.",
                        count_of(searched, "joint"), kFewestSearched, kMostSearched)};
  try {
    return {rigging::read_template(rigging::write_template(made), "the reference's skeleton"), ""};
  } catch (const Error& problem) {
    return {std::nullopt, problem.what()};
  }
}

}  // namespace sinew::transfer
