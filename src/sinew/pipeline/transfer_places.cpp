// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/rigging/build/bone_frames.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::pipeline {
namespace {

using motion::BodyPart;
using transfer::JointBody;

/// The same body: the vertices of one mesh lie on the other's surface, and that is nowhere far from the first; means of
/// distances, as a share of the size. Levels of detail cut corners off, so that one side may be farther.
constexpr double kOnSurface = 0.001, kNearSurface = 0.006;
/// A reference's joints this far from where the template has their like, in the median, are not what the template takes
/// them for.
constexpr double kPlanFails = 0.12;
/// Below this a skeleton is worth a look.
constexpr double kDoubtfulFit = 0.3;
constexpr std::size_t kFewestSearched = 3, kMostSearched = 14;

// Both ways, on some of the vertices: neither may have what the other lacks.
bool same_surface(const Mesh& a, const Mesh& b) {
  const double size = a.size();
  if (!(size > 0) || std::abs(b.size() - size) > 0.02 * size) return false;
  const auto mean_distance = [&](const Mesh& from, const Mesh& to) {
    const geometry::RayScene scene(to);
    const Index step = std::max<Index>(1, from.vertex_count() / 1000);
    double sum = 0;
    Index count = 0;
    for (Index v = 0; v < from.vertex_count(); v += step, ++count)
      sum += scene.closest_point(from.positions[v]).distance;
    return sum / count;
  };
  const double there = mean_distance(a, b) / size, back = mean_distance(b, a) / size;
  return std::min(there, back) < kOnSurface && std::max(there, back) < kNearSurface;
}

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

void place_by_plans(const JointBody& body, const Mesh& reference_mesh, const Mesh& mesh, const TwoPlans& plans,
                    FittedPlaces& places) {
  const rigging::SkeletonPlan &ours = plans.reference.plan, &theirs = plans.target.plan;
  const std::vector<Mat3> our_axes = rigging::bone_frames(ours), their_axes = rigging::bone_frames(theirs);
  const std::vector<Index> our_next = rigging::next_joints(ours), their_next = rigging::next_joints(theirs);
  const bool trusted = median_distance(body, plans, reference_mesh.size()) < kPlanFails;
  const Inside inside(mesh);
  places.turn = plan_axes(ours) * plan_axes(theirs).transpose();
  places.scale = mesh.size() / reference_mesh.size();
  for (Index j = 0; j < body.count(); ++j) {
    const Index r = plans.of_joint[j], t = r == kNone ? kNone : plans.partner[r];
    if (t == kNone) continue;
    const rigging::PlannedJoint& planned = theirs.joints[t];
    const double here = bone_length(ours, our_next, r), there = bone_length(theirs, their_next, t);
    const double scale = here > 0 && there > 0 ? there / here : places.scale;
    Vec3 offset = scale * (their_axes[t] * our_axes[r].transpose() * (body.side.position(j) - ours.joints[r].position));
    // What is more than half a bone off has been found elsewhere than it is.
    const double most = 0.5 * there;
    if (!trusted || !offset.allFinite()) offset.setZero();
    else if (offset.norm() > most) offset *= most / offset.norm();
    for (int tries = 0; tries < 4 && !inside(planned.position + offset); ++tries) offset *= tries < 3 ? 0.5 : 0.0;
    places.place[j] = planned.position + offset;
    places.origin[j] = planned.origin;
    places.confidence[j] = planned.confidence * (trusted ? 1.0 : 0.7);
  }
  places.overall = plans.target.confidence * (trusted ? 1.0 : 0.7);
}

bool place_by_template(TransferReference& reference, const JointBody& body, const Mesh& mesh,
                       const Template& skeleton_template, bool own, FittedPlaces& places, const Progress& progress) {
  rigging::RiggerRequest request;
  request.templates = {skeleton_template};
  rigging::PlanResult there;
  try {
    rigging::RiggerOptions options;
    options.extras = "rigid";
    there = rigging::plan_skeleton(mesh, request, options, progress);
  } catch (const Error&) {
    return false;
  }
  if (!there.fits) return false;
  const std::optional<rigging::PlanResult>& here = reference.plan(skeleton_template, progress);
  // Without a plan of the reference's own the template's like is where the joint is.
  const rigging::PlanResult& ours = here ? *here : there;
  TwoPlans plans{ours, there, std::vector<Index>(body.count(), kNone), {}};
  for (const rigging::PlannedJoint& planned : ours.plan.joints)
    plans.partner.push_back(planned_like(there.plan, planned.name));
  std::size_t found = 0;
  for (Index j = 0; j < body.count(); ++j) {
    if (body.counts[j] == 0) continue;
    const std::string role = motion::role_name(body.known.roles[j]);
    if (own) plans.of_joint[j] = planned_like(ours.plan, fmt::format("J{}", j));
    else if (!role.empty()) plans.of_joint[j] = ours.plan.find_role(role);
    found += plans.of_joint[j] != kNone ? 1 : 0;
  }
  if (found < 2) return false;
  place_by_plans(body, reference.side().mesh, mesh, plans, places);
  places.how = own ? "own template" : "template";
  places.template_name = own ? "" : skeleton_template.name;
  places.warnings.insert(places.warnings.end(), there.warnings.begin(), there.warnings.end());
  return true;
}

void place_by_boxes(TransferReference& reference, const JointBody& body, const Mesh& mesh, FittedPlaces& places) {
  const Box ours = reference.side().mesh.bounds(), theirs = mesh.bounds();
  places.scale = theirs.diagonal() / ours.diagonal();
  Vec3 factor;
  for (int c = 0; c < 3; ++c)
    factor[c] = ours.extent()[c] > 1e-9 * ours.diagonal() ? theirs.extent()[c] / ours.extent()[c] : places.scale;
  for (Index j = 0; j < body.count(); ++j) {
    if (body.counts[j] == 0) continue;
    places.place[j] = theirs.center() + factor.cwiseProduct(body.side.position(j) - ours.center());
    places.origin[j] = "box";
    places.confidence[j] = 0.2;
  }
  places.how = "box";
  places.overall = 0.2;
}

/// Bones between placed joints: how the body turned and grew there.
struct PlacedBone {
  Mat3 turn = Mat3::Identity();
  double scale = 1;
};

PlacedBone placed_bone(const JointBody& body, const FittedPlaces& places, Index from, Index to) {
  const Vec3 here = body.side.position(to) - body.side.position(from), there = *places.place[to] - *places.place[from];
  PlacedBone bone{places.turn, places.scale};
  if (!(here.norm() > 1e-9 * body.size) || !(there.norm() > 1e-9 * body.size * places.scale)) return bone;
  bone.turn = transfer::smallest_turn(places.turn * there, here, Vec3::UnitZ()) * places.turn;
  bone.scale = std::clamp(there.norm() / here.norm(), 0.2 * places.scale, 5 * places.scale);
  return bone;
}

Index placed_above(const JointBody& body, const std::vector<char>& first, Index joint) {
  for (Index j = body.parent[joint]; j != kNone; j = body.parent[j])
    if (first[j] != 0) return j;
  return kNone;
}

}  // namespace

