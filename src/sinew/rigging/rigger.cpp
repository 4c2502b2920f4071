// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/rigger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/anatomy/anatomy.h"
#include "sinew/rigging/anatomy/extras.h"
#include "sinew/rigging/anatomy/eyes.h"
#include "sinew/rigging/anatomy/fingers.h"
#include "sinew/rigging/anatomy/generic.h"
#include "sinew/rigging/anatomy/inside.h"
#include "sinew/rigging/anatomy/mirror_plane.h"
#include "sinew/rigging/anatomy/pieces.h"
#include "sinew/rigging/anatomy/symmetry.h"
#include "sinew/rigging/anatomy/upright.h"
#include "sinew/rigging/anatomy/upright_fit.h"
#include "sinew/rigging/embed/choice.h"
#include "sinew/rigging/embed/published.h"
#include "sinew/rigging/hints.h"
#include "sinew/rigging/plans/generic_names.h"
#include "sinew/rigging/plans/plan_reading.h"
#include "sinew/rigging/sanity.h"

namespace sinew::rigging {
namespace {

constexpr std::size_t kMostReadings = 6;
constexpr int kCoarse = 96;
constexpr double kMostCoarse = 75000;  // Solid voxels of the grid on which readings are compared.
constexpr double kHintReach = 0.05;    // How far a joint may be from its hint, in the interior's frame.
constexpr double kAsRead = 0.005;      // A hint nearer than this agrees with the joint.
constexpr double kMuch = 0.25;         // Of the volume: more than props and clothes beside the body usually have.
constexpr double kClear = 0.06;        // A body plan of this cost has no doubts, and nothing else is searched.

/// The joint that the search places for a joint's sake: itself, or the one at the end of its limb.
Index searched_joint(const Template& t, Index joint) {
  for (const Template::Limb& limb : t.limbs) {
    if (limb.joints.back() != joint) continue;
    if (t.joints[joint].placement == Template::Placement::kSearched) return joint;
    for (Index j = joint + 1; j < t.joints.size(); ++j)
      if (t.joints[j].parent == joint && t.joints[j].placement == Template::Placement::kSearched) return j;
  }
  return joint;
}

class Rigger {
 public:
  /// `mesh` is what joints are searched in; `whole` also has eyes, props and clothes.
  Rigger(const Mesh& mesh, const Mesh& whole, const RiggerRequest& request, const RiggerOptions& options,
         const Progress& progress)
      : mesh_(mesh), whole_(whole), request_(request), options_(options), progress_(progress) {}

  PlanResult run() {
    templates_ = request_.templates;
    if (!options_.without.empty())
      for (Template& t : templates_) t = without_limbs(t, options_.without);
    check_names();
    keep_templates_with(templates_, request_.hints, request_.given);
    stage("inside", 0.05);
    BodyOptions body_options;
    body_options.packing.most = 500;
    if (options_.compat) body_options.medial.angle_deg = 90;
    body_ = make_body(mesh_, body_options, progress_);
    result_.metrics["voxels"] = body_.interior.voxels.solid.size();
    result_.metrics["spheres"] = body_.graph.size();
    result_.metrics["medial_samples"] = body_.samples.size();
    result_.metrics["left_out_volume"] = body_.interior.left_out;
    if (body_.interior.left_out > 0.05)
      warn(body_.interior.left_out > kMuch ? "rig.much_left_out" : "rig.left_out",
           fmt::format("{:.0f} % of the volume is separate from the body and is not used to find joints.",
                       100 * body_.interior.left_out));
    stage("search", 0.2);
    read_plan();
    const bool contradicted = reading_ && contradicts_hints();
    if (reading_ && reading_->cost <= kClear && !may_be_a_person() && !contradicted) return planned();
    search();
    if (contradicted && !choice_.ranked.empty() && best_.without.empty() &&
        best_.skeleton_template.name != reading_->template_name)
      reading_.reset();
    const bool named_by_hints = contradicted && reading_;
    const bool person = reading_ && may_be_a_person() && found_a_person();
    // Part of a template fits many bodies; a whole plan says more.
    if (named_by_hints) return planned();
    if (reading_ && !person && (choice_.ranked.empty() || !best_.without.empty() || reading_->cost < best_.cost))
      return planned();
    if (choice_.ranked.empty() || unlike_all()) return generic();
    stage("joints", 0.5);
    place();
    stage("details", 0.7);
    details();
    finish();
    return std::move(result_);
  }

