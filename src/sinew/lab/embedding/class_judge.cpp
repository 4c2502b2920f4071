// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/class_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/pipeline/rig.h"
#include "sinew/pipeline/rig_curves.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

struct Bounds {
  double mean, largest;
};
constexpr Bounds kRightPerson{0.06, 0.12}, kRightAnimal{0.08, 0.15}, kUsablePerson{0.09, 0.20};
constexpr double kCreatureMean = 0.06;
constexpr double kNear = 0.10, kCoveredShare = 0.9;
constexpr double kHeadNear = 0.15;
constexpr double kSideSlack = 0.02;     ///< A joint on the mid-plane may be this far across it.
constexpr double kSwapSlack = 0.04;     ///< A joint this near its true place is at its own limb.
constexpr double kMostLogRatio = 0.46;  ///< Between the lengths of partners, as artists' skeletons have at most.

constexpr std::array<const char*, 6> kLimbJoints = {"upper_arm", "forearm", "hand", "thigh", "shin", "foot"};
constexpr std::array<const char*, 6> kOtherLimb = {"thigh", "shin", "foot", "upper_arm", "forearm", "hand"};

std::vector<std::string> compared_roles(BodyClass body) {
  std::vector<std::string> roles;
  if (body == BodyClass::kHands) {
    roles.emplace_back("hand");
    for (const char* finger : {"thumb", "index", "middle", "ring", "little"})
      for (int i = 1; i <= 3; ++i) roles.push_back(fmt::format("{}_{}", finger, i));
    return roles;
  }
  roles = {"neck", "head"};
  for (const char* side : {"left", "right"})
    for (const char* joint : kLimbJoints) roles.push_back(fmt::format("{}_{}", side, joint));
  if (is_person(body)) return roles;
  roles.emplace_back("tail_1");
  for (const char* side : {"left", "right"})
    for (const char* end : {"fore_end", "hind_end"}) roles.push_back(fmt::format("{}_{}", side, end));
  return roles;
}

std::string other_side(const std::string& role) {
  if (role.starts_with("left_")) return "right_" + role.substr(5);
  return role.starts_with("right_") ? "left_" + role.substr(6) : std::string();
}

/// The same joint of the other pair of limbs: the thigh for the upper arm.
std::string other_pair(const std::string& role) {
  for (std::size_t k = 0; k < kLimbJoints.size(); ++k)
    if (role.ends_with(std::string("_") + kLimbJoints[k]))
      return role.substr(0, role.size() - std::string_view(kLimbJoints[k]).size()) + kOtherLimb[k];
  return {};
}

class ClassJudge {
 public:
  ClassJudge(const RealSubject& subject, RealOutcome& outcome)
      : subject_(subject), plan_(outcome.result.plan), o_(outcome), body_(subject.character->body) {}

  void run() {
    o_.wanted = o_.result.plan.joints.size() > 1 && subject_.character->wants(plan_.template_name);
    o_.warned = !o_.result.fits || std::any_of(o_.result.warnings.begin(), o_.result.warnings.end(), [](const auto& f) {
      return f.code == "rig.doubtful" || f.code == "rig.without";
    });
    const bool creature = body_ == BodyClass::kCreatures;
    if (subject_.joints.empty()) {
      judge_without_truth();
      return;
    }
    measure_coverage();
    if (!creature && o_.wanted) compare();
    if (!creature) find_outside();
    decide(creature);
  }