FittedPlaces first_places(TransferReference& reference, const JointBody& body, const Mesh& mesh,
                          const Progress& progress) {
  FittedPlaces places;
  places.place.resize(body.count());
  places.origin.resize(body.count());
  places.confidence.assign(body.count(), 1);
  if (same_surface(reference.side().mesh, mesh)) {
    for (Index j = 0; j < body.count(); ++j) places.place[j] = body.side.position(j), places.origin[j] = "copied";
    places.how = "copied";
    return places;
  }
  bool placed = false;
  if (const std::string name = fitting_template(body); !name.empty())
    placed = place_by_template(reference, body, mesh, rigging::find_template(name), false, places, progress);
  if (!placed)
    if (const std::optional<Template> own = own_template(body))
      placed = place_by_template(reference, body, mesh, *own, true, places, progress);
  if (!placed) place_by_boxes(reference, body, mesh, places);
  if (places.overall < kDoubtfulFit)
    places.warnings.push_back(
        {"transfer.skeleton_doubtful", "",
         places.how == "box"
             ? std::string(
                   "No template fits the mesh, so the reference's joints were only scaled with its box. Look at "
                   "the picture, or rig the mesh first with `sinew rig`.")
             : fmt::format("It is doubtful that the joints are where they should be (confidence {:.2f}). Look at the "
                           "picture, or rig the mesh first with `sinew rig`.",
                           places.overall)});
  return places;
}