 private:
  void stage(const char* name, double share) {
    progress_.step(name, share);
    if (request_.on_stage) request_.on_stage(name);
  }

  void warn(const char* code, std::string text, std::string where = {}) {
    result_.warnings.push_back({code, std::move(where), std::move(text)});
  }

  void check_names() const {
    for (const auto* places : {&request_.hints, &request_.given})
      for (const auto& [name, place] : *places) {
        if (!place.allFinite())
          throw Error(
              fmt::format("The position given for the joint '{}' is not finite. Specify three finite numbers.", name));
        if (std::none_of(templates_.begin(), templates_.end(),
                         [&wanted = name](const Template& t) { return find_joint(t, wanted) != kNone; }))
          throw Error(fmt::format("No joint of the template is called '{}'. {}", name, some_names()));
      }
  }

  /// Bodies other than people, by what stands on the ground and where it is. Only plans whose template may be chosen.
  void read_plan() {
    if (options_.compat || request_.weights || !options_.without.empty()) return;
    reading_ = read_body_plan(body_.interior, options_.orientation == "keep");
    if (!reading_) return;
    result_.metrics["plan"] = {{"template", reading_->template_name},
                               {"cost", reading_->cost},
                               {"symmetry", reading_->frame.symmetry},
                               {"doubts", reading_->doubts},
                               {"evidence", reading_->evidence}};
    const auto named = std::find_if(templates_.begin(), templates_.end(),
                                    [&](const Template& t) { return t.name == reading_->template_name; });
    if (named == templates_.end()) return reading_.reset();
    best_of_plan_ = *named;
    turn_to_hints();
  }

  /// The plan facing the other way, if hints say that its head is where it has its tail.
  void turn_to_hints() {
    if (request_.hints.empty()) return;
    std::optional<PlanReading> other = read_turned(body_.interior, *reading_);
    if (!other || other->template_name != reading_->template_name) return;
    if (plan_hint_cost(*other) < plan_hint_cost(*reading_)) reading_ = std::move(other);
  }

  double plan_hint_cost(const PlanReading& reading) const {
    const SkeletonPlan plan = skeleton_of(reading, best_of_plan_, body_.interior);
    const PlanAnatomy read = anatomy_of(plan, best_of_plan_, body_.interior);
    return anchor_distance(read.anatomy, anchors_of(read.own, request_.hints, body_.interior), kHintReach);
  }

  /// Whether a plan lacks a hinted joint that a template which is searched has: then it is not what the user sees.
  bool contradicts_hints() const {
    const bool searched = std::any_of(templates_.begin(), templates_.end(), [](const Template& t) { return !t.plan; });
    return searched && std::any_of(request_.hints.begin(), request_.hints.end(), [&](const auto& hint) {
             const Index j = find_joint(best_of_plan_, hint.first);
             return j != kNone && reading_->places.joints.count(best_of_plan_.joints[j].role) == 0 &&
                    !best_of_plan_.joints[j].optional;
           });
  }

  /// What stands on two legs is a person as long as the proportions do not say otherwise.
  bool may_be_a_person() const {
    return (reading_->template_name == "bird" || reading_->template_name == "tailed_biped") &&
           std::any_of(templates_.begin(), templates_.end(), [](const Template& t) { return t.name == "human"; });
  }

