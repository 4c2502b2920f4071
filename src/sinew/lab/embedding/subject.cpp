// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/core/report.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/lab/embedding/embedding.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/rig.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {

using namespace pipeline;
namespace {

constexpr double kRightError = 0.06;

double subject_height(const std::string& kind, const Mesh& mesh, const Vec3& up) {
  const Vec3 extent = mesh.bounds().extent();
  return kind == "human" ? extent.dot(up.cwiseAbs()) : extent.maxCoeff();
}

bool is_bend(const std::string& role) { return role.ends_with("_forearm") || role.ends_with("_shin"); }

/// A plan beside the truth.
class EmbeddingJudge {
 public:
  EmbeddingJudge(const EmbeddingSubject& subject, const rigging::PlanResult& rigged)
      : subject_(subject), rigged_(rigged), plan_(rigged.plan) {}

  EmbeddingOutcome run() {
    EmbeddingOutcome& o = outcome_;
    o.template_name = plan_.template_name;
    o.fits = rigged_.fits;
    o.confidence = rigged_.confidence;
    o.warned = !rigged_.fits || has_warning("rig.doubtful") || has_warning("rig.without");
    find_outside();
    if (subject_.kind.empty()) {
      o.right = !o.fits || o.template_name != "human" || o.warned;
      return o;
    }
    if (o.fits && o.template_name == subject_.kind) compare(rigging::find_template(subject_.kind));
    o.right = o.right_template && o.outside == 0 && o.swapped == 0 && o.error < kRightError;
    return o;
  }

 private:
  bool has_warning(const char* code) const {
    return std::any_of(rigged_.warnings.begin(), rigged_.warnings.end(),
                       [&](const Finding& finding) { return finding.code == code; });
  }

  void find_outside() {
    const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(subject_.mesh);
    const geometry::TriangleSoup soup{subject_.mesh.positions, triangles};
    const geometry::FastWinding winding(soup, geometry::solid_facing(soup).signs);
    for (const rigging::PlannedJoint& joint : plan_.joints) {
      if (winding.at(joint.position) > 0.5) continue;
      ++outcome_.outside;
      outcome_.outside_names += (outcome_.outside_names.empty() ? "" : " ") + joint.name;
    }
  }

  const Vec3* truth(const Template::Joint& joint) const {
    const auto found = subject_.truth.find(joint.role);
    return found == subject_.truth.end() ? nullptr : &found->second;
  }

  const Vec3* place(const Template::Joint& joint) const {
    const Index j = plan_.find_role(joint.role);
    return j == kNone ? nullptr : &plan_.joints[j].position;
  }

  void compare(const Template& t) {
    EmbeddingOutcome& o = outcome_;
    double bends = 0, others = 0;
    for (const Template::Joint& joint : t.joints) {
      const Vec3* found = place(joint);
      if (found == nullptr && !joint.optional) o.lacks_joints = true;
      const Vec3* wanted = truth(joint);
      if (wanted == nullptr) continue;
      if (joint.optional) ++o.details;
      if (found == nullptr) continue;
      const double error = (*found - *wanted).norm() / subject_.height;
      if (joint.optional) {
        ++o.details_found;
        o.details_error += error;
        continue;
      }
      ++o.compared;
      if (is_bend(joint.role)) ++o.bends;
      (is_bend(joint.role) ? bends : others) += error;
      if (error > o.worst_error) o.worst_error = error, o.worst_joint = joint.name;
    }
    o.right_template = !o.lacks_joints;
    if (o.compared > 0) o.error = (bends + others) / o.compared;
    if (o.bends > 0) o.bend_error = bends / o.bends;
    if (o.compared > o.bends) o.other_error = others / (o.compared - o.bends);
    if (o.details_found > 0) o.details_error /= o.details_found;
    for (const Template::Limb& limb : t.limbs)
      if (is_swapped(t, limb)) ++o.swapped;
  }