 private:
  void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : " ") + item; }

  void say(std::string text) { o_.reason += (o_.reason.empty() ? "" : ", ") + std::move(text); }

  const rigging::PlannedJoint* found(const std::string& role) const {
    const Index j = plan_.find_role(role);
    return j == kNone ? nullptr : &plan_.joints[j];
  }

  /// Where the result puts a role; of the end of a leg, its nearest joint or end beyond the shin.
  std::optional<Vec3> place(const std::string& role, const Vec3& truth) const {
    if (!role.ends_with("_end")) {
      const rigging::PlannedJoint* joint = found(role);
      return joint == nullptr ? std::nullopt : std::optional(joint->position);
    }
    const std::string side = role.substr(0, role.find('_'));
    const bool fore = role.find("fore") != std::string::npos;
    std::optional<Vec3> best;
    for (const char* part : fore ? std::array{"hand", "hand_2"} : std::array{"foot", "toes"}) {
      const rigging::PlannedJoint* joint = found(side + "_" + part);
      if (joint == nullptr) continue;
      for (const std::optional<Vec3>& at : {std::optional(joint->position), joint->end})
        if (at && (!best || (*at - truth).norm() < (*best - truth).norm())) best = at;
    }
    return best;
  }

  void compare() {
    double sum = 0;
    int count = 0;
    for (const std::string& role : compared_roles(body_)) {
      const TrueJoint* truth = subject_.find_role(role);
      if (truth == nullptr) continue;
      ComparedJoint joint{role, truth->position, place(role, truth->position), 0};
      if (joint.found) {
        joint.error = (*joint.found - joint.truth).norm() / subject_.size;
        sum += joint.error;
        ++count;
        if (joint.error > o_.largest) o_.largest = joint.error, o_.largest_joint = role;
        o_.swapped += is_swapped(joint) ? 1 : 0;
      } else if (role != "tail_1") {  // A tail without joints of its own follows the rump.
        add(o_.missing, role);
      }
      o_.compared.push_back(std::move(joint));
    }
    if (count > 0) o_.error = sum / count;
  }

  bool is_swapped(const ComparedJoint& joint) const {
    if (joint.error < kSwapSlack) return false;
    for (const std::string& other : {other_side(joint.role), other_pair(joint.role)}) {
      const TrueJoint* there = other.empty() ? nullptr : subject_.find_role(other);
      if (there != nullptr && (*joint.found - there->position).norm() < joint.error * subject_.size) return true;
    }
    return false;
  }

  void find_outside() {
    const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(subject_.mesh);
    const geometry::TriangleSoup soup{subject_.mesh.positions, triangles};
    const geometry::FastWinding winding(soup, geometry::solid_facing(soup).signs);
    for (const std::string& role : compared_roles(body_)) {
      const rigging::PlannedJoint* joint = found(role);
      if (joint != nullptr && winding.at(joint->position) <= 0.5) add(o_.outside, role);
    }
  }

  double distance_to_found(const Vec3& point) const {
    double best = std::numeric_limits<double>::infinity();
    for (const rigging::PlannedJoint& joint : plan_.joints) {
      best = std::min(best, (joint.position - point).norm());
      if (joint.end) best = std::min(best, (*joint.end - point).norm());
    }
    return best / subject_.size;
  }

  void measure_coverage() {
    int near = 0, count = 0;
    bool tips = true;
    double sum = 0, largest = 0;
    std::string worst;
    for (const TrueJoint& joint : subject_.joints) {
      const double distance =
          std::min(distance_to_found(joint.position),
                   joint.tip ? distance_to_found(joint.region) : std::numeric_limits<double>::infinity());
      ++count;
      near += distance <= kNear ? 1 : 0;
      sum += distance;
      if (distance > largest) largest = distance, worst = joint.name;
      if (distance > kNear) add(o_.uncovered, joint.name);
      if (distance > kNear && joint.tip) tips = false;
    }
    const int wrong_sides = joints_on_wrong_side();
    o_.covered = tips && near >= kCoveredShare * count && wrong_sides == 0 && head_is_head();
    if (body_ != BodyClass::kCreatures) return;
    o_.error = sum / count;
    o_.largest = largest;
    o_.largest_joint = worst;
    o_.swapped = wrong_sides;
  }

  int joints_on_wrong_side() const {
    std::array<Vec3, 2> mean = {Vec3::Zero(), Vec3::Zero()};
    std::array<int, 2> count = {0, 0};
    for (const TrueJoint& joint : subject_.joints)
      if (joint.side != 0) {
        const std::size_t k = joint.side > 0 ? 0 : 1;
        mean[k] += joint.position;
        ++count[k];
      }
    if (count[0] == 0 || count[1] == 0) return 0;
    const Vec3 left = mean[0] / count[0], right = mean[1] / count[1];
    const Vec3 across = (left - right).normalized(), middle = (left + right) / 2;
    int wrong = 0;
    for (const rigging::PlannedJoint& joint : plan_.joints) {
      const int side = joint.role.starts_with("left_") ? 1 : joint.role.starts_with("right_") ? -1 : 0;
      if (side * (joint.position - middle).dot(across) < -kSideSlack * subject_.size) ++wrong;
    }
    return wrong;
  }

  bool head_is_head() const {
    const rigging::PlannedJoint* head = found("head");
    const auto truth = std::find_if(subject_.joints.begin(), subject_.joints.end(), [](const TrueJoint& joint) {
      return joint.role == "head" || joint.name == "Head" || joint.name == "head";
    });
    if (head == nullptr || truth == subject_.joints.end()) return true;
    return std::min((head->position - truth->position).norm(), (head->position - truth->region).norm()) <
           kHeadNear * subject_.size;
  }

  void judge_without_truth() {
    find_outside();
    if (o_.wanted && body_ != BodyClass::kCreatures)
      for (const Template::Joint& joint : rigging::find_template(plan_.template_name).joints)
        if (!joint.optional && found(joint.role) == nullptr) add(o_.missing, joint.role);
    const bool even = limbs_are_even();
    if (o_.wanted && o_.missing.empty() && o_.outside.empty() && even) o_.verdict = Verdict::kUnverified;
    if (!o_.wanted) say("became " + plan_.template_name);
    if (!o_.missing.empty()) say("lacks " + o_.missing);
    if (!o_.outside.empty()) say("outside: " + o_.outside);
    if (!even) say("sides differ in length");
  }

  bool limbs_are_even() const {
    for (const auto& [from, to] : {std::pair("upper_arm", "forearm"), std::pair("forearm", "hand"),
                                   std::pair("thigh", "shin"), std::pair("shin", "foot")}) {
      const auto length = [this, upper = from, lower = to](const char* side) {
        const auto *a = found(fmt::format("{}_{}", side, upper)), *b = found(fmt::format("{}_{}", side, lower));
        return a == nullptr || b == nullptr ? 0.0 : (a->position - b->position).norm();
      };
      const double left = length("left"), right = length("right");
      if (left > 0 && right > 0 && std::abs(std::log(left / right)) > kMostLogRatio) return false;
    }
    return true;
  }

  bool within(const Bounds& bounds) const {
    return o_.wanted && o_.missing.empty() && o_.swapped == 0 && o_.error < bounds.mean && o_.largest < bounds.largest;
  }

  void decide(bool creature) {
    const bool person = is_person(body_) || body_ == BodyClass::kHands;
    const Bounds& bounds = person ? kRightPerson : kRightAnimal;
    const bool right = creature ? o_.wanted && o_.covered && o_.error < kCreatureMean
                                : within(bounds) && o_.outside.empty() && (person || !o_.compared.empty());
    const bool usable = person ? within(kUsablePerson) : o_.covered;
    o_.verdict = right ? Verdict::kRight : usable ? Verdict::kUsable : Verdict::kWrong;
    if (right) return;
    if (!o_.wanted) say("became " + plan_.template_name);
    if (!o_.missing.empty()) say("lacks " + o_.missing);
    if (o_.swapped > 0) say(fmt::format("{} joints swapped", o_.swapped));
    if (!o_.outside.empty()) say("outside: " + o_.outside);
    if (!creature && o_.error >= bounds.mean) say(fmt::format("mean error {:.1f} %", 100 * o_.error));
    if (!creature && o_.largest >= bounds.largest) say(fmt::format("{} {:.1f} %", o_.largest_joint, 100 * o_.largest));
    if (!person && !usable) say(o_.uncovered.empty() ? "sides or head wrong" : "not covered: " + o_.uncovered);
  }

  const RealSubject& subject_;
  const rigging::SkeletonPlan& plan_;
  RealOutcome& o_;
  BodyClass body_;
};