  /// Whether the search found a person with the proportions of one.
  bool found_a_person() const {
    if (choice_.ranked.empty() || best_.skeleton_template.name != "human" || !best_.without.empty()) return false;
    constexpr std::size_t kFew = 2;
    constexpr double kCheap = 0.05;
    if (best_.searched && best_.fit.found.penalty < kCheap) return true;
    SkeletonPlan plan;
    plan.template_name = "human";
    const Mat3 back = best_.fit.turn.transpose();
    plan.left = back.col(0), plan.up = back.col(1), plan.forward = back.col(2);
    for (Index j = 0; j < best_.skeleton_template.joints.size(); ++j) {
      if (anatomy_.origins[j].empty()) continue;
      PlannedJoint joint;
      joint.role = best_.skeleton_template.joints[j].role;
      joint.position = body_.interior.to_model(anatomy_.places[j]);
      plan.joints.push_back(std::move(joint));
    }
    return check_proportions(plan, mesh_).implausible.size() <= kFew;
  }

  PlanResult planned() {
    stage("joints", 0.5);
    by_plan_ = true;
    choice_ = {};
    best_ = {};
    best_.skeleton_template = best_of_plan_;
    best_.cost = reading_->cost;
    result_.metrics["cost"] = best_.cost;
    result_.plan = skeleton_of(*reading_, best_of_plan_, body_.interior);
    result_.confidence = confidence_of(*reading_);
    anchor_plan();
    stage("details", 0.7);
    details();
    finish();
    return std::move(result_);
  }

  /// A plan that was read from the ground has its joints where the caller says, and limbs and trunk follow.
  void anchor_plan() {
    SkeletonPlan& plan = result_.plan;
    PlanAnatomy read = anatomy_of(plan, best_of_plan_, body_.interior);
    mirrors_ = finds_mirror(read.own);
    if (given_any()) {
      anatomy_ = std::move(read.anatomy);
      given_.assign(read.own.joints.size(), 0);
      honour_hints(read.own, Mat3::Identity());
      for (Index j = 0; j < plan.joints.size(); ++j) {
        plan.joints[j].position = body_.interior.to_model(anatomy_.places[j]);
        plan.joints[j].origin = anatomy_.origins[j];
      }
    }
    mirror();
  }

  std::string some_names() const {
    std::string text = "Examples of joints:";
    int count = 0;
    for (const Template::Joint& joint : templates_.front().joints)
      if (!joint.role.empty() && !joint.optional && ++count <= 8)
        text += fmt::format("{} {}", count > 1 ? "," : "", joint.role);
    return text + ".";
  }

  std::vector<Hint> hints_for(const Template& t) const {
    std::vector<Hint> hints;
    for (const auto* places : {&request_.hints, &request_.given})
      for (const auto& [name, place] : *places)
        if (const Index j = find_joint(t, name); j != kNone)
          hints.push_back({searched_joint(t, j), body_.interior.to_unit(place)});
    return hints;
  }

  void search() {
    ChoiceOptions options;
    options.keep_orientation = options_.orientation == "keep";
    options.whole_only = !options_.without.empty();
    if (request_.weights) options.search.weights = *request_.weights;
    std::vector<Template> searched = templates_;
    std::erase_if(searched, [](const Template& t) { return t.plan; });
    std::vector<std::vector<Hint>> hints;
    for (const Template& t : searched) hints.push_back(hints_for(t));
    choice_ = choose(body_, searched, hints, options, progress_);
    // What is hinted may be beside every sphere, as a wrist at the cut of a hand is: joints are then moved afterwards.
    if (choice_.ranked.empty() && given_any()) {
      hints.assign(searched.size(), {});
      choice_ = choose(body_, searched, hints, options, progress_);
    }
    result_.metrics["searches"] = choice_.searches;
    result_.metrics["search_entries"] = choice_.entries;
    result_.metrics["proven"] = choice_.proven;
    compare();
    if (!choice_.ranked.empty()) judge();
  }