  bool is_swapped(const Template& t, const Template::Limb& limb) const {
    for (const Index j : limb.joints) {
      const Index partner = t.joints[j].partner;
      if (t.joints[j].optional) return false;
      if (partner == kNone) continue;
      const Vec3 *found = place(t.joints[j]), *own = truth(t.joints[j]), *other = truth(t.joints[partner]);
      if (found && own && other && (*found - *other).norm() < (*found - *own).norm()) return true;
    }
    return std::any_of(t.limbs.begin(), t.limbs.end(), [&](const Template::Limb& other) {
      return &other != &limb && other.kind == limb.kind && other.joints.size() == limb.joints.size() &&
             nearer_to(t, limb, other);
    });
  }

  /// Whether a limb lies nearer to another one's true place than to its own, all joints together.
  bool nearer_to(const Template& t, const Template::Limb& limb, const Template::Limb& other) const {
    double to_own = 0, to_other = 0;
    for (std::size_t k = 0; k < limb.joints.size(); ++k) {
      const Vec3 *found = place(t.joints[limb.joints[k]]), *own = truth(t.joints[limb.joints[k]]),
                 *there = truth(t.joints[other.joints[k]]);
      if (!found || !own || !there) continue;
      to_own += (*found - *own).norm();
      to_other += (*found - *there).norm();
    }
    return to_other < to_own;
  }

  const EmbeddingSubject& subject_;
  const rigging::PlanResult& rigged_;
  const rigging::SkeletonPlan& plan_;
  EmbeddingOutcome outcome_;
};

}  // namespace

std::string EmbeddingOutcome::reason() const {
  if (right) return {};
  std::string text;
  const auto add = [&](std::string what) { text += (text.empty() ? "" : ", ") + std::move(what); };
  if (!right_template) add(lacks_joints ? "lacks joints of " + template_name : "became " + template_name);
  if (swapped > 0) add(fmt::format("{} limbs swapped", swapped));
  if (outside > 0) add("outside: " + outside_names);
  if (error >= kRightError) add(fmt::format("error {:.1f} %", 100 * error));
  return text;
}

EmbeddingSubject made_embedding_subject(const std::string& kind, const shapes::MakeOptions& options,
                                        const Progress& progress) {
  shapes::Made made = shapes::make(kind, options, progress).made;
  const Template& t = rigging::find_template(kind);
  EmbeddingSubject subject;
  subject.name = kind + " " + std::to_string(options.seed) + " " + options.made_pose;
  subject.kind = kind;
  const std::vector<Mat4> frames = rest_matrices(made.character.rig.skeleton);
  for (const shapes::Made::TemplateJoint& known : made.template_joints)
    for (const Template::Joint& joint : t.joints)
      if (joint.name == known.name && known.joint != kNone)
        subject.truth[joint.role] = frames[known.joint].topRightCorner<3, 1>();
  remove_rig(made.character);
  subject.mesh = std::move(made.character.rig.mesh);
  subject.height = subject_height(kind, subject.mesh, Vec3::UnitY());
  return subject;
}

EmbeddingOutcome judge_embedding(const EmbeddingSubject& subject, const rigging::PlanResult& rigged) {
  return EmbeddingJudge(subject, rigged).run();
}

EmbeddingOutcome try_embedding(const EmbeddingSubject& subject, const EmbeddingTrial& trial) {
  rigging::RiggerRequest request;
  request.templates = rigging::all_templates();
  request.weights = trial.weights;
  const auto start = std::chrono::steady_clock::now();
  rigging::PlanResult rigged;
  try {
    Rig rig;
    rig.mesh = subject.mesh;
    rigged = plan_body(rig, request, trial.options);
  } catch (const Error&) {
    rigged.fits = false;
    rigged.plan.template_name = "nothing";
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EmbeddingOutcome outcome = judge_embedding(subject, rigged);
  outcome.seconds = took.count();
  return outcome;
}

}  // namespace sinew::lab