void fill_places(const JointBody& body, const Mesh& mesh, FittedPlaces& places) {
  std::vector<char> first(body.count(), 0);
  for (Index j = 0; j < body.count(); ++j) first[j] = places.place[j].has_value() ? 1 : 0;
  std::vector<std::vector<Index>> below(body.count());  // Placed ones next below.
  Index top = kNone;
  std::vector<Index> order;  // Parents first, in the body.
  for (Index j = 0; j < body.count(); ++j) {
    if (first[j] == 0) continue;
    if (top == kNone || body.above(j, top)) top = j;
    for (Index a = body.parent[j]; a != kNone; a = body.parent[a]) {
      below[a].push_back(j);
      if (first[a] != 0) break;
    }
  }
  const double ground = mesh.bounds().lower.y(), own_ground = body.side.mesh.bounds().lower.y();
  for (Index j = 0; j < body.count(); ++j) {
    if (first[j] != 0) continue;
    const Vec3 place = body.side.position(j);
    const Index a = placed_above(body, first, j);
    if (a == kNone) {
      // Roots: as far above the ground, and as far to the side of the first joint.
      Vec3 offset = places.scale * (places.turn.transpose() * (place - body.side.position(top)));
      Vec3 there = *places.place[top] + offset;
      there.y() = ground + places.scale * (place.y() - own_ground);
      places.place[j] = there;
      places.origin[j] = "above";
      continue;
    }
    // Towards the placed joint below to whose bone it lies nearest.
    Index b = kNone;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index candidate : below[j]) {
      const Vec3 bone = body.side.position(candidate) - body.side.position(a), x = place - body.side.position(a);
      const double length2 = bone.squaredNorm();
      const double along = length2 > 0 ? std::clamp(x.dot(bone) / length2, 0.0, 1.0) : 0;
      if (const double distance = (x - along * bone).norm(); distance < nearest) nearest = distance, b = candidate;
    }
    PlacedBone bone{places.turn, places.scale};
    if (b != kNone) {
      bone = placed_bone(body, places, a, b);
      places.origin[j] = "between";
    } else {
      const Index before = placed_above(body, first, a);
      if (before != kNone) bone = placed_bone(body, places, before, a);
      places.origin[j] = "beyond";
    }
    Vec3 offset = place - body.side.position(a);
    if (b != kNone) {
      const Vec3 own = body.side.position(b) - body.side.position(a), other = *places.place[b] - *places.place[a];
      const double along = own.squaredNorm() > 0 ? offset.dot(own) / own.squaredNorm() : 0;
      places.place[j] =
          *places.place[a] + along * other + bone.scale * (bone.turn.transpose() * (offset - along * own));
    } else {
      places.place[j] = *places.place[a] + bone.scale * (bone.turn.transpose() * offset);
    }
    places.confidence[j] = places.confidence[a];
  }
}

std::optional<Template> own_template(const JointBody& body) {
  if (body.tops.size() != 1) return {};
  Template made;
  made.name = "reference";
  std::vector<Index> number(body.count(), kNone);
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
    number[joint] = self;
    for (const Index child : body.below[joint]) open.emplace_back(child, self);
  }
  if (searched < kFewestSearched || searched > kMostSearched) return {};
  try {
    return rigging::read_template(rigging::write_template(made), "the reference's skeleton");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace sinew::pipeline