  /// Penalties know spheres and ways between them; the joints read off the shape, and the feet, tell better whether it
  /// is this body and which way it faces. So readings are compared by both, from the lowest penalty on, until no other
  /// can cost less.
  void compare() {
    // Readings are compared on a coarse grid, which is ten times quicker; only the best is read off the fine one.
    std::optional<Interior> coarse;
    std::optional<BodyWays> ways;
    if (!options_.compat) {
      const int resolution = bounded_resolution(body_.interior, kCoarse, kMostCoarse);
      coarse.emplace(interior(mesh_, {.resolution = resolution}, progress_));
      result_.metrics["reading_voxels"] = coarse->voxels.solid.size();
      ways.emplace(*coarse);
    }
    if (ways) add_upright(*ways);
    if (choice_.ranked.empty()) return;
    double least = std::numeric_limits<double>::infinity();
    double facing_cost_of_best = 0;
    Json readings = Json::array();
    for (Candidate& candidate : choice_.ranked) {
      if (candidate.fit.found.penalty >= least || readings.size() >= kMostReadings) break;
      Anatomy anatomy = options_.compat ? published_places(body_, candidate.skeleton_template, candidate.fit)
                                        : read_anatomy(*ways, candidate.skeleton_template, candidate.fit);
      if (!options_.compat) {
        correct_upright(*coarse, candidate.skeleton_template, candidate.fit.turn, candidate.searched, anatomy);
      }
      const double shape = options_.compat ? 0 : shape_cost(candidate.skeleton_template, candidate.fit.turn, anatomy);
      const double facing = facing_cost(candidate);
      const double hinted = hint_cost(candidate.skeleton_template, anatomy);
      candidate.cost = candidate.fit.found.penalty + shape + facing + hinted;
      readings.push_back({{"template", candidate.skeleton_template.name},
                          {"without", candidate.without},
                          {"searched", candidate.searched},
                          {"penalty", candidate.fit.found.penalty},
                          {"shape", shape},
                          {"facing", facing},
                          {"hints", hinted}});
      if (candidate.cost >= least) continue;
      least = candidate.cost;
      facing_cost_of_best = facing;
      shape_ = shape;
      best_ = candidate;
      anatomy_ = std::move(anatomy);
    }
    result_.metrics["readings"] = std::move(readings);
    if (options_.compat) return;
    anatomy_ = read_anatomy(BodyWays(body_.interior), best_.skeleton_template, best_.fit);
    correct_upright(body_.interior, best_.skeleton_template, best_.fit.turn, best_.searched, anatomy_);
    shape_ = shape_cost(best_.skeleton_template, best_.fit.turn, anatomy_);
    best_.cost = best_.fit.found.penalty + shape_ + facing_cost_of_best;
  }

  /// A reading of people without a search, beside those of the search, unless that found a person who fits well.
  void add_upright(const BodyWays& ways) {
    constexpr double kGood = 0.05, kPenalty = 0.1;
    for (const Template& t : templates_) {
      if (t.plan) continue;
      if (std::any_of(choice_.ranked.begin(), choice_.ranked.end(), [&](const Candidate& other) {
            return other.skeleton_template.name == t.name && other.fit.found.penalty < kGood;
          }))
        continue;
      std::optional<Fit> found = upright_fit(body_, ways, t, options_.orientation == "keep");
      if (!found) continue;
      Candidate candidate;
      candidate.skeleton_template = t;
      candidate.fit = *std::move(found);
      candidate.fit.found.penalty = kPenalty;
      candidate.searched = false;
      choice_.ranked.push_back(std::move(candidate));
    }
    std::stable_sort(choice_.ranked.begin(), choice_.ranked.end(),
                     [](const Candidate& a, const Candidate& b) { return a.fit.found.penalty < b.fit.found.penalty; });
  }

  /// Whether the best reading is no reading at all: then a skeleton of no names is more use than one of wrong names.
  /// Who names a template, or a joint's place, gets it.
  bool unlike_all() const {
    constexpr double kUnlike = 0.5, kUnsure = 0.1;
    const bool unlike =
        best_.cost > kUnlike || (best_.skeleton_template.name != "human" && result_.confidence < kUnsure);
    return unlike && request_.templates.size() > 1 && !given_any();
  }