Json point_json(const Vec3& point) { return {point.x(), point.y(), point.z()}; }

}  // namespace

const char* verdict_name(Verdict verdict) {
  static constexpr const char* kNames[] = {"right", "usable", "wrong", "unverified"};
  return kNames[static_cast<int>(verdict)];
}

RealOutcome judge_real(const RealSubject& subject, rigging::PlanResult result) {
  RealOutcome outcome;
  outcome.result = std::move(result);
  ClassJudge(subject, outcome).run();
  return outcome;
}

RealOutcome try_real(const RealSubject& subject, const std::map<std::string, Vec3>& hints) {
  rigging::RiggerRequest request;
  request.templates = rigging::all_templates();
  request.hints = hints;
  const auto start = std::chrono::steady_clock::now();
  rigging::PlanResult result;
  try {
    Rig rig;
    rig.mesh = subject.mesh;
    result = pipeline::plan_body(rig, request, {});
    pipeline::place_on_curves(result, rig.mesh, request.templates, {}, {});
  } catch (const Error& error) {
    result = {};
    result.fits = false;
    result.plan.template_name = "nothing";
    result.metrics["refused"] = error.what();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RealOutcome outcome = judge_real(subject, std::move(result));
  outcome.seconds = took.count();
  return outcome;
}

Json real_outcome_json(const RealSubject& subject, const RealOutcome& o) {
  Json compared = Json::array(), found = Json::array(), truth = Json::array();
  for (const ComparedJoint& joint : o.compared)
    compared.push_back({{"role", joint.role},
                        {"true", point_json(joint.truth)},
                        {"found", joint.found ? point_json(*joint.found) : Json()},
                        {"error_percent", 100 * joint.error}});
  for (const rigging::PlannedJoint& joint : o.result.plan.joints)
    found.push_back({{"name", joint.name},
                     {"role", joint.role},
                     {"position", point_json(joint.position)},
                     {"end", joint.end ? point_json(*joint.end) : Json()},
                     {"confidence", joint.confidence}});
  for (const TrueJoint& joint : subject.joints)
    truth.push_back({{"name", joint.name},
                     {"role", joint.role},
                     {"position", point_json(joint.position)},
                     {"region", point_json(joint.region)},
                     {"tip", joint.tip}});
  const RealCharacter& character = *subject.character;
  return {{"character", character.name()},
          {"path", character.path},
          {"class", body_class_name(character.body)},
          {"held_out", character.held_out},
          {"wanted", character.wanted},
          {"template", o.result.plan.template_name},
          {"confidence", o.result.confidence},
          {"plan", o.result.metrics.value("plan", Json())},
          {"warned", o.warned},
          {"verdict", verdict_name(o.verdict)},
          {"why", o.reason},
          {"size", subject.size},
          {"vertices", subject.mesh.vertex_count()},
          {"error_percent", 100 * o.error},
          {"largest_error_percent", 100 * o.largest},
          {"largest_error_joint", o.largest_joint},
          {"swapped", o.swapped},
          {"outside", o.outside},
          {"uncovered", o.uncovered},
          {"compared", std::move(compared)},
          {"found_joints", std::move(found)},
          {"true_joints", std::move(truth)}};
}

}  // namespace sinew::lab