  /// Feet point forward: what lies on the ground is compared with the legs above it. Where they do not tell, the body
  /// faces as files should have it.
  double facing_cost(const Candidate& candidate) {
    if (options_.orientation == "keep" || !walks_upright(candidate.skeleton_template)) return 0;
    constexpr double kTells = 0.006, kWrong = 0.05, kUnusual = 0.02, kSlope = 8, kMost = 0.25;
    const double ahead = feet_ahead(body_.interior, candidate.fit.turn);
    if (ahead < -kTells) return std::min(kMost, kWrong + kSlope * (-ahead - kTells));
    return ahead > kTells || candidate.fit.turn.isIdentity() ? 0 : kUnusual;
  }

  static bool has_limb(const Template& t, const char* kind) {
    return std::any_of(t.limbs.begin(), t.limbs.end(), [&](const Template::Limb& limb) { return limb.kind == kind; });
  }
  static bool has_arms(const Template& t) { return has_limb(t, "arm"); }
  static bool walks_upright(const Template& t) { return has_limb(t, "leg") && !has_limb(t, "neck"); }

  /// Confidence: how far the next reading of the body that means something else is away, and how much like the template
  /// it is.
  void judge() {
    SearchOptions again;
    again.worst = std::min(1.0, 2 * best_.fit.found.penalty + 0.05);
    again.most_entries = 20000;
    best_.fit.found = [&] {
      SearchResult found = best_.fit.found;
      if (!best_.searched) return found;
      const SearchResult repeated =
          fit(body_, best_.skeleton_template, best_.fit.turn, hints_for(best_.skeleton_template), again, progress_)
              .found;
      found.runner_up = repeated.runner_up;
      found.runner_up_penalty = repeated.runner_up_penalty;
      return found;
    }();
    const SearchResult& found = best_.fit.found;
    // What was not found costs at least as much as was looked for; another reading of this template what its penalty is
    // more. That was compared without the shape, hence 0.05 on top.
    double next =
        best_.cost + (found.runner_up.empty() ? found.penalty + 0.05 : found.runner_up_penalty - found.penalty) + 0.05;
    std::string next_name = found.runner_up.empty() ? "" : best_.skeleton_template.name;
    for (const Candidate& other : choice_.ranked) {
      if (other.skeleton_template.name == best_.skeleton_template.name || other.cost == 0) continue;
      if (other.cost < next) next = other.cost, next_name = other.skeleton_template.name;
    }
    const double margin = std::clamp((next - best_.cost) / (0.5 * best_.cost + 0.02), 0.0, 1.0);
    const double quality = std::clamp((0.4 - best_.cost) / 0.25, 0.0, 1.0);
    result_.confidence = margin * quality;
    result_.metrics["shape"] = shape_;
    result_.metrics["cost"] = best_.cost;
    result_.metrics["next_cost"] = next;
    result_.metrics["penalty"] = found.penalty;
    result_.metrics["next_template"] = next_name;
    Json terms = Json::object();
    for (std::size_t k = 0; k < kPenalties; ++k) {
      double sum = 0;
      for (const auto& joint : found.terms) sum += joint[k];
      terms[penalty_names()[k]] = sum;
    }
    result_.metrics["terms"] = std::move(terms);
  }

  void place() {
    const Template& t = best_.skeleton_template;
    SkeletonPlan& plan = result_.plan;
    plan.template_name = t.name;
    const Mat3 back = best_.fit.turn.transpose();
    plan.left = back.col(0), plan.up = back.col(1), plan.forward = back.col(2);
    given_.assign(t.joints.size(), 0);
    keep_inside(body_, t, anatomy_, given_);
    plan_joints(t);
    // Whether the pose is symmetric is for the shape to say, not for the hints.
    mirrors_ = finds_mirror(t);
    if (given_any()) {
      honour_hints(t, best_.fit.turn);
      keep_inside(body_, t, anatomy_, given_);
      plan_joints(t);
    }
    mirror();
  }

  /// The joints of the plan from those of the anatomy.
  void plan_joints(const Template& t) {
    SkeletonPlan& plan = result_.plan;
    plan.joints.clear();
    std::vector<Index> planned(t.joints.size(), kNone);
    for (Index j = 0; j < t.joints.size(); ++j) {
      if (anatomy_.origins[j].empty()) continue;
      const Template::Joint& joint = t.joints[j];
      PlannedJoint p;
      p.name = joint.name;
      p.role = joint.role;
      p.parent = joint.parent == kNone ? kNone : planned[joint.parent];
      p.position = body_.interior.to_model(anatomy_.places[j]);
      p.limits = joint.limits;
      p.origin = anatomy_.origins[j];
      p.confidence = result_.confidence;
      planned[j] = static_cast<Index>(plan.joints.size());
      plan.joints.push_back(std::move(p));
    }
    for (Index j = 0; j < t.joints.size(); ++j)
      if (planned[j] != kNone && t.joints[j].partner != kNone)
        plan.joints[planned[j]].partner = planned[t.joints[j].partner];
    for (const FoundLimb& found : anatomy_.limbs) {
      if (t.limbs[found.limb].kind == "stem") continue;  // It ends at the root, not at a leaf.
      Index last = t.limbs[found.limb].joints.back();
      for (Index j = last + 1; j < t.joints.size(); ++j)
        if (t.joints[j].parent == last && planned[j] != kNone) last = j;
      if (!found.profile.empty())
        plan.joints[planned[last]].end = body_.interior.to_model(found.profile.slices.front().center);
    }
  }

  /// What a reading costs whose joints are not where they are hinted to be.
  double hint_cost(const Template& t, const Anatomy& anatomy) const {
    return anchor_distance(anatomy, anchors_of(t, request_.hints, body_.interior), kHintReach);
  }

  void honour_hints(const Template& t, const Mat3& turn) {
    Anchors anchors = anchors_of(t, request_.hints, body_.interior);
    if (mirrors_) mirror_anchors(anchors, t, result_.plan, body_.interior);
    // What is as near as a picture can be read stays where the shape has it.
    std::erase_if(anchors, [&](const auto& anchor) {
      return !anatomy_.origins[anchor.first].empty() &&
             (anatomy_.places[anchor.first] - anchor.second).norm() <= kAsRead;
    });
    anchor_joints(t, turn, anchors, anatomy_);
    for (const auto& [joint, place] : anchors) {
      const bool outside = geometry::sample(body_.interior.depth, place) > 0;
      given_[joint] = outside ? 0 : 1;
      if (outside)
        warn("rig.hint_outside", "The hint is outside the body. The joint is placed inside, near the hint.",
             t.joints[joint].name);
    }
    for (const auto& [name, place] : request_.given) {
      const Index j = find_joint(t, name);
      if (j == kNone) continue;
      anatomy_.places[j] = body_.interior.to_unit(place);
      anatomy_.origins[j] = "given";
      given_[j] = 1;
      if (geometry::sample(body_.interior.depth, anatomy_.places[j]) > 0)
        warn("rig.outside", "The position given for this joint is outside the body. It is used unchanged.", name);
    }
  }

  /// Whether partners are to be mirror images, and across which plane.
  bool finds_mirror(const Template& t) {
    SkeletonPlan& plan = result_.plan;
    plan.mirror_point = mesh_.bounds().center();
    if (options_.symmetry == "off") return false;
    const std::optional<MirrorPlane> plane = find_mirror_plane_near(mesh_, plan.left);
    if (plane) {
      result_.metrics["mirror_median"] = plane->median_rel;
      result_.metrics["mirror_p95"] = plane->p95_rel;
    }
    const bool mirrors = plane && plane->symmetric() && is_symmetric_pose(plan, *plane);
    if (!mirrors && options_.symmetry != "on") return false;
    if (!request_.given.empty()) return false;  // Who says where joints lie exactly means that side alone.
    if (!mirrors)
      warn("rig.not_symmetric",
           "The mesh is not symmetric. Joints are mirrored nevertheless, across the middle of its bounding box.");
    else use_plane(plan, *plane);
    return are_symmetric(anchors_of(t, request_.hints, body_.interior), t, plan, body_.interior, kHintReach);
  }

  void mirror() {
    if (!mirrors_) return;
    result_.plan.symmetric = true;
    make_symmetric(result_.plan);
  }

  bool given_any() const { return !request_.given.empty() || !request_.hints.empty(); }

  void details() {
    SkeletonPlan& plan = result_.plan;
    const auto add = [&](Findings found) {
      result_.warnings.insert(result_.warnings.end(), found.begin(), found.end());
    };
    add_eyes(plan, whole_);
    // A hand at the end of an arm may have fingers; the paw that a leg ends in has none of its own.
    if (options_.fingers != "none" && plan.find_role("left_hand") != kNone && has_arms(best_.skeleton_template) &&
        !has_fingers(plan))
      add(add_fingers(plan, mesh_, progress_));
    const std::vector<Protrusion> found = protrusions(body_.interior, plan_bones(plan, body_.interior).bones);
    // Crawlers have as many legs as their plan; what has more is something else.
    const bool crawls = plan.template_name == "insect" || plan.template_name == "spider";
    if (!by_plan_ || crawls) count_unexplained(found);
    add(add_extras(plan, body_.interior, options_.extras, best_.skeleton_template, found));
    if (by_plan_) raise_tail_root(*reading_, body_.interior, plan);
    if (!request_.hints.empty()) settle_hints(plan, best_.skeleton_template, request_.hints, mirrors_);
    pull_inside(plan, whole_);
  }

  /// Of hints: then the user says which fingers there are.
  static bool has_fingers(const SkeletonPlan& plan) {
    const Index left = plan.find_role("left_hand"), right = plan.find_role("right_hand");
    return std::any_of(plan.joints.begin(), plan.joints.end(), [&](const PlannedJoint& joint) {
      return joint.parent != kNone && (joint.parent == left || joint.parent == right);
    });
  }

  /// A body with several long limbs that the template does not have is hardly what the template is of: an octopus is no
  /// hand.
  void count_unexplained(const std::vector<Protrusion>& found) {
    constexpr double kLong = 0.15;
    constexpr int kMany = 3;
    int limbs = 0;
    for (const Protrusion& protrusion : found) limbs += protrusion.length >= kLong ? 1 : 0;
    result_.metrics["unexplained_limbs"] = limbs;
    if (limbs < kMany) return;
    result_.confidence *= 0.4;
    warn("rig.unexplained",
         fmt::format("The {} template does not cover {} long parts of the body.", result_.plan.template_name, limbs));
  }

  /// Proportions that no artist's skeleton has make a result doubtful; usual ones make up for a small margin.
  void check_sanity() {
    const SanityResult sanity = check_proportions(result_.plan, mesh_);
    result_.metrics["proportions_checked"] = sanity.checked;
    Json broken = Json::array();
    for (const ImplausibleProportion& found : sanity.implausible) {
      broken.push_back({{"what", found.what}, {"value", found.value}, {"least", found.least}, {"most", found.most}});
      for (const Index j : found.joints) result_.plan.joints[j].confidence *= 0.6;
    }
    result_.metrics["implausible"] = std::move(broken);
    if (sanity.checked == 0) return;
    constexpr double kUsual = 0.45;
    if (sanity.implausible.empty() && best_.without.empty()) result_.confidence = std::max(result_.confidence, kUsual);
    result_.confidence = std::min(result_.confidence, most_confidence(sanity));
    if (sanity.implausible.size() < 2) return;
    std::string list;
    for (const ImplausibleProportion& found : sanity.implausible) list += (list.empty() ? "" : ", ") + found.what;
    warn("rig.implausible", fmt::format("Unusual proportions: {}.", list));
  }

  void finish() {
    check_sanity();
    // Fewer hands were measured than people.
    constexpr double kMostOfHands = 0.85;
    if (result_.plan.template_name == "hand") result_.confidence = std::min(result_.confidence, kMostOfHands);
    for (PlannedJoint& joint : result_.plan.joints) joint.confidence = std::min(joint.confidence, result_.confidence);
    if (!best_.without.empty())
      warn("rig.without", fmt::format("The body seems to have no {}, so the {} template is used without {}. Confirm "
                                      "this with the option 'without', or give joint positions with the option 'hint'.",
                                      best_.without, result_.plan.template_name, best_.without));
    if (!choice_.proven) warn("rig.not_proven", "The search was cut short; a better fit may exist.");
    if (result_.confidence < options_.min_confidence)
      warn("rig.doubtful", fmt::format("The {} template fits with a confidence of only {:.2f}. Check the result, and "
                                       "correct it with the options 'template' or 'hint'.",
                                       result_.plan.template_name, result_.confidence));
    check_hints_used(result_.plan, request_.hints);
  }

  PlanResult generic() {
    stage("generic", 0.5);
    result_.fits = false;
    result_.confidence = 0;
    result_.plan = generic_plan(body_.interior, body_.graph);
    name_generic_limbs(body_.interior, result_.plan);
    result_.plan.mirror_point = mesh_.bounds().center();
    pull_inside(result_.plan, whole_);
    std::string names;
    for (const Template& t : templates_) names += (names.empty() ? "" : ", ") + t.name;
    check_hints_used(result_.plan, request_.hints);
    warn(result_.confidence < options_.min_confidence ? "rig.generic_doubtful" : "rig.generic",
         fmt::format("No template fits ({}). The joints follow the shape alone and are not named after body parts. "
                     "Choose a template with the option 'template', or give joint positions with the option 'hint'.",
                     names));
    return std::move(result_);
  }

  const Mesh& mesh_;
  const Mesh& whole_;
  const RiggerRequest& request_;
  const RiggerOptions& options_;
  const Progress& progress_;
  std::vector<Template> templates_;
  Body body_;
  Choice choice_;
  Candidate best_;
  std::optional<PlanReading> reading_;
  Template best_of_plan_;
  bool by_plan_ = false;
  Anatomy anatomy_;
  double shape_ = 0;
  std::vector<char> given_;  // Per joint of the template: stays exactly where it is.
  bool mirrors_ = false;
  PlanResult result_;
};

}  // namespace

PlanResult plan_skeleton(const Mesh& mesh, const RiggerRequest& request, const RiggerOptions& options,
                         const Progress& progress) {
  if (request.templates.empty()) throw Error("The request contains no templates. Add at least one.");
  if (options.compat) return Rigger(mesh, mesh, request, options, progress).run();
  PieceSorting pieces = sort_pieces(mesh, progress);
  const Mesh body = body_of(mesh, pieces);
  PlanResult result = Rigger(pieces.all_body() ? mesh : body, mesh, request, options, progress).run();
  result.metrics["pieces"] = pieces.metrics();
  if (!pieces.all_body()) result.warnings.push_back({"rig.pieces", "", describe_others(pieces)});
  result.pieces = std::move(pieces);
  return result;
}

PlanResult plan_generic_skeleton(const Mesh& mesh, const StageListener& on_stage, const Progress& progress) {
  PlanResult result;
  if (on_stage) on_stage("inside");
  result.pieces = sort_pieces(mesh, progress);
  const Body body = make_body(body_of(mesh, result.pieces), {}, progress);
  if (on_stage) on_stage("joints");
  result.plan = generic_plan(body.interior, body.graph);
  name_generic_limbs(body.interior, result.plan);
  result.confidence = 1;
  return result;
}

}  // namespace sinew::rigging
